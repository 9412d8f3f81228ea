"""Decision tree in the manner of C4.5, with or without pruning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.catalogue import Parameter
from referee.errors import UsageError
from referee.fitting import CLASSIFICATION, REGRESSION, Learner, prepared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.fitting import Feature
    from referee.scoring import Task


def make(
    features: Sequence[Feature],
    task: Task,
    seed: int,
    *,
    prune: bool = False,
    confidence: float = 0.25,
    laplace: bool = False,
    min_leaf: int = 1,
) -> Any:
    if task == "regression":
        return prepared(
            _regression_tree(seed, min_leaf, prune=prune, laplace=laplace), features, magnify=True, impute=False
        )
    from referee.fitting.estimators.tree import EntropyTree

    tree = EntropyTree(prune=prune, confidence=confidence, laplace=laplace, min_leaf=int(min_leaf), random_state=seed)
    return prepared(tree, features, magnify=True, impute=False)


def _regression_tree(seed: int, min_leaf: int, *, prune: bool, laplace: bool) -> Any:
    from sklearn.tree import DecisionTreeRegressor

    if prune or laplace:
        word = "prune" if prune else "laplace"
        raise UsageError("E_PARAMETER", f"tree({word}=true) counts classes, so it is not for regression")
    return DecisionTreeRegressor(min_samples_leaf=int(min_leaf), random_state=seed)


learner = Learner(
    title="Decision tree",
    what="Splits the rows by the attribute that tells most about the class, again and again; a leaf answers with the "
    "frequencies of its training rows.",
    tasks=(*CLASSIFICATION, *REGRESSION),
    make=make,
    random=True,
    parameters={
        "prune": Parameter("replace subtrees that are not expected to pay on new rows", choices=(True, False)),
        "confidence": Parameter("of the error limit of pruning: smaller prunes more", 0, 0.5, above=True),
        "laplace": Parameter("add one row of each class to every leaf", choices=(True, False)),
        "min_leaf": Parameter("the fewest training rows of a leaf; C4.5's own is 2", 1, whole=True),
    },
    references=(
        "J. R. Quinlan (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann, section 4.2",
        "L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone (1984). Classification and Regression Trees. "
        "Wadsworth",
    ),
)
