"""The loops of C4.5's search for a split, compiled where Numba is installed; NumPy finds the same splits."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from referee.arrays import Array

NEARLY = 1e-6
"""Differences up to this are none: weights of rows are fractions where values are missing."""
SLACK = 1e-3
"""So much below the average gain still counts as average (Quinlan's own program does the same)."""
MOST_PER_BRANCH = 25.0
"""No numeric split needs more rows in a branch than this."""
SPARSE = 16
"""A node with fewer of the rows than one in so many sorts its own instead of passing over all."""


def best_column(gain: Array, ratio: Array, possible: Array, for_average: Array) -> int:
    """The column with the best gain ratio among those whose gain is not below average; -1 where there is none."""
    total, averaged = 0.0, 0
    for column in range(len(gain)):
        if possible[column] and for_average[column]:
            total += gain[column]
            averaged += 1
    best, most = -1, 0.0
    for column in range(len(gain) if averaged else 0):
        if possible[column] and gain[column] >= total / averaged - SLACK and ratio[column] - most > NEARLY:
            best, most = column, ratio[column]
    return best


def line_up(
    columns: tuple[Array, Array, Array], node: tuple[Array, Array, Array], lines: Array, known: Array, totals: Array
) -> None:
    """Put the rows of a node in the rising order of each column, and count the classes of those that have a value.

    Columns are (column, row): values, all rows in their order, and where each of them is there. A node has rows, and
    the weights and classes of all rows; those that are not in it have no weight.
    """
    values, order, places = columns
    rows, weight_of, classes = node
    dense = len(rows) * SPARSE >= len(weight_of)
    for column in range(len(lines)):
        line, filled = lines[column], 0
        if not dense:
            line[:] = order[column][np.sort(places[column][rows])]
        for row in order[column][: len(weight_of) if dense else 0]:
            if weight_of[row] > 0:
                line[filled] = row
                filled += 1
        for row in line:
            if not np.isnan(values[column, row]):
                known[column] += 1
                totals[column, classes[row]] += weight_of[row]


def cut_numbers(
    columns: tuple[Array, Array, Array],
    node: tuple[Array, Array],
    limits: tuple[float, float],
    offers: tuple[Array, Array, Array],
    cuts: tuple[Array, Array, Array],
) -> None:
    """Offer the best cut of each numeric column: the first of those that gain most.

    Columns are values (column, row), the node's rows in their order, and how many have a value; a node is the weights
    and classes of all rows. Offers are gain, ratio and whether a split is possible; cuts the weight of each class below
    and in all rows that have a value (column, class), and the values on both sides.
    """

    def times_log(amount: float) -> float:
        return 0.0 if amount < NEARLY else amount * log2(amount)

    (values, lines, known), (weight_of, classes), (total, min_leaf) = columns, node, limits
    (gains, ratios, possible), (lower, totals, edges) = offers, cuts
    below = np.empty(lower.shape[1])
    for column in range(len(values)):
        value, line = values[column], lines[column]
        weight, before = 0.0, 0.0
        for amount in totals[column]:
            weight += amount
            before -= times_log(amount)
        before += times_log(weight)
        least = max(min(0.1 * weight / len(below), MOST_PER_BRANCH), min_leaf) - NEARLY
        below[:] = 0.0
        tried, most = 0, 0.0
        for place in range(known[column] - 1 if known[column] >= 2 * least else 0):
            row, following = line[place], line[place + 1]
            below[classes[row]] += weight_of[row]
            left = below.sum()
            if not (value[row] < value[following] and least <= left <= weight - least):
                continue
            tried += 1
            right, within = 0.0, 0.0
            for kind in range(len(below)):
                above = totals[column, kind] - below[kind]
                right += above
                within += times_log(below[kind]) + times_log(above)
            gained = before - (times_log(left) + times_log(right) - within)
            gain = gained / total if abs(gained) > NEARLY else 0.0
            if gain - most > NEARLY:
                most = gain
                lower[column] = below
                edges[column, 0], edges[column, 1] = value[row], value[following]
        if tried and most > NEARLY:
            left = lower[column].sum()
            gains[column] = most - log2(tried) / total
            possible[column] = gains[column] > NEARLY
            branches = times_log(left) + times_log(weight - left)
            entropy = times_log(total) - branches - times_log(total - weight)
            ratios[column] = gains[column] * total / entropy if entropy > NEARLY else 0.0


def weigh_categories(
    columns: tuple[Array, Array],
    node: tuple[Array, Array, Array],
    limits: tuple[float, float],
    offers: tuple[Array, Array, Array],
    counts: Array,
) -> None:
    """Offer the split by each nominal column: a branch for each category.

    Columns are codes (row, column), and where the categories of each column begin and the last ones end in the counts
    (category, class), whose last row counts what is missing.
    """

    def times_log(amount: float) -> float:
        return 0.0 if amount < NEARLY else amount * log2(amount)

    codes, starts = columns
    rows, weights, classes = node
    total, min_leaf = limits
    gains, ratios, possible = offers
    for place in range(len(rows)):
        row = rows[place]
        for column in range(codes.shape[1]):
            counts[codes[row, column], classes[row]] += weights[place]
    by_class = np.empty(counts.shape[1])
    for column in range(codes.shape[1]):
        by_class[:] = 0.0
        branches, within, enough = 0.0, 0.0, 0
        for category in range(starts[column], starts[column + 1]):
            amount = counts[category].sum()
            enough += amount >= min_leaf - NEARLY
            branches += times_log(amount)
            for kind in range(len(by_class)):
                by_class[kind] += counts[category, kind]
                within += times_log(counts[category, kind])
        weight, before = 0.0, 0.0
        for amount in by_class:
            weight += amount
            before -= times_log(amount)
        gained = before + times_log(weight) - (branches - within)
        gains[column] = gained / total if abs(gained) > NEARLY else 0.0
        entropy = times_log(total) - branches - times_log(total - weight)
        ratios[column] = gains[column] * total / entropy if entropy > NEARLY else 0.0
        possible[column] = enough >= 2


def leaf_of(cells: Array, root: int, tree: tuple[Array, Array, Array, Array]) -> int:
    """The leaf that a row comes to from a node; -1 where a value is missing, or a category that was never seen.

    A tree is, for each node, the column of its split, the point, NaN for categories, and where its children begin in
    the list of all children, which is the last. A leaf has none.
    """
    column, point, first, children = tree
    node = root
    while first[node] < first[node + 1]:
        value, start, branches = cells[column[node]], first[node], first[node + 1] - first[node]
        if not np.isnan(point[node]):
            if np.isnan(value):
                return -1
            node = children[start + (value > point[node])]
        elif 0 <= value < branches:
            node = children[start + int(value)]
        else:
            return -1
    return node


def find_leaves(values: Array, root: int, tree: tuple[Array, Array, Array, Array], leaves: Array) -> None:
    """The leaf of each row."""
    for row in range(len(values)):
        leaves[row] = leaf_of(values[row], root, tree)


def give_rows(
    data: tuple[Array, Array],
    given: tuple[Array, Array],
    root: int,
    tree: tuple[Array, Array, Array, Array],
    amounts: tuple[Array, Array],
) -> int:
    """Add rows to the leaves below a node that they come to: the amount of each class there; how many leaves have any.

    Data are values and classes, rows are given with their weights. Amounts are (leaf, class), and the list of leaves.
    """
    (values, classes), (rows, weights), (by_class, leaves) = data, given, amounts
    reached = 0
    for place in range(len(rows)):
        leaf = leaf_of(values[rows[place]], root, tree)
        if by_class[leaf].sum() == 0:
            leaves[reached] = leaf
            reached += 1
        by_class[leaf, classes[rows[place]]] += weights[place]
    return reached


def add_up(root: int, tree: tuple[Array, Array, Array, Array], amounts: Array, nodes: Array) -> float:
    """The amount of a node: that of a leaf, or the sum of its children's. `nodes` is room for all of them."""
    _, _, first, children = tree
    nodes[0], listed, place = root, 1, 0
    while place < listed:
        for child in children[first[nodes[place]] : first[nodes[place] + 1]]:
            nodes[listed] = child
            listed += 1
        place += 1
    for node in nodes[:listed][::-1]:
        if first[node] < first[node + 1]:
            amounts[node] = 0.0
            for child in children[first[node] : first[node + 1]]:
                amounts[node] += amounts[child]
    return float(amounts[root])
