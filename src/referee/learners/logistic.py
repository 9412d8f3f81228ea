"""Logistic regression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.catalogue import Parameter
from referee.fitting import CLASSIFICATION, Complexity, Learner, linear_dimension, not_defined, prepared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.fitting import Feature


def make(features: Sequence[Feature], seed: int, *, penalty: float = 1.0) -> Any:
    from sklearn.linear_model import LogisticRegression

    return prepared(LogisticRegression(C=1 / penalty, max_iter=1000, random_state=seed), features, scale=True)


LINEAR = ("LinearDiscriminantAnalysis", "LinearSVC", "Perceptron", "RidgeClassifier", "SGDClassifier")
"""Classifiers of scikit-learn that also draw a hyperplane."""
MOST_WEIGHTS = 3_000


def parameters(model: Any, rows: Array) -> float:
    """The effective number of weights and intercepts: the trace of (H + penalty)^-1 H, where H is the information."""
    import numpy as np

    if model.class_weight is not None or model.l1_ratio or model.penalty in ("l1", "elasticnet"):
        raise not_defined("with class_weight or an l1 penalty its number of free weights is not known")
    inputs = np.column_stack([rows, np.ones(len(rows))]) if model.fit_intercept else rows
    shares = model.predict_proba(rows)[:, len(model.classes_) == 2 :]
    sets, columns = shares.shape[1], inputs.shape[1]
    if sets * columns > MOST_WEIGHTS:
        raise not_defined(f"it has more than {MOST_WEIGHTS:,} weights, too many to find their effective number")
    information = np.empty((sets * columns, sets * columns))
    for i in range(sets):
        for j in range(sets):
            spread = shares[:, i] * ((i == j) - shares[:, j])
            block = (slice(i * columns, (i + 1) * columns), slice(j * columns, (j + 1) * columns))
            information[block] = (inputs * spread[:, np.newaxis]).T @ inputs
    kept_small = np.tile(np.arange(columns) < rows.shape[1], sets) / (np.inf if model.penalty is None else model.C)
    return float(np.trace(np.linalg.pinv(information + np.diag(kept_small), hermitian=True) @ information))


learner = Learner(
    title="Logistic regression",
    what="Weights the attributes so that their sum gives the log odds of the class.",
    tasks=CLASSIFICATION,
    make=make,
    complexity=(
        Complexity(("LogisticRegression",), parameters=parameters, dimension=linear_dimension),
        Complexity(LINEAR, dimension=linear_dimension),
    ),
    parameters={"penalty": Parameter("penalty on the squared weights; a larger one keeps them smaller", 0, above=True)},
    references=(
        "T. Hastie, R. Tibshirani and J. Friedman (2009). The Elements of Statistical Learning, 2nd edition. "
        "Springer, section 4.4",
    ),
)
