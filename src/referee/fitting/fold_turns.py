"""Folds that take turns: what is fitted or chosen on some rows is judged on others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.fitting.rows import Rows
from referee.fitting.scheme import schemes

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.predictions import Predictions


def rows_of(predictions: Predictions) -> Rows:
    """The rows with their classes and groups, as schemes see them."""
    groups = None if predictions.clusters is None else predictions.clusters.codes
    return Rows(predictions.rows, predictions.truth, predictions.classes, groups)


def stratified_folds(predictions: Predictions, folds: int, seed: int) -> Array | None:
    """The fold of each row, from 0; groups are never divided. None where a class is too rare for two folds.

    There are fewer where not every one could have a row (or group) of each class.
    """
    rows = rows_of(predictions)
    count = min(folds, rows.rarest()[1])
    if count < 2 or len(np.unique(predictions.truth)) < 2:
        return None
    fold = np.empty(predictions.rows, np.int64)
    scheme = schemes["stratified_k_fold"](k=count)
    for number, split in enumerate(scheme.splits(None, predictions.truth, rows.groups, seed=seed)):
        fold[split.test] = number
    return fold
