"""Ridge regression: least squares that keeps the weights small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.catalogue import Parameter
from referee.fitting import REGRESSION, Learner, prepared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.fitting import Feature


def make(features: Sequence[Feature], seed: int, *, penalty: float = 1.0) -> Any:
    from sklearn.linear_model import Ridge

    return prepared(Ridge(alpha=penalty, random_state=seed), features, scale=True)


learner = Learner(
    title="Ridge regression",
    what="Weighs the attributes so that squared errors plus a penalty on the squared weights are least.",
    tasks=REGRESSION,
    make=make,
    parameters={"penalty": Parameter("on the squared weights of the scaled attributes", 0, above=True)},
    references=(
        "A. E. Hoerl and R. W. Kennard (1970). Ridge regression: biased estimation for nonorthogonal problems. "
        "Technometrics 12, 55-67",
    ),
)
