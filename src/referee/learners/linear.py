"""Linear regression by least squares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.fitting import REGRESSION, Learner, prepared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.fitting import Feature


def make(features: Sequence[Feature]) -> Any:
    from sklearn.linear_model import LinearRegression

    return prepared(LinearRegression(), features, scale=True)


learner = Learner(
    title="Linear regression",
    what="Weighs the attributes so that the squared errors are least.",
    tasks=REGRESSION,
    make=make,
    references=(
        "T. Hastie, R. Tibshirani and J. Friedman (2009). The Elements of Statistical Learning, 2nd edition. "
        "Springer, section 3.2",
    ),
)
