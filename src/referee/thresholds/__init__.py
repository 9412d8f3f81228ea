"""Thresholds: from which score on a row is called positive, chosen for a goal and judged on other rows."""

from __future__ import annotations

from referee.thresholds.costs import PREVALENCES, RATIOS, Regions, cheaper_regions
from referee.thresholds.objective import Objective
from referee.thresholds.thresholds import HOW, Threshold, Thresholds, best_thresholds, limits

__all__ = [
    "HOW", "PREVALENCES", "RATIOS", "Objective", "Regions", "Threshold", "Thresholds", "best_thresholds",
    "cheaper_regions", "limits",
]  # fmt: skip
