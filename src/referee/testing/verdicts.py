"""Scoring made-up predictions, comparing the values, and saying that a declaration is false."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing import gate
from referee.predictions import Predictions
from referee.scoring import values
from referee.testing.samples import summary_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.predictions import Units
    from referee.scoring import Metric

ROUNDING = 1e-12


class ContractError(AssertionError):
    """A metric is not what it says it is."""


def require(metric: Metric, truth_of_it: object, claim: str) -> None:
    """Raise unless the claim about the metric is true."""
    if not truth_of_it:
        raise ContractError(f"{metric.name or metric.title}: not true: {claim}")


def scores(metric: Metric, predictions: Predictions, by: Units | None = None) -> Array:
    """Score the first model in each unit."""
    return values(metric, summary_of(predictions, by), len(predictions.classes), predictions.positive)


def score(metric: Metric, predictions: Predictions) -> float:
    return float(scores(metric, predictions)[0])


def same(a: float, b: float, tolerance: float = ROUNDING) -> bool:
    """Whether two values are equal, both undefined, or differ by rounding, relative where they are large."""
    if isnan(a) or isnan(b):
        return isnan(a) and isnan(b)
    return a == b or abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def exact_unless_sums(metric: Metric) -> float:
    """The tolerance for a change that leaves counts and rankings as they are but reorders sums."""
    return ROUNDING if "sums" in metric.summaries else 0.0


def as_loss(metric: Metric, value: float | Array) -> Array:
    """The value, negated if higher is better."""
    return np.asarray(value if metric.better == "lower" else -np.asarray(value))


def with_example_settings(metric: Metric) -> Iterator[Metric]:
    """The metric itself and as its examples set it: where one case is enough, any of these may be it."""
    yield metric
    for example in metric.examples:
        if example.settings:
            yield metric.bind(**example.settings)


def assert_not_worse(predictions: Predictions, goal: str | Metric, **options: Any) -> None:
    """Fail with the gate's sentence unless the candidate is shown to be not worse than production by the margin.

    `options` are those of `referee.gate`: production, candidate, margin, superiority ...

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0, 1] * 50, {"old": [0.2, 0.7] * 50, "new": [0.1, 0.9] * 50})
    >>> assert_not_worse(predictions, "accuracy", production="old", candidate="new", margin=0.01)
    """
    __tracebackhide__ = True
    found = gate(predictions, goal, **options)
    if not found.passed:
        raise AssertionError(found.sentence)


def demo_predictions(seed: int = 0) -> Predictions:
    """Fit on one half of the breast cancer data, predict the other.

    >>> demo_predictions().names
    ('logistic', 'naive_bayes', 'tree')
    """
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    data = load_breast_cancer()
    diagnosis = data.target_names[data.target]
    x, x_test, y, y_test = train_test_split(data.data, diagnosis, test_size=0.5, stratify=diagnosis, random_state=seed)
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "naive_bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(random_state=seed),
    }
    malignant = {name: model.fit(x, y).predict_proba(x_test)[:, 1] for name, model in models.items()}
    return Predictions.from_arrays(y_test, malignant, positive="malignant")
