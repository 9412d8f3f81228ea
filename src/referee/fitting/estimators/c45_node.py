"""A node of a C4.5 tree with its training rows: how a tree grows, and what of it is not worth keeping."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from referee.fitting.estimators.c45_kernels import NEARLY
from referee.fitting.estimators.c45_split import Split, TrainingData, chosen_split

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array

COLLAPSE = 1e-3
"""A subtree must save more training errors than this."""


@dataclass
class Node:
    """A node with its training rows, each of which may be there in part only."""

    counts: Array
    """The weight of each class in each branch (branch, class), divided rows included; a leaf has one branch."""
    rows: Array
    weights: Array
    split: Split | None = None
    children: list[Node] = field(default_factory=list)
    expected: float = 0.0
    """Errors of the pruned subtree on as many new rows."""
    number: int = -1
    """In the layout, once it is pruned."""

    @property
    def by_class(self) -> Array:
        return np.asarray(self.counts[0] if len(self.counts) == 1 else self.counts.sum(axis=0))

    @property
    def empty(self) -> bool:
        return bool(self.counts.sum() <= NEARLY)

    @property
    def errors(self) -> float:
        return float(self.counts.sum() - self.by_class.max())

    def become_leaf(self) -> None:
        self.counts, self.split, self.children = self.by_class[np.newaxis], None, []

    def copy(self) -> Node:
        return Node(self.counts, self.rows, self.weights, self.split, [child.copy() for child in self.children])

    def leaves(self) -> Iterator[Node]:
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves()

    def size(self) -> int:
        return 1 + sum(child.size() for child in self.children)


def grown(data: TrainingData, rows: Array, weights: Array) -> Node:
    """Split the rows again and again, as long as a split pays."""
    split = chosen_split(data, rows, weights)
    if split is None:
        return Node(np.bincount(data.classes[rows], weights, data.class_count)[np.newaxis], rows, weights)
    node = Node(with_missing(split, data, rows, weights), rows, weights, split)
    node.children = [grown(data, *part) for part in parts_of(split, data, rows, weights)]
    return node


def with_missing(split: Split, data: TrainingData, rows: Array, weights: Array) -> Array:
    """The counts of a split with the rows that have no value, divided as the others are."""
    if not data.has_missing:
        return split.counts
    missing = split.branch_of(data.values[rows, split.column]) < 0
    unknown = np.bincount(data.classes[rows[missing]], weights[missing], data.class_count)
    return np.asarray(split.counts + split.shares[:, np.newaxis] * unknown)


def parts_of(
    split: Split, data: TrainingData, rows: Array, weights: Array, *, refill: bool = False
) -> Iterator[tuple[Array, Array]]:
    """The rows of each branch with their weights; `refill`: the split has the counts of other rows than these."""
    branch = split.branch_of(data.values[rows, split.column])
    if branch.min(initial=0) >= 0:
        return ((rows[part], weights[part]) for part in by_branch(branch, split.branches))
    return _divided(refilled(split, data, rows, weights) if refill else split, branch, rows, weights)


def by_branch(branch: Array, branches: int) -> list[Array]:
    """The places of each branch, in their order; a branch has a number, and -1 is none."""
    if branches == 2:
        return [np.flatnonzero(branch == 0), np.flatnonzero(branch == 1)]
    order = np.argsort(branch, kind="stable")
    ends = np.searchsorted(branch[order], np.arange(branches + 1))
    return [order[start:end] for start, end in pairwise(ends.tolist())]


def _divided(split: Split, branch: Array, rows: Array, weights: Array) -> Iterator[tuple[Array, Array]]:
    """The same where some rows have no value: these are in every branch, in part."""
    for number, share in enumerate(split.shares):
        inside = branch == number
        divided = branch < 0 if share > NEARLY else np.zeros(len(rows), bool)
        part = inside | divided
        yield rows[part], np.where(divided, weights * share, weights)[part]


def refilled(split: Split, data: TrainingData, rows: Array, weights: Array) -> Split:
    """The same test with the counts of other rows."""
    branch = split.branch_of(data.values[rows, split.column])
    known = branch >= 0
    cells = branch[known] * data.class_count + data.classes[rows[known]]
    counts = np.bincount(cells, weights[known], split.branches * data.class_count)
    return Split(split.column, split.point, counts.reshape(split.branches, data.class_count))


def collapse(node: Node) -> float:
    """Make a leaf of each subtree that makes as many training errors as a leaf would; the errors of the leaves."""
    errors = sum(collapse(child) for child in node.children) if node.children else node.errors
    if node.children and errors >= node.errors - COLLAPSE:
        node.become_leaf()
    return errors
