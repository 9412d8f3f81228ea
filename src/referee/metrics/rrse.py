from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from referee.engines import nonzero
from referee.metrics.rae import deviation
from referee.scoring import REGRESSION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(truth: Column, prediction: Column, baseline: Column, xp: Any) -> dict[str, Column]:
    return {
        "squared_error": (truth - prediction) ** 2,
        "squared_baseline_error": deviation(truth, baseline, xp) ** 2,
    }


def value(sums: Sums) -> Array:
    return (sums.mean("squared_error") / nonzero(sums.mean("squared_baseline_error"))) ** 0.5


metric = Metric(
    title="Root relative squared error",
    question="How large are the squared errors, compared with always predicting the mean?",
    formula="sqrt({sum_squared_error:sum of (y - p)²} / {sum_squared_baseline_error:sum of (y - b)²}), "
    "b the mean of the rows (of the training rows where folds are known)",
    needs="values",
    tasks=REGRESSION,
    better="lower",
    range=(0, inf),
    value=value,
    carried_by="squared_error",
    row_terms=row_terms,
    elicits="mean",
    undefined_when="always predicting the mean makes no error: all true values are the same",
    blind_to="how large the errors are in themselves; a few outliers decide it. It is a fraction; Weka prints a "
    "percentage",
    aliases=("root_relative_squared_error",),
    related=("rae", "rmse", "r2"),
    references=(
        "I. H. Witten and E. Frank (2005). Data Mining: Practical Machine Learning Tools and Techniques, 2nd edition. "
        "Morgan Kaufmann, pages 176-179",
    ),
    examples=(
        Example(
            truth=[3, -0.5, 2, 7],
            prediction=[2.5, 0.0, 2, 8],
            value=(1.5 / 29.1875) ** 0.5,
            source="the lecture's formula by hand: 1.5 / 29.1875",
        ),
    ),
)
