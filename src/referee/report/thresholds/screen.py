"""Thresholds on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.report.scores.shown import described, level
from referee.report.terminal.console import plain, print_dim, print_title, print_whole, print_wrapped, screen, table_of
from referee.report.terminal.notices import print_notices
from referee.report.thresholds.words import (
    HEADINGS,
    cells,
    region_sentences,
    region_table,
    remarks,
    sentence,
    title_of,
)
from referee.wording import counted, message_line

if TYPE_CHECKING:
    from rich.console import Console

    from referee.thresholds import Regions, Thresholds


def print_thresholds(found: Thresholds, *, quiet: bool) -> None:
    """Print what `referee threshold` found; last who is better."""
    console = screen()
    about: Any = found
    if not quiet:
        rows = counted(found.predictions.rows, "row")
        console.print(f"{rows}, {described(about)}", style="bold", markup=False)
        print_dim(console, map(message_line, found.predictions.notes))
        console.print()
    print_wrapped(console, title_of(found), "bold")
    headings = [level(found.alpha) if name == "interval" else name for name in HEADINGS]
    table = table_of(*headings)
    for row in cells(found):
        table.add_row(*map(plain, row))
    print_whole(console, table)
    if not quiet:
        print_dim(console, remarks(found))
    if found.regions is not None:
        _print_regions(console, found.regions)
    print_notices(console, found.notices)
    if found.comparisons:
        console.print()
    for one in found.comparisons:
        print_wrapped(console, sentence(one), "bold")


def _print_regions(console: Console, regions: Regions) -> None:
    print_title(console, "The cheaper model, by share of positives and cost of a miss / false alarm")
    head, *rows = region_table(regions)
    table = table_of(*head)
    for row in rows:
        table.add_row(*map(plain, row))
    print_whole(console, table)
    print_dim(console, [*region_sentences(regions), ".  no significant difference, all conditions taken together"])
