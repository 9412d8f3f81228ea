"""Thresholds: from which score on a row is called positive, chosen for a goal and judged on other rows.

`best_thresholds(predictions, goal)` chooses one for each model and compares the models, each at its own;
`cheaper_regions(predictions, a, b)` says for which costs and shares of positives a model is the cheaper one.
"""

from __future__ import annotations

from referee.thresholds.chosen import Threshold, Thresholds
from referee.thresholds.finding import best_thresholds
from referee.thresholds.objective import Objective
from referee.thresholds.regions import Regions, cheaper_regions

__all__ = ["Objective", "Regions", "Threshold", "Thresholds", "best_thresholds", "cheaper_regions"]
