"""The k nearest neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.catalogue import Parameter
from referee.errors import UsageError
from referee.fitting import CLASSIFICATION, REGRESSION, Learner, category_sizes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.fitting import Feature
    from referee.scoring import Task


def make(
    features: Sequence[Feature],
    task: Task,
    *,
    k: int = 5,
    weights: str = "uniform",
    ties: str = "first",
    prior: float = 0.0,
) -> Any:
    from referee.fitting.estimators.neighbours import NeighboursClassifier, NeighboursRegressor

    if task == "regression" and prior:
        raise UsageError("E_PARAMETER", "knn(prior=...) counts classes, so it is not for regression")
    kind = NeighboursRegressor if task == "regression" else NeighboursClassifier
    return kind(k=int(k), weights=weights, ties=ties, prior=prior, categories=category_sizes(features))


learner = Learner(
    title="k nearest neighbours",
    what="Predicts the classes, or the mean, of the k most similar training rows: numbers are scaled to [0, 1], "
    "categories are equal or not, and a missing value is as distant as possible.",
    tasks=(*CLASSIFICATION, *REGRESSION),
    make=make,
    parameters={
        "k": Parameter("number of neighbours", 1, whole=True),
        "weights": Parameter("whether closer ones count more", choices=("uniform", "distance")),
        "ties": Parameter(
            "rows as close as the k-th: only the first are used, or all are kept, as in Weka",
            choices=("first", "keep"),
        ),
        "prior": Parameter("rows added to each class, divided by the training rows; 1 in Weka", 0),
    },
    references=(
        "D. W. Aha, D. Kibler and M. K. Albert (1991). Instance-based learning algorithms. Machine Learning 6, 37-66",
    ),
)
