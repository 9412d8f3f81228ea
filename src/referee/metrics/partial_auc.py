from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.catalogue import Parameter
from referee.engines import reaches
from referee.errors import UsageError
from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Ranking


def value(
    ranking: Ranking, *, focus: str = "specificity", low: float = 0.9, high: float = 1.0, scale: str = "mean"
) -> Array:
    if not low < high:
        raise UsageError("E_PARAMETER", f"partial_auc(low={low:g}, high={high:g}): low must be below high")
    # Along the false positive rate the curve is as high as its sensitivity, along the sensitivity as its specificity.
    ends = (1 - high, 1 - low) if focus == "specificity" else (low, high)
    # Without rows there is nothing to add up, and 0 would be wrong: 0 / 0 is undefined.
    area = ranking.sum(lambda at: _part(*_step(at, focus), *ends)) * (ranking.P / ranking.P)
    if scale == "mcclish":
        return _mcclish(area, *ends, focus)
    return area / (high - low) if scale == "mean" else area


def _step(at: Any, focus: str) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Where a step of the curve begins and ends, on the axis and in height."""
    sensitivity, alarms = (at.tp_above / at.P, at.tp / at.P), (at.fp_above / at.N, at.fp / at.N)
    return (alarms, sensitivity) if focus == "specificity" else (sensitivity, (1 - alarms[0], 1 - alarms[1]))


def _part(axis: tuple[Array, Array], height: tuple[Array, Array], low: float, high: float) -> Array:
    """The area below a straight line between two ends of the axis."""
    # An end of the curve is no cut: there is nothing beyond it.
    low, high = low if low > 0 else -inf, high if high < 1 else inf
    begin, end = (_within(place, low, high) for place in axis)
    width = axis[1] - axis[0]
    steepness = (height[1] - height[0]) / np.where(width == 0, 1, width)
    return (end - begin) * (height[0] + steepness * ((begin + end) / 2 - axis[0]))


def _within(place: Array, low: float, high: float) -> Array:
    """As far as the part goes; a place that but for rounding is its end is not beyond it."""
    inside = reaches(place.real, low) & reaches(high, place.real)
    return np.where(inside, place, np.clip(place.real, low, high))


def _mcclish(area: Array, low: float, high: float, focus: str) -> Array:
    """From the area of guessing (one half) to the largest one (1)."""
    middle = (low + high) / 2
    guessed = (high - low) * (middle if focus == "specificity" else 1 - middle)
    return (1 + (area - guessed) / ((high - low) - guessed)) / 2


metric = Metric(
    title="Partial AUC",
    question="How good is the ranking where false alarms are few (or misses are)?",
    formula="{area_of_part:area under a part of the ROC curve} / ({high} - {low}): "
    "the mean height of the curve between two specificities (or sensitivities)",
    needs="scores",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 1),
    value=value,
    per_class=True,
    depends_on_prevalence=False,
    undefined_when="only one class is present",
    blind_to="every threshold outside the part, calibration, and the threshold that is used",
    aliases=("pauc",),
    related=("roc_auc", "recall_at_precision", "lift"),
    references=(
        "D. K. McClish (1989). Analyzing a portion of the ROC curve. Medical Decision Making 9, 190-195",
        "X. Robin et al. (2011). pROC: an open-source package for R and S+ to analyze and compare ROC curves. BMC "
        "Bioinformatics 12, 77",
    ),
    parameters={
        "focus": Parameter("which rate is limited", choices=("specificity", "sensitivity")),
        "low": Parameter("the lowest rate", low=0, high=1),
        "high": Parameter("the highest rate", low=0, high=1),
        "scale": Parameter(
            "mean (height of the part), area (not divided by the width) or mcclish (one half for guessing, 1 at best)",
            choices=("mean", "area", "mcclish"),
        ),
    },
    examples=(
        Example(
            truth=[1, 1, 0, 1, 1, 0, 1, 0, 0, 1],
            prediction=[0.992, 0.964, 0.953, 0.931, 0.893, 0.875, 0.82, 0.793, 0.778, 0.742],
            value=1 / 12,
            source="the lecture's ROC table, by hand: one quarter wide, 2/6 high",
            settings={"low": 0.75, "scale": "area"},
        ),
        Example(
            truth=[1, 1, 0, 1, 1, 0, 1, 0, 0, 1],
            prediction=[0.992, 0.964, 0.953, 0.931, 0.893, 0.875, 0.82, 0.793, 0.778, 0.742],
            value=(1 + (1 / 12 - 1 / 32) / (1 / 4 - 1 / 32)) / 2,
            source="the same by McClish's formula; scikit-learn's roc_auc_score(max_fpr=0.25)",
            settings={"low": 0.75, "scale": "mcclish"},
        ),
    ),
)
