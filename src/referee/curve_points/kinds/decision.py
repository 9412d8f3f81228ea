from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.curve_points.kind import Kind, Place
from referee.curve_points.points import Line

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Ranking

THRESHOLDS = np.arange(1, 100) / 100


def places(ranking: Ranking) -> Place:
    """The counts at each hundredth: a threshold is what the user is ready to act on, not what the model said."""
    tp, fp = np.zeros(len(THRESHOLDS)), np.zeros(len(THRESHOLDS))
    for at in ranking.blocks():
        reached = np.searchsorted(-at.score, -THRESHOLDS, side="right")
        some = reached > 0
        tp[some], fp[some] = at.tp[reached[some] - 1], at.fp[reached[some] - 1]
    from_the_top = THRESHOLDS[::-1]
    return Place(from_the_top, tp[::-1], fp[::-1], ranking.P[0], ranking.N[0], from_the_top)


def net_benefit(at: Any) -> Array:
    return (at.tp - at.fp * at.condition / (1 - at.condition)) / (at.P + at.N)


def lines(share: float) -> tuple[Line, ...]:
    treated = share - (1 - share) * THRESHOLDS / (1 - THRESHOLDS)
    return (
        Line("treat all", THRESHOLDS, treated),
        Line("treat none", np.array([0.0, 1.0]), np.array([0.0, 0.0])),
    )


kind = Kind(
    title="Decision curve",
    question="What is acting on the model worth to somebody who acts from this probability on?",
    x=lambda at: at.condition,
    y=net_benefit,
    x_name="threshold",
    y_name="net_benefit",
    x_title="threshold probability",
    y_title="net benefit",
    lines=lines,
    places=places,
    y_range=(-inf, inf),
    needs="probabilities",
    aliases=("decision_curve", "net_benefit"),
    references=(
        "A. J. Vickers and E. B. Elkin (2006). Decision curve analysis: a novel method for evaluating prediction "
        "models. Medical Decision Making 26, 565-574",
    ),
)
