"""Fitted estimators and the rows of a test set, as what the estimators say of these rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import CallError, InputError, listed
from referee.predictions.given_arrays import ROLE_COLUMNS, distinct_labels, one_column
from referee.predictions.roles import label_text
from referee.predictions.source import is_table
from referee.predictions.table import shape_of
from referee.predictions.truth import match_label
from referee.predictions.wrong_calls import described, right_call
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from referee.arrays import Array

FIT_FIRST = "fit it first, or let referee fit all: referee.select(models, X, y, goal=...)"


@dataclass(frozen=True)
class Answers:
    """What the models say, and what was true."""

    truth: Any
    models: dict[str, Any]
    decisions: dict[str, Any] = field(default_factory=dict)
    """Of models that do not simply choose the most probable class."""
    classes: tuple[str, ...] | None = None
    """All that the models know; None where they predict numbers."""
    columns: dict[str, Any] = field(default_factory=dict)
    """Of the test set, by their roles."""


def is_estimator(thing: Any) -> bool:
    """Whether it predicts, or is the class of what does.

    >>> from sklearn.dummy import DummyClassifier
    >>> is_estimator(DummyClassifier()), is_estimator(DummyClassifier), is_estimator([0.2, 0.7])
    (True, True, False)
    """
    return callable(getattr(thing, "predict", None))


def models_in(thing: Any) -> dict[str, Any]:
    """The estimators in what was given, by name: a dict, a list or a single one; none if it is something else."""
    if is_estimator(thing):
        return _with_names([thing])
    if isinstance(thing, Mapping) and any(map(is_estimator, thing.values())):
        return {str(name): model for name, model in thing.items()}
    if isinstance(thing, list | tuple) and any(map(is_estimator, thing)):
        return _with_names(thing)
    return {}


def _with_names(models: Sequence[Any]) -> dict[str, Any]:
    """Named after their classes, a pipeline after that of its last step, and numbered where these are the same.

    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> list(_with_names([make_pipeline(DummyClassifier()), DummyClassifier()]))
    ['DummyClassifier_1', 'DummyClassifier_2']
    """
    names = [_class_name(model) for model in models]
    times, seen = Counter(names), Counter[str]()
    seen.update(dict.fromkeys(times, 0))
    named = {}
    for name, model in zip(names, models, strict=True):
        seen[name] += 1
        named[name if times[name] == 1 else f"{name}_{seen[name]}"] = model
    return named


def _class_name(model: Any) -> str:
    steps = getattr(model, "steps", None)
    last = steps[-1][1] if isinstance(steps, list) and steps else model
    return last.__name__ if isinstance(last, type) else type(last).__name__


def arrays_of_fitted(call: str, data: Sequence[Any], said: Mapping[str, Any]) -> Answers:
    """Ask every model of the rows of X_test; its target is y_test, or the column of X_test that `truth` names."""
    models = models_in(data[0])
    _refuse_others(call, models)
    if len(data) == 1:
        _refuse_unfitted(models)
    X, truth, columns = _rows(call, data[1:], said)  # noqa: N806 (as scikit-learn has it)
    answers: dict[str, Any] = {}
    decisions: dict[str, Any] = {}
    for name, model in models.items():
        answers[name], own = _said(name, model, _features(model, X), said)
        if own is not None:
            decisions[name] = own
    return Answers(truth, answers, decisions, _every_class(models.values(), truth), columns)


def _every_class(models: Iterable[Any], truth: Any) -> tuple[str, ...] | None:
    """Those of the truth, as it spells them, and those that only the models know."""
    known = dict.fromkeys(label for model in models for label in _labels(model))
    there = distinct_labels(truth) if known else []
    return (*there, *(label for label in known if match_label(label, there) is None)) if known else None


def _refuse_others(call: str, models: Mapping[str, Any]) -> None:
    """Refuse what cannot predict: classes, and what is no model."""
    for name, model in models.items():
        if isinstance(model, type):
            raise CallError("E_UNFITTED", f"{name!r} is the class {model.__name__}, not a fitted model: {FIT_FIRST}")
        if not is_estimator(model):
            what = f"{call}() was given models of which {name!r} is {described(model)}, with no method predict"
            raise CallError("E_CALL", f"{what}; the right call is {right_call(call, 'fitted')}")


def _refuse_unfitted(models: Mapping[str, Any]) -> None:
    for name, model in models.items():
        if not _is_fitted(model):
            raise _unfitted(name, model)


def _unfitted(name: str, model: Any) -> CallError:
    return CallError("E_UNFITTED", f"{name!r} ({_class_name(model)}) is not fitted: {FIT_FIRST}")


def _is_fitted(model: Any) -> bool:
    """Whether scikit-learn takes it as fitted; what is not of scikit-learn's kind may be."""
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    except (TypeError, AttributeError):
        return True
    return True


def _rows(call: str, data: Sequence[Any], said: Mapping[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
    """The rows, their truth, and those of their columns that have roles."""
    truth = said.get("truth")
    if len(data) == 2 and truth is None:
        X, truth = data[0], one_column(data[1])  # noqa: N806
    elif len(data) == 1 and truth is not None:
        X = data[0]  # noqa: N806
    else:
        what = f"{call}() was given fitted models and {len(data)} further arguments"
        raise CallError("E_CALL", f"{what}: the right call is {right_call(call, 'fitted')}")
    _refuse_swapped_rows(call, X, truth)
    roles = {name: said[name] for name in ROLE_COLUMNS if isinstance(said.get(name), str)}
    columns = {name: _column(X, column, name) for name, column in roles.items()}
    if isinstance(truth, str):
        taken = {truth, *roles.values()}
        return _without(X, taken), _column(X, truth, "truth"), columns
    return X, truth, columns


def _refuse_swapped_rows(call: str, X: Any, truth: Any) -> None:  # noqa: N803
    if isinstance(X, str) or (not is_table(X) and len(shape_of(X)) == 1 and len(shape_of(truth)) == 2):
        what = f"{call}() was given {described(X)} as X_test and {described(truth)} as y_test"
        raise CallError("E_CALL", f"{what}: the right call is {right_call(call, 'fitted')}")
    rows, labels = (_length(X), None if isinstance(truth, str) else _length(truth))
    if rows is not None and labels is not None and rows != labels:
        raise CallError("E_LENGTH", f"X_test has {rows:,} rows, y_test has {labels:,}")


def _length(given: Any) -> int | None:
    shape = getattr(given, "shape", None)  # a sparse matrix has no length
    return int(shape[0]) if shape else len(given) if hasattr(given, "__len__") else None


def _column(X: Any, name: str, role: str) -> Any:  # noqa: N803
    if is_table(X) and name in list(X.columns):
        return X[name]
    there = f"its columns are {listed(X.columns)}" if is_table(X) else f"X_test is {described(X)}"
    raise CallError("E_NOCOL", f"X_test has no column {name!r} for {role}=; {there}")


def _without(X: Any, names: set[str]) -> Any:  # noqa: N803
    return X[[name for name in X.columns if name not in names]]


def _features(model: Any, X: Any) -> Any:  # noqa: N803
    """The columns that a model was fitted on, in their order, where it names them and all are there."""
    names = getattr(model, "feature_names_in_", None)
    if names is None or not is_table(X) or not set(names) < set(X.columns):
        return X
    return X[list(names)]


def _labels(model: Any) -> list[str]:
    return [label_text(label) for label in getattr(model, "classes_", ())]


def _said(name: str, model: Any, rows: Any, said: Mapping[str, Any]) -> tuple[Any, Any]:
    """What a model says of the rows, and its own decisions where these are not simply the most probable class."""
    labels = _labels(model)
    try:
        if labels and hasattr(model, "predict_proba"):
            shares = np.asarray(model.predict_proba(rows))
            return _by_class(labels, shares), _own_decisions(model, rows, shares, said)
        if labels and hasattr(model, "decision_function"):
            return _leaning(labels, np.asarray(model.decision_function(rows))), np.asarray(model.predict(rows))
        return np.asarray(model.predict(rows)), None
    except Exception as error:
        if not _is_fitted(model):
            raise _unfitted(name, model) from error
        reason = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        hint = "was X_test prepared like the training rows, with the same columns?"
        raise InputError("E_MODEL", f"{name!r} cannot predict X_test: {reason}", hint=hint) from error


def _by_class(labels: Sequence[str], columns: Array) -> dict[str, Array]:
    return {label: columns[:, place] for place, label in enumerate(labels)}


def _own_decisions(model: Any, rows: Any, shares: Array, said: Mapping[str, Any]) -> Any:
    """What it decides, if that is something else than its probabilities say and no threshold is named."""
    if "threshold" in said:
        return None
    decided = np.asarray(model.predict(rows))
    most_probable = np.asarray(model.classes_)[np.argmax(shares, axis=1)]
    return None if np.array_equal(decided, most_probable) else decided


def _leaning(labels: Sequence[str], scores: Array) -> dict[str, Array]:
    """Scores of each class; a single column speaks of the second class, as scikit-learn has it."""
    return _by_class(labels, scores if scores.ndim == 2 else np.column_stack([-scores, scores]))
