"""Thresholds in words."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from referee.thresholds import HOW, PREVALENCES, RATIOS
from referee.wording import distinct_names, number, one_line, p_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.comparing import Comparison
    from referee.thresholds import Regions, Thresholds

HEADINGS = ("model", "threshold", "as good", "value", "interval", "same rows", "called +")
LONGEST_NAME, SHORTER_NAME = 16, 8
"""The shorter where the screen is not wide enough for the other."""
MOST_NAMED = 4


def title_of(found: Thresholds) -> str:
    return f"Threshold for {found.objective.shown_name}; {found.objective.better} is better"


def score(value: float, digits: int = 4) -> str:
    """A threshold, or what an infinite one means.

    >>> score(0.25), score(inf), score(-inf)
    ('0.2500', 'none', 'all')
    """
    return "none" if value == inf else "all" if value == -inf else number(value, digits)


def labels(found: Thresholds, longest: int = LONGEST_NAME) -> dict[str, str]:
    """What the models are called in tables."""
    return distinct_names((one.model for one in found.chosen), longest)


def cells(found: Thresholds, longest: int = LONGEST_NAME) -> Iterator[list[str]]:
    """A line for each model."""
    for label, one in zip(labels(found, longest).values(), found.chosen, strict=True):
        known = one.value_low is not None and one.value_high is not None
        yield [
            label,
            score(one.threshold),
            _stretch(score(one.low, 3), score(one.high, 3)) if one.low < one.high else "only this",
            number(one.value),
            f"{number(one.value_low, 3)} to {number(one.value_high, 3)}" if known else "",
            number(one.apparent),
            f"{100 * one.flagged:.1f} %",
        ]


def _stretch(low: str, high: str) -> str:
    return f"near {low}" if low == high else f"{low} to {high}"


def remarks(found: Thresholds) -> Iterator[str]:
    """What the columns mean, and what the limits came to."""
    folds = f", {found.folds} folds" if found.folds else ""
    if found.how != "same_rows":
        flatters = "" if found.objective.limits or found.objective.capacity is not None else ", which flatters"
        yield f"value: {HOW[found.how]}{folds}; same rows: {HOW['same_rows']}{flatters}"
        flattered = [one for one in found.chosen if one.optimism is not None]
        if flattered and len(flattered) <= MOST_NAMED:
            each = ", ".join(f"{one_line(one.model)} {number(one.optimism)}" for one in flattered)
            yield f"optimism, same rows less value: {each}"
    yield "as good: thresholds that these rows cannot tell from the best one; positive is score >= threshold"
    for one in found.chosen:
        for name, value in one.limits.items():
            yield f"{one_line(one.model)}: {name}: {number(value)} on the judged rows"
        if one.undefined:
            yield f"{one_line(one.model)}: {found.objective.metric.shown_name} is undefined there: {one.undefined}"


def sentence(one: Comparison) -> str:
    """Who is better, each at its own threshold."""
    if one.undefined:
        return f"{one.a} and {one.b} cannot be compared: {one.undefined}"
    who = f"{one.winner} is better than {one.against(one.winner)}" if one.winner else f"{one.a} and {one.b}: a tie"
    ends = "" if one.low is None else f" ({number(one.low)} to {number(one.high)})"
    p = "" if one.p is None else f", {p_value(one.p)}"
    return f"{who}, each at its own threshold: difference {number(one.difference)}{ends}{p}"


def region_sentences(regions: Regions) -> Iterator[str]:
    """Where each model is the cheaper one."""
    yield from (one.message for one in regions.notices if one.code == "W_FEWROWS")
    names = {"a": regions.a, "b": regions.b}
    for side, name in names.items():
        parts = [f"{low:g} to {high:g}" for found, low, high in regions.stretches if found == side]
        where = f"where the probability cost is {' or '.join(parts)}" if parts else "nowhere"
        yield f"{side.upper()}  {name} is significantly cheaper {where}"


def region_table(regions: Regions) -> Iterator[list[str]]:
    """Who is cheaper: a line per share of positives, a column per ratio of costs."""
    names = {"a": "A", "b": "B", "tie": "."}
    yield ["positives", *(f"{ratio:g}" for ratio in RATIOS)]
    for share in sorted({*PREVALENCES, round(regions.prevalence, 4)}):
        label = f"{100 * share:.4g} %"
        yield [label, *(names[regions.at(ratio, share)] for ratio in RATIOS)]
