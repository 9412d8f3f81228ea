"""What models are worth on the goal metric: on all rows, or in each split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import engine_of
from referee.fitting.stored_predictions import predictions_of
from referee.scoring import values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.fitting.dataset import DataSet
    from referee.fitting.splits import Split
    from referee.predictions import Predictions, Units
    from referee.scoring import Metric


@dataclass(frozen=True, eq=False)
class Judged:
    """A value of one model, and the values of the splits that it is the mean of.

    >>> Judged(np.array([0.5, 1.0])).value
    0.75
    >>> Judged(np.array([0.5, np.nan])).value is None
    True
    """

    each: Array

    @property
    def value(self) -> float | None:
        return float(self.each.mean()) if np.isfinite(self.each).all() else None


def values_of_splits(predictions: Predictions, goal: Metric) -> dict[str, Judged]:
    """Each model's value in each split, in their order; NaN where it is undefined."""
    several = [one for one in (predictions.repeat, predictions.fold) if one is not None]
    return _judged(predictions, goal, engine_of(predictions).crossed(several))


def values_on_all_rows(predictions: Predictions, goal: Metric) -> dict[str, Judged]:
    """Each model's value on the rows of all splits together."""
    return _judged(predictions, goal, None)


def _judged(predictions: Predictions, goal: Metric, units: Units | None) -> dict[str, Judged]:
    engine, classes = engine_of(predictions), len(predictions.classes)
    return {
        model.name: Judged(
            np.atleast_1d(values(goal, engine.summarise(predictions, model, units), classes, predictions.positive))
        )
        for model in predictions.models
    }


class Leading:
    """The mean goal of each model so far; as a string, the best of them."""

    def __init__(self, data: DataSet, splits: Sequence[Split], goal: Metric) -> None:
        self._data, self._splits, self._goal = data, splits, goal
        self._values: dict[str, list[float]] = {}

    def add(self, model: str, split: int, record: Mapping[str, Any]) -> None:
        """Take in a fit; one on which the goal is undefined says nothing."""
        predictions = predictions_of(self._data, [self._splits[split]], [model], {(model, 0): record})
        value = values_on_all_rows(predictions, self._goal)[model].value
        if value is not None:
            self._values.setdefault(model, []).append(value)

    def __str__(self) -> str:
        means = {model: sum(each) / len(each) for model, each in self._values.items()}
        if not means:
            return ""
        best = (max if self._goal.better == "higher" else min)(means, key=lambda model: means[model])
        return f"{best} leads: {self._goal.name} {means[best]:.4g}"
