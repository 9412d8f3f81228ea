"""Rows to a Ranking: one sort serves all ranking metrics of a model, in all its units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.engines.kernels import COMPILE_FROM, compiled, merge_classes, sort_by_digits, split_by_class, steps_by_unit
from referee.ranking import Ranking, joined_steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array


def rank(scores: Array, is_positive: Array) -> Ranking:
    """Rank rows without weights as one unit: each class is sorted by itself, and the two are merged."""
    if len(scores) < COMPILE_FROM:
        ones = np.ones(len(scores), np.int64)
        return joined_steps(scores, ones * is_positive, ones * ~is_positive, np.argsort(-scores), None, 1)
    count = int(np.count_nonzero(is_positive))
    positives, negatives = np.empty(count, scores.dtype), np.empty(len(scores) - count, scores.dtype)
    compiled(split_by_class)(scores, is_positive, positives, negatives)
    positives.sort()
    negatives.sort()
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


def rank_in_units(
    scores: Array,
    positives: Array,
    negatives: Array,
    unit: Array,
    units: int,
    falling: Callable[[], Array],
    *,
    often: bool = False,
) -> Ranking:
    """Rank rows inside each unit; `falling` gives the rows in falling order of their scores, whatever the units.

    `often` says that this is one of many groupings of the same rows, so that compiling pays sooner.
    """
    if len(scores) < COMPILE_FROM and not often:
        by_unit = np.argsort(_narrow(unit, units)[falling()], kind="stable")
        return joined_steps(scores, positives, negatives, falling()[by_unit], unit, units)
    begins = np.concatenate([[0], np.cumsum(np.bincount(unit, minlength=units))])
    ends = begins[:-1].copy()
    steps = np.empty_like(scores), np.empty_like(positives), np.empty_like(negatives)
    compiled(steps_by_unit)(falling(), (scores, positives, negatives), unit, ends, steps)
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


def _closed_up(steps: tuple[Array, Array, Array], begins: Array, ends: Array) -> Ranking:
    """Leave out the places that ties left free at the end of each unit."""
    lengths = ends - begins[:-1]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    if starts[-1] == begins[-1]:
        return Ranking(*steps, starts)
    kept = np.repeat(begins[:-1] - starts[:-1], lengths) + np.arange(starts[-1])
    scores, positives, negatives = (column[kept] for column in steps)
    return Ranking(scores, positives, negatives, starts)
