"""Models that share work: neighbours are looked for once for every k, a tree is grown once and pruned or not."""

from __future__ import annotations

import pickle
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from referee.arrays import Array

PREPARED = 2
"""Steps of a pipeline that only prepares the features for a model."""


def families(estimators: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The names of the models, those together that can share work.

    >>> from referee.specification import estimators_of
    >>> families(estimators_of(["knn(k=5)", "dummy", "knn(k=50)"], [], "binary"))
    [('knn', 'knn(k=50)'), ('dummy',)]
    """
    found: dict[Hashable, list[str]] = {}
    for name, estimator in estimators.items():
        found.setdefault(_shared_settings(estimator) or name, []).append(name)
    return [tuple(names) for names in found.values()]


def _shared_settings(estimator: Any) -> Hashable | None:
    """What estimators must have in common to share work; None for those that share none."""
    preparation, model = _parts(estimator)
    if not hasattr(model, "shared_settings"):
        return None
    return pickle.dumps(preparation), type(model), model.shared_settings()


def _parts(estimator: Any) -> tuple[Any, Any]:
    """What prepares the features, if anything, and the model behind it."""
    from sklearn.pipeline import Pipeline

    if isinstance(estimator, Pipeline) and len(estimator.steps) == PREPARED and estimator.memory is None:
        return estimator.steps[0][1], estimator.steps[1][1]
    return None, estimator


class Fitted(NamedTuple):
    """A model after its fit."""

    estimator: Any
    seconds: float
    """Of CPU; what was shared counts in full, as each would have needed it alone."""
    changed_input: bool


def takes_weights(estimator: Any) -> bool:
    """Whether a model can be fitted on rows that count differently.

    >>> from sklearn.linear_model import Ridge
    >>> takes_weights(Ridge())
    True
    """
    from sklearn.utils.validation import has_fit_parameter

    return bool(has_fit_parameter(_parts(estimator)[1], "sample_weight"))


def fit_together(
    estimators: Sequence[Any],
    X: Array,  # noqa: N803
    y: Array,
    weight: Array | None = None,
) -> list[Fitted]:
    """Fit the models of a family: the first on the data, the others from what it has found.

    Weights go to models that take them, with a mean of 1, so that a penalty on coefficients keeps its strength.
    """
    preparation, first = _parts(estimators[0])
    started = process_time()
    rows = X if preparation is None else preparation.fit_transform(X, y)
    prepared = process_time()
    before = rows.copy() if isinstance(rows, np.ndarray) else rows
    copied = process_time()
    if weight is None or not takes_weights(first):
        first.fit(rows, y)
    else:
        first.fit(rows, y, sample_weight=weight / weight.mean())
    shared = process_time() - started - (copied - prepared)
    found = [Fitted(estimators[0], shared, _has_changed(rows, before))]
    for estimator in estimators[1:]:
        started = process_time()
        _parts(estimator)[1].fit_from(first)
        if preparation is not None:
            estimator.steps[0] = (estimator.steps[0][0], preparation)
        found.append(Fitted(estimator, shared + process_time() - started, changed_input=False))
    return found


def _has_changed(rows: Any, before: Any) -> bool:
    if not isinstance(rows, np.ndarray):
        return False
    is_number = rows.dtype.kind == "f"
    return not np.array_equal(rows, before, equal_nan=is_number)


def ask_together(estimators: Sequence[Any], method: str, X: Array) -> list[Any]:  # noqa: N803
    """What each fitted model of a family answers: predict, predict_proba or decision_function."""
    if len(estimators) == 1:
        return [getattr(estimators[0], method)(X)]
    preparation, first = _parts(estimators[0])
    rows = X if preparation is None else preparation.transform(X)
    answers: list[Any] = first.answers_of([_parts(estimator)[1] for estimator in estimators], method, rows)
    return answers
