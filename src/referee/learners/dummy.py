"""Guessing: what any model must beat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.fitting import CLASSIFICATION, REGRESSION, Complexity, Learner, TreeCode, not_defined

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.scoring import Task


def make(task: Task) -> Any:
    from sklearn.dummy import DummyClassifier, DummyRegressor

    return DummyRegressor(strategy="mean") if task == "regression" else DummyClassifier(strategy="prior")


def parameters(model: Any, rows: Array) -> float:  # noqa: ARG001
    """A share for each class but one, or the mean."""
    free = {"prior": len(getattr(model, "classes_", ())) - 1, "uniform": 0, "mean": 1, "constant": 0}
    if model.strategy not in free:
        raise not_defined(f"predicting the {model.strategy} has no likelihood that its parameters maximise")
    return float(free[model.strategy])


def code(model: Any, rows: Array) -> TreeCode:
    """A tree that is one leaf."""
    import numpy as np

    return TreeCode([], [], np.asarray(model.class_prior_)[np.newaxis] * len(rows))


def dimension(model: Any, rows: Array) -> float:  # noqa: ARG001
    """Of the answers that do not look at the row."""
    return 1.0


learner = Learner(
    title="Guessing",
    what="Predicts the most frequent class and the class frequencies, or the mean, whatever the row.",
    tasks=(*CLASSIFICATION, *REGRESSION),
    make=make,
    aliases=("majority", "mean"),
    complexity=(
        Complexity(("DummyClassifier",), parameters=parameters, dimension=dimension, code=code),
        Complexity(("DummyRegressor",), parameters=parameters),
    ),
)
