"""What is shown of thresholds: each model's best one, who is better at its own, and where which model is cheaper."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite
from typing import TYPE_CHECKING

from referee.catalogue import brief
from referee.comparing import Comparison, pairs_table
from referee.document import (
    Cell,
    Column,
    Document,
    Lines,
    Part,
    level,
    name_cell,
    named,
    number,
    number_cell,
    one_line,
    p_value,
    table,
)
from referee.scoring import rows_described, worked_on_counts
from referee.thresholds.costs import PREVALENCES, RATIOS, Regions
from referee.thresholds.judgement import recommendation
from referee.thresholds.thresholds import HOW, Threshold, Thresholds

if TYPE_CHECKING:
    from collections.abc import Iterator


LONGEST_NAME, SHORTER_NAME = 16, 8
"""The shorter where the screen is not wide enough for the other."""
MOST_NAMED = 4
OWN = "each at its own threshold"
CHEAPER = {"a": "A", "b": "B", "tie": "."}


def thresholds_document(thresholds: Thresholds) -> Document:
    predictions = thresholds.predictions
    parts = [_chosen(thresholds), _compared(thresholds), _regions(thresholds.regions)]
    return Document(
        "thresholds",
        _answer(thresholds),
        tuple(part for part in parts if part is not None),
        about=rows_described(predictions),
        notes=predictions.notes,
        notices=thresholds.notices,
    )


def _chosen(thresholds: Thresholds) -> Part:
    """A line for each model."""
    columns = ["model", "threshold", "as good", "value", level(thresholds.alpha), "same rows", "called +"]
    said = tuple(_remarks(thresholds))
    rows = table(
        "thresholds", columns, map(_row, thresholds.chosen), remarks=said, longest_name=LONGEST_NAME, sortable=True
    )
    narrow = replace(rows, longest_name=SHORTER_NAME)
    return Part(title_of(thresholds), (replace(rows, narrower=(narrow,)),), asked=True)


def title_of(thresholds: Thresholds) -> str:
    return f"Threshold for {thresholds.objective.shown_name}; {thresholds.objective.better} is better"


def _row(chosen: Threshold) -> list[Cell | str]:
    low, high = chosen.value_low, chosen.value_high
    return [
        name_cell(chosen.model),
        Cell(score(chosen.threshold), chosen.threshold if isfinite(chosen.threshold) else None),
        _stretch(score(chosen.low, 3), score(chosen.high, 3)) if chosen.low < chosen.high else "only this",
        number_cell(chosen.value),
        "" if low is None or high is None else f"{number(low, 3)} to {number(high, 3)}",
        number_cell(chosen.apparent),
        Cell(f"{100 * chosen.flagged:.1f}%", chosen.flagged),
    ]


def score(value: float, digits: int = 4) -> str:
    """A threshold, or what an infinite one means.

    >>> score(0.25), score(inf), score(-inf)
    ('0.2500', 'none', 'all')
    """
    return "none" if value == inf else "all" if value == -inf else number(value, digits)


def _stretch(low: str, high: str) -> str:
    return f"near {low}" if low == high else f"{low} to {high}"


def _remarks(thresholds: Thresholds) -> Iterator[str]:
    """What the columns mean, and what the limits came to."""
    yield from _how_judged(thresholds)
    yield "as good: thresholds that these rows cannot distinguish from the best one; positive is score >= threshold"
    for chosen in thresholds.chosen:
        for name, value in chosen.limits.items():
            yield f"{one_line(chosen.model)}: {name}: {number(value)} on the evaluation rows"
        if chosen.undefined:
            metric = thresholds.objective.metric.shown_name
            yield f"{one_line(chosen.model)}: {metric} is undefined there: {chosen.undefined}"


def explained_thresholds(thresholds: Thresholds) -> tuple[Part, ...]:
    """Which rows fall on which side of each threshold, and what the metric makes of them."""
    lines = [line for chosen in thresholds.chosen for line in _explained(thresholds, chosen)]
    return (Part("The thresholds, with the numbers filled in", (Lines(tuple(lines), "formulas"),), asked=True),)


def _explained(thresholds: Thresholds, chosen: Threshold) -> Iterator[str]:
    objective, cells = thresholds.objective, {name: getattr(chosen, name) for name in ("tp", "fn", "fp", "tn")}
    said = ", ".join(f"{name.upper()} = {brief(many)}" for name, many in cells.items())
    yield f"{one_line(chosen.model)}: positive is a score >= {score(chosen.threshold)}, which gives {said}"
    if objective.prevalence is not None:
        yield f"rows are weighted as if {objective.prevalence:g} of them were positive"
    elif chosen.apparent is not None:
        worked = worked_on_counts(objective.metric, thresholds.predictions, **cells)
        yield f"{objective.metric.shown_name} = {worked} = {brief(chosen.apparent)} on the rows that it was chosen on"
    if thresholds.how != "same_rows" and chosen.value is not None:
        yield f"on rows that it was not chosen on ({HOW[thresholds.how]}): {brief(chosen.value)}"


def _how_judged(thresholds: Thresholds) -> Iterator[str]:
    if thresholds.how == "same_rows":
        return
    folds = f", {thresholds.folds} folds" if thresholds.folds else ""
    is_limited = thresholds.objective.limits or thresholds.objective.capacity is not None
    flatters = "" if is_limited else ", which is optimistic"
    yield f"value: {HOW[thresholds.how]}{folds}; same rows: {HOW['same_rows']}{flatters}"
    flattered = [chosen for chosen in thresholds.chosen if chosen.optimism is not None]
    if flattered and len(flattered) <= MOST_NAMED:
        each = ", ".join(f"{one_line(chosen.model)} {number(chosen.optimism)}" for chosen in flattered)
        yield f"optimism, same rows minus value: {each}"


def _compared(thresholds: Thresholds) -> Part | None:
    """All pairs, where they are several; of a single one the sentence says everything."""
    pairs = thresholds.comparisons
    if len(pairs) < 2:
        return None
    said = "by p of each pair; adjusted: for all pairs, by Holm"
    reasons = dict.fromkeys(pair.undefined for pair in pairs if pair.undefined)
    rows = pairs_table(pairs, thresholds.alpha, remarks=(said, *(f"?  {reason}" for reason in reasons)))
    return Part(f"Comparisons, {OWN}", (rows,), asked=True)


def _answer(thresholds: Thresholds) -> str:
    """What to use, and who is better than whom."""
    pairs = thresholds.comparisons
    compared = _pair_in_words(pairs[0]) if len(pairs) == 1 else _pairs_in_words(pairs) if pairs else ""
    return ". ".join(filter(None, [recommendation(thresholds), compared]))


def _pair_in_words(pair: Comparison) -> str:
    if pair.undefined:
        return f"{pair.a} and {pair.b} cannot be compared: {pair.undefined}"
    who = (
        f"{pair.winner} is better than {pair.against(pair.winner)}" if pair.winner else f"{pair.a} and {pair.b}: a tie"
    )
    ends = "" if pair.low is None else f" ({number(pair.low)} to {number(pair.high)})"
    p = "" if pair.p is None else f", {p_value(pair.p)}"
    return f"{who}, {OWN}: difference {number(pair.difference)}{ends}{p}"


def _pairs_in_words(pairs: tuple[Comparison, ...]) -> str:
    beaten: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.winner:
            beaten.setdefault(pair.winner, []).append(pair.against(pair.winner))
    if not beaten:
        return f"No model is shown to be better than another, {OWN}"
    if len(beaten) > MOST_NAMED:
        return f"{sum(map(len, beaten.values())):,} of {len(pairs):,} pairs of models differ significantly, {OWN}"
    return "; ".join(f"{winner} is better than {named(others)}" for winner, others in beaten.items()) + f", {OWN}"


def _regions(regions: Regions | None) -> Part | None:
    """Who is cheaper: a line per share of positives, a column per ratio of costs."""
    if regions is None:
        return None
    columns = [Column(text, words=True) for text in ("positives", *(f"{ratio:g}" for ratio in RATIOS))]
    shares = sorted({*PREVALENCES, round(regions.prevalence, 4)})
    rows = [[f"{100 * share:.4g}%", *(CHEAPER[regions.at(ratio, share)] for ratio in RATIOS)] for share in shares]
    said = (*_where_cheaper(regions), ".  no significant difference, all conditions taken together")
    title = "The cheaper model, by share of positives and cost of a miss / false alarm"
    return Part(title, (table("regions", columns, rows, remarks=said),), folded=True, asked=True)


def _where_cheaper(regions: Regions) -> Iterator[str]:
    yield from (notice.message for notice in regions.notices if notice.code == "W_FEWROWS")
    for side, name in (("a", regions.a), ("b", regions.b)):
        stretches = [f"{low:g} to {high:g}" for cheaper, low, high in regions.stretches if cheaper == side]
        where = f"where the probability cost is {' or '.join(stretches)}" if stretches else "nowhere"
        yield f"{CHEAPER[side]}  {name} is significantly cheaper {where}"
