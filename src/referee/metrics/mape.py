from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING, Any

from referee.scoring import REGRESSION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(truth: Column, prediction: Column, xp: Any) -> dict[str, Column]:
    return {"relative_error": xp.where(truth == 0, nan, xp.abs(truth - prediction) / xp.abs(truth))}


def value(sums: Sums) -> Array:
    return sums.mean("relative_error")


metric = Metric(
    title="Mean absolute percentage error",
    question="How large is the error relative to the true value, on average?",
    formula="mean of |y - p| / |y|, as a fraction",
    needs="values",
    tasks=REGRESSION,
    better="lower",
    range=(0, inf),
    value=value,
    carried_by="relative_error",
    row_terms=row_terms,
    elicits="median weighted by 1 / |truth|",
    undefined_when="a true value is 0",
    blind_to="its own bias: a prediction that is too low costs at most 1, one that is too high has no limit, so it "
    "favours low predictions",
    aliases=("mean_absolute_percentage_error",),
    related=("mae", "median_ae", "rae"),
    references=(
        "T. Gneiting (2011). Making and evaluating point forecasts. Journal of the American Statistical Association "
        "106, 746-762",
        "R. J. Hyndman and A. B. Koehler (2006). Another look at measures of forecast accuracy. International Journal "
        "of Forecasting 22, 679-688",
    ),
    examples=(
        Example(
            truth=[3, -0.5, 2, 7],
            prediction=[2.5, 0.0, 2, 8],
            value=(0.5 / 3 + 1 + 0 + 1 / 7) / 4,
            source="scikit-learn's example of mean_absolute_percentage_error: 0.3273...",
        ),
    ),
)
