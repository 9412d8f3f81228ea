"""The nodes of a C4.5 tree as arrays, for compiled loops: where rows end, and what a subtree says of other rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.engines import compiled
from referee.fitting.estimators.c45_kernels import add_up, find_leaves, give_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array
    from referee.fitting.estimators.c45_split import Split, TrainingData

ROOM = 256
"""Nodes at first; it doubles."""


class Layout:
    """Nodes in the order in which they are added, children before their parents; what has changed is added again."""

    def __init__(self, class_count: int) -> None:
        self._nodes = self._children = 0
        self._column, self._point = np.zeros(ROOM, np.int64), np.zeros(ROOM)
        self._first, self._links = np.zeros(ROOM + 1, np.int64), np.zeros(ROOM, np.int64)
        self._by_class, self._given = np.zeros((ROOM, class_count)), np.zeros((ROOM, class_count))
        self._expected, self._listed = np.zeros(ROOM), np.zeros(ROOM, np.int64)

    def add(self, split: Split | None, children: Sequence[int], by_class: Array, expected: float = 0.0) -> int:
        """The number of a node with these children; a leaf has no split."""
        node, links = self._nodes, self._children + len(children)
        while max(node + 1, links) > len(self._links):
            self._grow()
        if split is not None:
            self._column[node] = split.column
            self._point[node] = np.nan if split.point is None else split.point
        self._links[self._children : links] = children
        self._first[node + 1] = links
        self._by_class[node], self._expected[node] = by_class, expected
        self._nodes, self._children = node + 1, links
        return node

    def _grow(self) -> None:
        for name, array in vars(self).items():
            if isinstance(array, np.ndarray):
                setattr(self, name, np.concatenate([array, np.zeros_like(array)]))

    @property
    def by_class(self) -> Array:
        """Of each node (node, class)."""
        return self._by_class[: self._nodes]

    @property
    def _tree(self) -> tuple[Array, Array, Array, Array]:
        return self._column, self._point, self._first, self._links

    def leaves(self, root: int, values: Array) -> Array:
        """The leaf of each row; -1 where a value is missing on the way."""
        leaves = np.empty(len(values), np.int64)
        compiled(find_leaves)(values, root, self._tree, leaves)
        return leaves

    def expected_with(
        self, root: int, data: TrainingData, given: tuple[Array, Array], expected: Callable[[Array], float]
    ) -> float:
        """The errors that are expected of a subtree with more rows, given with their weights, than are there."""
        amounts = self._given, self._listed
        reached = compiled(give_rows)((data.values, data.classes), given, root, self._tree, amounts)
        leaves = self._listed[:reached].copy()
        before = self._expected[leaves]
        for leaf in leaves:
            self._expected[leaf] = expected(self._given[leaf] + self._by_class[leaf])
        total = float(compiled(add_up)(root, self._tree, self._expected, self._listed))
        self._expected[leaves], self._given[leaves] = before, 0.0
        return total
