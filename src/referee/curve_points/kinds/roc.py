from __future__ import annotations

import numpy as np

from referee.curve_points.kind import Kind
from referee.curve_points.points import Line
from referee.scoring import metrics


def guessing(share: float) -> tuple[Line, ...]:  # noqa: ARG001 (the same whatever it is)
    return (Line("guessing", np.array([0.0, 1.0]), np.array([0.0, 1.0])),)


kind = Kind(
    title="ROC curve",
    question="How many positives are found, at the price of how many false alarms?",
    x=lambda at: at.fp / at.N,
    y=lambda at: at.tp / at.P,
    x_name="fpr",
    y_name="tpr",
    x_title="false positive rate",
    y_title="true positive rate",
    slope="rising",
    lines=guessing,
    area=lambda ranking: float(metrics["roc_auc"].value(ranking)[0]),
    area_name="roc_auc",
    aliases=("receiver_operating_characteristic",),
    references=("T. Fawcett (2006). An introduction to ROC analysis. Pattern Recognition Letters 27, 861-874",),
)
