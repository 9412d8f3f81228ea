"""The nearest training rows: numbers on [0, 1], categories equal or not, a missing value as far as can be."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from referee.engines import compiled, has_compiler
from referee.fitting.estimators.neighbour_kernels import (
    DIGITS,
    PLACES,
    find_candidates,
    rank_candidates,
)
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array

BLOCK_CELLS = 1_000_000
COMPILE_FROM = 1 << 24
"""Differences of two values from which compiling pays; below, NumPy does the same sums."""


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


@dataclass(frozen=True)
class Neighbours:
    """Training rows near each test row: test row by test row, nearest first, of equally near ones the earlier first."""

    counts: Array
    """How many each test row has."""
    place: Array
    step: Array
    """The first digits of the squared distance, times a constant."""

    @classmethod
    def joined(cls, parts: Sequence[Neighbours]) -> Neighbours:
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("counts", "place", "step")))

    @property
    def row(self) -> Array:
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @property
    def starts(self) -> Array:
        """Where the neighbours of each test row begin."""
        return np.cumsum(self.counts) - self.counts

    def closest(self, k: int, *, keep_ties: bool) -> Neighbours:
        """The k nearest of each row, or all that are no farther than the k-th."""
        starts = self.starts
        if keep_ties:
            near = self.step <= np.repeat(self.step[starts + k - 1], self.counts)
        else:
            near = np.arange(len(self.place)) < np.repeat(starts + k, self.counts)
        if near.all():
            return self
        return Neighbours(np.add.reduceat(near, starts, dtype=np.int64), self.place[near], self.step[near])

    def sums(self, votes: Array, values: Array) -> Array:
        """The values of each row's neighbours by column, times their votes, added from the nearest on."""
        from scipy.sparse import csr_array

        ends = np.concatenate([[0], np.cumsum(self.counts)])
        return np.asarray(csr_array((votes, self.place, ends), shape=(len(self.counts), len(values))) @ values)


def nearest(train: Places, test: Places, k: int, *, keep_ties: bool = False) -> Neighbours:
    """The k nearest training rows; of those as near as the k-th the earlier ones, or all.

    Neither rounding nor a larger k elsewhere decides who the neighbours are.
    """
    cells = len(train.numbers) * len(test.numbers) * train.columns
    compiles = cells >= COMPILE_FROM and len(train.numbers) <= PLACES and has_compiler()
    search = _Search.among(train).nearest if compiles else partial(_in_blocks, train)
    return Neighbours.joined(list(search(test, k, keep_ties)))


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

    def nearest(self, test: Places, k: int, keep_ties: bool) -> Iterator[Neighbours]:
        is_whole = np.asarray(~np.isnan(test.numbers).any(axis=1) & ~np.isnan(self.numbers).any())
        test, slack = test.contiguous(), self._slack(test)
        training, quick = (self.train.numbers, self.train.codes), (self.numbers, self.far, self.codes)
        for rows in _blocks(len(test.numbers), 2 * k, BLOCK_CELLS):
            part = test.part(rows)
            quick_part = part.numbers.astype(np.float32), part.codes, is_whole[rows], slack[rows]
            counts, first = np.zeros(len(part.codes), np.int64), 0
            while first < len(counts):
                # As many parts as their ties need.
                most = 2 * k * (len(counts) - first) + len(self.train.codes)
                place, step = np.empty(most, np.int32), np.empty(most)
                end = compiled(find_candidates)(quick, quick_part, (k, first), place, counts)
                wanted = k, keep_ties, first, end
                filled = compiled(rank_candidates)(training, (part.numbers, part.codes), wanted, place, step, counts)
                yield Neighbours(counts[first:end], place[:filled], step[:filled])
                first = end

    def _slack(self, test: Places) -> Array:
        """Twice the largest error of a quick distance, as the k-th nearest row has one, too.

        Values, differences, squares and their sums are each rounded by half a unit of single precision at most.
        """
        largest = np.nanmax(np.abs(test.numbers), axis=1, initial=1.0)
        columns = test.columns
        return largest**2 * (48.0 * columns + 16.0 * columns**2) * 2.0**-24


def _in_blocks(train: Places, test: Places, k: int, keep_ties: bool) -> Iterator[Neighbours]:
    """Rank all training rows of each test row by distance, then by place."""
    for rows in _blocks(len(test.numbers), len(train.numbers), BLOCK_CELLS):
        steps = _rounded(squared_distances(_with_axis(test.part(rows), 1), _with_axis(train, 0)))
        row, place = np.nonzero(steps <= np.partition(steps, k - 1, axis=1)[:, k - 1 : k])
        step = steps[row, place]
        order = np.lexsort((place, step, row))
        candidates = Neighbours(np.bincount(row), place[order], step[order])
        yield candidates if keep_ties else candidates.closest(k, keep_ties=False)


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
