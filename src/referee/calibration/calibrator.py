"""Calibrator: a map from scores to probabilities as a scikit-learn estimator, kept as plain JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, check_X_y

from referee.calibration.maps import apply_maps, fit_maps
from referee.calibration.methods import METHODS
from referee.calibration.storing import calibrator_content, read_content
from referee.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.calibration.methods import Map


class Calibrator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learn probabilities from scores and outcomes, by "platt", "isotonic", "temperature" or "beta".

    X is one column of scores of the last class, or one column of probabilities per class in the order of `classes_`.
    Platt scaling and isotonic regression take any score, temperature and beta need probabilities.

    >>> calibrator = Calibrator("platt").fit([-2.0, -1.0, 0.5, 3.0], [0, 1, 0, 1])
    >>> Calibrator.from_json(calibrator.to_json()).predict_proba([0.0]).round(3).tolist()
    [[0.507, 0.493]]
    """

    def __init__(self, method: str = "platt") -> None:
        self.method = method

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: N803 (as scikit-learn has it)
        if self.method not in METHODS:
            raise UsageError(
                "E_METHOD", f"there is no method {self.method!r}; {did_you_mean(str(self.method), METHODS)}"
            )
        scores, y = check_X_y(X, y, dtype=np.float64, ensure_2d=False)
        scores = _columns(scores)
        check_classification_targets(y)
        weight = _check_sample_weight(sample_weight, scores, dtype=np.float64, ensure_non_negative=True)
        self.classes_, codes = np.unique(y, return_inverse=True)
        _refuse_columns(scores.shape[1], len(self.classes_))
        _refuse_missing_class(weight, codes, len(self.classes_))
        _refuse_no_probabilities(self.method, scores)
        self.n_features_in_ = scores.shape[1]
        self.maps_ = fit_maps(METHODS[self.method], self._given(scores), codes, weight)
        return self

    @classmethod
    def of_maps(cls, method: str, classes: Sequence[Any], maps: Sequence[Map], columns: int) -> Self:
        """A calibrator whose maps are known."""
        made = cls(method)
        made.classes_ = np.asarray(classes)
        made.maps_ = tuple(maps)
        made.n_features_in_ = columns
        return made

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        """The probability of every class: (row, class)."""
        check_is_fitted(self)
        scores = _columns(X)
        if scores.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {scores.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input"
            )
        _refuse_no_probabilities(self.method, scores)
        found = apply_maps(self.maps_, self._given(scores))
        return np.column_stack([1 - found[0], found[0]] if len(found) == 1 else found)

    def predict(self, X: Any) -> Array:  # noqa: N803
        """The most probable class."""
        best = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self.classes_[best])

    @property
    def strictly_increasing(self) -> bool:
        """Whether the map of two classes keeps every ranking, and so AUC, but for rounding."""
        check_is_fitted(self)
        return len(self.classes_) == 2 and self.maps_[0].strictly_increasing

    def to_json(self, **facts: Any) -> str:
        """Its parameters as plain JSON; `facts` are kept beside them (model, columns, rows ...)."""
        check_is_fitted(self)
        content = calibrator_content(self.method, self.classes_.tolist(), self.n_features_in_, self.maps_)
        return json.dumps(content | facts, ensure_ascii=False, allow_nan=False, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str, name: str = "the text") -> Self:
        """The calibrator that was written; what is none is refused, and nothing in it is run."""
        content = read_content(text, name)
        return cls.of_maps(content["method"], content["classes"], content["maps"], content["columns"])

    def _given(self, scores: Array) -> list[Array]:
        """The columns that maps are fitted on: of two classes that of the last one."""
        of_two = len(self.classes_) == 2
        return [scores[:, -1]] if of_two else list(scores.T)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = True
        return tags


def _columns(X: Any) -> Array:  # noqa: N803
    scores = check_array(X, dtype=np.float64, ensure_2d=False, input_name="X")
    return scores.reshape(-1, 1) if scores.ndim == 1 else scores


def _refuse_columns(columns: int, classes: int) -> None:
    if (classes > 2 and columns != classes) or (classes <= 2 and columns not in (1, 2)):
        wanted = "one column, or two" if classes <= 2 else f"{classes} columns, one per class"
        raise ValueError(f"X has {columns} columns, and {classes} classes need {wanted}")


def _refuse_missing_class(weight: Array, codes: Array, classes: int) -> None:
    if classes < 2 or (np.bincount(codes, weight, classes) <= 0).any():
        raise ValueError(
            "Calibrator needs rows of at least two classes, each with a weight above 0: "
            f"the data contain {classes} class{'' if classes == 1 else 'es'}"
        )


def _refuse_no_probabilities(method: str, scores: Array) -> None:
    if METHODS[method].needs == "probabilities" and not (scores.min(initial=0) >= 0 and scores.max(initial=1) <= 1):
        raise ValueError(f"{method} needs probabilities, and X has values outside [0, 1]; platt takes any score")
