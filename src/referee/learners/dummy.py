"""Guessing: what any model must beat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.fitting import CLASSIFICATION, REGRESSION, Learner

if TYPE_CHECKING:
    from referee.scoring import Task


def make(task: Task) -> Any:
    from sklearn.dummy import DummyClassifier, DummyRegressor

    return DummyRegressor(strategy="mean") if task == "regression" else DummyClassifier(strategy="prior")


learner = Learner(
    title="Guessing",
    what="Answers with the most frequent class and the classes' frequencies, or with the mean, whatever the row.",
    tasks=(*CLASSIFICATION, *REGRESSION),
    make=make,
    aliases=("majority", "mean"),
)
