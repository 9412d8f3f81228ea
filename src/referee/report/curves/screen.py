"""Curves on the screen: a table of points for each, as the lecture writes them down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.curves.words import headings, remarks, shown_rows, title_of
from referee.report.scores.shown import described
from referee.report.terminal.console import plain, print_dim, print_title, print_whole, print_wrapped, screen, table_of
from referee.report.terminal.notices import print_notices
from referee.wording import counted, message_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.curve_points import Curve
    from referee.predictions import Predictions


def print_curves(predictions: Predictions, curves: Sequence[Curve], *, quiet: bool) -> None:
    console = screen()
    if not quiet:
        print_wrapped(console, f"{counted(predictions.rows, 'row')}, {described(predictions)}", "bold")
        print_dim(console, map(message_line, predictions.notes))
    for one in curves:
        print_title(console, title_of(one))
        table = table_of(*headings(one))
        for row in shown_rows(one):
            table.add_row(*map(plain, row))
        print_whole(console, table)
        print_dim(console, remarks(one))
    print_notices(console, predictions.notices, quiet=quiet)
