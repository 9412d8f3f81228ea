"""Sums over rows for many partitions, in each of which every row belongs to one unit: hot loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from referee.arrays import Array

PART = 4096
"""Rows that are added up before they are added to the total, so that rounding stays small."""


def add_cells(codes: Array, cell: Array, weight: Array, totals: Array) -> None:
    """Add each row's weight to the cell of its unit: (partition, unit, cell)."""
    for partition in range(len(codes)):
        unit, sums = codes[partition], totals[partition]
        for row in range(len(unit)):
            sums[unit[row], cell[row]] += weight[row]


def add_values(codes: Array, values: Array, totals: Array) -> None:
    """Add each row's value to its unit: (partition, unit)."""
    part = np.empty_like(totals[0])
    rows = max(PART, 4 * len(part))
    for partition in range(len(codes)):
        unit = codes[partition]
        for start in range(0, len(unit), rows):
            part[:] = 0
            for row in range(start, min(start + rows, len(unit))):
                part[unit[row]] += values[row]
            totals[partition] += part


def add_products_by_unit(codes: Array, terms: Array, means: Array, weight: Array, totals: Array) -> None:
    """Add the product of the deviations of two terms (2, row) from their means (2, partition, unit)."""
    for partition in range(len(codes)):
        unit, sums = codes[partition], totals[partition]
        mean_a, mean_b = means[0, partition], means[1, partition]
        for row in range(len(unit)):
            of_unit = unit[row]
            product = (terms[0, row] - mean_a[of_unit]) * (terms[1, row] - mean_b[of_unit])
            sums[of_unit] += weight[row] * product


def add_pairs_by_unit(codes: Array, order: Array, weight: Array, ends: Array, share: Array, pairs: Array) -> None:
    """Go down the rows and count, by weight, the pairs of a positive row above a negative one of the same unit.

    Rows stand in stretches, positives before negatives; `ends` holds where each stretch's positives and negatives
    end, `share` is a half where all its rows are tied. Pairs of tied rows count a half: what is above a negative is
    the mean of the positives before and after those that it is tied with.
    """
    above = np.empty_like(pairs[0])
    for partition in range(len(codes)):
        unit, won = codes[partition], pairs[partition]
        above[:] = 0
        begin = 0
        for stretch in range(len(ends)):
            middle, end, part = ends[stretch, 0], ends[stretch, 1], share[stretch]
            if part < 1:
                for place in range(middle, end):
                    of_unit = unit[order[place]]
                    won[of_unit] += weight[place] * (1 - part) * above[of_unit]
            for place in range(begin, middle):
                above[unit[order[place]]] += weight[place]
            for place in range(middle, end):
                of_unit = unit[order[place]]
                won[of_unit] += weight[place] * part * above[of_unit]
            begin = end
