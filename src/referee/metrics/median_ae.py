from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from referee.engines import median_of
from referee.scoring import REGRESSION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array, Column
    from referee.engines import Ranking


def row_terms(truth: Column, prediction: Column, xp: Any) -> dict[str, Column]:
    return {"absolute_error": xp.abs(truth - prediction)}


def value(ranking: Ranking) -> Array:
    return median_of(ranking)


metric = Metric(
    title="Median absolute error",
    question="How far off is a typical prediction?",
    formula="median of |y - p| = ({lower_median} + {upper_median}) / 2",
    needs="values",
    tasks=REGRESSION,
    better="lower",
    range=(0, inf),
    value=value,
    row_terms=row_terms,
    units_power=1,
    blind_to="the larger half of the errors, however large; its best constant is neither mean nor median "
    "but the middle of the shortest interval with half of the rows",
    aliases=("median_absolute_error",),
    related=("mae", "rmse", "mape"),
    references=(
        "P. J. Rousseeuw (1984). Least median of squares regression. Journal of the American Statistical Association "
        "79, 871-880",
        "R. J. Hyndman and A. B. Koehler (2006). Another look at measures of forecast accuracy. International Journal "
        "of Forecasting 22, 679-688",
    ),
    examples=(
        Example(
            truth=[3, -0.5, 2, 7],
            prediction=[2.5, 0.0, 2, 8],
            value=0.5,
            source="scikit-learn's example of median_absolute_error",
        ),
    ),
)
