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
    from referee.engines.memory.rows import Rows
    from referee.predictions import Units
    from referee.scoring import Metric


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
        """One column of numbers, or a column for each class; a number where all rows have the same."""
        if self.predictions.task == "regression" and self.predictions.baseline is not None:
            return self.predictions.baseline[part] * self.rows.scale
        means = self._means if self._groups is None else self._means[self._groups[part]]
        if self.predictions.task == "regression":
            return means[..., 0] if self._groups is not None else means[0, 0]
        return list(means[0] if self._groups is None else means.T)

    @cached_property
    def _groups(self) -> Array | None:
        """The group of each row: its fold in its repeat, else its unit."""
        predictions = self.predictions
        if not self.has_folds:
            return None if self.by is None else self.by.codes
        assert predictions.fold is not None
        repeat = predictions.repeat.codes.astype(np.int64) if predictions.repeat else 0
        return repeat * len(predictions.fold) + predictions.fold.codes

    @cached_property
    def _means(self) -> Array:
        """The mean of each group: (group, class), or (group, 1) of numbers."""
        rows, totals = self._numbers() if self.predictions.task == "regression" else self._classes()
        if self.has_folds:
            rows, totals = self._other_folds(rows, totals)
        laplace = self.has_folds and self.predictions.task != "regression"
        with np.errstate(all="ignore"):
            means = _one_row_more(totals / self.row_weight) if laplace else totals / rows
        place, amount = self.shift
        means[:, place] += amount
        return means

    @property
    def row_weight(self) -> float:
        """The weight of one row."""
        return self.predictions.row_weight

    def _classes(self) -> tuple[Array, Array]:
        """Rows of each group, and of each class in it."""
        predictions, classes = self.predictions, len(self.predictions.classes)
        groups = 1 if self._groups is None else int(self._groups.max()) + 1
        key = predictions.truth if self._groups is None else self._groups * np.int64(classes) + predictions.truth
        totals = np.bincount(key, predictions.weight, groups * classes).reshape(groups, classes).astype(float)
        return totals.sum(axis=1, keepdims=True), totals

    def _numbers(self) -> tuple[Array, Array]:
        """Rows of each group, and the sum of their true numbers."""
        truth, weight = self.rows.truth_columns(), self.predictions.weight
        if self._groups is None:
            total = truth.sum() if weight is None else weight @ truth
            return np.array([[len(truth) if weight is None else weight.sum()]]), np.array([[total]])
        rows = np.bincount(self._groups, weight).astype(float)
        return rows[:, None], np.bincount(self._groups, truth if weight is None else weight * truth)[:, None]

    def _other_folds(self, rows: Array, totals: Array) -> tuple[Array, Array]:
        """For each fold the sums over the other folds of its repeat."""
        assert self.predictions.fold is not None
        folds = len(self.predictions.fold)

        def others(sums: Array) -> Array:
            padded = np.pad(sums, ((0, -len(sums) % folds), (0, 0))).reshape(-1, folds, sums.shape[1])
            return (padded.sum(axis=1, keepdims=True) - padded).reshape(-1, sums.shape[1])

        return others(rows), others(totals)


def _one_row_more(rows: Array) -> Array:
    """The shares of the classes, each with one row more than it has: (group, class)."""
    return (rows + 1) / (rows + 1).sum(axis=1, keepdims=True)
