"""C4.5: a tree by gain ratio, with rows divided where a value is missing, pessimistic pruning and subtree raising."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from referee.fitting.estimators.c45_kernels import NEARLY
from referee.fitting.estimators.c45_layout import Layout
from referee.fitting.estimators.c45_node import Node, by_branch, collapse, grown
from referee.fitting.estimators.c45_pruner import Pruner
from referee.fitting.estimators.c45_split import TrainingData

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from referee.arrays import Array

LAID_OUT_FROM = 1000
"""Rows from which it pays to lay a tree out for them."""


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
            Pruner(self.data_, self.confidence).prune(self.tree_)
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
        shares, rows = np.zeros((len(X), len(self.classes_))), np.arange(len(X))
        if len(X) >= LAID_OUT_FROM and hasattr(self, "data_") and self.data_.compiles:
            layout = Layout(len(self.classes_))
            leaves = layout.leaves(_laid_out(self.tree_, self.tree_.by_class, layout), X)
            shares[:] = self._shares_of(layout.by_class)[leaves]
            rows = np.flatnonzero(leaves < 0)
            shares[rows] = 0.0
        self._answer(self.tree_, X, rows, np.ones(len(rows)), shares)
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
            node.children, node.counts, by_branch(branch, len(node.children)), strict=True
        ):
            if child.empty:
                shares[rows[part]] += weights[part, np.newaxis] * self._shares_of(_seen(node, by_class))
                continue
            reached = np.append(part, missing)
            if len(reached):
                passed = weights[reached]
                passed[len(part) :] *= by_class.sum() / total
                self._answer(child, values, rows[reached], passed, shares)

    def _shares_of(self, by_class: Array) -> Array:
        if self.laplace:
            return np.asarray((by_class + 1) / (by_class.sum(axis=-1, keepdims=True) + by_class.shape[-1]))
        return np.asarray(by_class / by_class.sum(axis=-1, keepdims=True))

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


def _seen(node: Node, by_class: Array) -> Array:
    """What is known of a branch without a row of its own: what was divided among the branches, or the node's rows."""
    return by_class if by_class.sum() > NEARLY else node.by_class


def _laid_out(node: Node, by_class: Array, layout: Layout) -> int:
    """The number of a node after those below it; a branch without a row is a leaf."""
    children = (
        [
            _laid_out(child, _seen(node, seen) if child.empty else child.by_class, layout)
            for child, seen in zip(node.children, node.counts, strict=True)
        ]
        if node.children
        else []
    )
    return layout.add(node.split if children else None, children, by_class)


def without_rows(node: Node) -> Node:
    none = np.empty(0)
    return Node(node.counts, none, none, node.split, [without_rows(child) for child in node.children])
