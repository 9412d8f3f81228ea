"""Logistic regression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.catalogue import Parameter
from referee.fitting import CLASSIFICATION, Learner, prepared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.fitting import Feature


def make(features: Sequence[Feature], seed: int, *, penalty: float = 1.0) -> Any:
    from sklearn.linear_model import LogisticRegression

    return prepared(LogisticRegression(C=1 / penalty, max_iter=1000, random_state=seed), features, scale=True)


learner = Learner(
    title="Logistic regression",
    what="Weighs the attributes so that the log odds of the class are their sum.",
    tasks=CLASSIFICATION,
    make=make,
    parameters={"penalty": Parameter("on the squared weights; larger keeps them smaller", 0, above=True)},
    references=(
        "T. Hastie, R. Tibshirani and J. Friedman (2009). The Elements of Statistical Learning, 2nd edition. "
        "Springer, section 4.4",
    ),
)
