"""The nearest training rows: numbers on [0, 1], categories equal or not, a missing value as far as can be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from referee.engines import compiled
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array

BLOCK = 1024
"""Training rows whose sums stay in the fastest memory while the columns are added."""
TRIES = 30
"""Of limits; ties may be so many that none leaves few rows."""


def add_numbers(numbers: Array, others: Array, is_whole: Array, quick: Array) -> None:
    """Add the squared differences of complete rows to their sums: (column, training row) in single precision."""
    columns = len(others)
    for row in range(len(numbers)):
        for start in range(0, others.shape[1] if is_whole[row] else 0, BLOCK):
            end = min(start + BLOCK, others.shape[1])
            total = quick[row, start:end]
            for column in range(0, columns - columns % 4, 4):
                # Four at once: the sum is fetched once for them.
                a, b, c, d = numbers[row, column : column + 4]
                first, second = others[column, start:end], others[column + 1, start:end]
                third, fourth = others[column + 2, start:end], others[column + 3, start:end]
                for place in range(len(total)):
                    p, q, r, s = first[place] - a, second[place] - b, third[place] - c, fourth[place] - d
                    total[place] += (p * p + q * q) + (r * r + s * s)
            for column in range(columns - columns % 4, columns):
                here, others_here = numbers[row, column], others[column, start:end]
                for place in range(len(total)):
                    p = others_here[place] - here
                    total[place] += p * p


def add_gaps(numbers: Array, others: Array, far: Array, is_whole: Array, quick: Array) -> None:
    """Add the same of rows where numbers may be missing: these are as far as can be."""
    for row in range(len(numbers)):
        for column in range(0 if is_whole[row] else len(others)):
            here, others_here, farther = numbers[row, column], others[column], far[column]
            away, total = max(here, np.float32(1.0) - here) ** 2, quick[row]
            for place in range(len(total)):
                gap = others_here[place] - here
                known = away if np.isnan(others_here[place]) else gap * gap
                total[place] += farther[place] if np.isnan(here) else known


def add_categories(codes: Array, others: Array, quick: Array) -> None:
    """Add 1 for each category that differs."""
    for row in range(len(codes)):
        for start in range(0, others.shape[1], BLOCK):
            end = min(start + BLOCK, others.shape[1])
            total = quick[row, start:end]
            for column in range(len(others)):
                code, others_here = codes[row, column], others[column, start:end]
                for place in range(len(total)):
                    total[place] += np.float32(others_here[place] != code)


def find_limits(quick: Array, k: int, limits: Array) -> None:
    """Find for each row a distance that at least k training rows do not exceed, and few more."""
    guess = limits[0]
    for row in range(len(quick)):
        line, low, high, within = quick[row], np.float32(-1.0), guess, -1
        for _ in range(TRIES):
            limit = high if within < k else (low + high) / np.float32(2.0)
            count = 0
            for place in range(len(line)):
                count += line[place] <= limit
            if count >= k:
                high, within = limit, count
            else:
                low = limit
                high = high if within >= k else high * np.float32(4.0) + np.float32(1e-6)
            if k <= within <= k + k // 4 + 8:
                break
        # Not from an outlier, from which the next row would need too many halves.
        guess = min(high, np.float32(1e6))
        limits[row] = high if within >= k else np.float32(np.inf)


def choose_nearest(
    quick: Array,
    limits: Array,
    train: tuple[Array, Array],
    test: tuple[Array, Array],
    digits: float,
    nearest_rows: Array,
) -> None:
    """Of the training rows within the limit the k nearest by their exact distance, the earlier first if it is equal."""
    k, n = nearest_rows.shape[1], quick.shape[1]
    places, steps = np.empty(n, np.int64), np.empty(k)
    for row in range(len(quick)):
        line, limit, chosen, near, held = quick[row], limits[row], nearest_rows[row], 0, 0
        for start in range(0, n, 64):
            part, count = line[start : start + 64], 0
            for place in range(len(part)):
                count += part[place] <= limit
            # Most parts have none, which is quickly seen.
            for place in range(len(part) if count else 0):
                places[near] = start + place
                near += part[place] <= limit
        for candidate in range(near):
            other, exact = places[candidate], 0.0
            for column in range(test[0].shape[1]):
                x, y = test[0][row, column], train[0][other, column]
                known = y if np.isnan(x) else x
                gap = max(known, 1.0 - known) if np.isnan(x) or np.isnan(y) else x - y
                exact += 1.0 if np.isnan(gap) else gap * gap
            for column in range(test[1].shape[1]):
                exact += test[1][row, column] != train[1][other, column]
            share, exponent = math.frexp(exact)
            step = math.ldexp(np.rint(share * digits), exponent)
            if held == k and step >= steps[k - 1]:
                continue
            slot = min(held, k - 1)
            while slot > 0 and steps[slot - 1] > step:
                steps[slot], chosen[slot] = steps[slot - 1], chosen[slot - 1]
                slot -= 1
            steps[slot], chosen[slot] = step, other
            held = min(held + 1, k)


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
        is_whole = np.asarray(~np.isnan(test.numbers).any(axis=1) & ~np.isnan(self.numbers).any())
        limits, memory = np.ones(1, np.float32), np.empty((0, 0), np.float32)
        for rows in _blocks(len(test.numbers), self.numbers.shape[1], QUICK_CELLS):
            part = test.part(rows).contiguous()
            memory = memory if len(memory) else np.empty((len(part.numbers), self.numbers.shape[1]), np.float32)
            quick = self._quick_distances(part, is_whole[rows], memory[: len(part.numbers)])
            limits = np.full(len(quick), limits[-1])
            compiled(find_limits)(quick, k, limits)
            bounds = (limits + self._slack(part)) * (1 + 2.0**-22)
            given = (part.numbers, part.codes)
            compiled(choose_nearest)(
                quick,
                bounds.astype(np.float32),
                (self.train.numbers, self.train.codes),
                given,
                DIGITS,
                neighbours[rows],
            )
        return neighbours

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
