from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.curve_points.kind import Kind
from referee.curve_points.points import Line
from referee.scoring import metrics

if TYPE_CHECKING:
    from referee.engines import Ranking


def area(ranking: Ranking) -> float:
    """The area under the ROC curve, whose horizontal axis holds the negatives only, and the positives' own half."""
    share = float(ranking.P[0] / (ranking.P[0] + ranking.N[0]))
    return float(metrics["roc_auc"].value(ranking)[0]) * (1 - share) + share / 2


def lines(share: float) -> tuple[Line, ...]:
    return (
        Line("guessing", np.array([0.0, 1.0]), np.array([0.0, 1.0])),
        Line("perfect", np.array([0.0, share, 1.0]), np.array([0.0, 1.0, 1.0])),
    )


kind = Kind(
    title="Cumulative gains curve",
    question="Which share of the positives does each share of the highest scores hold?",
    x=lambda at: (at.tp + at.fp) / (at.P + at.N),
    y=lambda at: at.tp / at.P,
    x_name="share",
    y_name="gain",
    x_title="share of rows called positive",
    y_title="share of positives found",
    slope="rising",
    lines=lines,
    area=area,
    area_name="area under the gains curve",
    aliases=("gains", "cap"),
    references=("G. S. Linoff and M. J. A. Berry (2011). Data Mining Techniques, 3rd edition. Wiley, chapter 5",),
)
