"""One fit: a model on the training rows of a split, what it says of them and of the test rows, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.splitting.split import Split


class Fit(NamedTuple):
    """A unit of work: one model on one split, which is numbered from 0."""

    model: str
    split: int

    def __str__(self) -> str:
        return f"{self.model}, split {self.split + 1:05d}"


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

    def __call__(self, unit: Fit) -> dict[str, Any]:
        from sklearn.base import clone

        train, test = self.splits[unit.split]
        estimator = clone(self.estimators[unit.model])
        given, labels = self.X[train], self.target[train]
        started = process_time()
        estimator.fit(given, labels)
        fitted = process_time()
        said = self._said(estimator, self.X[test])
        done = process_time()
        seen = self._said(estimator, self.X[train])
        return {
            **{f"test_{kind}": values for kind, values in said.items()},
            **{f"train_{kind}": values for kind, values in seen.items()},
            "fit_seconds": fitted - started,
            "predict_seconds": done - fitted,
            "size": _size(estimator),
            "changed_input": not np.array_equal(given, self.X[train], equal_nan=True),
        }

    def _said(self, estimator: Any, rows: Array) -> dict[str, Array]:
        """Numbers; or scores, of each class where there are more than two, and decisions where scores do not decide."""
        if not self.classes:
            return {"values": _checked(estimator.predict(rows), len(rows))}
        codes = np.asarray(getattr(estimator, "classes_", np.arange(self.classes)), int)
        if hasattr(estimator, "predict_proba"):
            return self._of_classes(np.asarray(estimator.predict_proba(rows), float), codes, len(rows))
        labels = np.asarray(_checked(estimator.predict(rows), len(rows)), int)
        if self.classes == 2 and hasattr(estimator, "decision_function"):
            leaning = _checked(estimator.decision_function(rows), len(rows))
            return {"scores": leaning if codes[-1] == self.positive else -leaning, "labels": labels}
        return {"labels": labels}

    def _of_classes(self, found: Array, codes: Array, rows: int) -> dict[str, Array]:
        """Columns by the classes that the estimator names; one that it has not seen is impossible to it."""
        _checked(found, rows)
        columns = np.zeros((rows, self.classes))
        columns[:, codes] = found
        return {"scores": columns[:, self.positive] if self.positive is not None else columns}


def _checked(found: Any, rows: int) -> Array:
    """What a model predicts must be one number for each row."""
    found = np.asarray(found, float)
    if len(found) != rows:
        raise ValueError(f"it was given {rows} rows and predicted {len(found)}")
    if not np.isfinite(found).all():
        row = int(np.argmin(np.isfinite(found.reshape(rows, -1)).all(axis=1)))
        raise ValueError(f"its prediction of row {row + 1} of the {rows} is NaN or infinite")
    return found


def _size(estimator: Any) -> dict[str, float]:
    from referee.model_size import size_of

    return dict(size_of(estimator))
