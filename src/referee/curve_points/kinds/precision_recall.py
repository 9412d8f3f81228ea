from __future__ import annotations

import numpy as np

from referee.curve_points.kind import Kind
from referee.curve_points.points import Line
from referee.scoring import metrics


def guessing(share: float) -> tuple[Line, ...]:
    return (Line("guessing", np.array([0.0, 1.0]), np.array([share, share])),)


kind = Kind(
    title="Precision-recall curve",
    question="How reliable are the alarms, for each share of positives that is to be found?",
    x=lambda at: at.tp / at.P,
    y=lambda at: at.tp / (at.tp + at.fp),
    x_name="recall",
    y_name="precision",
    x_title="recall",
    y_title="precision",
    lines=guessing,
    area=lambda ranking: float(metrics["average_precision"].value(ranking)[0]),
    area_name="average_precision",
    # Without an alarm there is no precision.
    begins_empty=False,
    # A straight line between two points would promise what no threshold between them has.
    drawn="steps",
    aliases=("pr",),
    references=(
        "J. Davis and M. Goadrich (2006). The relationship between precision-recall and ROC curves. In ICML, 233-240",
    ),
)
