"""Counts and Sums: what a metric sees of the rows beside their Ranking, for every unit (fold, slice ...) at once."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

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
    _against_rest: dict[int, Counts] = field(default_factory=dict, init=False, repr=False, compare=False)

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
        matrix = self.matrix * 1.0
        others = 1 - np.eye(matrix.shape[1])
        tn = ((others @ matrix) * others).sum(axis=2)
        fp, fn = ((matrix * others).sum(axis=axis) for axis in (1, 2))
        return (self.diagonal * tn - fp * fn).sum(axis=1)

    def against_rest(self, positive: int) -> Counts:
        """One class against all others, the positive one last."""
        if positive not in self._against_rest:
            self._against_rest[positive] = self._one_against_rest(positive)
        return self._against_rest[positive]

    def _one_against_rest(self, positive: int) -> Counts:
        tp = self.matrix[:, positive, positive]
        fn = self.true[:, positive] - tp
        fp = self.predicted[:, positive] - tp
        tn = self.total - tp - fn - fp
        return Counts(np.stack([np.stack([tn, fp], axis=1), np.stack([fn, tp], axis=1)], axis=1))

    def of_unit(self, unit: int) -> Counts:
        """One of the units by itself, with what is known of its classes."""
        part = slice(unit, unit + 1)
        alone = Counts(self.matrix[part])
        alone._against_rest.update({code: Counts(each.matrix[part]) for code, each in self._against_rest.items()})
        return alone

    def merge(self, other: Counts) -> Counts:
        return Counts(self.matrix + other.matrix)


@dataclass(frozen=True)
class Sums:
    """Weighted means of named row terms, with their centred second moments: (unit, term) and (unit, term, term)."""

    terms: tuple[str, ...]
    weight: Array
    means: Array
    deviations: Array | Callable[[], Array]
    """Sums of products of deviations from the means, or how to make them: few formulas need them."""

    @cached_property
    def moments(self) -> Array:
        return self.deviations() if callable(self.deviations) else self.deviations

    def mean(self, term: str) -> Array:
        return np.where(self.weight > 0, self.means[:, self.terms.index(term)], np.nan)

    def covariance(self, a: str, b: str) -> Array:
        return self.moments[:, self.terms.index(a), self.terms.index(b)] / self.weight

    def variance(self, term: str) -> Array:
        """Give the mean squared deviation; 0 where it is the rounding of the mean of equal numbers."""
        variance = self.covariance(term, term)
        return np.where(np.sqrt(variance) > ROUNDING * np.abs(self.mean(term)), variance, 0.0)

    def merge(self, other: Sums) -> Sums:
        """Merge without loss (Chan, Golub and LeVeque, 1979)."""
        weight = self.weight + other.weight
        share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0)
        # A part without rows has no means of its own.
        mine = np.where(self.weight[:, None] > 0, self.means, other.means)
        shift = np.where(other.weight[:, None] > 0, other.means, mine) - mine
        between = shift[:, :, None] * shift[:, None, :] * (self.weight * share)[:, None, None]
        moments = sum(np.where(part.weight[:, None, None] > 0, part.moments, 0) for part in (self, other))
        return Sums(self.terms, weight, mine + shift * share[:, None], moments + between)


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
