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
    prediction: Sequence[Column], levels: Sequence[float], xp: Any, *, level: float | None = None
) -> dict[str, Column]:
    ends = interval_ends(levels, level)
    assert ends is not None
    width = prediction[ends[1]] - prediction[ends[0]]
    return {"width": xp.maximum(width, -width)}


def value(sums: Sums) -> Array:
    return sums.mean("width")


metric = Metric(
    title="Mean width of intervals",
    question="How narrow are the intervals?",
    formula="mean distance of the upper end from the lower one",
    needs="quantiles",
    tasks=REGRESSION,
    better="lower",
    range=(0, inf),
    value=value,
    row_terms=row_terms,
    units_power=1,
    blind_to="the truth: an interval without width is the narrowest. As a goal, use interval_score",
    aliases=("mean_width", "sharpness"),
    related=("interval_score", "interval_coverage"),
    references=(
        "T. Gneiting, F. Balabdaoui and A. E. Raftery (2007). Probabilistic forecasts, calibration and sharpness. "
        "Journal of the Royal Statistical Society B 69, 243-268",
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
            truth=[1.0, 5.0],
            prediction={0.05: [0.0, 6.0], 0.95: [2.0, 9.0]},
            value=2.5,
            source="by hand: (2 + 3) / 2",
        ),
    ),
)
