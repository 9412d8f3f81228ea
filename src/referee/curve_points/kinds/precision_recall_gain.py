from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.curve_points.kind import Kind
from referee.curve_points.points import Line

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Ranking


def recall_gain(tp: Any, P: Any, N: Any) -> Any:  # noqa: N803 (the lecture's letters)
    return 1 - (P - tp) * P / (tp * N)


def precision_gain(tp: Any, fp: Any, P: Any, N: Any) -> Any:  # noqa: N803
    return 1 - fp * P / (tp * N)


def area(ranking: Ranking) -> float:
    """The area of straight lines from where the recall equals the share of positives."""

    def part(at: Any) -> Array:
        first = at.P**2 / (at.P + at.N)
        with np.errstate(all="ignore"):
            # The share of the step that lies before the curve begins.
            before = np.clip(np.nan_to_num((first - at.tp_above) / at.positives), 0, 1)
            tp, fp = at.tp_above + before * at.positives, at.fp_above + before * at.negatives
            width = recall_gain(at.tp, at.P, at.N) - recall_gain(tp, at.P, at.N)
            height = precision_gain(at.tp, at.fp, at.P, at.N) + precision_gain(tp, fp, at.P, at.N)
            return np.where(at.tp > first, width * height / 2, 0.0)

    return float(ranking.sum(part)[0])


def guessing(share: float) -> tuple[Line, ...]:  # noqa: ARG001 (the same whatever it is)
    return (Line("all positive", np.array([0.0, 1.0]), np.array([0.0, 0.0])),)


kind = Kind(
    title="Precision-recall-gain curve",
    question="How much better than calling every row positive are precision and recall, on a scale where areas add up?",
    x=lambda at: recall_gain(at.tp, at.P, at.N),
    y=lambda at: precision_gain(at.tp, at.fp, at.P, at.N),
    x_name="recall_gain",
    y_name="precision_gain",
    x_title="recall gain",
    y_title="precision gain",
    lines=guessing,
    area=area,
    area_name="area under the gain curve",
    inside=lambda at: at.tp * (at.P + at.N) >= at.P * at.P,
    begins_empty=False,
    y_range=(-inf, 1),
    aliases=("prg",),
    references=(
        "P. Flach and M. Kull (2015). Precision-recall-gain curves: PR analysis done right. In Advances in Neural "
        "Information Processing Systems 28, 838-846",
    ),
)
