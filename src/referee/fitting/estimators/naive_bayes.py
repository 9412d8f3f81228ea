"""Naive Bayes on numbers and categories at once: a normal density for each number, a frequency for each category.

Weka takes the probability of an interval instead of the density: as wide as the mean gap between values of the column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.special import ndtr, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

if TYPE_CHECKING:
    from referee.arrays import Array


class MixedNaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Missing values say nothing: they are skipped in training and in prediction.

    `categories` gives the number of categories of each column, 0 for numbers; None: all are numbers. No class has a
    smaller variance than `least_variance` times that of the whole column; a column of one value says nothing.

    >>> model = MixedNaiveBayes(categories=(0, 2)).fit([[1.0, 0], [2.0, 0], [8.0, 1], [9.0, 1]], [0, 0, 1, 1])
    >>> model.predict([[1.5, np.nan], [np.nan, 1]]).tolist()
    [0, 1]
    """

    def __init__(
        self,
        *,
        categories: tuple[int, ...] | None = None,
        attributes: int | None = None,
        laplace: float = 1.0,
        least_variance: float = 1e-9,
    ) -> None:
        self.categories = categories
        self.attributes = attributes
        self.laplace = laplace
        self.least_variance = least_variance

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: N803
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")  # noqa: N806
        weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, float)
        if not weight.any():
            raise ValueError("all sample weights are zero")
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        of_class = (codes == np.arange(len(self.classes_))[:, np.newaxis]) * weight
        self.class_log_prior_ = np.log(self._shares(of_class.sum(axis=1)))
        used = np.arange(X.shape[1])[: self.attributes]
        sizes = np.zeros(X.shape[1], int) if self.categories is None else np.asarray(self.categories, int)
        self.numeric_ = np.array([place for place in used if sizes[place] == 0 and _varies(X[:, place])], int)
        self.nominal_ = used[sizes[used] > 0]
        self._fit_numbers(X[:, self.numeric_], of_class)
        self.category_log_prob_ = [
            self._frequencies(X[:, place], int(sizes[place]), of_class) for place in self.nominal_
        ]
        return self

    def _shares(self, totals: Array) -> Array:
        return np.asarray(totals / totals.sum())

    def _fit_numbers(self, values: Array, of_class: Array) -> None:
        """Mean and variance of each class and column; of a class without values in a column those of all rows."""
        present = ~np.isnan(values)
        known = np.where(present, values, 0.0)
        mean_of_all, variance_of_all = _moments(known, present, np.ones((1, len(values))))
        mean, variance = _moments(known, present, of_class)
        empty = np.isnan(mean)
        self.means_ = np.where(empty, mean_of_all, mean)
        floor = np.maximum(self.least_variance * variance_of_all, np.finfo(float).tiny)
        self.variances_ = np.maximum(np.where(empty, variance_of_all, variance), floor)

    def _frequencies(self, column: Array, size: int, of_class: Array) -> Array:
        """Log shares of the categories in each class (category, class), with Laplace's rule."""
        present = ~np.isnan(column)
        codes = column[present].astype(int)
        size = max(size, int(codes.max(initial=0)) + 1)
        counts = np.stack([np.bincount(codes, row[present], size) for row in of_class], axis=1) + self.laplace
        return np.log(counts) - np.log(counts.sum(axis=0))

    def predict_log_likelihood(self, X: Any) -> Array:  # noqa: N803
        """The log of prior times likelihood of each class."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False, ensure_all_finite="allow-nan")  # noqa: N806
        joint = np.tile(self.class_log_prior_, (len(X), 1))
        numbers = X[:, self.numeric_]
        for place, (mean, variance) in enumerate(zip(self.means_, self.variances_, strict=True)):
            joint[:, place] += np.nansum(self._log_densities(numbers, mean, variance), axis=1)
        for place, table in zip(self.nominal_, self.category_log_prob_, strict=True):
            # A row of zeros at the end stands for a missing category, and for one that has no code.
            codes = np.nan_to_num(X[:, place], nan=len(table)).clip(0, len(table)).astype(int)
            joint += np.vstack([table, np.zeros(table.shape[1])])[codes]
        return joint

    def _log_densities(self, numbers: Array, mean: Array, variance: Array) -> Array:
        return np.asarray(-0.5 * (np.log(2 * np.pi * variance) + (numbers - mean) ** 2 / variance))

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        probabilities: Array = softmax(self.predict_log_likelihood(X), axis=1)
        return probabilities

    def predict(self, X: Any) -> Array:  # noqa: N803
        best = self.predict_log_likelihood(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class WekaNaiveBayes(MixedNaiveBayes):
    """Weka 3.6's: numbers are rounded to the mean gap of their column, and a class has one more row than was seen.

    >>> WekaNaiveBayes(categories=(2,)).fit([[0], [0], [0], [1]], [0, 0, 1, 1]).predict_proba([[0]]).round(6).tolist()
    [[0.6, 0.4]]
    """

    def _shares(self, totals: Array) -> Array:
        return np.asarray((totals + 1) / (totals.sum() + len(totals)))

    def _fit_numbers(self, values: Array, of_class: Array) -> None:
        """A class without values in a column is taken to lie at 0."""
        self.gaps_ = np.array([_mean_gap(column) for column in values[of_class.any(axis=0)].T])
        rounded, present = self._rounded(values), ~np.isnan(values)
        mean, variance = _moments(np.where(present, rounded, 0.0), present, of_class)
        self.means_ = np.nan_to_num(mean)
        self.variances_ = np.maximum(np.nan_to_num(variance), (self.gaps_ / SIXTH) ** 2)

    def _log_densities(self, numbers: Array, mean: Array, variance: Array) -> Array:
        """Of the interval around each number; at its far right end this is 0 where 1 minus a tail is 1, as in Weka."""
        distance, deviation = self._rounded(numbers) - mean, np.sqrt(variance)
        low, high = (distance - self.gaps_ / 2) / deviation, (distance + self.gaps_ / 2) / deviation
        return np.asarray(np.log(np.maximum(ndtr(high) - ndtr(low), LEAST)))

    def _rounded(self, values: Array) -> Array:
        return np.asarray(np.rint(values / self.gaps_) * self.gaps_)


SIXTH, LEAST, USUAL_GAP = 6, 1e-75, 0.01
"""No deviation is below a sixth of the gap, and no probability below that; the gap of a column of one value."""


def _mean_gap(column: Array) -> float:
    distinct = np.unique(column[~np.isnan(column)])
    return float((distinct[-1] - distinct[0]) / (len(distinct) - 1)) if len(distinct) > 1 else USUAL_GAP


def _varies(column: Array) -> bool:
    """Whether a column has two values; the mean of equal ones may differ between classes in its last digit."""
    known = column[~np.isnan(column)]
    return bool((known != known[:1]).any())


def _moments(values: Array, present: Array, of_class: Array) -> tuple[Array, Array]:
    """Weighted mean and variance of each class (class, column); NaN where a class has no value."""
    with np.errstate(invalid="ignore", divide="ignore"):
        total = of_class @ present
        mean = of_class @ values / total
        squares = [row @ (((values - centre) * present) ** 2) for row, centre in zip(of_class, mean, strict=True)]
        return mean, np.stack(squares) / total
