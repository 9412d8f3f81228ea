from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from referee.catalogue import Parameter
from referee.scoring import REGRESSION, Example, Metric, interval_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(
    truth: Column, prediction: Sequence[Column], levels: Sequence[float], xp: Any, *, level: float | None = None
) -> dict[str, Column]:
    ends = interval_ends(levels, level)
    assert ends is not None
    low, high = (prediction[end] for end in ends)
    too_low, too_high = levels[ends[0]], 1 - levels[ends[1]]
    missed = xp.maximum(low - truth, 0 * truth) / too_low + xp.maximum(truth - high, 0 * truth) / too_high
    return {"score": high - low + missed}


def value(sums: Sums) -> Array:
    return sums.mean("score")


metric = Metric(
    title="Interval score",
    question="How good are the intervals: narrow, yet rarely missed?",
    formula="mean of (width + 2 / (1 - level) x distance to the truth outside); where the "
    "tails differ, 1 / tail on each side",
    needs="quantiles",
    tasks=REGRESSION,
    better="lower",
    range=(0, inf),
    value=value,
    carried_by="score",
    row_terms=row_terms,
    elicits="quantile",
    units_power=1,
    blind_to="what lies between and beyond the two ends; values at other levels are not comparable",
    aliases=("winkler_score", "mean_interval_score"),
    related=("interval_coverage", "interval_width", "crps", "pinball"),
    references=(
        "R. L. Winkler (1972). A decision-theoretic approach to interval estimation. Journal of the American "
        "Statistical Association 67, 187-191",
        "T. Gneiting and A. E. Raftery (2007). Strictly proper scoring rules, prediction, and estimation. Journal of "
        "the American Statistical Association 102, 359-378",
    ),
    parameters={
        "level": Parameter(
            "the share of the truths that the interval should contain; none: that of the outermost quantiles",
            low=0,
            high=1,
            optional=True,
        )
    },
    examples=(
        Example(
            truth=[1.0, 5.0, 9.0],
            prediction={0.05: [0.0, 6.0, 4.0], 0.95: [2.0, 8.0, 8.5]},
            value=(2 + 2 + 20 * 1 + 4.5 + 20 * 0.5) / 3,
            source="by hand: the second truth lies 1 below, the third 0.5 above",
        ),
        Example(
            truth=[1.0, 5.0],
            prediction={0.1: [-9.0, -9.0], 0.25: [0.0, 6.0], 0.75: [2.0, 8.0], 0.9: [20.0, 20.0]},
            value=(2 + 2 + 4 * 1) / 2,
            source="by hand",
            settings={"level": 0.5},
        ),
    ),
)
