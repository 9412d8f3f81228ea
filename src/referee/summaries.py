"""Counts, Sums, Ranking: all that a metric ever sees of the rows, for every unit (fold, subset, slice) at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array

ROUNDING = 1e-15
"""The mean of equal numbers may differ from them by this, relative to their size."""


@dataclass(frozen=True)
class Counts:
    """Confusion matrices: (unit, true class, predicted class); whole numbers unless the rows have weights.

    >>> counts = Counts(np.array([[[9560, 140], [210, 90]]]))
    >>> counts.tp, counts.total
    (array([90]), array([10000]))
    """

    matrix: Array

    @property
    def total(self) -> Array:
        return self.matrix.sum(axis=(1, 2))

    @property
    def correct(self) -> Array:
        return np.trace(self.matrix, axis1=1, axis2=2)

    @property
    def true(self) -> Array:
        """Rows of each true class: (unit, class)."""
        return self.matrix.sum(axis=2)

    @property
    def predicted(self) -> Array:
        return self.matrix.sum(axis=1)

    @property
    def diagonal(self) -> Array:
        return np.diagonal(self.matrix, axis1=1, axis2=2)

    # The four cells of a matrix of two classes, the positive one last.
    @property
    def tp(self) -> Array:
        return self.matrix[:, 1, 1]

    @property
    def fp(self) -> Array:
        return self.matrix[:, 0, 1]

    @property
    def fn(self) -> Array:
        return self.matrix[:, 1, 0]

    @property
    def tn(self) -> Array:
        return self.matrix[:, 0, 0]

    @property
    def P(self) -> Array:  # noqa: N802 (the lecture's letter)
        return self.tp + self.fn

    @property
    def N(self) -> Array:  # noqa: N802
        return self.fp + self.tn

    @property
    def beyond_chance(self) -> Array:
        """Sum total x correct less true x predicted of each class: TP TN - FP FN, which does not cancel."""
        matrix = self.matrix.astype(float)
        others = 1 - np.eye(matrix.shape[1])
        tn = ((others @ matrix) * others).sum(axis=2)
        fp, fn = ((matrix * others).sum(axis=axis) for axis in (1, 2))
        return (self.diagonal.astype(float) * tn - fp * fn).sum(axis=1)

    def against_rest(self, positive: int) -> Counts:
        """One class against all others, the positive one last."""
        tp = self.matrix[:, positive, positive]
        fn = self.true[:, positive] - tp
        fp = self.predicted[:, positive] - tp
        tn = self.total - tp - fn - fp
        return Counts(np.stack([np.stack([tn, fp], axis=1), np.stack([fn, tp], axis=1)], axis=1))

    def merge(self, other: Counts) -> Counts:
        return Counts(self.matrix + other.matrix)


@dataclass(frozen=True)
class Sums:
    """Weighted means of named row terms, with their centred second moments: (unit, term) and (unit, term, term)."""

    terms: tuple[str, ...]
    weight: Array
    means: Array
    moments: Array
    """Sums of products of deviations from the means; merged without loss (Chan, Golub and LeVeque, 1979)."""

    def mean(self, term: str) -> Array:
        return np.where(self.weight > 0, self.means[:, self.terms.index(term)], np.nan)

    def covariance(self, a: str, b: str) -> Array:
        return self.moments[:, self.terms.index(a), self.terms.index(b)] / self.weight

    def variance(self, term: str) -> Array:
        """Give the mean squared deviation; 0 where it is the rounding of the mean of equal numbers."""
        variance = self.covariance(term, term)
        return np.where(np.sqrt(variance) > ROUNDING * np.abs(self.mean(term)), variance, 0.0)

    def merge(self, other: Sums) -> Sums:
        weight = self.weight + other.weight
        share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0)
        # A part without rows has no means of its own.
        mine = np.where(self.weight[:, None] > 0, self.means, other.means)
        shift = np.where(other.weight[:, None] > 0, other.means, mine) - mine
        between = shift[:, :, None] * shift[:, None, :] * (self.weight * share)[:, None, None]
        moments = sum(np.where(part.weight[:, None, None] > 0, part.moments, 0) for part in (self, other))
        return Sums(self.terms, weight, mine + shift * share[:, None], moments + between)


@dataclass(frozen=True)
class Ranking:
    """Distinct scores, highest first, with the positives and negatives at each; units stand one after the other.

    Formulas are sums or maxima over steps: `ranking.sum(lambda at: at.negatives * at.tp_above)`.
    """

    scores: Array
    positives: Array
    negatives: Array
    starts: Array
    """Where each unit begins, and the end: (unit + 1)."""

    @cached_property
    def P(self) -> Array:  # noqa: N802 (the lecture's letter)
        return self._total(self.positives)

    @cached_property
    def N(self) -> Array:  # noqa: N802
        return self._total(self.negatives)

    @cached_property
    def steps(self) -> Steps:
        return Steps(self)

    def sum(self, term: Callable[[Steps], Array]) -> Array:
        return self._total(term(self.steps))

    def max(self, term: Callable[[Steps], Array]) -> Array:
        """The largest value over the steps of each unit; nan for a unit without rows."""
        return self._reduce(np.maximum, np.asarray(term(self.steps), float), np.nan)

    def hits(self, rows: Array) -> Array:
        """Count the positives among so many rows from the top; those that tie at the cut are shared in proportion."""

        def found(at: Steps) -> Array:
            above = at.tp_above + at.fp_above
            return at.positives * np.clip((rows[at.unit] - above) / at.rows, 0, 1)

        return self.sum(found)

    def binned(self, bin_of_step: Array, bins: int) -> Bins:
        """Add up the steps of each unit that fall into the same bin."""
        key = self.steps.unit * bins + bin_of_step
        shape = (len(self.starts) - 1, bins)
        rows = self.positives + self.negatives

        def added(values: Array) -> Array:
            return np.bincount(key, values, shape[0] * shape[1]).reshape(shape)

        return Bins(added(rows), added(self.positives), added(rows * self.scores))

    def reversed(self) -> Ranking:
        """The same rows ranked for the other class."""
        order = np.concatenate(
            [np.arange(b - 1, a - 1, -1) for a, b in zip(self.starts, self.starts[1:], strict=False)]
        )
        order = order.astype(np.intp)
        return Ranking(-self.scores[order], self.negatives[order], self.positives[order], self.starts)

    def merge(self, other: Ranking) -> Ranking:
        return merge_rankings([self, other])

    def _total(self, per_step: Array) -> Array:
        return self._reduce(np.add, per_step, 0)

    def _reduce(self, operation: np.ufunc, per_step: Array, empty: float) -> Array:
        filled = self.starts[:-1] < self.starts[1:]
        result = np.full(len(filled), empty, np.result_type(per_step, type(empty)))
        if filled.any():
            result[filled] = operation.reduceat(per_step, self.starts[:-1][filled])
        return result


@dataclass(frozen=True)
class Steps:
    """What is known at each distinct score, going down: `tp` and `fp` include the step, `tp_above` does not."""

    ranking: Ranking

    @property
    def score(self) -> Array:
        return self.ranking.scores

    @property
    def positives(self) -> Array:
        return self.ranking.positives

    @property
    def negatives(self) -> Array:
        return self.ranking.negatives

    @property
    def rows(self) -> Array:
        return self.positives + self.negatives

    @cached_property
    def unit(self) -> Array:
        return np.repeat(np.arange(len(self.ranking.starts) - 1), np.diff(self.ranking.starts))

    @cached_property
    def tp(self) -> Array:
        return self._running(self.positives, self.ranking.P)

    @cached_property
    def fp(self) -> Array:
        return self._running(self.negatives, self.ranking.N)

    @property
    def tp_above(self) -> Array:
        return self.tp - self.positives

    @property
    def fp_above(self) -> Array:
        return self.fp - self.negatives

    @property
    def P(self) -> Array:  # noqa: N802 (the lecture's letter)
        return self.ranking.P[self.unit]

    @property
    def N(self) -> Array:  # noqa: N802
        return self.ranking.N[self.unit]

    def _running(self, per_step: Array, totals: Array) -> Array:
        if len(totals) == 1:
            return np.cumsum(per_step)
        if per_step.dtype.kind == "f":  # subtracting what came before would round
            pieces = zip(self.ranking.starts, self.ranking.starts[1:], strict=False)
            return np.concatenate([np.cumsum(per_step[a:b]) for a, b in pieces])
        return np.cumsum(per_step) - (np.cumsum(totals) - totals)[self.unit]


@dataclass(frozen=True)
class Bins:
    """Rows, positives and the sum of scores in each bin: (unit, bin)."""

    rows: Array
    positives: Array
    scores: Array


def pairs_across(a: Array, b: Array) -> Array:
    """Count pairs of different classes, one of the rows `a` and one of `b`: (unit, class) each.

    >>> pairs_across(np.array([[4, 6]]), np.array([[3, 7]]))
    array([46.])
    """
    others = 1 - np.eye(a.shape[1])
    return (a * (b @ others)).sum(axis=1)


def nonzero(divisor: Array) -> Array:
    """Give nan for 0: what is divided by it is undefined, not infinite.

    >>> nonzero(np.array([0.0, 2.0]))
    array([nan,  2.])
    """
    return np.where(divisor != 0, divisor, np.nan)


def merge_rankings(parts: Sequence[Ranking]) -> Ranking:
    """Rank the rows of several rankings together, unit by unit."""
    units = len(parts[0].starts) - 1
    scores = np.concatenate([part.scores for part in parts])
    unit = np.concatenate([part.steps.unit for part in parts])
    positives = np.concatenate([part.positives for part in parts])
    negatives = np.concatenate([part.negatives for part in parts])
    return ranked(scores, positives, negatives, unit, units)


def ranked(scores: Array, positives: Array, negatives: Array, unit: Array | None, units: int) -> Ranking:
    """Sort rows by unit and falling score and join those that tie."""
    order = np.argsort(-scores, kind="stable") if unit is None else np.lexsort((-scores, unit))
    scores, positives, negatives = scores[order], positives[order], negatives[order]
    new = np.ones(len(scores), bool)
    new[1:] = scores[1:] != scores[:-1]
    if unit is not None:
        unit = unit[order]
        new[1:] |= unit[1:] != unit[:-1]
    first = np.flatnonzero(new)
    starts = np.array([0, len(first)]) if unit is None else np.searchsorted(unit[first], np.arange(units + 1))
    joined = np.add.reduceat if len(first) else lambda values, _: values
    return Ranking(scores[first], joined(positives, first), joined(negatives, first), starts)
