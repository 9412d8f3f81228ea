"""Pool adjacent violators: the best rising fit of shares, as blocks of neighbouring forecasts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.engines.kernels import COMPILE_FROM, compiled

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.calibration.forecasts import Forecasts


def first_of_blocks(forecasts: Forecasts) -> Array:
    """Where each block of the isotonic regression of outcomes on forecasts begins.

    >>> from referee.calibration.forecasts import Forecasts
    >>> first_of_blocks(Forecasts(np.array([0.1, 0.2, 0.3]), np.array([1, 1, 1]), np.array([1, 0, 1])))
    array([0, 2])
    """
    came_true, rows = forecasts.came_true, forecasts.rows
    if len(rows) < COMPILE_FROM:
        from scipy.optimize import isotonic_regression

        blocks = isotonic_regression(came_true / rows, weights=rows).blocks[:-1]
        return _joined_where_equal(came_true, rows, blocks)
    first = np.empty(len(rows), np.int64)
    sums = np.empty(len(rows)), np.empty(len(rows))
    count = compiled(pool_adjacent)(came_true, rows, first, *sums)
    return first[:count].copy()


def pool_adjacent(came_true: Array, rows: Array, first: Array, pooled_true: Array, pooled_rows: Array) -> int:
    """Go up the forecasts, and join each to the blocks below as long as its share is not above theirs."""
    count = 0
    for step in range(len(rows)):
        true, weight, begin = float(came_true[step]), float(rows[step]), step
        # Shares are compared crosswise, which is exact for counts.
        while count > 0 and true * pooled_rows[count - 1] <= pooled_true[count - 1] * weight:
            count -= 1
            true += pooled_true[count]
            weight += pooled_rows[count]
            begin = first[count]
        first[count] = begin
        pooled_true[count] = true
        pooled_rows[count] = weight
        count += 1
    return count


def _joined_where_equal(came_true: Array, rows: Array, first: Array) -> Array:
    """Neighbouring blocks with the same share are one, as rounding may have kept them apart."""
    first = np.asarray(first, np.int64)
    of_true, of_rows = np.add.reduceat(came_true, first), np.add.reduceat(rows, first)
    new = np.ones(len(first), bool)
    new[1:] = of_true[1:] * of_rows[:-1] > of_true[:-1] * of_rows[1:]
    return first[new]
