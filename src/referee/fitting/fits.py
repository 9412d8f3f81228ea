"""Fits: models on the training rows of a split, what they say of rows, what they may say, and what they cost."""

from __future__ import annotations

import warnings
from copy import deepcopy
from dataclasses import replace
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from referee.fitting.model_identity import size_of
from referee.fitting.shared_fits import Asked, Fitted, fit_together
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.fitting.dataset import DataSet
    from referee.fitting.splits import Split


SUM_WITHIN = 1e-4
"""As far as probabilities of all classes may be from 1."""
ROUNDING = 1e-9


def one_for_each_row(answer: Any, rows: int) -> Array:
    """A number for each row; a table with one column is taken as such.

    >>> one_for_each_row([[1], [0]], 2)
    array([1., 0.])
    """
    answer = _of_rows(answer, rows)
    if answer.size != rows:
        raise ValueError(f"its prediction has the shape {answer.shape}: one number for each row is expected")
    return _finite(answer.reshape(rows))


def classes_for_each_row(answer: Any, rows: int, classes: int) -> Array:
    """A class for each row, as small integers.

    >>> classes_for_each_row([1.0, 0.4], 2, 2)
    Traceback (most recent call last):
    ...
    ValueError: its prediction of row 2 of the 2 is 0.4, which is not a class
    """
    answer = one_for_each_row(answer, rows)
    wrong = np.flatnonzero(~np.isin(answer, np.arange(classes)))
    if len(wrong):
        raise ValueError(
            f"its prediction of row {wrong[0] + 1} of the {rows} is {answer[wrong[0]]:g}, which is not a class"
        )
    return answer.astype(np.min_scalar_type(classes))


def columns_for_each_row(answer: Any, rows: int, classes: int) -> Array:
    """A number for each class of each row.

    >>> columns_for_each_row([0.2, 0.7], 2, 2)
    Traceback (most recent call last):
    ...
    ValueError: its predict_proba has the shape (2,): one column for each class is expected, (2, 2)
    """
    answer = _of_rows(answer, rows)
    if answer.shape != (rows, classes):
        raise ValueError(
            f"its predict_proba has the shape {answer.shape}: one column for each class is expected, {(rows, classes)}"
        )
    return _finite(answer)


def _of_rows(answer: Any, rows: int) -> Array:
    answer = np.atleast_1d(np.asarray(answer, float))
    if len(answer) != rows:
        raise ValueError(f"it was given {rows} rows and predicted {len(answer)}")
    return answer


def _finite(answer: Array) -> Array:
    finite = np.isfinite(answer)
    if not finite.all():
        row = int(np.argmin(finite.reshape(len(answer), -1).all(axis=1)))
        raise ValueError(f"its prediction of row {row + 1} of the {len(answer)} is NaN or infinite")
    return answer


def without_rounding(probabilities: Array) -> Array:
    """Probabilities that rounding has pushed over the end of their range, brought back."""
    inside = probabilities.clip(0, 1)
    return np.where(np.abs(probabilities - inside) < ROUNDING, inside, probabilities)


def improbable(given: Array) -> str | None:
    """Why scores cannot be probabilities."""
    outside = np.flatnonzero((given < 0) | (given > 1))
    if len(outside):
        row = int(outside[0]) // given.shape[1]
        return f"its probability of row {row + 1} of the {len(given)} is {given.flat[outside[0]]:g}, outside [0, 1]"
    sums = given.sum(axis=1)
    wrong = np.flatnonzero(np.abs(sums - 1) > SUM_WITHIN)
    if len(wrong):
        return f"its probabilities of row {wrong[0] + 1} of the {len(given)} add up to {sums[wrong[0]]:g}, not to 1"
    return None


class Said(NamedTuple):
    """What a model says of rows, by its kind."""

    answers: dict[str, Any]
    seconds: float
    """CPU of the first answer: the scores, where a model has them, else the numbers or decisions."""


class Fit(NamedTuple):
    """What a record is of: one model on one split, which is numbered from 0."""

    model: str
    split: int

    def __str__(self) -> str:
        return f"{self.model}, split {self.split + 1:05d}"


class Unit(NamedTuple):
    """What a worker does at a time: the models of one family, which share work, on one split."""

    models: tuple[str, ...]
    split: int

    def __str__(self) -> str:
        return f"{' and '.join(self.models)}, split {self.split + 1:05d}"

    @property
    def fits(self) -> list[Fit]:
        return [Fit(name, self.split) for name in self.models]

    @property
    def alone(self) -> list[Unit]:
        """Each of several models by itself."""
        return [Unit((name,), self.split) for name in self.models] if len(self.models) > 1 else []


@dataclass(frozen=True)
class Fitting:
    """What workers do: all that a fit needs, by its unit."""

    X: Array
    target: Array
    classes: int
    """How many; 0 for regression."""
    positive: int | None
    splits: Sequence[Split]
    estimators: Mapping[str, Any]
    weight: Array | None = None

    @classmethod
    def of(cls, data: DataSet, splits: Sequence[Split], estimators: Mapping[str, Any]) -> Self:
        return cls(data.X, data.target, len(data.classes), data.positive, splits, estimators, data.weight)

    def __call__(self, unit: Unit) -> dict[str, Any]:
        """The record of each model."""
        split = self.splits[unit.split]
        fitted = self.fitted(unit)
        models = [fit.estimator for fit in fitted]
        said = self.said(models, self.X[split.test])
        seen = self.said(models, self.X[split.looked_back])
        return {
            name: {
                **{f"test_{kind}": values for kind, values in said[place].answers.items()},
                **{f"train_{kind}": values for kind, values in seen[place].answers.items()},
                "fit_seconds": fit.seconds,
                "predict_seconds": said[place].seconds,
                "train_predict_seconds": seen[place].seconds,
                # In the order in which a store gives them back.
                "size": dict(sorted(size_of(fit.estimator).items())),
                "changed_input": fit.changed_input,
            }
            for place, (name, fit) in enumerate(zip(unit.models, fitted, strict=True))
        }

    def fitted(self, unit: Unit) -> list[Fitted]:
        """Copies of the models of a unit, fitted on its training rows: the caller's own stay as they are."""
        from sklearn.base import clone

        train = self.splits[unit.split].train
        weight = None if self.weight is None else self.weight[train]
        models = [clone(self.estimators[name]) for name in unit.models]
        with warnings.catch_warnings():
            # Whether the target is classes is settled, and a split of many classes has few rows of each.
            warnings.filterwarnings("ignore", message="The number of unique classes is greater than 50%")
            return fit_together(models, self.X[train], self.target[train], weight)

    def said(self, models: Sequence[Any], rows: Array) -> list[Said]:
        """Of each model numbers; or its decisions, with scores, of each class where there are more than two."""
        first = self._first_question(models[0])
        started = process_time()
        asked = Asked.of(models, rows)
        prepared = process_time()
        again = replace(asked, rows=deepcopy(asked.rows))  # a model may change what it is given
        copied = process_time()
        replies = asked.answers(first)
        seconds = process_time() - copied + prepared - started
        answers = [self._checked(first, model, reply, len(rows)) for model, reply in zip(models, replies, strict=True)]
        if first != "predict":
            decided = self._decisions(models, replies, again)
            labels = [classes_for_each_row(decisions, len(rows), self.classes) for decisions in decided]
            answers = [answer | {"labels": own} for answer, own in zip(answers, labels, strict=True)]
        return [Said(answer, seconds) for answer in answers]

    def _first_question(self, model: Any) -> str:
        """What tells most."""
        if self.classes and hasattr(model, "predict_proba"):
            return "predict_proba"
        return "decision_function" if self.classes == 2 and hasattr(model, "decision_function") else "predict"

    def _checked(self, first: str, model: Any, answer: Any, rows: int) -> dict[str, Any]:
        if first == "predict_proba":
            return self._of_classes(model, answer, rows)
        if first == "decision_function":
            leaning = one_for_each_row(answer, rows)
            return {"scores": leaning if self._codes(model)[-1] == self.positive else -leaning}
        if self.classes:
            return {"labels": classes_for_each_row(answer, rows, self.classes)}
        return {"values": one_for_each_row(answer, rows)}

    def _decisions(self, models: Sequence[Any], answers: Sequence[Any], again: Asked) -> Sequence[Any]:
        """What each model decides by itself, which need not be what its scores suggest."""
        if again.decide_by_probability:
            return [
                self._codes(model)[np.argmax(answer, axis=1)] for model, answer in zip(models, answers, strict=True)
            ]
        return again.answers("predict")

    def _codes(self, model: Any) -> Array:
        return np.asarray(getattr(model, "classes_", np.arange(self.classes)), int)

    def _of_classes(self, model: Any, answer: Any, rows: int) -> dict[str, Any]:
        """Columns by the classes that the model names; one that it has not seen is impossible to it."""
        codes = self._codes(model)
        answer = without_rounding(columns_for_each_row(answer, rows, len(codes)))
        columns = np.zeros((rows, self.classes))
        columns[:, codes] = answer
        scores = columns[:, self.positive] if self.positive is not None else columns
        return {"scores": scores, "improbable": improbable(answer)}
