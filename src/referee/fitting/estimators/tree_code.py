"""The code of a fitted tree, which penalties count the bits of: from C4.5's nodes, or scikit-learn's arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.fitting.complexity import TreeCode

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.fitting.estimators.c45_node import Node


def code_of(model: Any, rows: Array) -> TreeCode:
    """Of a tree like C4.5's, of one with entropy, or of scikit-learn's own."""
    if hasattr(model.tree_, "children"):
        return _of_nodes(model.tree_, rows, np.asarray(model.data_.sizes))
    grown = getattr(model.tree_, "tree_", model.tree_)
    return _of_arrays(grown, rows)


def _of_nodes(root: Node, rows: Array, sizes: Array) -> TreeCode:
    """An attribute with a branch for each category is used up on the way down; a number can be cut again."""
    points = _cut_points(rows)
    attributes, cuts, leaves = [], [], []
    waiting = [(root, len(sizes))]
    while waiting:
        node, left = waiting.pop()
        if node.split is None:
            leaves.append(node.by_class)
            continue
        nominal = sizes[node.split.column] > 0
        attributes.append(left)
        cuts.append(1 if nominal else points[node.split.column])
        waiting += [(child, left - nominal) for child in node.children]
    return TreeCode(attributes, cuts, np.array(leaves))


def _of_arrays(tree: Any, rows: Array) -> TreeCode:
    """A column of two values is used up on the way down; one with a single value cannot be chosen."""
    points = _cut_points(rows)
    attributes, cuts = [], []
    waiting = [(0, int((points > 0).sum()))]
    while waiting:
        node, left = waiting.pop()
        if tree.children_left[node] < 0:
            continue
        point = points[tree.feature[node]]
        attributes.append(left)
        cuts.append(point)
        below = left - (point == 1)
        waiting += [(tree.children_left[node], below), (tree.children_right[node], below)]
    is_leaf = tree.children_left < 0
    shares = tree.value[is_leaf, 0, :]
    leaves = shares / shares.sum(axis=1, keepdims=True) * tree.weighted_n_node_samples[is_leaf][:, np.newaxis]
    return TreeCode(attributes, cuts, leaves.round(9))


def _cut_points(rows: Array) -> Array:
    """Of each column the gaps between its values, twice as many where missing values go to either side."""
    missing = np.isnan(rows)
    distinct = [len(np.unique(column[~absent])) for column, absent in zip(rows.T, missing.T, strict=True)]
    return np.maximum(np.array(distinct) - 1, 0) * (1 + missing.any(axis=0))
