"""Thresholds on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.scores.shown import described
from referee.report.terminal.console import (
    fits,
    plain,
    print_dim,
    print_title,
    print_whole,
    print_wrapped,
    screen,
    table_of,
)
from referee.report.terminal.notices import print_notices
from referee.report.thresholds.words import (
    HEADINGS,
    LONGEST_NAME,
    SHORTER_NAME,
    cells,
    labels,
    region_sentences,
    region_table,
    remarks,
    sentence,
    title_of,
)
from referee.wording import counted, level, message_line, name_key

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from referee.thresholds import Regions, Thresholds


def print_thresholds(found: Thresholds, *, quiet: bool) -> None:
    """Print what `referee threshold` found; last who is better."""
    console = screen()
    if not quiet:
        rows = counted(found.predictions.rows, "row")
        print_wrapped(console, f"{rows}, {described(found.predictions)}", "bold")
        print_dim(console, map(message_line, found.predictions.notes))
        console.print()
    print_wrapped(console, title_of(found), "bold")
    longest = LONGEST_NAME if fits(console, _table(found, LONGEST_NAME)) else SHORTER_NAME
    print_whole(console, _table(found, longest))
    print_dim(console, [*(() if quiet else remarks(found)), *name_key(labels(found, longest))])
    if found.regions is not None:
        _print_regions(console, found.regions)
    print_notices(console, found.notices, quiet=quiet)
    if found.comparisons:
        console.print()
    for one in found.comparisons:
        print_wrapped(console, sentence(one), "bold")


def _table(found: Thresholds, longest: int) -> Table:
    table = table_of(*(level(found.alpha) if name == "interval" else name for name in HEADINGS))
    for row in cells(found, longest):
        table.add_row(*map(plain, row))
    return table


def _print_regions(console: Console, regions: Regions) -> None:
    print_title(console, "The cheaper model, by share of positives and cost of a miss / false alarm")
    head, *rows = region_table(regions)
    table = table_of(*head)
    for row in rows:
        table.add_row(*map(plain, row))
    print_whole(console, table)
    print_dim(console, [*region_sentences(regions), ".  no significant difference, all conditions taken together"])
