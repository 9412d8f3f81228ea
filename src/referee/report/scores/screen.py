"""Scores on the screen: tables that fit 80 columns, what was understood first, warnings last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.scores.overall_tables import print_overall
from referee.report.scores.shown import described
from referee.report.scores.unit_tables import print_classes, print_confusion, print_folds, print_slices
from referee.report.terminal.console import print_dim, print_wrapped, screen
from referee.report.terminal.notices import print_notices
from referee.wording import counted, message_line

if TYPE_CHECKING:
    from referee.scoring import Scores


def print_scores(scores: Scores, *, alpha: float, quiet: bool) -> None:
    """Print everything that `referee evaluate` found."""
    console = screen()
    predictions = scores.predictions
    if not quiet:
        print_wrapped(console, f"{counted(predictions.rows, 'row')}, {described(predictions)}", "bold")
        print_dim(console, map(message_line, predictions.notes))
    print_overall(console, scores, alpha)
    print_slices(console, scores)
    print_folds(console, scores)
    if not quiet:
        if predictions.task == "multiclass":
            print_classes(console, scores)
        print_confusion(console, scores)
    print_notices(console, scores.notices, quiet=quiet)
