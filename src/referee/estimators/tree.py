"""A decision tree in the manner of C4.5: entropy, pessimistic pruning, leaf frequencies raw or by Laplace's rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from referee.estimators.pessimistic_pruning import pruned

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from referee.arrays import Array


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
