"""The nearest training rows: numbers on [0, 1], categories equal or not, a missing value as far as can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from referee.engines import compiled
from referee.fitting.estimators.neighbour_kernels import (
    add_categories,
    add_gaps,
    add_numbers,
    choose_nearest,
    find_limits,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array

BLOCK_CELLS = 1_000_000
QUICK_CELLS = 100_000
"""Distances that fit into the second level of a processor's memory."""
COMPILE_FROM = 1 << 24
"""Differences of two values from which compiling pays; below, NumPy does the same sums."""
DIGITS = 2.0**30
"""Squared distances are told apart by their first 30 binary digits: rounding then breaks no ties, however near."""


@dataclass(frozen=True)
class Ranges:
    """How columns are put on one scale: learnt from the training rows."""

    low: Array
    width: Array
    numeric: Array
    nominal: Array

    @classmethod
    def of(cls, rows: Array, nominal: Array) -> Ranges:
        numeric = np.setdiff1d(np.arange(rows.shape[1]), nominal)
        known = rows[:, numeric]
        empty = np.isnan(known).all(axis=0)
        filled = np.where(empty, 0.0, known)
        low, high = np.nanmin(filled, axis=0, initial=np.inf), np.nanmax(filled, axis=0, initial=-np.inf)
        return cls(low, np.where(high > low, high - low, 1.0), numeric, nominal)


@dataclass(frozen=True)
class Places:
    """Rows as the distance sees them."""

    numbers: Array
    """(row, column), NaN where missing."""
    codes: Array
    """Of the categories (row, column); missing has another code in training than in the test, so it equals nothing."""

    @classmethod
    def of(cls, rows: Array, ranges: Ranges, sizes: Array, *, for_training: bool) -> Places:
        numbers = (rows[:, ranges.numeric] - ranges.low) / ranges.width
        nominal, known = rows[:, ranges.nominal], sizes[ranges.nominal]
        missing = np.broadcast_to(known + (not for_training), nominal.shape)
        is_known = (nominal >= 0) & (nominal < known)
        return cls(numbers, np.where(is_known, nominal, missing).astype(np.int32))

    def part(self, rows: slice | Array) -> Places:
        return Places(self.numbers[rows], self.codes[rows])

    def contiguous(self) -> Places:
        return Places(np.ascontiguousarray(self.numbers), np.ascontiguousarray(self.codes))

    @property
    def columns(self) -> int:
        return int(self.numbers.shape[1] + self.codes.shape[1])


def nearest(train: Places, test: Places, k: int) -> Array:
    """The places of the k nearest training rows, nearest first; of equally near ones the earlier row is the nearer.

    So neither rounding nor a larger k elsewhere decides who the neighbours are.
    """
    if len(train.numbers) * len(test.numbers) * train.columns < COMPILE_FROM:
        return _nearest_in_blocks(train, test, k)
    return _Search.among(train).nearest(test, k)


def nearest_with_ties(train: Places, test: Places, k: int) -> Neighbours:
    """The k nearest training rows and all that are as near as the k-th."""
    if len(train.numbers) * len(test.numbers) * train.columns < COMPILE_FROM:
        parts = list(_ties_in_blocks(train, test, k))
    else:
        parts = list(_Search.among(train).nearest_with_ties(test, k))
    return Neighbours(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("row", "place", "step")))


@dataclass(frozen=True)
class Neighbours:
    """Training rows near each test row: nearest first, test row by test row."""

    row: Array
    place: Array
    step: Array
    """The squared distance."""

    @classmethod
    def up_to_ties(cls, row: Array, place: Array, step: Array, k: int) -> Neighbours:
        """Of at least k candidates for each row those that are no farther than the k-th."""
        order = np.lexsort((place, step, row))
        return cls(row[order], place[order], step[order]).closest(k)

    def closest(self, k: int) -> Neighbours:
        starts = np.flatnonzero(np.diff(self.row, prepend=-1))
        farthest = self.step[starts + k - 1]
        near = self.step <= np.repeat(farthest, np.diff(starts, append=len(self.row)))
        return Neighbours(self.row[near], self.place[near], self.step[near])

    def after(self, rows: int) -> Neighbours:
        """The same, the first test row being that number."""
        return Neighbours(self.row + rows, self.place, self.step)


@dataclass(frozen=True)
class _Search:
    """Training rows in single precision, column by column, which is quick.

    Of the few rows that it leaves the exact distance decides, so that the result does not depend on the quick one.
    """

    train: Places
    numbers: Array
    far: Array
    codes: Array

    @classmethod
    def among(cls, train: Places) -> _Search:
        numbers = np.ascontiguousarray(train.numbers.T, np.float32)
        far = np.ascontiguousarray(_far(train.numbers).T, np.float32)
        return cls(train.contiguous(), numbers, far, np.ascontiguousarray(train.codes.T))

    def nearest(self, test: Places, k: int) -> Array:
        neighbours = np.empty((len(test.numbers), k), np.int64)
        training = self.train.numbers, self.train.codes
        for rows, part, quick, bounds in self._within_bounds(test, k):
            given = part.numbers, part.codes
            compiled(choose_nearest)(quick, bounds, training, given, DIGITS, neighbours[rows])
        return neighbours

    def nearest_with_ties(self, test: Places, k: int) -> Iterator[Neighbours]:
        for rows, part, quick, bounds in self._within_bounds(test, k):
            row, place = np.nonzero(quick <= bounds[:, np.newaxis])
            steps = _rounded(squared_distances(part.part(row), self.train.part(place)))
            yield Neighbours.up_to_ties(row, place, steps, k).after(rows.start)

    def _within_bounds(self, test: Places, k: int) -> Iterator[tuple[slice, Places, Array, Array]]:
        """Blocks of rows, their quick distances, and bounds that the k nearest and their ties do not exceed."""
        is_whole = np.asarray(~np.isnan(test.numbers).any(axis=1) & ~np.isnan(self.numbers).any())
        limits, memory = np.ones(1, np.float32), np.empty((0, 0), np.float32)
        for rows in _blocks(len(test.numbers), self.numbers.shape[1], QUICK_CELLS):
            part = test.part(rows).contiguous()
            memory = memory if len(memory) else np.empty((len(part.numbers), self.numbers.shape[1]), np.float32)
            quick = self._quick_distances(part, is_whole[rows], memory[: len(part.numbers)])
            limits = np.full(len(quick), limits[-1])
            compiled(find_limits)(quick, k, limits)
            bounds = (limits + self._slack(part)) * (1 + 2.0**-22)
            yield rows, part, quick, bounds.astype(np.float32)

    def _quick_distances(self, test: Places, is_whole: Array, quick: Array) -> Array:
        quick[...] = 0.0
        numbers = test.numbers.astype(np.float32)
        compiled(add_numbers)(numbers, self.numbers, is_whole, quick)
        if not is_whole.all():
            compiled(add_gaps)(numbers, self.numbers, self.far, is_whole, quick)
        if len(self.codes):
            compiled(add_categories)(test.codes, self.codes, quick)
        return quick

    def _slack(self, test: Places) -> Array:
        """Twice the largest error of a quick distance, as the k-th nearest row has one, too.

        Values, differences, squares and their sums are each rounded by half a unit of single precision at most.
        """
        largest = np.nanmax(np.abs(test.numbers), axis=1, initial=1.0)
        columns = test.columns
        return largest**2 * (48.0 * columns + 16.0 * columns**2) * 2.0**-24


def _nearest_in_blocks(train: Places, test: Places, k: int) -> Array:
    """Rank all training rows of each test row by distance, then by place."""
    neighbours = np.empty((len(test.numbers), k), np.int64)
    for rows in _blocks(len(test.numbers), len(train.numbers), BLOCK_CELLS):
        part = test.part(rows)
        steps = _rounded(squared_distances(_with_axis(part, 1), _with_axis(train, 0)))
        farthest = np.partition(steps, k - 1, axis=1)[:, k - 1 : k]
        nearer, tied = steps < farthest, steps == farthest
        wanted = k - nearer.sum(axis=1, keepdims=True)
        places = np.nonzero(nearer | (tied & (tied.cumsum(axis=1, dtype=np.int32) <= wanted)))[1].reshape(-1, k)
        in_order = np.argsort(np.take_along_axis(steps, places, axis=1), axis=1, kind="stable")
        neighbours[rows] = np.take_along_axis(places, in_order, axis=1)
    return neighbours


def _ties_in_blocks(train: Places, test: Places, k: int) -> Iterator[Neighbours]:
    for rows in _blocks(len(test.numbers), len(train.numbers), BLOCK_CELLS):
        steps = _rounded(squared_distances(_with_axis(test.part(rows), 1), _with_axis(train, 0)))
        row, place = np.nonzero(steps <= np.partition(steps, k - 1, axis=1)[:, k - 1 : k])
        yield Neighbours.up_to_ties(row, place, steps[row, place], k).after(rows.start)


def _rounded(distances: Array) -> Array:
    """To the digits that count; 0 is exact."""
    digits, exponent = np.frexp(distances)
    return np.ldexp(np.rint(digits * DIGITS), exponent)


def _blocks(rows: int, width: int, cells: int) -> Iterator[slice]:
    step = max(1, cells // max(width, 1))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def _with_axis(places: Places, axis: int) -> Places:
    return Places(np.expand_dims(places.numbers, axis), np.expand_dims(places.codes, axis))


def squared_distances(some: Places, other: Places) -> Array:
    """Over all attributes, which are the last axis; the other axes may be broadcast."""
    total = np.zeros(np.broadcast_shapes(some.codes.shape[:-1], other.codes.shape[:-1]))
    for column in range(some.numbers.shape[-1]):
        a, b = some.numbers[..., column], other.numbers[..., column]
        terms = np.square(a - b)
        if np.isnan(a).any() or np.isnan(b).any():
            terms = np.where(np.isnan(a), _far(b), np.where(np.isnan(b), _far(a), terms))
        total += terms
    for column in range(some.codes.shape[-1]):
        total += some.codes[..., column] != other.codes[..., column]
    return total


def _far(numbers: Array) -> Array:
    """The squared distance of a missing number: to the farther end of the range, and 1 if both are missing."""
    return np.where(np.isnan(numbers), 1.0, np.square(np.maximum(numbers, 1 - numbers)))


def distances_of(train: Places, test: Places, neighbours: Array) -> Array:
    """The distances to chosen training rows, 0 for equal ones."""
    return np.sqrt(squared_distances(_with_axis(test, 1), train.part(neighbours)))
