"""k nearest neighbours on numbers and categories, and several k from one search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from referee.fitting.estimators.neighbour_search import Neighbours, Places, Ranges, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array


class _Neighbours(BaseEstimator, ABC):  # type: ignore[misc]
    """What classification and regression share: the training rows, and the search among them."""

    def __init__(
        self,
        *,
        k: int = 5,
        weights: str = "uniform",
        ties: str = "first",
        prior: float = 0.0,
        categories: tuple[int, ...] | None = None,
    ) -> None:
        self.k = k
        self.weights = weights
        self.ties = ties
        self.prior = prior
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
        return self.weights, self.ties, self.prior, self.categories

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

    def _answers_for(self, X: Any, ks: Sequence[int]) -> dict[int, Array]:  # noqa: N803
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False, ensure_all_finite="allow-nan")  # noqa: N806
        places = Places.of(X, self.ranges_, self.sizes_, for_training=False)
        keep_ties = self.ties == "keep"
        neighbours = nearest(self.training_, places, max(ks), keep_ties=keep_ties)
        answers = {}
        for k in ks:
            near = neighbours.closest(k, keep_ties=keep_ties)
            votes = np.ones(len(near.place)) if self.weights == "uniform" else _votes(near)
            answers[k] = self._answer(near, votes)
        return answers

    @abstractmethod
    def _answer(self, near: Neighbours, votes: Array) -> Array:
        """Of each row, given its neighbours and their votes."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _votes(near: Neighbours) -> Array:
    """The nearer, the more; equal rows outweigh all others."""
    same, starts = near.step == 0, near.starts
    outweighed = np.repeat(same[starts], near.counts)
    return np.where(outweighed, same, 1 / np.sqrt(np.where(same, 1.0, near.step)))


def _refuse_too_many(k: int, rows: int) -> None:
    if k > rows:
        raise ValueError(f"k={k} neighbours are more than the n_samples={rows} training rows")


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

    def _answer(self, near: Neighbours, votes: Array) -> Array:
        shares = near.sums(votes, np.eye(len(self.classes_))[self.codes_]) + self.prior / self.n_samples_fit_
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

    def _answer(self, near: Neighbours, votes: Array) -> Array:
        totals, counted = near.sums(votes, np.column_stack([self.targets_, np.ones_like(self.targets_)])).T
        return np.asarray(totals / counted)

    def predict(self, X: Any) -> Array:  # noqa: N803
        return self._answers_for(X, [self.k])[self.k]
