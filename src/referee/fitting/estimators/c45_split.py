"""The split that C4.5 chooses at a node: the best gain ratio among the splits whose gain is not below average."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from referee.records import dataclass

if TYPE_CHECKING:
    from referee.arrays import Array

NEARLY = 1e-6
"""Differences up to this are none: weights of rows are fractions where values are missing."""
SLACK = 1e-3
"""So much below the average gain still counts as average (Quinlan's own program does the same)."""
MANY_CATEGORIES = 0.3
"""Columns with so many categories per row do not count for the average gain."""
MOST_PER_BRANCH = 25.0
"""No numeric split needs more rows in a branch than this."""


@dataclass(frozen=True)
class TrainingData:
    """The rows that a tree learns from; `sizes` has the number of categories of each column, 0 for numbers."""

    values: Array
    classes: Array
    class_count: int
    sizes: Array
    min_leaf: float

    @cached_property
    def numeric(self) -> Array:
        return np.flatnonzero(self.sizes == 0)

    @cached_property
    def nominal(self) -> Array:
        return np.flatnonzero(self.sizes > 0)

    @cached_property
    def numbers(self) -> Array:
        """The numeric columns, one after the other in memory."""
        return np.ascontiguousarray(self.values[:, self.numeric].T)

    @cached_property
    def codes(self) -> Array:
        """The categories of all nominal columns as one numbering (row, column); the last number is 'missing'."""
        columns = self.values[:, self.nominal]
        numbered = np.nan_to_num(columns) + self.category_starts
        return np.where(np.isnan(columns), self.sizes.sum(), numbered).astype(np.intp)

    @cached_property
    def category_starts(self) -> Array:
        """Where the categories of each nominal column begin in that numbering."""
        return np.cumsum(self.sizes[self.nominal]) - self.sizes[self.nominal]

    @cached_property
    def counts_for_average(self) -> Array:
        """Which columns count for the average gain."""
        few = (self.sizes == 0) | (self.sizes < MANY_CATEGORIES * len(self.values))
        return few if few.any() else np.ones_like(few)

    @cached_property
    def sorted_numbers(self) -> list[Array]:
        return [np.unique(column[~np.isnan(column)]) for column in self.numbers]


@dataclass(frozen=True)
class Split:
    """A test on one column: a branch for each category, or for numbers up to `point` and above it."""

    column: int
    point: float | None
    counts: Array
    """The weight of each class in each branch (branch, class), of the rows that have a value."""

    @property
    def branches(self) -> int:
        return len(self.counts)

    @property
    def shares(self) -> Array:
        """How rows without a value are divided among the branches."""
        by_branch = self.counts.sum(axis=1)
        total = by_branch.sum()
        return np.asarray(by_branch / total if total > 0 else by_branch)

    def branch_of(self, column: Array) -> Array:
        """The branch of each row by its column's values; -1 where that is missing, or a category never seen."""
        missing = np.isnan(column)
        if self.point is not None:
            return np.where(missing, -1, column > self.point)
        codes = np.where(missing, -1, column)
        return np.where(codes < self.branches, codes, -1).astype(np.intp)


def chosen_split(data: TrainingData, rows: Array, weights: Array) -> Split | None:
    """The split of some rows that C4.5 chooses, or None where a leaf is as good."""
    by_class = np.bincount(data.classes[rows], weights, data.class_count)
    total = float(by_class.sum())
    if total < 2 * data.min_leaf - NEARLY or total - by_class.max() <= NEARLY:
        return None
    gain, ratio = np.zeros(len(data.sizes)), np.zeros(len(data.sizes))
    numeric = _NumericSplits(data, rows, weights, total)
    nominal = _NominalSplits(data, rows, weights, total)
    gain[data.numeric], ratio[data.numeric] = numeric.gain, numeric.ratio
    gain[data.nominal], ratio[data.nominal] = nominal.gain, nominal.ratio
    possible = np.zeros(len(data.sizes), bool)
    possible[data.numeric], possible[data.nominal] = numeric.possible, nominal.possible
    column = _best_column(gain, ratio, possible, data.counts_for_average)
    if column is None:
        return None
    return numeric.split(column) if data.sizes[column] == 0 else nominal.split(column)


def _best_column(gain: Array, ratio: Array, possible: Array, for_average: Array) -> int | None:
    averaged = possible & for_average
    if not averaged.any():
        return None
    good = possible & (gain >= gain[averaged].mean() - SLACK)
    best, most = None, 0.0
    for column in np.flatnonzero(good):
        if ratio[column] - most > NEARLY:
            best, most = int(column), float(ratio[column])
    return best


def _times_log(amount: Array) -> Array:
    """The amount times its binary logarithm, and 0 of next to nothing."""
    return np.asarray(amount * np.log2(np.where(amount < NEARLY, 1.0, amount)))


def _gain(before: Array, after: Array, total: float) -> Array:
    """The information that a split adds per row, rows without a value adding none."""
    gained = before - after
    return np.where(np.abs(gained) <= NEARLY, 0.0, gained / total)


def _gain_ratio(gain: Array, branch_logs: Array, known: Array, total: float) -> Array:
    """The gain by the information of the branches themselves, those without a value being one more branch."""
    entropy = _times_log(np.asarray(total)) - branch_logs - _times_log(total - known)
    return np.where(entropy > NEARLY, gain * total / np.where(entropy > NEARLY, entropy, 1.0), 0.0)


class _NominalSplits:
    """The splits of a node by each nominal column, all columns at once."""

    def __init__(self, data: TrainingData, rows: Array, weights: Array, total: float) -> None:
        self.data = data
        if not len(data.nominal):
            self.possible, self.gain, self.ratio = np.zeros(0, bool), np.zeros(0), np.zeros(0)
            return
        cells = data.codes[rows] * data.class_count + data.classes[rows, np.newaxis]
        length = (int(data.sizes.sum()) + 1) * data.class_count
        # The last row counts what is missing.
        counted = np.bincount(cells.ravel(), np.repeat(weights, cells.shape[1]), length)
        self.counts = counted.reshape(-1, data.class_count)[:-1]
        self._weigh(total)

    def _weigh(self, total: float) -> None:
        by_branch, by_class = self.counts.sum(axis=1), self._by_column(self.counts)
        known, branch_logs = by_class.sum(axis=1), self._by_column(_times_log(by_branch))
        before = _times_log(known) - _times_log(by_class).sum(axis=1)
        after = branch_logs - self._by_column(_times_log(self.counts)).sum(axis=1)
        self.possible = self._by_column(by_branch >= self.data.min_leaf - NEARLY, int) >= 2
        self.gain = _gain(before, after, total)
        self.ratio = _gain_ratio(self.gain, branch_logs, known, total)

    def _by_column(self, by_category: Array, kind: type = float) -> Array:
        return np.asarray(np.add.reduceat(by_category, self.data.category_starts, axis=0, dtype=kind))

    def split(self, column: int) -> Split:
        start = self.data.category_starts[np.searchsorted(self.data.nominal, column)]
        return Split(column, None, self.counts[start : start + self.data.sizes[column]])


class _NumericSplits:
    """The best split of a node by each numeric column, all columns at once."""

    def __init__(self, data: TrainingData, rows: Array, weights: Array, total: float) -> None:
        self.data, self.total, columns = data, total, len(data.numeric)
        values = data.numbers[:, rows]
        order = np.argsort(values, axis=1, kind="stable")
        self.values = np.take_along_axis(values, order, axis=1)
        by_class = np.zeros((data.class_count, len(rows)))
        by_class[data.classes[rows], np.arange(len(rows))] = weights
        # Weight of each class (class, column, place) in the rows up to each place.
        self.below = np.cumsum(by_class[:, order], axis=2)
        self.known = len(rows) - np.isnan(self.values).sum(axis=1)
        self.totals = self.below[:, np.arange(columns), self.known - 1] * (self.known > 0)
        self.gain, self.ratio = np.zeros(columns), np.zeros(columns)
        self.possible, self.place = np.zeros(columns, bool), np.zeros(columns, np.intp)
        column, place = self._allowed()
        if len(column):
            self._search(column, place)

    def _allowed(self) -> tuple[Array, Array]:
        """The columns and places of all splits that leave enough rows on both sides."""
        known_weight = self.totals.sum(axis=0)
        tenth = np.minimum(0.1 * known_weight / self.data.class_count, MOST_PER_BRANCH)
        least = np.maximum(tenth, self.data.min_leaf) - NEARLY
        left = self.below[:, :, :-1].sum(axis=0)
        allowed = self.values[:, :-1] < self.values[:, 1:]
        allowed &= (left >= least[:, np.newaxis]) & (left <= (known_weight - least)[:, np.newaxis])
        allowed &= (self.known >= 2 * least)[:, np.newaxis]
        column, place = np.nonzero(allowed)
        return column, place

    def _search(self, column: Array, place: Array) -> None:
        """The first of each column's best places, its gain less what it costs to say which of the places it is."""
        gains = self._gains(column, place)
        starts = np.flatnonzero(np.diff(column, prepend=-1))
        tried = np.diff(starts, append=len(column))
        first = _first_best(gains, starts, tried)
        columns, gain = column[starts], gains[first] - np.log2(tried) / self.total
        lower = self.below[:, columns, place[first]].sum(axis=0)
        known = self.totals[:, columns].sum(axis=0)
        branch_logs = _times_log(lower) + _times_log(known - lower)
        self.possible[columns] = (gains[first] > NEARLY) & (gain > NEARLY)
        self.place[columns], self.gain[columns] = place[first], gain
        self.ratio[columns] = _gain_ratio(gain, branch_logs, known, self.total)

    def _gains(self, column: Array, place: Array) -> Array:
        lower = self.below[:, column, place]
        upper = self.totals[:, column] - lower
        before = _times_log(self.totals.sum(axis=0)) - _times_log(self.totals).sum(axis=0)
        after = _times_log(lower.sum(axis=0)) + _times_log(upper.sum(axis=0))
        after -= _times_log(lower).sum(axis=0) + _times_log(upper).sum(axis=0)
        return _gain(before[column], after, self.total)

    def split(self, column: int) -> Split:
        """The split at a column's best place; its point is a value that occurs in the training rows."""
        number = int(np.searchsorted(self.data.numeric, column))
        place = self.place[number]
        lower = self.below[:, number, place]
        below, above = self.values[number, place], self.values[number, place + 1]
        seen = self.data.sorted_numbers[number]
        point = seen[max(np.searchsorted(seen, below / 2 + above / 2, side="right") - 1, 0)]
        counts = np.array([lower, self.totals[:, number] - lower])
        # The middle of two neighbouring floats is one of them.
        return Split(column, float(below if point >= above else point), counts)


def _first_best(gains: Array, starts: Array, lengths: Array) -> Array:
    """The place of each column's running best, which only what is larger by more than rounding replaces."""
    most = np.maximum.reduceat(gains, starts)
    places = np.arange(len(gains))
    near = gains > np.repeat(most - NEARLY, lengths)
    first = np.minimum.reduceat(np.where(near, places, len(gains)), starts)
    earlier = np.maximum.reduceat(np.where(places < np.repeat(first, lengths), gains, -np.inf), starts)
    for column in np.flatnonzero(earlier > gains[first] - NEARLY):
        first[column] = starts[column] + _running_best(gains[starts[column] :][: lengths[column]].tolist())
    return first


def _running_best(gains: list[float]) -> int:
    best, most = 0, 0.0
    for place, gain in enumerate(gains):
        if gain - most > NEARLY:
            best, most = place, gain
    return best
