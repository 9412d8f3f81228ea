from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from referee.engines import ROUNDING, nonzero
from referee.scoring import REGRESSION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(truth: Column, prediction: Column, baseline: Column, xp: Any) -> dict[str, Column]:
    return {"absolute_error": xp.abs(truth - prediction), "baseline_error": deviation(truth, baseline, xp)}


def deviation(truth: Column, baseline: Column, xp: Any) -> Column:
    """How far the truth is from the simple predictor; a mean's rounding is no deviation."""
    distance = xp.abs(truth - baseline)
    return xp.where(distance > ROUNDING * xp.abs(truth), distance, 0.0)


def value(sums: Sums) -> Array:
    return sums.mean("absolute_error") / nonzero(sums.mean("baseline_error"))


metric = Metric(
    title="Relative absolute error",
    question="How large are the errors, compared with always predicting the mean?",
    formula="{sum_absolute_error:sum of |y - p|} / {sum_baseline_error:sum of |y - b|}, "
    "b the mean of the rows (of the training rows where folds are known, as in Weka)",
    needs="values",
    tasks=REGRESSION,
    better="lower",
    range=(0, inf),
    value=value,
    carried_by="absolute_error",
    row_terms=row_terms,
    elicits="median",
    undefined_when="always predicting the mean makes no error: all true values are the same",
    blind_to="how large the errors are in themselves: on easy data, a small error can be relatively large. "
    "It is a fraction; Weka prints a percentage",
    aliases=("relative_absolute_error",),
    related=("rrse", "mae", "r2"),
    references=(
        "I. H. Witten and E. Frank (2005). Data Mining: Practical Machine Learning Tools and Techniques, 2nd edition. "
        "Morgan Kaufmann, pages 176-179",
    ),
    examples=(
        Example(
            truth=[3, -0.5, 2, 7],
            prediction=[2.5, 0.0, 2, 8],
            value=2 / 8.5,
            source="the lecture's formula by hand: 2 / (0.125 + 3.375 + 0.875 + 4.125)",
        ),
    ),
)
