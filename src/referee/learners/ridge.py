"""Ridge regression: least squares that keeps the weights small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.catalogue import Parameter
from referee.fitting import REGRESSION, Complexity, Learner, not_defined, prepared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.fitting import Feature


def make(features: Sequence[Feature], seed: int, *, penalty: float = 1.0) -> Any:
    from sklearn.linear_model import Ridge

    return prepared(Ridge(alpha=penalty, random_state=seed), features, scale=True)


def parameters(model: Any, rows: Array) -> float:
    """The effective number of weights, and the intercept (The Elements of Statistical Learning, equation 3.50)."""
    import numpy as np

    if model.positive or np.ndim(model.alpha):
        raise not_defined(
            "weights that must not be negative, or have penalties of their own, have no known number of free parameters"
        )
    centred = rows - rows.mean(axis=0) if model.fit_intercept else rows
    squares = np.linalg.svd(centred, compute_uv=False) ** 2
    squares = squares[squares > squares.max(initial=0.0) * np.finfo(float).eps * max(rows.shape)]
    return float((squares / (squares + model.alpha)).sum() + model.fit_intercept)


learner = Learner(
    title="Ridge regression",
    what="Weights the attributes so that the squared errors plus a penalty on the squared weights are smallest.",
    tasks=REGRESSION,
    make=make,
    complexity=(Complexity(("Ridge",), parameters=parameters),),
    parameters={"penalty": Parameter("penalty on the squared weights of the scaled attributes", 0, above=True)},
    references=(
        "A. E. Hoerl and R. W. Kennard (1970). Ridge regression: biased estimation for nonorthogonal problems. "
        "Technometrics 12, 55-67",
    ),
)
