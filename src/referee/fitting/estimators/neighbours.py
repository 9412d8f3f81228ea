"""k nearest neighbours on numbers and categories, and several k from one search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from referee.fitting.estimators.neighbour_search import Places, Ranges, distances_of, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array


class _Neighbours(BaseEstimator):  # type: ignore[misc]
    """What classification and regression share: the training rows, and the search among them."""

    def __init__(self, *, k: int = 5, weights: str = "uniform", categories: tuple[int, ...] | None = None) -> None:
        self.k = k
        self.weights = weights
        self.categories = categories

    def _remember(self, rows: Array) -> None:
        sizes = np.zeros(rows.shape[1], int) if self.categories is None else np.asarray(self.categories, int)
        self.sizes_ = sizes
        self.n_samples_fit_ = len(rows)
        self.ranges_ = Ranges.of(rows, np.flatnonzero(sizes))
        self.training_ = Places.of(rows, self.ranges_, sizes, for_training=True)
        _refuse_too_many(self.k, len(rows))

    def shared_settings(self) -> tuple[Any, ...]:
        """Those of the search: models that agree in them have the same neighbours, of which k are asked."""
        return self.weights, self.categories

    def fit_from(self, fitted: Self) -> Self:
        """Take over the training rows of a model with the same settings but for k."""
        _refuse_too_many(self.k, fitted.n_samples_fit_)
        self.__dict__.update({name: value for name, value in vars(fitted).items() if name.endswith("_")})
        return self

    def answers_of(self, models: Sequence[Self], method: str, X: Any) -> list[Array]:  # noqa: N803
        """What models with these training rows say, each with its own k, from one search."""
        by_k = self._answers_for(X, [model.k for model in models])
        answers = [by_k[model.k] for model in models]
        is_label = method == "predict" and hasattr(self, "classes_")
        return [self.classes_[shares.argmax(axis=1)] for shares in answers] if is_label else answers

    def _search(self, X: Any, k: int) -> tuple[Array, Array | None]:  # noqa: N803
        """The k nearest training rows, and how far they are where that counts."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False, ensure_all_finite="allow-nan")  # noqa: N806
        places = Places.of(X, self.ranges_, self.sizes_, for_training=False)
        neighbours = nearest(self.training_, places, k)
        return neighbours, None if self.weights == "uniform" else distances_of(self.training_, places, neighbours)

    def _answers_for(self, X: Any, ks: Sequence[int]) -> dict[int, Array]:  # noqa: N803
        neighbours, distances = self._search(X, max(ks))
        return {
            k: self._answer(
                neighbours[:, :k], np.ones((len(neighbours), k)) if distances is None else _votes(distances[:, :k])
            )
            for k in ks
        }

    def _answer(self, neighbours: Array, votes: Array) -> Array:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _votes(distances: Array) -> Array:
    """The nearer, the more; equal rows outweigh all others."""
    same = distances == 0
    inverse = 1 / np.where(same, 1.0, distances)
    return np.where(same.any(axis=1, keepdims=True), same, inverse)


def _refuse_too_many(k: int, rows: int) -> None:
    if k > rows:
        raise ValueError(f"k={k} neighbours are asked of n_samples={rows} training rows")


class NeighboursClassifier(ClassifierMixin, _Neighbours):  # type: ignore[misc]
    """The share of each class among the k nearest training rows.

    >>> model = NeighboursClassifier(k=1, categories=(0, 2)).fit([[1, 0], [2, 0], [9, 1]], ["a", "a", "b"])
    >>> model.predict([[2, 0], [9, 1]]).tolist()
    ['a', 'b']
    """

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")  # noqa: N806
        check_classification_targets(y)
        self.classes_, self.codes_ = np.unique(y, return_inverse=True)
        self._remember(X)
        return self

    def _answer(self, neighbours: Array, votes: Array) -> Array:
        rows, classes = len(neighbours), len(self.classes_)
        cells = np.arange(rows)[:, np.newaxis] * classes + self.codes_[neighbours]
        shares = np.bincount(cells.ravel(), votes.ravel(), rows * classes).reshape(rows, classes)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        return self._answers_for(X, [self.k])[self.k]

    def predict(self, X: Any) -> Array:  # noqa: N803
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])


class NeighboursRegressor(RegressorMixin, _Neighbours):  # type: ignore[misc]
    """The mean target of the k nearest training rows.

    >>> NeighboursRegressor(k=2).fit([[1], [2], [9]], [1.0, 3.0, 9.0]).predict([[0]]).tolist()
    [2.0]
    """

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan", y_numeric=True)  # noqa: N806
        self.targets_ = np.asarray(y, float)
        self._remember(X)
        return self

    def _answer(self, neighbours: Array, votes: Array) -> Array:
        return np.asarray((self.targets_[neighbours] * votes).sum(axis=1) / votes.sum(axis=1))

    def predict(self, X: Any) -> Array:  # noqa: N803
        return self._answers_for(X, [self.k])[self.k]
