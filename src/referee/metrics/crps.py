from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from referee.metrics import pinball
from referee.scoring import REGRESSION, Example, Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(truth: Column, prediction: Sequence[Column], levels: Sequence[float], xp: Any) -> dict[str, Column]:
    losses = [
        pinball.row_terms(truth, quantile, xp, level=level)["loss"]
        for level, quantile in zip(levels, prediction, strict=True)
    ]
    return {"loss": 2 * sum(losses) / len(losses)}


def value(sums: Sums) -> Array:
    return sums.mean("loss")


metric = Metric(
    title="CRPS from quantiles",
    question="How good is the whole predicted distribution?",
    formula="2 x mean over rows and levels of the pinball loss: the continuous ranked probability score, "
    "as well as the levels cover (0, 1) evenly",
    needs="quantiles",
    tasks=REGRESSION,
    better="lower",
    range=(0, inf),
    value=value,
    carried_by="loss",
    row_terms=row_terms,
    elicits="quantile",
    units_power=1,
    blind_to="what lies between and beyond the levels that were predicted; values at other levels are not comparable",
    aliases=("continuous_ranked_probability_score",),
    related=("pinball", "mae"),
    references=(
        "J. E. Matheson and R. L. Winkler (1976). Scoring rules for continuous probability distributions. Management "
        "Science 22, 1087-1096",
        "T. Gneiting and A. E. Raftery (2007). Strictly proper scoring rules, prediction, and estimation. Journal of "
        "the American Statistical Association 102, 359-378",
        "F. Laio and S. Tamea (2007). Verification tools for probabilistic forecasts of continuous hydrological "
        "variables. Hydrology and Earth System Sciences 11, 1267-1277",
    ),
    examples=(
        Example(
            truth=[0.0, 3.0],
            prediction={0.25: [-1.0, 3.0], 0.5: [0.0, 3.0], 0.75: [1.0, 3.0]},
            value=(2 * (0.25 + 0 + 0.25) / 3 + 0) / 2,
            source="by hand",
        ),
    ),
)
