"""A decision tree in the manner of C4.5: entropy, pessimistic pruning, leaf frequencies raw or by Laplace's rule."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.special import ndtri
from sklearn.base import BaseEstimator, ClassifierMixin, OneToOneFeatureMixin, TransformerMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array

SLACK = 0.1
"""C4.5 prefers the leaf even if it is expected to make a tenth of an error more (Quinlan 1993)."""


def pruned(fitted: Any, confidence: float = 0.25) -> Any:
    """Give a fitted scikit-learn tree with the subtrees replaced that are not worth it; the given one stays as it is.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> grown = DecisionTreeClassifier(random_state=0).fit([[1], [2], [3], [4], [5], [6]], [0, 0, 1, 0, 0, 0])
    >>> int(grown.get_n_leaves()), int(pruned(grown).get_n_leaves())
    (3, 1)
    """
    smaller = copy(fitted)
    smaller.tree_ = without_subtrees(fitted.tree_, replaced_subtrees(fitted.tree_, confidence))
    return smaller


def replaced_subtrees(tree: Any, confidence: float) -> Array:
    """Tell for each node whether it becomes a leaf, its subtree being pruned first."""
    rows = tree.weighted_n_node_samples
    as_leaf = expected_errors(rows - tree.value[:, 0, :].max(axis=1) * rows, rows, confidence).tolist()
    as_subtree = list(as_leaf)
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    replaced = np.zeros(tree.node_count, bool)
    # Children have higher numbers than their parents.
    for node in range(tree.node_count - 1, -1, -1):
        if left[node] < 0:
            continue
        below = as_subtree[left[node]] + as_subtree[right[node]]
        replaced[node] = as_leaf[node] <= below + SLACK
        as_subtree[node] = as_leaf[node] if replaced[node] else below
    return replaced


def expected_errors(errors: Array, rows: Array, confidence: float) -> Array:
    """The errors on as many new rows, at the upper limit of their confidence interval, by C4.5's approximation.

    >>> expected_errors(np.array([0.0, 0, 0, 1]), np.array([6.0, 9, 1, 16]), 0.25).round(3).tolist()
    [1.238, 1.285, 0.75, 2.476]
    """
    errors, rows = np.asarray(errors, float).clip(0), np.asarray(rows, float)
    none = rows * (1 - confidence ** (1 / rows))
    # Between no error and one, which the normal approximation does not reach, the limit is interpolated.
    at_one = _normal_limit(np.minimum(1.0, rows), rows, confidence)
    few = none + errors * (at_one - none)
    return np.where(errors < 1, few, _normal_limit(errors, rows, confidence))


def _normal_limit(errors: Array, rows: Array, confidence: float) -> Array:
    """The upper limit of a binomial count with a correction for continuity."""
    z_squared = float(ndtri(1 - confidence)) ** 2
    shifted = np.minimum(errors + 0.5, rows)
    spread = np.sqrt(z_squared * (shifted * (1 - shifted / rows) + z_squared / 4))
    return np.where(errors + 0.5 >= rows, rows, rows * (shifted + z_squared / 2 + spread) / (rows + z_squared))


def without_subtrees(tree: Any, replaced: Array) -> Any:
    """A copy of scikit-learn's tree structure in which some nodes are leaves, by the way that it pickles itself."""
    make, arguments, state = tree.__reduce__()
    kept = _kept_nodes(tree, replaced)
    number = np.full(tree.node_count, -1)
    number[kept] = np.arange(len(kept))
    nodes = state["nodes"][kept]
    is_leaf = replaced[kept] | (nodes["left_child"] < 0)
    for child in ("left_child", "right_child"):
        nodes[child] = np.where(is_leaf, -1, number[nodes[child]])
    nodes["feature"][is_leaf], nodes["threshold"][is_leaf] = -2, -2.0
    smaller = make(*arguments)
    values = np.ascontiguousarray(state["values"][kept])
    depth = int(_depths(nodes).max())
    smaller.__setstate__(state | {"nodes": nodes, "values": values, "node_count": len(kept), "max_depth": depth})
    return smaller


def _kept_nodes(tree: Any, replaced: Array) -> Array:
    kept = np.zeros(tree.node_count, bool)
    kept[0] = True
    for node in range(tree.node_count):
        if kept[node] and not replaced[node] and tree.children_left[node] >= 0:
            kept[[tree.children_left[node], tree.children_right[node]]] = True
    return np.flatnonzero(kept)


def _depths(nodes: Any) -> Array:
    depths = np.zeros(len(nodes), int)
    for place, node in enumerate(nodes):
        if node["left_child"] >= 0:
            depths[[node["left_child"], node["right_child"]]] = depths[place] + 1
    return depths


class EntropyTree(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """scikit-learn's tree with entropy; pruned after it has grown.

    >>> tree = EntropyTree(prune=True).fit([[1], [2], [3], [4], [5], [6]], [0, 0, 1, 0, 0, 0])
    >>> int(tree.tree_.get_n_leaves()), tree.predict_proba([[3]]).round(3).tolist()
    (1, [[0.833, 0.167]])
    """

    def __init__(
        self,
        *,
        prune: bool = False,
        confidence: float = 0.25,
        laplace: bool = False,
        min_leaf: int = 1,
        random_state: int | None = None,
    ) -> None:
        self.prune = prune
        self.confidence = confidence
        self.laplace = laplace
        self.min_leaf = min_leaf
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: N803
        X, y = validate_data(self, X, y, ensure_all_finite="allow-nan")  # noqa: N806
        grown = DecisionTreeClassifier(
            criterion="entropy", min_samples_leaf=self.min_leaf, random_state=self.random_state
        )
        self.grown_ = grown.fit(X, y, sample_weight)
        self.classes_ = grown.classes_
        return self._cut()

    def _cut(self) -> Self:
        self.tree_ = pruned(self.grown_, self.confidence) if self.prune else self.grown_
        return self

    def shared_settings(self) -> tuple[Any, ...]:
        """Those that decide how the tree grows."""
        return self.min_leaf, self.random_state

    def fit_from(self, fitted: Self) -> Self:
        """Take over the tree that another one has grown with the same settings, and prune it or not."""
        self.__dict__.update({name: value for name, value in vars(fitted).items() if name.endswith("_")})
        return self._cut()

    @staticmethod
    def answers_of(models: Sequence[EntropyTree], method: str, X: Any) -> list[Array]:  # noqa: N803
        """What models of one grown tree say of the same rows."""
        return [getattr(model, method)(X) for model in models]

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, ensure_all_finite="allow-nan")  # noqa: N806
        shares: Array = self.tree_.predict_proba(X)
        if not self.laplace:
            return shares
        rows = self.tree_.tree_.weighted_n_node_samples[self.tree_.apply(X)][:, np.newaxis]
        return (shares * rows + 1) / (rows + len(self.classes_))

    def predict(self, X: Any) -> Array:  # noqa: N803
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def __getstate__(self) -> dict[str, Any]:
        """Without the tree as it was before pruning, which no prediction needs."""
        state: dict[str, Any] = dict(super().__getstate__())
        if self.prune:
            state.pop("grown_", None)
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


LARGEST = 60
"""The binary exponent of each column's largest value: far above 1e-7, far below what float32 holds."""
FINITE = float(np.finfo(np.float32).max)


class Magnitudes(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Multiplies each column by a power of two, which rounds nothing: a tree on it is the same tree.

    >>> (Magnitudes().fit_transform([[3e-30, 3.0], [4e-30, 4.0]]) > 1e17).all()
    np.True_
    """

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002, N803
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan")  # noqa: N806
        largest = np.abs(X).max(axis=0, initial=0.0, where=~np.isnan(X))
        self.exponents_ = LARGEST - np.frexp(np.where(largest > 0, largest, 1.0))[1]
        return self

    def transform(self, X: Any) -> Array:  # noqa: N803
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False, ensure_all_finite="allow-nan")  # noqa: N806
        with np.errstate(over="ignore"):
            return np.asarray(np.ldexp(X, self.exponents_).clip(-FINITE, FINITE))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
