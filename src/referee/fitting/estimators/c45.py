"""C4.5: a tree by gain ratio, with rows divided where a value is missing, pessimistic pruning and subtree raising."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from referee.fitting.estimators.c45_kernels import NEARLY
from referee.fitting.estimators.c45_split import Split, TrainingData, chosen_split
from referee.fitting.estimators.tree import SLACK, expected_errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

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
    node = Node(_with_missing(split, data, rows, weights), rows, weights, split)
    node.children = [grown(data, *part) for part in _parts(split, data, rows, weights)]
    return node


def _with_missing(split: Split, data: TrainingData, rows: Array, weights: Array) -> Array:
    """The counts of a split with the rows that have no value, divided as the others are."""
    missing = split.branch_of(data.values[rows, split.column]) < 0
    unknown = np.bincount(data.classes[rows[missing]], weights[missing], data.class_count)
    return np.asarray(split.counts + split.shares[:, np.newaxis] * unknown)


def _parts(
    split: Split, data: TrainingData, rows: Array, weights: Array, *, refill: bool = False
) -> Iterator[tuple[Array, Array]]:
    """The rows of each branch with their weights; `refill`: the split has the counts of other rows than these."""
    branch = split.branch_of(data.values[rows, split.column])
    if branch.min(initial=0) >= 0:
        return ((rows[part], weights[part]) for part in _by_branch(branch, split.branches))
    return _divided(_refilled(split, data, rows, weights) if refill else split, branch, rows, weights)


def _by_branch(branch: Array, branches: int) -> list[Array]:
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


def _refilled(split: Split, data: TrainingData, rows: Array, weights: Array) -> Split:
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


class Pruning:
    """Pessimistic pruning: a leaf, or the largest branch, takes the place of a subtree that is not expected to pay."""

    def __init__(self, data: TrainingData, confidence: float) -> None:
        self.data = data
        self.confidence = confidence

    def prune(self, node: Node) -> None:
        for child in node.children:
            self.prune(child)
        as_leaf = self._expected(node.by_class)
        if not node.children:
            node.expected = as_leaf
            return
        largest = node.children[_largest(node.counts.sum(axis=1))]
        as_tree, as_branch = sum(child.expected for child in node.children), self._expected_if_raised(largest, node)
        node.expected = as_tree
        if as_leaf <= min(as_tree, as_branch) + SLACK + NEARLY:
            node.become_leaf()
            node.expected = as_leaf
        elif as_branch <= as_tree + SLACK + NEARLY:
            node.split, node.children, node.counts = largest.split, largest.children, largest.counts
            self._refill(node, node.rows, node.weights)
            self.prune(node)

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
        return self._raised(largest, parent.rows[others], parent.weights[others], stays=True)

    def _raised(self, node: Node, rows: Array, weights: Array, *, stays: bool) -> float:
        """Of a subtree that is given rows; its own stay where they are, or are among those given."""
        if not len(rows):
            return node.expected if stays else 0.0
        if node.split is None:
            given = np.bincount(self.data.classes[rows], weights, self.data.class_count)
            return self._expected(given + node.by_class if stays else given)
        parts = _parts(node.split, self.data, rows, weights, refill=True)
        return sum(self._raised(child, *part, stays=stays) for child, part in zip(node.children, parts, strict=True))

    def _refill(self, node: Node, rows: Array, weights: Array) -> None:
        """Give a subtree that was raised the rows of its new place."""
        node.rows, node.weights = rows, weights
        if node.split is None:
            node.counts = np.bincount(self.data.classes[rows], weights, self.data.class_count)[np.newaxis]
            return
        node.split = _refilled(node.split, self.data, rows, weights)
        node.counts = _with_missing(node.split, self.data, rows, weights)
        for child, part in zip(node.children, _parts(node.split, self.data, rows, weights), strict=True):
            self._refill(child, *part)


@lru_cache(1 << 16)
def _upper_limit(errors: float, rows: float, confidence: float) -> float:
    return float(expected_errors(np.array(errors), np.array(rows), confidence))


def _largest(amounts: Array) -> int:
    """The last of the largest, but for rounding."""
    return int(np.flatnonzero(amounts > amounts.max() - NEARLY)[-1])


class C45Tree(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A tree as Quinlan's C4.5 and Weka's J48 grow it, whatever the units of the columns.

    `categories` gives the number of categories of each column, 0 for numbers; None: all are numbers.

    >>> tree = C45Tree(min_leaf=1).fit([[1], [2], [3], [4], [5], [6]], [0, 0, 0, 1, 1, 1])
    >>> tree.get_n_leaves(), tree.predict_proba([[3], [3.5], [np.nan]]).tolist()
    (2, [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    """

    def __init__(
        self,
        *,
        prune: bool = True,
        confidence: float = 0.25,
        laplace: bool = False,
        min_leaf: int = 2,
        categories: tuple[int, ...] | None = None,
    ) -> None:
        self.prune = prune
        self.confidence = confidence
        self.laplace = laplace
        self.min_leaf = min_leaf
        self.categories = categories

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: N803
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")  # noqa: N806
        check_classification_targets(y)
        weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, float)
        self.classes_, codes = np.unique(y, return_inverse=True)
        sizes = np.zeros(X.shape[1], int) if self.categories is None else np.asarray(self.categories, int)
        self.data_ = TrainingData(X, codes, len(self.classes_), sizes, self.min_leaf)
        self.grown_ = grown(self.data_, np.flatnonzero(weights > 0), weights[weights > 0])
        collapse(self.grown_)
        return self._cut()

    def _cut(self) -> Self:
        self.tree_ = self.grown_.copy()
        if self.prune:
            Pruning(self.data_, self.confidence).prune(self.tree_)
        return self

    def get_n_leaves(self) -> int:
        """How many leaves the tree has, those without a row included."""
        return sum(1 for _ in self.tree_.leaves())

    @property
    def size(self) -> int:
        """How many nodes the tree has, leaves included."""
        return self.tree_.size()

    def shared_settings(self) -> tuple[Any, ...]:
        """Those that decide how the tree grows."""
        return self.min_leaf, self.categories

    def fit_from(self, fitted: Self) -> Self:
        """Take over the tree that another one has grown with the same settings, and prune it or not."""
        self.__dict__.update({name: value for name, value in vars(fitted).items() if name.endswith("_")})
        return self._cut()

    @staticmethod
    def answers_of(models: Sequence[C45Tree], method: str, X: Any) -> list[Array]:  # noqa: N803
        """What models of one grown tree say of the same rows."""
        return [getattr(model, method)(X) for model in models]

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False, ensure_all_finite="allow-nan")  # noqa: N806
        shares = np.zeros((len(X), len(self.classes_)))
        self._answer(self.tree_, X, np.arange(len(X)), np.ones(len(X)), shares)
        return shares

    def _answer(self, node: Node, values: Array, rows: Array, weights: Array, shares: Array) -> None:
        """Add what a node says of some rows, each of which reached it with a weight."""
        if node.split is None:
            shares[rows] += weights[:, np.newaxis] * self._shares_of(node.by_class)
            return
        branch = node.split.branch_of(values[rows, node.split.column])
        missing = np.flatnonzero(branch < 0)
        total = node.counts.sum()
        for child, by_class, part in zip(
            node.children, node.counts, _by_branch(branch, len(node.children)), strict=True
        ):
            if child.empty:
                seen = by_class if by_class.sum() > NEARLY else node.by_class
                shares[rows[part]] += weights[part, np.newaxis] * self._shares_of(seen)
                continue
            reached = np.append(part, missing)
            if len(reached):
                passed = weights[reached]
                passed[len(part) :] *= by_class.sum() / total
                self._answer(child, values, rows[reached], passed, shares)

    def _shares_of(self, by_class: Array) -> Array:
        if self.laplace:
            return np.asarray((by_class + 1) / (by_class.sum() + len(by_class)))
        return np.asarray(by_class / by_class.sum())

    def predict(self, X: Any) -> Array:  # noqa: N803
        shares = self.predict_proba(X)
        best = (shares > shares.max(axis=1, keepdims=True) - NEARLY).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def __getstate__(self) -> dict[str, Any]:
        """Without the training rows, which no prediction needs."""
        state: dict[str, Any] = dict(super().__getstate__())
        for name in ("data_", "grown_"):
            state.pop(name, None)
        if "tree_" in state:
            state["tree_"] = without_rows(state["tree_"])
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def without_rows(node: Node) -> Node:
    none = np.empty(0)
    return Node(node.counts, none, none, node.split, [without_rows(child) for child in node.children])
