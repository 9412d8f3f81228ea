"""Beta calibration: three numbers that bend low and high probabilities by themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from referee.calibration.methods.method import Method, finite, logs_of, smoothed_outcomes
from referee.calibration.recalibration import fit_logistic

if TYPE_CHECKING:
    from referee.arrays import Array


@dataclass(frozen=True)
class Beta:
    """log odds = c + a log(p) - b log(1 - p), with a and b at least 0."""

    a: float
    b: float
    c: float

    def __call__(self, columns: list[Array]) -> list[Array]:
        from scipy.special import expit

        logs = [_logs(column) for column in columns]
        return [expit(self.a * each[:, 0] + self.b * each[:, 1] + self.c) for each in logs]

    @property
    def strictly_increasing(self) -> bool:
        return self.a > 0 or self.b > 0

    @property
    def constant(self) -> bool:
        return self.a == 0 and self.b == 0

    def numbers(self) -> dict[str, float | list[float]]:
        return {"a": self.a, "b": self.b, "c": self.c}


def _logs(probability: Array) -> Array:
    low, high = logs_of(probability)
    return np.column_stack([low, -high])


def fit(columns: list[Array], truth: Array, weight: Array) -> Beta:
    """With a or b below 0 the map would fall somewhere: then without it (Kull et al., section 4)."""
    came_true, failed = smoothed_outcomes(truth, weight)
    logs, one = _logs(columns[0]), np.ones((len(truth), 1))
    used = [0, 1] if np.ptp(columns[0]) > 0 else []
    while True:
        *found, c = fit_logistic(np.hstack([logs[:, used], one]), came_true, failed).coefficients
        if not used or min(found) >= 0:
            break
        used.remove(used[int(np.argmin(found))])
    of_logs = dict(zip(used, found, strict=True))
    return Beta(float(of_logs.get(0, 0.0)), float(of_logs.get(1, 0.0)), float(c))


def restore(a: object, b: object, c: object) -> Beta:
    found = Beta(finite("a", a), finite("b", b), finite("c", c))
    if min(found.a, found.b) < 0:
        raise ValueError("'a' and 'b' must not be below 0")
    return found


method = Method(
    name="beta",
    title="Beta calibration",
    assumes="the forecasts of each outcome follow a beta distribution; it can bend both ends and change nothing",
    needs="probabilities",
    keeps_ranking="strictly increasing: keeps the ranking and AUC",
    fit=fit,
    restore=restore,
    reference="Kull, Silva Filho and Flach (2017), Beta calibration, AISTATS, PMLR 54, 623-631",
)
