"""Models that share work: neighbours are looked for once for every k, a tree is grown once and pruned or not."""

from __future__ import annotations

import pickle
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from referee.arrays import Array

MOST_PROBABLE = {
    "referee.fitting.estimators.neighbours.NeighboursClassifier",
    "referee.fitting.estimators.tree.EntropyTree",
    "sklearn.ensemble._forest.RandomForestClassifier",
    "sklearn.ensemble._forest.ExtraTreesClassifier",
}
"""Models whose `predict` is the largest of the columns of `predict_proba`, so that asking both is asking twice."""
PREPARED = 2
"""Steps of a pipeline that only prepares the features for a model."""


def families(estimators: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The names of the models, those together that can share work.

    >>> from referee.fitting.model_spec import estimators_of
    >>> families(estimators_of(["knn(k=5)", "dummy", "knn(k=50)"], [], "binary"))
    [('knn', 'knn(k=50)'), ('dummy',)]
    """
    by_settings: dict[Hashable, list[str]] = {}
    for name, estimator in estimators.items():
        by_settings.setdefault(_shared_settings(estimator) or name, []).append(name)
    return [tuple(names) for names in by_settings.values()]


def _shared_settings(estimator: Any) -> Hashable | None:
    """What estimators must have in common to share work; None for those that share none."""
    preparation, model = _parts(estimator)
    if not hasattr(model, "shared_settings"):
        return None
    return pickle.dumps(preparation), type(model), model.shared_settings()


def _parts(estimator: Any) -> tuple[Any, Any]:
    """What prepares the features, if anything, and the model behind it."""
    from sklearn.pipeline import Pipeline

    # Pipelines of other kinds do more than to call their steps, and a step may be the word "passthrough".
    plain = type(estimator) is Pipeline and len(estimator.steps) == PREPARED and estimator.memory is None
    if plain and hasattr(estimator.steps[0][1], "transform"):
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
    return _weight_parameter(estimator) is not None


def _weight_parameter(estimator: Any) -> str | None:
    """What `fit` calls the weights of the rows; a pipeline takes those of its last step, whatever that is."""
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import has_fit_parameter

    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        inner = _weight_parameter(last)
        return None if inner is None else f"{name}__{inner}"
    return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else None


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
    parameter = None if weight is None else _weight_parameter(first)
    first.fit(rows, y, **({} if weight is None or parameter is None else {parameter: weight / weight.mean()}))
    shared = process_time() - started - (copied - prepared)
    fitted = [Fitted(estimators[0], shared, _has_changed(rows, before))]
    for estimator in estimators[1:]:
        started = process_time()
        _parts(estimator)[1].fit_from(first)
        if preparation is not None:
            estimator.steps[0] = (estimator.steps[0][0], preparation)
        fitted.append(Fitted(estimator, shared + process_time() - started, changed_input=False))
    return fitted


def _has_changed(rows: Any, before: Any) -> bool:
    if not isinstance(rows, np.ndarray):
        return False
    is_number = rows.dtype.kind == "f"
    return not np.array_equal(rows, before, equal_nan=is_number)


def ask_together(estimators: Sequence[Any], method: str, X: Array) -> list[Any]:  # noqa: N803
    """What each fitted model of a family answers: predict, predict_proba or decision_function."""
    return Asked.of(estimators, X).answers(method)


@dataclass(frozen=True)
class Asked:
    """Fitted models of a family, and rows that are prepared for them once, however many questions follow."""

    models: list[Any]
    rows: Any

    @classmethod
    def of(cls, estimators: Sequence[Any], X: Array) -> Self:  # noqa: N803
        preparation = _parts(estimators[0])[0]
        models = [_parts(estimator)[1] for estimator in estimators]
        return cls(models, X if preparation is None else preparation.transform(X))

    def answers(self, method: str) -> list[Any]:
        """Of each model to the same question."""
        first = self.models[0]
        if len(self.models) == 1:
            return [getattr(first, method)(self.rows)]
        answers: list[Any] = first.answers_of(self.models, method, self.rows)
        return answers

    @property
    def decide_by_probability(self) -> bool:
        """Whether `predict` is known to give the first of the most probable classes."""
        # Exactly these: a class that is derived from one of them may decide otherwise.
        return all(f"{type(model).__module__}.{type(model).__name__}" in MOST_PROBABLE for model in self.models)
