from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from referee.catalogue import Parameter
from referee.scoring import REGRESSION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(truth: Column, prediction: Column, xp: Any, *, level: float = 0.5) -> dict[str, Column]:
    error = truth - prediction
    return {"loss": xp.maximum(level * error, (level - 1) * error)}


def value(sums: Sums) -> Array:
    return sums.mean("loss")


metric = Metric(
    title="Pinball loss",
    question="How good are the predictions as a quantile of the truth?",
    formula="mean of level x (y - p) where y is above p, (1 - level) x (p - y) where it is below",
    needs="values",
    tasks=REGRESSION,
    better="lower",
    range=(0, inf),
    value=value,
    carried_by="loss",
    row_terms=row_terms,
    elicits="quantile",
    units_power=1,
    blind_to="every quantile except one; at level 0.5 it is half the mean absolute error",
    aliases=("quantile_loss", "pinball_loss", "mean_pinball_loss"),
    related=("crps", "mae"),
    references=("R. Koenker and G. Bassett (1978). Regression quantiles. Econometrica 46, 33-50",),
    parameters={"level": Parameter("the quantile that is predicted", low=0, high=1)},
    examples=(
        Example(
            truth=[1, 2, 3],
            prediction=[0, 2, 3],
            value=0.1 / 3,
            source="scikit-learn's example of mean_pinball_loss: 0.033...",
            settings={"level": 0.1},
        ),
        Example(
            truth=[1, 2, 3],
            prediction=[1, 2, 4],
            value=0.3,
            source="scikit-learn's example of mean_pinball_loss",
            settings={"level": 0.1},
        ),
    ),
)
