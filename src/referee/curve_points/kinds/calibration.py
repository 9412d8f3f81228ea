from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.curve_points.kind import Kind, Place
from referee.curve_points.points import Line
from referee.engines import binned_forecasts, bins_by_width

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Ranking

BINS = 10


def places(ranking: Ranking) -> Place:
    """One for each bin that has rows, at the lowest score that belongs to it; the condition is its mean forecast."""
    binned = binned_forecasts(ranking, BINS)
    from_the_top = np.argsort(-binned.scores)
    bins = bins_by_width(binned.scores[from_the_top], BINS)
    edges = np.linspace(0, 1, BINS + 1)
    # The bins are (a, b], the first one with 0.
    lowest = np.where(bins > 0, np.nextafter(edges[bins], 1.0), 0.0)
    tp, fp = (np.cumsum(counts[from_the_top]) for counts in (binned.positives, binned.negatives))
    return Place(lowest, tp, fp, ranking.P[0], ranking.N[0], binned.scores[from_the_top])


def observed(at: Any) -> Array:
    """The share of positives in each bin by itself."""
    tp, fp = (np.diff(counts, prepend=0) for counts in (at.tp, at.fp))
    return tp / (tp + fp)


def calibrated(share: float) -> tuple[Line, ...]:  # noqa: ARG001 (the same whatever it is)
    return (Line("calibrated", np.array([0.0, 1.0]), np.array([0.0, 1.0])),)


kind = Kind(
    title="Calibration curve",
    question="Of the rows with a forecast near this one, how many came true?",
    x=lambda at: at.condition,
    y=observed,
    x_name="forecast",
    y_name="observed",
    x_title="mean forecast of a bin",
    y_title="share that came true",
    lines=calibrated,
    places=places,
    has_bands=False,
    needs="probabilities",
    aliases=("calibration_curve", "reliability"),
    references=(
        "A. Niculescu-Mizil and R. Caruana (2005). Predicting good probabilities with supervised learning. In ICML, "
        "625-632",
    ),
)
