"""Temperature scaling: all log odds divided by one number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from referee.calibration.methods.method import Method, finite, log_odds, logs_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array

LOG_LIMIT = 10.0
"""The temperature stays between exp(-10) and exp(10): of forecasts that are all right it would go to 0."""


@dataclass(frozen=True)
class Temperature:
    """Probabilities in proportion to p^(1/temperature)."""

    temperature: float

    def __call__(self, columns: list[Array]) -> list[Array]:
        from scipy.special import expit, softmax

        if len(columns) == 1:
            return [expit(log_odds(columns[0]) / self.temperature)]
        powers = np.stack([logs_of(column)[0] for column in columns])
        # The largest is 0, so that no temperature makes all of them infinite.
        return list(softmax((powers - powers.max(axis=0)) / self.temperature, axis=0))

    @property
    def strictly_increasing(self) -> bool:
        return True

    @property
    def constant(self) -> bool:
        return False

    def numbers(self) -> dict[str, float | list[float]]:
        return {"temperature": self.temperature}


def fit(columns: list[Array], truth: Array, weight: Array) -> Temperature:
    """The loss is convex in 1 / temperature, so its derivative has one root."""
    from scipy.optimize import brentq

    surplus = _of_one_event(columns[0], truth) if len(columns) == 1 else _of_classes(columns, truth)

    def slope(log_sharpness: float) -> float:
        return float(weight @ surplus(np.exp(log_sharpness)))

    if slope(-LOG_LIMIT) >= 0:
        return Temperature(float(np.exp(LOG_LIMIT)))
    if slope(LOG_LIMIT) <= 0:
        return Temperature(float(np.exp(-LOG_LIMIT)))
    return Temperature(float(np.exp(-brentq(slope, -LOG_LIMIT, LOG_LIMIT, xtol=1e-14))))


def _of_one_event(probability: Array, truth: Array) -> Callable[[float], Array]:
    """What each row adds to the derivative of the loss by the sharpness, 1 / temperature."""
    from scipy.special import expit

    given = log_odds(probability)
    return lambda sharpness: given * (expit(sharpness * given) - truth)


def _of_classes(columns: list[Array], truth: Array) -> Callable[[float], Array]:
    from scipy.special import softmax

    powers = np.stack([logs_of(column)[0] for column in columns])
    of_truth = powers[truth, np.arange(len(truth))]
    return lambda sharpness: (softmax(sharpness * powers, axis=0) * powers).sum(axis=0) - of_truth


def restore(temperature: object) -> Temperature:
    value = finite("temperature", temperature)
    if value <= 0:
        raise ValueError(f"'temperature' is {value!r}, and must be above 0")
    return Temperature(value)


method = Method(
    name="temperature",
    title="Temperature scaling",
    assumes="all forecasts are too extreme, or too timid, by the same factor of their log odds, and right on average "
    "at one half",
    needs="probabilities",
    keeps_ranking="strictly increasing: keeps the ranking and AUC",
    fit=fit,
    restore=restore,
    reference="Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks, ICML",
    joint=True,
)
