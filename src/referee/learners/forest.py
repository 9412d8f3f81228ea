"""Random forest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.catalogue import Parameter
from referee.fitting import CLASSIFICATION, REGRESSION, Learner, prepared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.fitting import Feature
    from referee.scoring import Task


def make(features: Sequence[Feature], task: Task, seed: int, *, trees: int = 100, min_leaf: int = 1) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestRegressor if task == "regression" else RandomForestClassifier
    forest = kind(n_estimators=int(trees), min_samples_leaf=int(min_leaf), random_state=seed, n_jobs=1)
    return prepared(forest, features, magnify=True, impute=False)


learner = Learner(
    title="Random forest",
    what="Averages many trees, each grown on rows drawn with replacement, with a few random attributes at every split.",
    tasks=(*CLASSIFICATION, *REGRESSION),
    make=make,
    random=True,
    parameters={
        "trees": Parameter("number of trees", 1, 100_000, whole=True),
        "min_leaf": Parameter("fewest training rows in a leaf", 1, whole=True),
    },
    references=("L. Breiman (2001). Random forests. Machine Learning 45, 5-32",),
)
