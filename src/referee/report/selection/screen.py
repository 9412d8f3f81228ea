"""A selection on the screen: what else matters, before the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.selection.words import (
    breaker_in_words,
    change_in_words,
    curve_remarks,
    growth_in_words,
    mix_name,
    nested_in_words,
    sampled_in_words,
    seconds,
    size_in_words,
)
from referee.report.terminal.console import plain, print_dim, print_title, print_whole, table_of
from referee.wording import counted, distinct_names, message_line, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from referee.comparing import Verdict
    from referee.fitting import Selection

LONGEST_NAME = 18
ACROSS = {"robustness": 3, "curve": 5}
"""Columns beside each other, so that 80 are enough; more of them go below."""


def print_selection(console: Console, verdict: Verdict, selection: Selection) -> None:
    """Print what was measured beside the goal, and which models failed."""
    names = distinct_names(verdict.values, LONGEST_NAME)
    _print_tradeoffs(console, selection, names)
    _print_robustness(console, verdict, selection, names)
    _print_curve(console, verdict, selection, names)
    if selection.nested is not None:
        print_title(console, "Nested selection")
        print_dim(console, map(message_line, nested_in_words(selection.nested, verdict.goal)))
    _print_tie_breakers(console, selection)
    if selection.folder:
        console.print()
        print_dim(
            console, [f"kept in {selection.folder}: `referee compare {selection.folder} --goal METRIC` fits nothing"]
        )
    if selection.failures:
        print_title(console, "Failed, and no part of the verdict")
        print_dim(console, [f"{message_line(error.message)} [{error.code}]" for error in selection.failures])


def _print_tie_breakers(console: Console, selection: Selection) -> None:
    """In a tie the user may decide by what else matters."""
    if selection.tie_breakers:
        print_title(console, "If something else is to decide between the models that may be best")
        print_dim(console, [message_line(f"- {breaker_in_words(one)}") for one in selection.tie_breakers])


def _print_tradeoffs(console: Console, selection: Selection, names: dict[str, str]) -> None:
    mix = mix_name(selection)
    print_title(console, f"{selection.scheme}: {counted(selection.splits, 'split')}")
    table = table_of("", "test", *([mix] if mix else []), "training", "fit", "predict", "size", "")
    for row in selection.tradeoffs:
        values = [number(value) for value in (row.test, *([row.combined] if mix else []), row.train)]
        cells = (*values, seconds(row.fit_seconds), seconds(row.predict_seconds), size_in_words(row))
        table.add_row(*map(plain, (f"  {names[row.model]}", *cells, "*" if row.efficient else "")))
    print_whole(console, table)
    print_dim(console, [f"* no other model is better in one of {mix or 'test'}, fit, predict and bytes and at least "
                        f"as good in all (Pareto set); times are CPU seconds{_of_splits(selection)}"])  # fmt: skip
    print_dim(console, sampled_in_words(selection.tradeoffs[0]))
    if selection.one_standard_error is not None:
        print_dim(console, [message_line(selection.one_standard_error.sentence)])


def _of_splits(selection: Selection) -> str:
    return ", medians over the splits" if selection.splits > 1 else ""


def _print_robustness(console: Console, verdict: Verdict, selection: Selection, names: dict[str, str]) -> None:
    rows = selection.tradeoffs
    if not rows[0].robustness:
        return
    print_title(console, f"Robustness: change of {verdict.goal.shown_name} with noise in the data")
    for part in _parts(len(rows[0].robustness), ACROSS["robustness"]):
        table = table_of("", *(f"{one.kind}={one.rate:g}" for one in rows[0].robustness[part]))
        for row in rows:
            table.add_row(*map(plain, (f"  {names[row.model]}", *map(change_in_words, row.robustness[part]))))
        print_whole(console, table)
    if any(one.standard_error is not None for row in rows for one in row.robustness):
        print_dim(console, ["± standard error, paired over the splits and corrected for their overlap"])


def _print_curve(console: Console, verdict: Verdict, selection: Selection, names: dict[str, str]) -> None:
    rows = selection.tradeoffs
    points = len(rows[0].learning_curve)
    if not points:
        return
    print_title(console, f"Learning curve: {verdict.goal.shown_name} on the same test rows after n training rows")
    for part in _parts(points, ACROSS["curve"]):
        last = part.stop >= points
        sizes = [f"n = {point.rows:,.0f}" for point in rows[0].learning_curve[part]]
        table = table_of("", *sizes, *(["fit time"] if last else []))
        for row in rows:
            cells = [number(point.test) for point in row.learning_curve[part]]
            cells += [growth_in_words(row.growth)] if last else []
            table.add_row(*map(plain, (f"  {names[row.model]}", *cells)))
        print_whole(console, table)
    print_dim(console, map(message_line, curve_remarks(selection)))


def _parts(columns: int, across: int) -> Iterator[slice]:
    """All columns, so many at a time."""
    return (slice(first, first + across) for first in range(0, columns, across))
