"""Sums over rows for many replicates side by side: hot loops, and the same in NumPy for few rows.

`times` holds how often each piece was drawn in each replicate, `piece` the piece of each row. Both ways add the same
numbers in the same order, so that their results are equal to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from referee.arrays import Array

PART = 256
"""Rows that are added up before they are added to the total, so that rounding stays small."""


def add_terms(times: Array, piece: Array, terms: Array, totals: Array) -> None:
    """Add every term (term, row), as often as its row was drawn: (term, replicate)."""
    part = np.empty_like(totals)
    for start in range(0, len(piece), PART):
        part[:] = 0
        for row in range(start, min(start + PART, len(piece))):
            drawn = times[piece[row]]
            for term in range(len(terms)):
                value = terms[term, row]
                sums = part[term]
                for replicate in range(len(drawn)):
                    sums[replicate] += drawn[replicate] * value
        totals += part


def add_terms_plainly(times: Array, piece: Array, terms: Array, totals: Array) -> None:
    """What `add_terms` does, without compiling."""
    for start in range(0, len(piece), PART):
        part = np.zeros_like(totals)
        for row in range(start, min(start + PART, len(piece))):
            part += times[piece[row]] * terms[:, row, None]
        totals += part


def add_products(times: Array, piece: Array, terms: Array, means: Array, weight: Array, totals: Array) -> None:
    """Add the product of the deviations of two terms (2, row) from their means (2, replicate): (replicate)."""
    for row in range(len(piece)):
        drawn, value, a, b = times[piece[row]], weight[row], terms[0, row], terms[1, row]
        for replicate in range(len(drawn)):
            product = (a - means[0, replicate]) * (b - means[1, replicate])
            totals[replicate] += drawn[replicate] * value * product


def add_products_plainly(times: Array, piece: Array, terms: Array, means: Array, weight: Array, totals: Array) -> None:
    """What `add_products` does, without compiling."""
    for row in range(len(piece)):
        a, b = terms[:, row, None] - means
        totals += times[piece[row]] * weight[row] * (a * b)


def add_by_cell(times: Array, piece: Array, cell: Array, weight: Array, totals: Array) -> None:
    """Add each row's weight, as often as it was drawn, to its cell: (cell, replicate)."""
    for row in range(len(piece)):
        drawn, value = times[piece[row]], weight[row]
        sums = totals[cell[row]]
        for replicate in range(len(drawn)):
            sums[replicate] += drawn[replicate] * value


def add_by_cell_plainly(times: Array, piece: Array, cell: Array, weight: Array, totals: Array) -> None:
    """What `add_by_cell` does, without compiling."""
    for row in range(len(piece)):
        totals[cell[row]] += times[piece[row]] * weight[row]


def add_pairs(times: Array, piece: Array, weight: Array, ends: Array, share: Array, sides: Array, pairs: Array) -> None:
    """Go down the rows and count, by weight, the pairs of a positive row above a negative one.

    Rows stand in stretches, positives before negatives; `ends` holds where each stretch's positives and negatives
    end, `share` how much of the pairs inside it count: 1, or a half if all its rows are tied. `sides` takes the
    positives and the negatives of each replicate.
    """
    above, positives, negatives = np.zeros((3, len(pairs)))
    row = 0
    for stretch in range(len(ends)):
        positives[:] = 0
        negatives[:] = 0
        while row < ends[stretch, 0]:
            drawn, value = times[piece[row]], weight[row]
            for replicate in range(len(drawn)):
                positives[replicate] += drawn[replicate] * value
            row += 1
        while row < ends[stretch, 1]:
            drawn, value = times[piece[row]], weight[row]
            for replicate in range(len(drawn)):
                negatives[replicate] += drawn[replicate] * value
            row += 1
        part = share[stretch]
        for replicate in range(len(pairs)):
            pairs[replicate] += negatives[replicate] * (above[replicate] + part * positives[replicate])
            above[replicate] += positives[replicate]
            sides[1, replicate] += negatives[replicate]
    sides[0] = above


def add_pairs_plainly(
    times: Array, piece: Array, weight: Array, ends: Array, share: Array, sides: Array, pairs: Array
) -> None:
    """What `add_pairs` does, without compiling."""
    row = 0
    for stretch in range(len(ends)):
        positives, negatives = np.zeros((2, len(pairs)))
        while row < ends[stretch, 1]:
            side = positives if row < ends[stretch, 0] else negatives
            side += times[piece[row]] * weight[row]
            row += 1
        pairs += negatives * (sides[0] + share[stretch] * positives)
        sides[0] += positives
        sides[1] += negatives
