"""Rows to a Ranking: one sort serves all ranking metrics of a model, in all its units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.engines.kernels import COMPILE_FROM, compiled, merge_classes, sort_by_digits, split_by_class, steps_by_unit
from referee.ranking import Ranking, joined_steps

if TYPE_CHECKING:
    from referee.arrays import Array


def rank(scores: Array, is_positive: Array) -> Ranking:
    """Rank rows without weights as one unit: each class is sorted by itself, and the two are merged."""
    if len(scores) < COMPILE_FROM:
        ones = np.ones(len(scores), np.int64)
        return joined_steps(scores, ones * is_positive, ones * ~is_positive, np.argsort(-scores), None, 1)
    count = int(np.count_nonzero(is_positive))
    positives, negatives = np.empty(count, scores.dtype), np.empty(len(scores) - count, scores.dtype)
    compiled(split_by_class)(scores, is_positive, positives, negatives)
    sort_floats(positives)
    sort_floats(negatives)
    return merged(positives, negatives)


def merged(positives: Array, negatives: Array) -> Ranking:
    """Rank the rising scores of two classes."""
    rows = len(positives) + len(negatives)
    counter = np.int32 if rows < 2**31 else np.int64
    scores = np.empty(rows, np.result_type(positives, negatives))
    at = np.empty(rows, counter), np.empty(rows, counter)
    kernel = compiled(merge_classes) if rows >= COMPILE_FROM else merge_classes
    steps = kernel(positives, negatives, scores, *at)
    return Ranking(scores[:steps], at[0][:steps], at[1][:steps], np.array([0, steps]))


def rank_in_units(rows: tuple[Array, Array, Array], unit: Array, units: int) -> Ranking:
    """Rank rows (scores, positives, negatives) inside each unit."""
    falling = np.argsort(-rows[0], kind="stable")
    if len(unit) < COMPILE_FROM:
        by_unit = np.argsort(_narrow(unit, units)[falling], kind="stable")
        return joined_steps(*rows, falling[by_unit], unit, units)
    return rank_falling((rows[0][falling], rows[1][falling], rows[2][falling]), unit[falling], units)


def rank_falling(rows: tuple[Array, Array, Array], unit: Array, units: int) -> Ranking:
    """Rank rows that stand in falling order of their scores inside each unit."""
    begins = np.concatenate([[0], np.cumsum(np.bincount(unit, minlength=units))])
    ends = begins[:-1].copy()
    scores, positives, negatives = rows
    # The steps, and the positives and negatives down to each.
    steps = [np.empty_like(one) for one in (scores, positives, negatives, positives, negatives)]
    compiled(steps_by_unit)(rows, unit, ends, tuple(steps))
    return _closed_up(steps, begins, ends)


def sort_floats(values: Array) -> None:
    """Sort in place; many of them by their digits, which takes as much memory again for the time."""
    if len(values) < COMPILE_FROM or values.dtype not in (np.float32, np.float64):
        values.sort()
        return
    whole = np.uint32 if values.dtype == np.float32 else np.uint64
    bits = values.view(whole)
    width = 8 * values.itemsize
    compiled(sort_by_digits)(
        bits, np.empty_like(bits), whole(1 << (width - 1)), whole(255), np.arange(0, width, 8, dtype=whole)
    )


def _narrow(unit: Array, units: int) -> Array:
    """Small numbers are sorted by their digits, in one pass."""
    return unit.astype(np.uint16) if units <= 2**16 else unit


def _closed_up(steps: list[Array], begins: Array, ends: Array) -> Ranking:
    """Leave out the places that ties left free at the end of each unit."""
    lengths = ends - begins[:-1]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    if starts[-1] != begins[-1]:
        kept = np.repeat(begins[:-1] - starts[:-1], lengths) + np.arange(starts[-1])
        steps = [column[kept] for column in steps]
    scores, positives, negatives, tp, fp = steps
    return Ranking(scores, positives, negatives, starts, (tp, fp))
