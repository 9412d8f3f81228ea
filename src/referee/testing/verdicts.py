"""Scoring made-up predictions, comparing the values, and saying that a declaration is false."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from referee.scoring import values
from referee.testing.engines import summary_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.predictions import Predictions, Units
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
