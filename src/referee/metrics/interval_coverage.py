from __future__ import annotations

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
    return {"inside": xp.where(truth < low, 0.0, xp.where(truth > high, 0.0, 1.0))}


def value(sums: Sums) -> Array:
    return sums.mean("inside")


metric = Metric(
    title="Coverage of intervals",
    question="How many truths lie in their interval?",
    formula="rows whose truth lies between the ends, or on one of them / all rows",
    needs="quantiles",
    tasks=REGRESSION,
    better="higher",
    range=(0, 1),
    value=value,
    row_terms=row_terms,
    blind_to="how wide the intervals are: wider ones always cover more, and coverage above the level is not a gain. "
    "As a goal, use interval_score",
    aliases=("coverage", "picp"),
    related=("interval_score", "interval_width"),
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
            truth=[1.0, 5.0, 9.0, 2.0],
            prediction={0.05: [0.0, 6.0, 4.0, 2.0], 0.95: [2.0, 8.0, 8.5, 3.0]},
            value=2 / 4,
            source="by hand: the first and, on its end, the last",
        ),
    ),
)
