from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from referee.scoring import REGRESSION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(truth: Column, prediction: Column, xp: Any) -> dict[str, Column]:
    return {"absolute_error": xp.abs(truth - prediction)}


def value(sums: Sums) -> Array:
    return sums.mean("absolute_error")


metric = Metric(
    title="Mean absolute error",
    question="How far off is a prediction on average?",
    formula="mean of |y - p|",
    needs="values",
    tasks=REGRESSION,
    better="lower",
    range=(0, inf),
    value=value,
    carried_by="absolute_error",
    row_terms=row_terms,
    elicits="median",
    units_power=1,
    blind_to="whether there is one large error or many small ones, and their direction: its best predictions add up "
    "to a biased sum where the truth is skewed",
    aliases=("mean_absolute_error",),
    related=("rmse", "median_ae", "rae", "pinball"),
    references=(
        "C. J. Willmott and K. Matsuura (2005). Advantages of the mean absolute error (MAE) over the root mean square "
        "error (RMSE) in assessing average model performance. Climate Research 30, 79-82",
        "T. Gneiting (2011). Making and evaluating point forecasts. Journal of the American Statistical Association "
        "106, 746-762",
    ),
    examples=(
        Example(
            truth=[3, -0.5, 2, 7],
            prediction=[2.5, 0.0, 2, 8],
            value=0.5,
            source="scikit-learn's example of mean_absolute_error",
        ),
    ),
)
