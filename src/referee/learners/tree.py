"""Decision tree: scikit-learn's with entropy, or C4.5's; with or without pruning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.catalogue import Parameter
from referee.errors import UsageError
from referee.fitting import CLASSIFICATION, REGRESSION, Complexity, Learner, TreeCode, category_sizes, prepared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.fitting import Feature
    from referee.scoring import Task


def make(
    features: Sequence[Feature],
    task: Task,
    seed: int,
    *,
    like: str = "cart",
    prune: bool = False,
    confidence: float = 0.25,
    laplace: bool = False,
    min_leaf: int | None = None,
) -> Any:
    if task == "regression":
        _refuse_counting(like == "c45" and "like=c45", prune and "prune=true", laplace and "laplace=true")
        return prepared(_regression_tree(seed, min_leaf), features, magnify=True, impute=False)
    settings: dict[str, Any] = {"prune": prune, "confidence": confidence, "laplace": laplace}
    if like == "c45":
        from referee.fitting.estimators.c45 import C45Tree

        return C45Tree(**settings, min_leaf=int(min_leaf or 2), categories=category_sizes(features))
    from referee.fitting.estimators.tree import EntropyTree

    tree = EntropyTree(**settings, min_leaf=int(min_leaf or 1), random_state=seed)
    return prepared(tree, features, magnify=True, impute=False)


def _refuse_counting(*given: str | bool) -> None:
    for parameter in filter(None, given):
        raise UsageError("E_PARAMETER", f"tree({parameter}) counts classes, so it is not for regression")


def _regression_tree(seed: int, min_leaf: int | None) -> Any:
    from sklearn.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(min_samples_leaf=int(min_leaf or 1), random_state=seed)


def code(model: Any, rows: Array) -> TreeCode:
    from referee.fitting.estimators.tree_code import code_of

    return code_of(model, rows)


learner = Learner(
    title="Decision tree",
    what="Splits the rows repeatedly by the attribute that says most about the class; a leaf predicts the class "
    "frequencies of its training rows.",
    tasks=(*CLASSIFICATION, *REGRESSION),
    make=make,
    random=True,
    complexity=(Complexity(("C45Tree", "EntropyTree", "DecisionTreeClassifier"), code=code),),
    parameters={
        "like": Parameter(
            "two branches at every node and entropy (cart), or all of C4.5, as in Weka's J48: gain ratio, a branch "
            "for each category, rows divided where a value is missing, subtrees raised",
            choices=("cart", "c45"),
        ),
        "prune": Parameter("replace subtrees that are not expected to help on new rows", choices=(True, False)),
        "confidence": Parameter("confidence of the error limit in pruning: smaller prunes more", 0, 0.5, above=True),
        "laplace": Parameter("add one row of each class to every leaf", choices=(True, False)),
        "min_leaf": Parameter("fewest training rows in a leaf; default 1, and 2 with like=c45", 1, whole=True),
    },
    references=(
        "J. R. Quinlan (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann, section 4.2",
        "L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone (1984). Classification and Regression Trees. "
        "Wadsworth",
    ),
)
