from __future__ import annotations

import numpy as np

from referee.curve_points.kind import Kind
from referee.curve_points.points import Line


def guessing(share: float) -> tuple[Line, ...]:  # noqa: ARG001 (the same whatever it is)
    return (Line("guessing", np.array([0.0, 1.0]), np.array([1.0, 0.0])),)


kind = Kind(
    title="DET curve",
    question="How many positives are missed, for each rate of false alarms?",
    x=lambda at: at.fp / at.N,
    y=lambda at: (at.P - at.tp) / at.P,
    x_name="fpr",
    y_name="fnr",
    x_title="false positive rate",
    y_title="false negative rate",
    slope="falling",
    lines=guessing,
    scale="probit",
    aliases=("detection_error_tradeoff",),
    references=(
        "A. Martin et al. (1997). The DET curve in assessment of detection task performance. In Eurospeech, 1895-1898",
    ),
)
