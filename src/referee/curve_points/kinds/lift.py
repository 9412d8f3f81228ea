from __future__ import annotations

from math import inf

import numpy as np

from referee.curve_points.kind import Kind
from referee.curve_points.points import Line


def guessing(share: float) -> tuple[Line, ...]:  # noqa: ARG001 (the same whatever it is)
    return (Line("guessing", np.array([0.0, 1.0]), np.array([1.0, 1.0])),)


kind = Kind(
    title="Lift curve",
    question="How many times as many positives as a random choice has does each share of the highest scores have?",
    x=lambda at: (at.tp + at.fp) / (at.P + at.N),
    y=lambda at: at.tp * (at.P + at.N) / ((at.tp + at.fp) * at.P),
    x_name="share",
    y_name="lift",
    x_title="share of rows called positive",
    y_title="lift",
    lines=guessing,
    begins_empty=False,
    y_range=(0, inf),
    references=(
        "G. Piatetsky-Shapiro and B. Masand (1999). Estimating campaign benefits and modeling lift. In KDD, 185-193",
    ),
)
