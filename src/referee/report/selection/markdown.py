"""A selection as Markdown, below its verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.markdown import folded_away, listed_items, table_row
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
from referee.wording import counted, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.comparing import Verdict
    from referee.fitting import Selection


def selection_markdown(verdict: Verdict) -> str:
    """What was measured beside the goal; in a tie, who is ahead in what is in sight."""
    selection = verdict.selection
    assert selection is not None
    lines = ["", "If something else is to decide, of these models:"] if selection.tie_breakers else []
    lines += listed_items(breaker_in_words(one) for one in selection.tie_breakers)
    if selection.one_standard_error is not None:
        lines += listed_items([selection.one_standard_error.sentence])
    if selection.nested is not None:
        lines += listed_items(nested_in_words(selection.nested, verdict.goal))
    lines += folded_away(f"What else matters ({counted(selection.splits, 'split')})", _tradeoffs(selection))
    if selection.tradeoffs[0].robustness:
        lines += folded_away(f"Robustness: change of {verdict.goal.shown_name}", _robustness(selection))
    if selection.tradeoffs[0].learning_curve:
        lines += folded_away(f"Learning curve: {verdict.goal.shown_name}", _curve(selection))
    return "\n".join(lines).rstrip() + "\n"


def _tradeoffs(selection: Selection) -> Iterator[str]:
    mix = mix_name(selection)
    columns = ["model", "test", *([mix] if mix else []), "training", "fit", "predict", "size", "Pareto"]
    yield table_row(columns)
    yield "|---|" + "--:|" * (len(columns) - 1)
    for row in selection.tradeoffs:
        values = [number(value) for value in (row.test, *([row.combined] if mix else []), row.train)]
        costs = [seconds(row.fit_seconds), seconds(row.predict_seconds), size_in_words(row)]
        yield table_row([row.model, *values, *costs, "yes" if row.efficient else ""])
    yield from listed_items(sampled_in_words(selection.tradeoffs[0]))


def _robustness(selection: Selection) -> Iterator[str]:
    noises = selection.tradeoffs[0].robustness
    yield table_row(["model", *(f"{one.kind}={one.rate:g}" for one in noises)])
    yield "|---|" + "--:|" * len(noises)
    for row in selection.tradeoffs:
        yield table_row([row.model, *map(change_in_words, row.robustness)])


def _curve(selection: Selection) -> Iterator[str]:
    points = selection.tradeoffs[0].learning_curve
    yield table_row(["model", *(f"{point.rows:,.0f} rows" for point in points), "fit time"])
    yield "|---|" + "--:|" * (len(points) + 1)
    for row in selection.tradeoffs:
        yield table_row([row.model, *(number(p.test) for p in row.learning_curve), growth_in_words(row.growth)])
    yield from listed_items(curve_remarks(selection))
