from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from referee.scoring import REGRESSION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(truth: Column, prediction: Column, xp: Any) -> dict[str, Column]:  # noqa: ARG001 (one protocol)
    return {"squared_error": (truth - prediction) ** 2}


def value(sums: Sums) -> Array:
    return sums.mean("squared_error") ** 0.5


metric = Metric(
    title="Root mean squared error",
    question="How far off is a prediction, with large errors weighing most?",
    formula="sqrt({sum_squared_error:sum of (y - p)²} / {rows:n})",
    needs="values",
    tasks=REGRESSION,
    better="lower",
    range=(0, inf),
    value=value,
    carried_by="squared_error",
    row_terms=row_terms,
    elicits="mean",
    units_power=1,
    blind_to="the usual error: a few outliers decide it; and its mean over folds is not its value on all rows",
    aliases=("root_mean_squared_error",),
    related=("mse", "mae", "rrse", "r2"),
    references=(
        "I. H. Witten and E. Frank (2005). Data Mining: Practical Machine Learning Tools and Techniques, 2nd edition. "
        "Morgan Kaufmann, pages 176-179",
        "T. Gneiting (2011). Making and evaluating point forecasts. Journal of the American Statistical Association "
        "106, 746-762",
    ),
    examples=(
        Example(
            truth=[3, -0.5, 2, 7],
            prediction=[2.5, 0.0, 2, 8],
            value=0.375**0.5,
            source="scikit-learn's example of root_mean_squared_error: 0.612...",
        ),
    ),
)
