"""Prints of rows: whether predictions that were seen before are still the same, without keeping them."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.predictions import Model, Predictions

STEP, TURN = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)


def print_of_rows(predictions: Predictions, model: Model, rows: slice) -> str:
    """Of some rows of one model with what was true, whatever their order: a sum of a hash of each row."""
    columns = [_by_name(predictions, predictions.truth)]
    columns += [column for _, column in sorted(_columns(predictions, model).items())]
    columns += [] if predictions.weight is None else [predictions.weight]
    sums = []
    for start in (1, 2):
        keys = np.full(predictions.rows, start, np.uint64)[rows]
        for column in columns:
            keys = _mixed(keys, column[rows])
        with np.errstate(over="ignore"):
            sums.append(int(keys.sum(dtype=np.uint64)))
    return "".join(f"{each:016x}" for each in sums)


def _mixed(keys: Array, column: Array) -> Array:
    bits = np.ascontiguousarray(column, float) + 0.0  # so that -0 is 0
    with np.errstate(over="ignore"):
        keys = (keys ^ bits.view(np.uint64)) * STEP
        return np.asarray((keys ^ (keys >> TURN)) * STEP)


def _columns(predictions: Predictions, model: Model) -> dict[str, Array]:
    """Classes go by their names: a new one that comes later moves the codes of the others."""
    columns = model.columns_by_kind()
    if "labels" in columns:
        columns = columns | {"labels": _by_name(predictions, columns["labels"])}
    for code, name in enumerate(predictions.classes):
        if f"class {code}" in columns:
            columns[f"class of {name}"] = columns.pop(f"class {code}")
    return columns


def _by_name(predictions: Predictions, codes: Array) -> Array:
    if not predictions.classes:
        return codes
    names = [int(sha256(name.encode()).hexdigest()[:12], 16) for name in predictions.classes]
    return np.array(names, float)[codes]
