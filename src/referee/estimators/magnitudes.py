"""Columns of one magnitude, for trees: those of scikit-learn take values less than 1e-7 apart for the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

if TYPE_CHECKING:
    from typing import Self

    from referee.arrays import Array

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
