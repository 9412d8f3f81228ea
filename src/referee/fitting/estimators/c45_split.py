"""The split that C4.5 chooses at a node: the best gain ratio among the splits whose gain is not below average."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from referee.engines import compiled, has_compiler
from referee.fitting.estimators.c45_kernels import (
    MOST_PER_BRANCH,
    NEARLY,
    best_column,
    cut_numbers,
    line_up,
    weigh_categories,
)
from referee.records import dataclass

if TYPE_CHECKING:
    from referee.arrays import Array

MANY_CATEGORIES = 0.3
"""Columns with so many categories per row do not count for the average gain."""
COMPILE_FROM = 1 << 14
"""Cells of the training data from which compiling pays; below, NumPy does the same sums."""


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
    def has_missing(self) -> bool:
        return bool(np.isnan(self.values).any())

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
    def category_ends(self) -> Array:
        """Where the categories of each nominal column end in that numbering, and the first ones begin."""
        return np.append(0, np.cumsum(self.sizes[self.nominal]))

    @property
    def category_starts(self) -> Array:
        return self.category_ends[:-1]

    @cached_property
    def counts_for_average(self) -> Array:
        """Which columns count for the average gain."""
        few = (self.sizes == 0) | (self.sizes < MANY_CATEGORIES * len(self.values))
        return few if few.any() else np.ones_like(few)

    @cached_property
    def compiles(self) -> bool:
        """Whether there is so much to look through that loading the compiler pays."""
        return self.values.size >= COMPILE_FROM and has_compiler()

    @cached_property
    def ordered_numbers(self) -> tuple[Array, Array]:
        """All rows in the rising order of each numeric column, and the place of each row there."""
        order = np.argsort(self.numbers, axis=1, kind="stable")
        return order, np.argsort(order, axis=1)

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
    numeric = _NumericSplits(data, rows, weights, total)
    nominal = _NominalSplits(data, rows, weights, total)
    offers = _no_offers(len(data.sizes))
    for together, of_numbers, of_categories in zip(offers, numeric.offers, nominal.offers, strict=True):
        together[data.numeric], together[data.nominal] = of_numbers, of_categories
    column = (compiled(best_column) if data.compiles else best_column)(*offers, data.counts_for_average)
    if column < 0:
        return None
    return numeric.split(column) if data.sizes[column] == 0 else nominal.split(column)


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


def _no_offers(columns: int) -> tuple[Array, Array, Array]:
    """The gain and gain ratio of each column, and whether it can be split by."""
    return np.zeros(columns), np.zeros(columns), np.zeros(columns, bool)


class _NominalSplits:
    """The splits of a node by each nominal column, all columns at once."""

    def __init__(self, data: TrainingData, rows: Array, weights: Array, total: float) -> None:
        self.data, self.offers = data, _no_offers(len(data.nominal))
        if not len(data.nominal):
            return
        # The last row counts what is missing.
        self.counts = np.zeros((int(data.sizes.sum()) + 1, data.class_count))
        if data.compiles:
            node, limits = (rows, weights, data.classes), (total, float(data.min_leaf))
            compiled(weigh_categories)((data.codes, data.category_ends), node, limits, self.offers, self.counts)
            return
        cells = data.codes[rows] * data.class_count + data.classes[rows, np.newaxis]
        counted = np.bincount(cells.ravel(), np.repeat(weights, cells.shape[1]), self.counts.size)
        self.counts[...] = counted.reshape(self.counts.shape)
        self._weigh(self.counts[:-1], total)

    def _weigh(self, counts: Array, total: float) -> None:
        by_branch, by_class = counts.sum(axis=1), self._by_column(counts)
        known, branch_logs = by_class.sum(axis=1), self._by_column(_times_log(by_branch))
        before = _times_log(known) - _times_log(by_class).sum(axis=1)
        after = branch_logs - self._by_column(_times_log(counts)).sum(axis=1)
        gain = _gain(before, after, total)
        possible = self._by_column(by_branch >= self.data.min_leaf - NEARLY, int) >= 2
        self.offers = gain, _gain_ratio(gain, branch_logs, known, total), possible

    def _by_column(self, by_category: Array, kind: type = float) -> Array:
        return np.asarray(np.add.reduceat(by_category, self.data.category_starts, axis=0, dtype=kind))

    def split(self, column: int) -> Split:
        start = self.data.category_starts[np.searchsorted(self.data.nominal, column)]
        return Split(column, None, self.counts[start : start + self.data.sizes[column]])


class _NumericSplits:
    """The best split of a node by each numeric column, all columns at once."""

    def __init__(self, data: TrainingData, rows: Array, weights: Array, total: float) -> None:
        self.data, columns = data, len(data.numeric)
        self.offers = _no_offers(columns)
        self.lower, self.totals = np.zeros((columns, data.class_count)), np.zeros((columns, data.class_count))
        """The weight of each class below each column's best cut, and in all rows that have a value."""
        self.edges = np.zeros((columns, 2))
        """The values on both sides of the cut."""
        if data.compiles:
            self._search(rows, weights, total)
        else:
            _PlainSearch(self, rows, weights, total)

    def _search(self, rows: Array, weights: Array, total: float) -> None:
        data, lines = self.data, np.empty((len(self.edges), len(rows)), np.intp)
        weight_of, known = np.zeros(len(data.values)), np.zeros(len(lines), np.intp)
        weight_of[rows] = weights
        ordered = (data.numbers, *data.ordered_numbers)
        compiled(line_up)(ordered, (rows, weight_of, data.classes), lines, known, self.totals)
        columns, node = (data.numbers, lines, known), (weight_of, data.classes)
        cuts = self.lower, self.totals, self.edges
        compiled(cut_numbers)(columns, node, (total, float(data.min_leaf)), self.offers, cuts)

    def split(self, column: int) -> Split:
        """The split at a column's best place; its point is a value that occurs in the training rows."""
        number = int(np.searchsorted(self.data.numeric, column))
        below, above = self.edges[number]
        seen = self.data.sorted_numbers[number]
        point = seen[max(np.searchsorted(seen, below / 2 + above / 2, side="right") - 1, 0)]
        counts = np.array([self.lower[number], self.totals[number] - self.lower[number]])
        # The middle of two neighbouring floats is one of them.
        return Split(column, float(below if point >= above else point), counts)


class _PlainSearch:
    """The cuts of a node by NumPy: every column is sorted, and all places are weighed at once."""

    def __init__(self, splits: _NumericSplits, rows: Array, weights: Array, total: float) -> None:
        data = splits.data
        self.splits, self.data, self.total, columns = splits, data, total, len(data.numeric)
        values = data.numbers[:, rows]
        order = np.argsort(values, axis=1, kind="stable")
        self.values = np.take_along_axis(values, order, axis=1)
        by_class = np.zeros((data.class_count, len(rows)))
        by_class[data.classes[rows], np.arange(len(rows))] = weights
        # Weight of each class (class, column, place) in the rows up to each place.
        self.below = np.cumsum(by_class[:, order], axis=2)
        self.known = len(rows) - np.isnan(self.values).sum(axis=1)
        self.totals = self.below[:, np.arange(columns), self.known - 1] * (self.known > 0)
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
        columns, place, gain = column[starts], place[first], gains[first] - np.log2(tried) / self.total
        lower, totals = self.below[:, columns, place], self.totals[:, columns]
        left, known = lower.sum(axis=0), totals.sum(axis=0)
        branch_logs = _times_log(left) + _times_log(known - left)
        ratio = _gain_ratio(gain, branch_logs, known, self.total)
        offered = gain, ratio, (gains[first] > NEARLY) & (gain > NEARLY)
        for every, some in zip(self.splits.offers, offered, strict=True):
            every[columns] = some
        self.splits.lower[columns], self.splits.totals[columns] = lower.T, totals.T
        self.splits.edges[columns] = np.stack([self.values[columns, place], self.values[columns, place + 1]], axis=1)

    def _gains(self, column: Array, place: Array) -> Array:
        lower = self.below[:, column, place]
        upper = self.totals[:, column] - lower
        before = _times_log(self.totals.sum(axis=0)) - _times_log(self.totals).sum(axis=0)
        after = _times_log(lower.sum(axis=0)) + _times_log(upper.sum(axis=0))
        after -= _times_log(lower).sum(axis=0) + _times_log(upper).sum(axis=0)
        return _gain(before[column], after, self.total)


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
