"""What a state is made of: sums over the rows of each cell, and moments of row terms; both add up."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array

BITS = 17
"""A score falls into one of 2^17 bins: 2^16 of equal width from 0 to 1, and 2^15 on either side of them."""
MOST_JOINT_CELLS = 1 << 14
FEW_KEYS = 1 << 21


def bins_of(scores: Array) -> Array:
    """The bin of each score; a higher score is never in a lower bin.

    >>> bins_of(np.array([-np.inf, -1.0, 0.0, 0.5, 1.0, 2.0, np.inf])).tolist()
    [0, 16384, 32768, 65536, 98303, 114688, 131071]
    """
    side = 1 << (BITS - 2)
    scores = np.asarray(scores, float)
    with np.errstate(divide="ignore"):
        below = np.minimum(side / (1 - np.minimum(scores, 0.0)), side - 1)
        inside = side + np.minimum(scores * (2 * side), 2 * side - 1)
        above = 3 * side + np.minimum(side * (1 - 1 / np.maximum(scores, 1.0)), side - 1)
    return np.where(scores < 0, below, np.where(scores <= 1, inside, above)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class CellSums:
    """Sums over the rows of each cell that has any, in the order of the cells' numbers."""

    keys: Array
    sums: Array
    """(cell, number)"""
    low: Array
    """The lowest score of the rows in each cell, where cells are bins of scores; else empty."""
    high: Array

    @classmethod
    def of(cls, keys: Array, sums: Array, low: Array | None = None, high: Array | None = None) -> CellSums:
        """Add up what has the same key."""
        nothing = np.empty(0)
        if low is None and len(keys) and int(keys.max()) < FEW_KEYS and len(keys) > 1:
            present = np.flatnonzero(np.bincount(keys))
            each = [np.bincount(keys, column)[present].astype(sums.dtype) for column in sums.T]
            return cls(present, np.stack(each, axis=1), nothing, nothing)
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])[: len(keys)])
        if not len(starts):
            return cls(keys, sums, nothing, nothing)
        totals = np.add.reduceat(sums[order], starts, axis=0)
        if low is None or high is None:
            return cls(keys[starts], totals, nothing, nothing)
        lowest, highest = np.minimum.reduceat(low[order], starts), np.maximum.reduceat(high[order], starts)
        return cls(keys[starts], totals, lowest, highest)

    def merge(self, other: CellSums) -> CellSums:
        keys, sums = np.concatenate([self.keys, other.keys]), np.concatenate([self.sums, other.sums])
        if not len(self.low) and not len(other.low):
            return CellSums.of(keys, sums)
        return CellSums.of(keys, sums, np.concatenate([self.low, other.low]), np.concatenate([self.high, other.high]))


@dataclass(frozen=True, eq=False)
class JointBins:
    """How many rows of each side fall into each bin of one model and each of another."""

    cells: CellSums
    bits: int = BITS
    """Bins are halved in number until there are few cells; both models have 2^bits."""

    @classmethod
    def of(cls, side: Array, a: Array, b: Array) -> JointBins:
        ones = np.ones((len(side), 1), np.int64)
        return cls(CellSums.of((side.astype(np.int64) << 2 * BITS) + (a << BITS) + b, ones)).few()

    def few(self) -> JointBins:
        joint = self
        while len(joint.cells.keys) > MOST_JOINT_CELLS:
            joint = joint.coarser()
        return joint

    def coarser(self) -> JointBins:
        side, a, b = self.places()
        bits = self.bits - 1
        keys = (side << 2 * bits) + (a >> 1 << bits) + (b >> 1)
        return JointBins(CellSums.of(keys, self.cells.sums), bits)

    def places(self) -> tuple[Array, Array, Array]:
        """Of each cell: the side, and the bin of either model."""
        keys, most = self.cells.keys, (1 << self.bits) - 1
        return keys >> 2 * self.bits, keys >> self.bits & most, keys & most

    def merge(self, other: JointBins) -> JointBins:
        mine, others = self, other
        while mine.bits > others.bits:
            mine = mine.coarser()
        while others.bits > mine.bits:
            others = others.coarser()
        return JointBins(mine.cells.merge(others.cells), mine.bits).few()


@dataclass(frozen=True, eq=False)
class TermMoments:
    """Sums over rows of all products of up to four row terms of two models, in each class.

    `variables` are 1, the terms without their centres and, where there are several terms, the products of two of
    them. `gram` sums the products of two products of two variables: (class, product, product).
    """

    centres: Array
    """(model, term): what terms are measured from, so that powers do not cancel."""
    gram: Array

    @classmethod
    def of(cls, terms: Sequence[Array], centres: Array, truth: Array, classes: int) -> TermMoments:
        """Of the terms of one model or two: (term, row) each."""
        products = np.ascontiguousarray(_products(_variables(terms, centres)))
        parts = [products[truth == code] for code in range(classes)] if classes > 1 else [products]
        return cls(centres, np.stack([part.T @ part for part in parts]))

    @np.errstate(over="ignore", invalid="ignore")  # what is beyond all numbers is no answer
    def merge(self, other: TermMoments) -> TermMoments:
        return replace(self, gram=self.gram + other.centred_at(self.centres).gram)

    def centred_at(self, centres: Array) -> TermMoments:
        """The same sums of terms that are measured from elsewhere."""
        if np.array_equal(centres, self.centres):
            return self
        moved = _moved(self.centres - centres)
        first, second = map(list, zip(*combinations_with_replacement(range(len(moved)), 2), strict=True))
        both = moved[first][:, first] * moved[second][:, second]
        other = moved[first][:, second] * moved[second][:, first]
        turn = np.where(np.equal(first, second), both, both + other)
        return TermMoments(centres, turn @ self.gram @ turn.T)

    def sum(self, *forms: Array) -> Array:
        """Of the product of up to four linear forms of the variables, in each class."""
        ones = np.eye(1, len(forms[0]))[0]
        every = [*forms, *[ones] * (4 - len(forms))]
        return np.asarray(np.einsum("i,cij,j->c", _paired(*every[:2]), self.gram, _paired(*every[2:])))


def _variables(terms: Sequence[Array], centres: Array) -> list[Array]:
    columns: list[Array] = [np.ones(len(terms[0][0]))]
    for of_model, centre in zip(terms, centres, strict=True):
        off = [term - middle for term, middle in zip(of_model, centre, strict=True)]
        columns += off
        columns += [off[i] * off[j] for i, j in term_pairs(len(off))]
    return columns


def term_pairs(terms: int) -> list[tuple[int, int]]:
    """The products of terms that are kept: none of a single one, whose metrics are functions of its mean."""
    return [(i, j) for i in range(terms) for j in range(i + 1)] if terms > 1 else []


def _products(columns: list[Array]) -> Array:
    return np.stack([a * b for a, b in combinations_with_replacement(columns, 2)], axis=1)


def _paired(a: Array, b: Array) -> Array:
    """The product of two forms as one form of the products of two variables."""
    places = combinations_with_replacement(range(len(a)), 2)
    return np.array([a[i] * b[j] + (a[j] * b[i] if i != j else 0.0) for i, j in places])


def _moved(by: Array) -> Array:
    """The variables of moved terms as linear forms of the variables before."""
    models, terms = by.shape
    width = terms + len(term_pairs(terms))
    matrix = np.eye(1 + models * width)
    for model in range(models):
        first = 1 + model * width
        matrix[first : first + terms, 0] = by[model]
        for place, (i, j) in enumerate(term_pairs(terms)):
            row = matrix[first + terms + place]
            row[0] += by[model, i] * by[model, j]
            row[first + i] += by[model, j]
            row[first + j] += by[model, i]
    return matrix
