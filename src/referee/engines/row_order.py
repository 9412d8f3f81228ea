"""Rows in the order of their scores, and what follows for each row from its place there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.engines.kernels import COMPILE_FROM, compiled, find_steps, place_rows, sort_rows_by_digits

if TYPE_CHECKING:
    from referee.arrays import Array

SIGN = np.uint64(1 << 63)


def rising(scores: Array) -> tuple[Array, Array]:
    """The scores from the lowest, and the rows that they belong to."""
    values = scores.astype(np.float64) + 0.0  # -0.0 is 0.0
    bits = values.view(np.uint64)
    # Flipping the sign bit of positive numbers, and all bits of negative ones, makes their order that of the bits.
    bits ^= np.where(values < 0, ~np.uint64(0), SIGN)
    rows = np.arange(len(bits), dtype=np.uint32 if len(bits) < 2**32 else np.uint64)
    spare, spare_rows = np.empty_like(bits), np.empty_like(rows)
    moved = compiled(sort_rows_by_digits)(bits, spare, rows, spare_rows)
    bits, rows = (spare, spare_rows) if moved else (bits, rows)
    bits ^= np.where(bits < SIGN, ~np.uint64(0), SIGN)
    return bits.view(np.float64), rows


def steps_of_rows(scores: Array, steps: Array) -> Array:
    """For each row the first of the falling steps that is not above its score.

    >>> steps_of_rows(np.array([0.2, 0.9, 0.5]), np.array([0.9, 0.5, 0.1]))
    array([2, 0, 1])
    """
    if len(scores) < COMPILE_FROM:
        return np.searchsorted(-steps, -scores)
    found = np.empty(len(scores), np.int64)
    compiled(find_steps)(*rising(scores), steps.astype(np.float64), found)
    return found


def area_changes(scores: Array, is_positive: Array) -> tuple[float, Array]:
    """The area under the ROC curve of many rows, and its derivative by the weight of each: DeLong's placements."""
    placements = np.empty(len(scores))
    pairs = compiled(place_rows)(*rising(scores), is_positive, placements)
    positives = np.count_nonzero(is_positive)
    negatives = len(scores) - positives
    area = pairs / (positives * negatives)
    placements /= positives * negatives
    placements -= np.where(is_positive, area / positives, area / negatives)
    return area, placements
