"""Pair sums of a state: from joint counts of labels, joint bins of scores, or joint moments of row terms."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.protocol import PairSums
from referee.predictions import BITS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array
    from referee.engines.state.summary import Summary
    from referee.predictions import CellSums, JointBins, Predictions

    Powers = tuple[Array, Array, Array, Array]

BIN_ERRORS = "_errors_of_bins"


def pair_sums(predictions: Predictions, influences: Sequence[Any], *, by_class: bool) -> PairSums:
    """Of what the rows of several models add to their values."""
    models, classes = len(influences), max(len(predictions.classes), 1)
    way = _way(influences[0])
    products, squares = np.zeros((2, classes, models, models))
    fourths = np.zeros((classes, models, models))
    powers = np.zeros((classes, models, 4))
    for i, influence in enumerate(influences):
        powers[:, i] = way(influence).own()
        products[:, i, i] = squares[:, i, i] = powers[:, i, 1]
        fourths[:, i, i] = powers[:, i, 3]
    as_kept = sorted(range(models), key=lambda model: influences[model].summary.place)
    for i, j in combinations(as_kept, 2):
        product, square, fourth = way(influences[i]).with_other(way(influences[j]))
        products[:, i, j] = products[:, j, i] = product
        squares[:, i, j] = squares[:, j, i] = square
        fourths[:, i, j] = fourths[:, j, i] = fourth
    if not by_class:
        products, squares = (sums.sum(axis=0, keepdims=True) for sums in (products, squares))
    return PairSums(products, squares, fourths.sum(axis=0), powers)


def _way(influence: Any) -> Callable[[Any], Any]:
    """The only way in which rows reach the value."""
    if influence.terms:
        return _ByTerms
    return _ByBins if influence.cells.has_sides else _ByLabels


class _Way:
    def __init__(self, influence: Any) -> None:
        self.influence = influence
        self.summary: Summary = influence.summary
        self.classes = max(len(self.summary.predictions.classes), 1)

    def by_class(self, truth: Array, rows: Array, changes: Array) -> Array:
        """What rows add up to in each class."""
        present = rows != 0
        return np.bincount(truth[present], (rows * changes)[present], self.classes)


class _ByLabels(_Way):
    """By the true class and the decision."""

    def __init__(self, influence: Any) -> None:
        super().__init__(influence)
        self.changes: Array = influence.of_cells().reshape(self.classes, self.classes)

    def own(self) -> Array:
        rows, truth = self.summary.counts.matrix[0], np.repeat(np.arange(self.classes), self.classes)
        each = [self.by_class(truth, rows.reshape(-1), self.changes.reshape(-1) ** power) for power in (1, 2, 3, 4)]
        return np.stack(each, axis=1)

    def with_other(self, other: _ByLabels) -> tuple[Array, Array, Array]:
        cells: CellSums = self.summary.state.tables[f"labels/{self.summary.place}/{other.summary.place}"]  # type: ignore[assignment]
        truth, a, b = np.unravel_index(cells.keys, (self.classes,) * 3)
        rows, mine, others = cells.sums[:, 0], self.changes[truth, a], other.changes[truth, b]
        apart = mine - others
        first, second, third = (self.by_class(truth, rows, each) for each in (mine * others, apart**2, apart**4))
        return first, second, third


class _ByTerms(_Way):
    """By row terms: forms of what is kept of them."""

    def __init__(self, influence: Any) -> None:
        super().__init__(influence)
        ((self.metric, by_terms),) = influence.terms
        self.form: Array = by_terms.of_rows(self.summary.terms(self.metric)).numbers

    def own(self) -> Array:
        moments = self.summary.moments(self.metric)
        return np.stack([moments.sum(*[self.form] * power) for power in (1, 2, 3, 4)], axis=1)

    def with_other(self, other: _ByTerms) -> tuple[Array, Array, Array]:
        moments = self.summary.moments(self.metric, other.summary.place)
        nothing = np.zeros(len(self.form) - 1)
        mine, others = np.concatenate([self.form, nothing]), np.concatenate([other.form[:1], nothing, other.form[1:]])
        apart = mine - others
        return moments.sum(mine, others), moments.sum(apart, apart), moments.sum(*[apart] * 4)


class _ByBins(_Way):
    """By the side and the bin of the score, lowest first."""

    def __init__(self, influence: Any) -> None:
        super().__init__(influence)
        self.changes: Array = influence.of_cells().reshape(2, -1)[:, ::-1]  # of negatives, and of positives

    @property
    def _codes(self) -> tuple[int, int]:
        positive = self.summary.predictions.positive
        assert positive is not None
        return 1 - positive, positive

    def own(self) -> Array:
        sums = np.zeros((self.classes, 4))
        for side, code in enumerate(self._codes):
            rows = self.summary.bins.sums[:, side]
            sums[code] = [(rows * self.changes[side] ** power).sum() for power in (1, 2, 3, 4)]
        return sums

    def with_other(self, other: _ByBins) -> tuple[Array, Array, Array]:
        """Rows within a cell of both models are taken to vary independently; how much that can be off is kept."""
        joint: JointBins = self.summary.state.tables[f"joint/{self.summary.place}/{other.summary.place}"]  # type: ignore[assignment]
        side, a, b = joint.places()
        rows, codes = joint.cells.sums[:, 0], np.array(self._codes)
        mine, lost = self.in_coarse_bins(joint.bits)
        others, lost_there = other.in_coarse_bins(joint.bits)
        changes, beside = mine[side, a], others[side, b]
        truth, apart = codes[side], changes - beside
        own, of_other = self.own(), other.own()
        product = self.by_class(truth, rows, changes * beside)
        square = own[:, 1] + of_other[:, 1] - 2 * product
        exact = joint.bits == BITS
        between = self.by_class(truth, rows, apart**2)
        fourth = self.by_class(truth, rows, apart**4)
        square = between if exact else square
        errors = self.summary.predictions.__dict__.setdefault(BIN_ERRORS, {})
        errors[self.summary.rows.model.name, other.summary.rows.model.name] = (
            2 * np.sqrt(lost * lost_there) / max(float(square.sum()), np.finfo(float).tiny)
        )
        return product, square, fourth

    def in_coarse_bins(self, bits: int) -> tuple[Array, float]:
        """The mean change of the rows in each wider bin, and the sum of squares about these means."""
        keys = self.summary.bins.keys >> (BITS - bits)
        means, lost = np.zeros((2, 1 << bits)), 0.0
        for side in range(2):
            rows = self.summary.bins.sums[:, side].astype(float)
            total, sums = (np.bincount(keys, each, 1 << bits) for each in (rows, rows * self.changes[side]))
            means[side] = np.divide(sums, total, out=np.zeros_like(sums), where=total > 0)
            lost += float((rows * (self.changes[side] - means[side][keys]) ** 2).sum())
        return means, lost
