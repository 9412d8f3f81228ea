"""Linear regression by least squares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.fitting import REGRESSION, Complexity, Learner, not_defined, prepared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.fitting import Feature


def make(features: Sequence[Feature]) -> Any:
    from sklearn.linear_model import LinearRegression

    return prepared(LinearRegression(), features, scale=True)


def parameters(model: Any, rows: Array) -> float:  # noqa: ARG001
    """The weights that are not sums of others, and the intercept."""
    if model.positive:
        raise not_defined("weights that must not be negative are not free parameters")
    return float(model.rank_ + model.fit_intercept)


learner = Learner(
    title="Linear regression",
    what="Weights the attributes so that the squared errors are smallest.",
    tasks=REGRESSION,
    make=make,
    complexity=(Complexity(("LinearRegression",), parameters=parameters),),
    references=(
        "T. Hastie, R. Tibshirani and J. Friedman (2009). The Elements of Statistical Learning, 2nd edition. "
        "Springer, section 3.2",
    ),
)
