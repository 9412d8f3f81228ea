"""What models are worth on the goal metric: on all rows, or in each split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from referee.engines import engine_of
from referee.formula import values

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.metric import Metric
    from referee.predictions import Predictions, Units


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
