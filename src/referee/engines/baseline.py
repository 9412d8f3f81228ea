"""What a simple predictor would have said of each row: the yardstick of relative errors.

Where folds are known it is the mean of the other folds, the training rows, as Weka does it; else the mean of the
evaluated rows, the lecture's formula. For classes the mean is each class's share, with Laplace's correction over
training folds (Weka).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines.memory import Summary
    from referee.predictions import Predictions


def baseline_columns(summary: Summary) -> Any:
    """One column of numbers, or a column for each class."""
    predictions = summary.predictions
    if predictions.task == "regression":
        if predictions.baseline is not None:
            return predictions.baseline * summary.scale
        return _mean_for_rows(summary, summary.truth_columns, laplace=None)
    return [_mean_for_rows(summary, is_class, len(predictions.classes)) for is_class in summary.truth_columns]


def _mean_for_rows(summary: Summary, values: Array, laplace: int | None) -> Array:
    if summary.predictions.fold is None:
        means = summary.totals(values) / summary.total_weight
        return means[summary.by.codes] if summary.by else np.full(len(values), means[0])
    return _training_mean(summary.predictions, values, summary.weight, laplace)


def _training_mean(predictions: Predictions, values: Array, weight: Array | None, laplace: int | None) -> Array:
    """For each row the mean over the other folds of its repeat."""
    assert predictions.fold is not None
    weight = np.ones(len(values)) if weight is None else weight
    repeat = predictions.repeat.codes if predictions.repeat else np.zeros(len(values), np.int64)
    fold = repeat.astype(np.int64) * len(predictions.fold) + predictions.fold.codes
    others = np.bincount(repeat, weight)[repeat] - np.bincount(fold, weight)[fold]
    total = np.bincount(repeat, weight * values)[repeat] - np.bincount(fold, weight * values)[fold]
    return total / others if laplace is None else (total + 1) / (others + laplace)
