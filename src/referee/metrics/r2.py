from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from referee.engines import nonzero
from referee.scoring import REGRESSION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(truth: Column, prediction: Column, xp: Any) -> dict[str, Column]:  # noqa: ARG001 (one protocol)
    return {"squared_error": (truth - prediction) ** 2, "truth": truth}


def value(sums: Sums) -> Array:
    return 1 - sums.mean("squared_error") / nonzero(sums.variance("truth"))


metric = Metric(
    title="R squared",
    question="What share of the variance does the model explain?",
    formula="1 - {sum_squared_error:sum of (y - p)²} / {products_truth_truth:sum of (y - mean y)²}",
    needs="values",
    tasks=REGRESSION,
    better="higher",
    range=(-inf, 1),
    value=value,
    carried_by="squared_error",
    row_terms=row_terms,
    elicits="mean",
    undefined_when="all true values are the same",
    blind_to="the size of the errors in their own units; negative means worse than always predicting the mean",
    aliases=("r_squared", "coefficient_of_determination"),
    related=("rrse", "rmse", "correlation"),
    references=("T. O. Kvålseth (1985). Cautionary note about R². The American Statistician 39, 279-285",),
    examples=(
        Example(
            truth=[3, -0.5, 2, 7],
            prediction=[2.5, 0.0, 2, 8],
            value=1 - 1.5 / 29.1875,
            source="by hand: 1.5 / 29.1875",
        ),
    ),
)
