"""C4.5's pessimistic pruning of a tree, with subtree raising."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from referee.fitting.estimators.c45_kernels import NEARLY
from referee.fitting.estimators.c45_layout import Layout
from referee.fitting.estimators.c45_node import Node, parts_of, refilled, with_missing
from referee.fitting.estimators.tree import SLACK, expected_errors

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.fitting.estimators.c45_split import TrainingData


class Pruner:
    """Pessimistic pruning: a leaf, or the largest branch, takes the place of a subtree that is not expected to pay."""

    def __init__(self, data: TrainingData, confidence: float) -> None:
        self.data = data
        self.confidence = confidence
        self.layout = Layout(data.class_count) if data.compiles and not data.has_missing else None

    def prune(self, node: Node) -> None:
        for child in node.children:
            self.prune(child)
        node.expected = as_leaf = self._expected(node.by_class)
        if node.children:
            largest = node.children[_largest(node.counts.sum(axis=1))]
            as_tree, as_branch = sum(child.expected for child in node.children), self._expected_if_raised(largest, node)
            if as_leaf <= min(as_tree, as_branch) + SLACK + NEARLY:
                node.become_leaf()
            elif as_branch <= as_tree + SLACK + NEARLY:
                node.split, node.children, node.counts = largest.split, largest.children, largest.counts
                self._refill(node, node.rows, node.weights)
                return self.prune(node)
            else:
                node.expected = as_tree
        if self.layout:
            numbers = [child.number for child in node.children]
            node.number = self.layout.add(node.split, numbers, node.by_class, node.expected)
        return None

    def _expected(self, by_class: Array) -> float:
        """The errors of a leaf on as many new rows, at their upper limit."""
        rows = float(by_class.sum())
        return _upper_limit(rows - float(by_class.max()), rows, self.confidence) if rows > NEARLY else 0.0

    def _expected_if_raised(self, largest: Node, parent: Node) -> float:
        """The same of a subtree in the place of its parent."""
        assert parent.split is not None
        if self.data.has_missing:
            return self._raised(largest, parent.rows, parent.weights, stays=False)
        branch = parent.split.branch_of(self.data.values[parent.rows, parent.split.column])
        others = branch != next(number for number, child in enumerate(parent.children) if child is largest)
        given = parent.rows[others], parent.weights[others]
        if self.layout:
            return self.layout.expected_with(largest.number, self.data, given, self._expected)
        return self._raised(largest, *given, stays=True)

    def _raised(self, node: Node, rows: Array, weights: Array, *, stays: bool) -> float:
        """Of a subtree that is given rows; its own stay where they are, or are among those given."""
        if not len(rows):
            return node.expected if stays else 0.0
        if node.split is None:
            given = np.bincount(self.data.classes[rows], weights, self.data.class_count)
            return self._expected(given + node.by_class if stays else given)
        parts = parts_of(node.split, self.data, rows, weights, refill=True)
        return sum(self._raised(child, *part, stays=stays) for child, part in zip(node.children, parts, strict=True))

    def _refill(self, node: Node, rows: Array, weights: Array) -> None:
        """Give a subtree that was raised the rows of its new place."""
        node.rows, node.weights = rows, weights
        if node.split is None:
            node.counts = np.bincount(self.data.classes[rows], weights, self.data.class_count)[np.newaxis]
            return
        node.split = refilled(node.split, self.data, rows, weights)
        node.counts = with_missing(node.split, self.data, rows, weights)
        for child, part in zip(node.children, parts_of(node.split, self.data, rows, weights), strict=True):
            self._refill(child, *part)


@lru_cache(1 << 16)
def _upper_limit(errors: float, rows: float, confidence: float) -> float:
    return float(expected_errors(np.array(errors), np.array(rows), confidence))


def _largest(amounts: Array) -> int:
    """The last of the largest, but for rounding."""
    return int(np.flatnonzero(amounts > amounts.max() - NEARLY)[-1])
