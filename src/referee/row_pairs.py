"""Two models on the same rows: the difference of their values with its spread, and the cases without one."""

from __future__ import annotations

from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparison import Comparison, by_student_t, no_difference, undefined
from referee.errors import UsageError
from referee.group_pairs import GroupPair
from referee.unit_differences import DUST, constant_difference

if TYPE_CHECKING:
    from referee.contender import Contender
    from referee.design import Design
    from referee.predictions import Predictions


def compare_rows(a: Contender, b: Contender, design: Design, *, df: float | None = None) -> Comparison:
    """The paired t-test on row influences; `df` replaces the degrees of freedom that the influences suggest.

    Where rows come in groups, these are compared, by the test that suits them.
    """
    if reason := why_undefined(a, b):
        return undefined(reason)
    groups = GroupPair.of(a, b, design)
    more: dict[str, Any] = {"units": a.units}
    difference, spread = a.value - b.value, a.spread_of_difference(b)
    if spread is None or not isfinite(spread.variance):
        return undefined("the difference has no finite standard error on these rows")
    if spread.standard_error <= DUST * max(abs(a.value), abs(b.value)):
        if abs(difference) <= DUST * max(abs(a.value), abs(b.value)):
            return no_difference(design, df=spread.df if df is None else df, **more)
        found = constant_difference(difference, _rows_that_count(a, b), design)
        return found if groups is None else groups.described(found, "signs")
    found = by_student_t(difference, spread.standard_error, spread.df if df is None else df, design, **more)
    return found if groups is None else groups.decided(found)


def refuse_weights_and_groups(predictions: Predictions, title: str) -> None:
    """Stop where a test takes all rows for independent and equal."""
    if predictions.clusters is not None or predictions.weight is not None:
        raise UsageError(
            "E_TEST",
            f"{title} knows neither weights nor rows that belong together",
            hint="--test influence knows both",
        )


def why_undefined(a: Contender, b: Contender) -> str | None:
    if a.units < 2:
        return "all rows belong to one group" if a.predictions.clusters is not None else "there is only one row"
    for one in (a, b):
        if isnan(one.value):
            return f"{one.metric.full_name} of {one.name} is undefined: {one.metric.undefined_when or 'not a number'}"
        if not isfinite(one.value):
            return f"{one.metric.full_name} of {one.name} is infinite"
        if one.groups is not None and (held := one.groups.reach.groups) < 2:
            rows = f"rows that count for {one.metric.full_name}"
            return f"all {rows} belong to one group" if held else f"{one.name} has no {rows}"
    return None


def _rows_that_count(a: Contender, b: Contender) -> float:
    rows = min(a.rows_that_count, b.rows_that_count)
    return float(np.floor(rows)) if isfinite(rows) else 0.0
