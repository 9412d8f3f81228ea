"""Gradient boosting of small trees on binned attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.catalogue import Parameter
from referee.fitting import CLASSIFICATION, REGRESSION, Learner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.fitting import Feature
    from referee.scoring import Task


MOST_CODES = 255
"""Of a feature with more categories the codes are taken as numbers."""


def make(
    features: Sequence[Feature], task: Task, seed: int, *, rounds: int = 100, rate: float = 0.1, leaves: int = 31
) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = HistGradientBoostingRegressor if task == "regression" else HistGradientBoostingClassifier
    few = [feature.is_categorical and len(feature.categories) <= MOST_CODES for feature in features]
    coded = [place for place, codable in enumerate(few) if codable]
    return kind(
        max_iter=int(rounds),
        learning_rate=rate,
        max_leaf_nodes=int(leaves),
        categorical_features=coded or None,
        early_stopping=False,
        random_state=seed,
    )


learner = Learner(
    title="Gradient boosting",
    what="Adds small trees one by one, each fitted to what the sum so far gets wrong.",
    tasks=(*CLASSIFICATION, *REGRESSION),
    make=make,
    parameters={
        "rounds": Parameter("number of trees for each class", 1, 100_000, whole=True),
        "rate": Parameter("how much of each tree is added", 0, 1, above=True),
        "leaves": Parameter("most leaves in a tree", 2, whole=True),
    },
    references=(
        "J. H. Friedman (2001). Greedy function approximation: a gradient boosting machine. Annals of Statistics 29, "
        "1189-1232",
    ),
)
