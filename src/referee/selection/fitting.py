"""Fits: models on the training rows of a split, what they say of them and of the test rows, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from referee.selection.sharing import ask_together, fit_together

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from referee.arrays import Array
    from referee.dataset import DataSet
    from referee.splitting.split import Split

SUM_WITHIN = 1e-4
"""As far as probabilities of all classes may be from 1."""


ROUNDING = 1e-9


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
        train, test = split
        given = self.X[train]
        weight = None if self.weight is None else self.weight[train]
        fitted = fit_together(self.cloned(unit), given, self.target[train], weight)
        models = [one.estimator for one in fitted]
        started = process_time()
        said = self.said(models, self.X[test])
        predicted = process_time()
        seen = self.said(models, self.X[split.looked_back])
        done = process_time()
        return {
            name: {
                **{f"test_{kind}": values for kind, values in said[place].items()},
                **{f"train_{kind}": values for kind, values in seen[place].items()},
                "fit_seconds": one.seconds,
                "predict_seconds": predicted - started,
                "train_predict_seconds": done - predicted,
                "size": _size(one.estimator),
                "changed_input": one.changed_input,
            }
            for place, (name, one) in enumerate(zip(unit.models, fitted, strict=True))
        }

    def cloned(self, unit: Unit) -> list[Any]:
        """The models of a unit, not fitted yet: the caller's own stay as they are."""
        from sklearn.base import clone

        return [clone(self.estimators[name]) for name in unit.models]

    def said(self, models: Sequence[Any], rows: Array) -> list[dict[str, Any]]:
        """Of each model numbers; or scores, of each class where there are more than two, or else its decisions."""
        if not self.classes:
            return [{"values": _checked(found, len(rows))} for found in ask_together(models, "predict", rows)]
        if hasattr(models[0], "predict_proba"):
            found = ask_together(models, "predict_proba", rows)
            return [self._of_classes(model, shares, len(rows)) for model, shares in zip(models, found, strict=True)]
        return [self._decided(model, rows) for model in models]

    def _decided(self, model: Any, rows: Array) -> dict[str, Any]:
        labels = np.asarray(_checked(model.predict(rows), len(rows)), int)
        if self.classes == 2 and hasattr(model, "decision_function"):
            leaning = _checked(model.decision_function(rows), len(rows))
            return {"scores": leaning if self._codes(model)[-1] == self.positive else -leaning, "labels": labels}
        return {"labels": labels}

    def _codes(self, model: Any) -> Array:
        return np.asarray(getattr(model, "classes_", np.arange(self.classes)), int)

    def _of_classes(self, model: Any, found: Any, rows: int) -> dict[str, Any]:
        """Columns by the classes that the model names; one that it has not seen is impossible to it."""
        found = _without_rounding(_checked(found, rows))
        columns = np.zeros((rows, self.classes))
        columns[:, self._codes(model)] = found
        scores = columns[:, self.positive] if self.positive is not None else columns
        return {"scores": scores, "improbable": _improbable(found)}


def _checked(found: Any, rows: int) -> Array:
    """What a model predicts must be one number for each row."""
    found = np.asarray(found, float)
    if len(found) != rows:
        raise ValueError(f"it was given {rows} rows and predicted {len(found)}")
    if not np.isfinite(found).all():
        row = int(np.argmin(np.isfinite(found.reshape(rows, -1)).all(axis=1)))
        raise ValueError(f"its prediction of row {row + 1} of the {rows} is NaN or infinite")
    return found


def _without_rounding(found: Array) -> Array:
    """Probabilities that rounding has pushed over the end of their range, brought back."""
    inside = found.clip(0, 1)
    return np.where(np.abs(found - inside) < ROUNDING, inside, found)


def _improbable(found: Array) -> str | None:
    """Why scores cannot be probabilities."""
    outside = np.flatnonzero((found < 0) | (found > 1))
    if len(outside):
        row = int(outside[0]) // found.shape[1]
        return f"its probability of row {row + 1} of the {len(found)} is {found.flat[outside[0]]:g}, outside [0, 1]"
    sums = found.sum(axis=1)
    wrong = np.flatnonzero(np.abs(sums - 1) > SUM_WITHIN)
    if len(wrong):
        return f"its probabilities of row {wrong[0] + 1} of the {len(found)} add up to {sums[wrong[0]]:g}, not to 1"
    return None


def _size(estimator: Any) -> dict[str, float]:
    from referee.model_size import size_of

    # In the order in which a store gives them back.
    return dict(sorted(size_of(estimator).items()))
