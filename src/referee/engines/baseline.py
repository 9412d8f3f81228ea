"""What a simple predictor would have said of each row: the yardstick of relative errors.

Where folds are known it is the mean of the other folds, the training rows, as Weka does it; else the mean of the
evaluated rows, the lecture's formula. For classes the mean is each class's share, with Laplace's correction over
training folds (Weka).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines.rows import Rows
    from referee.metric import Metric
    from referee.predictions import Units


class Baseline:
    """A mean for each group of rows, and for each class where there are classes."""

    def __init__(self, rows: Rows, by: Units | None, shift: tuple[int, float] = (0, 0.0)) -> None:
        self.rows = rows
        self.predictions = rows.predictions
        self.by = by
        self.shift = shift
        """A class and how much its mean is moved."""

    @property
    def is_estimated(self) -> bool:
        """Whether it is the mean of the rows that are evaluated."""
        return not self.has_folds and self.predictions.baseline is None

    @property
    def has_folds(self) -> bool:
        """Whether there are other folds to take a mean of."""
        return self.predictions.fold is not None and len(self.predictions.fold) > 1

    def shifted(self, place: int, amount: float) -> Baseline:
        return Baseline(self.rows, self.by, (place, amount))

    def used_by(self, metric: Metric) -> bool:
        return "baseline" in metric.row_arguments

    def columns(self, part: slice) -> Any:
        """One column of numbers, or a column for each class."""
        if self.predictions.task != "regression":
            return [means[self._groups[part]] for means in self._means]
        if self.predictions.baseline is not None:
            return self.predictions.baseline[part] * self.rows.scale
        return self._means[0][self._groups[part]]

    @cached_property
    def _groups(self) -> Array:
        """The group of each row: its fold in its repeat, else its unit."""
        predictions = self.predictions
        if not self.has_folds:
            return np.broadcast_to(0, predictions.rows) if self.by is None else self.by.codes
        assert predictions.fold is not None
        repeat = predictions.repeat.codes.astype(np.int64) if predictions.repeat else 0
        return repeat * len(predictions.fold) + predictions.fold.codes

    @cached_property
    def _means(self) -> list[Array]:
        truth = self.rows.truth_columns()
        columns = [truth] if self.predictions.task == "regression" else truth
        place, amount = self.shift
        return [self._mean(column) + amount * (place == at) for at, column in enumerate(columns)]

    def _mean(self, values: Array) -> Array:
        weight = np.ones(len(values)) if self.predictions.weight is None else self.predictions.weight
        groups = np.asarray(self._groups)
        rows, total = np.bincount(groups, weight), np.bincount(groups, weight * values)
        if not self.has_folds:
            return total / np.where(rows > 0, rows, 1)
        return self._mean_of_others(rows, total)

    def _mean_of_others(self, rows: Array, total: Array) -> Array:
        """For each fold the mean over the other folds of its repeat."""
        assert self.predictions.fold is not None
        folds = len(self.predictions.fold)
        missing = -len(rows) % folds
        rows, total = (np.pad(each, (0, missing)).reshape(-1, folds) for each in (rows, total))
        others = rows.sum(axis=1, keepdims=True) - rows
        sums = total.sum(axis=1, keepdims=True) - total
        with np.errstate(all="ignore"):
            if self.predictions.task == "regression":
                return (sums / others).reshape(-1)
            return ((sums + 1) / (others + len(self.predictions.classes))).reshape(-1)
