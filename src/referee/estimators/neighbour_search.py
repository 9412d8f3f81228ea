"""The nearest training rows: numbers on [0, 1], categories equal or not, a missing value as far as can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.neighbors import NearestNeighbors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array

BLOCK_CELLS = 4_000_000
MOST_TREE_COLUMNS = 15
"""As in scikit-learn: with more columns a tree finds no faster."""
SPARE = 40
"""So many more than k are searched, which costs little, to see those that are as near as the last one."""
GRID = 2.0**30
"""Squared distances are told apart by these parts of 1: rounding then breaks no ties."""


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
    """Rows as points: half their squared distance is that of the attributes, but for missing numbers."""

    points: Array
    numbers: Array
    """The numeric columns of the points, 0 where missing."""
    present: Array | None
    """Which numbers are there; None if all are."""

    @classmethod
    def of(cls, rows: Array, ranges: Ranges, sizes: Array, *, for_training: bool) -> Places:
        scaled = (rows[:, ranges.numeric] - ranges.low) / ranges.width
        present = ~np.isnan(scaled)
        numbers = np.where(present, scaled, 0.0)
        switches = [_switches(rows[:, place], int(sizes[place]), for_training=for_training) for place in ranges.nominal]
        points = np.ascontiguousarray(np.hstack([numbers * np.sqrt(2.0), *switches]))
        return cls(points, numbers, None if present.all() else present)

    def part(self, rows: slice | Array) -> Places:
        present = None if self.present is None else self.present[rows]
        return Places(self.points[rows], self.numbers[rows], present)


def _switches(column: Array, size: int, *, for_training: bool) -> Array:
    """A column for each category, and one each for missing in training and in the test: these differ, too."""
    missing = size + (not for_training)
    codes = np.nan_to_num(column, nan=missing).astype(int)
    beyond = (codes < 0) | ((codes >= size) & ~np.isnan(column))
    switches = np.zeros((len(column), size + 2))
    switches[np.arange(len(column)), np.where(beyond, missing, codes)] = 1.0
    return switches


def nearest(train: Places, test: Places, k: int) -> Array:
    """The places of the k nearest training rows, nearest first; of equally near ones the earlier row is the nearer.

    So neither rounding nor a larger k elsewhere decides who the neighbours are.
    """
    more = min(k + SPARE, len(train.points))
    if train.present is not None or test.present is not None or k == more:
        return _nearest_of_all(train, test, k)
    algorithm = "kd_tree" if train.points.shape[1] <= MOST_TREE_COLUMNS else "brute"
    distances, found = NearestNeighbors(n_neighbors=more, algorithm=algorithm).fit(train.points).kneighbors(test.points)
    steps = np.rint(distances**2 / 2 * GRID)
    in_order = np.lexsort((found, steps), axis=1)[:, :k]
    neighbours = np.asarray(np.take_along_axis(found, in_order, axis=1))
    # The last of them is as near as the farthest that was found: there may be others that were not.
    kth = np.take_along_axis(steps, in_order[:, -1:], axis=1)[:, 0]
    tied = np.flatnonzero((steps.max(axis=1) - kth <= 1) & (more < len(train.points)))
    if len(tied):
        neighbours[tied] = _nearest_of_all(train, test.part(tied), k)
    return neighbours


def _nearest_of_all(train: Places, test: Places, k: int) -> Array:
    """Rank all training rows of each test row by distance, then by place."""
    found = np.empty((len(test.points), k), np.int64)
    for rows in _blocks(len(test.points), len(train.points)):
        steps = np.rint(squared_distances(test.part(rows), train) * GRID)
        farthest = np.partition(steps, k - 1, axis=1)[:, k - 1 : k]
        nearer, tied = steps < farthest, steps == farthest
        wanted = k - nearer.sum(axis=1, keepdims=True)
        places = np.nonzero(nearer | (tied & (tied.cumsum(axis=1, dtype=np.int32) <= wanted)))[1].reshape(-1, k)
        in_order = np.argsort(np.take_along_axis(steps, places, axis=1), axis=1, kind="stable")
        found[rows] = np.take_along_axis(places, in_order, axis=1)
    return found


def _blocks(rows: int, width: int) -> Iterator[slice]:
    step = max(1, BLOCK_CELLS // max(width, 1))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def squared_distances(test: Places, train: Places) -> Array:
    """All squared distances of test rows to training rows, over all attributes."""
    lengths = (test.points**2).sum(axis=1)[:, np.newaxis] + (train.points**2).sum(axis=1)
    together = lengths / 2 - test.points @ train.points.T
    if test.present is None and train.present is None:
        return together.clip(0)
    return (together + _corrections(test, train)).clip(0)


def _corrections(test: Places, train: Places) -> Array:
    """What missing numbers add: the distance to the farther end of the range, and 1 where both are missing."""
    here, there = _presence(test), _presence(train)
    counted_here, counted_there = test.numbers**2, train.numbers**2
    far_here = np.maximum(test.numbers, 1 - test.numbers) ** 2 * here
    far_there = np.maximum(train.numbers, 1 - train.numbers) ** 2 * there
    return (
        (far_here - counted_here) @ (1 - there).T
        + (1 - here) @ (far_there - counted_there).T
        + (1 - here) @ (1 - there).T
    )


def _presence(places: Places) -> Array:
    return np.ones_like(places.numbers) if places.present is None else places.present.astype(float)


def distances_of(train: Places, test: Places, neighbours: Array) -> Array:
    """The distances to chosen training rows, difference by difference: 0 for equal rows."""
    squared = np.empty(neighbours.shape)
    for place in range(neighbours.shape[1]):
        others = train.part(neighbours[:, place])
        squared[:, place] = ((test.points - others.points) ** 2).sum(axis=1) / 2
        if test.present is not None or train.present is not None:
            squared[:, place] += _pairwise_corrections(test, others)
    return np.sqrt(squared.clip(0))


def _pairwise_corrections(test: Places, others: Places) -> Array:
    here, there = _presence(test) > 0, _presence(others) > 0
    far = np.where(here, np.maximum(test.numbers, 1 - test.numbers), np.maximum(others.numbers, 1 - others.numbers))
    wanted = np.where(here | there, far**2, 1.0)
    return np.where(here & there, 0.0, wanted - (test.numbers - others.numbers) ** 2).sum(axis=1)
