"""Logistic regression by Newton's method, on distinct scores with the weight of each outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from referee.arrays import Array

MOST_STEPS = 200
CLOSE = 1e-13
"""Newton's steps end where the next one would lower the loss by less than this share of it."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Coefficients of the columns of a design, the information about them, and the loss (minus log likelihood)."""

    coefficients: Array
    information: Array
    loss: float

    @property
    def covariance(self) -> Array:
        return np.linalg.pinv(self.information, hermitian=True)


def fit_logistic(design: Array, came_true: Array, failed: Array, offset: Array | float = 0.0) -> Fit:
    """Fit log odds = offset + design @ coefficients to the weights of both outcomes.

    >>> found = fit_logistic(np.ones((1, 1)), np.array([3.0]), np.array([1.0]))
    >>> bool(np.isclose(found.coefficients[0], np.log(3)))
    True
    """
    # Columns of the same size, so that the order of magnitude of scores does not matter.
    scale = np.sqrt((design**2).mean(axis=0))
    scale = np.where(scale > 0, scale, 1.0)
    scaled = design / scale
    coefficients = np.zeros(design.shape[1])
    loss = _loss(scaled @ coefficients + offset, came_true, failed)
    for _ in range(MOST_STEPS):
        gradient, information = _derivatives(scaled, scaled @ coefficients + offset, came_true, failed)
        step = np.linalg.lstsq(information, gradient, rcond=None)[0]
        if not float(gradient @ step) > CLOSE * max(
            loss, 1e-300
        ):  # the last step doubles the digits, though the loss may not show it
            coefficients = coefficients + step
            break
        coefficients, loss = _downhill(scaled, coefficients, step, loss, came_true, failed, offset)
    log_odds = scaled @ coefficients + offset
    information = _derivatives(scaled, log_odds, came_true, failed)[1]
    return Fit(coefficients / scale, information * np.outer(scale, scale), _loss(log_odds, came_true, failed))


def _downhill(
    design: Array, start: Array, step: Array, loss: float, came_true: Array, failed: Array, offset: Array | float
) -> tuple[Array, float]:
    """Take Newton's step, or the half of it that lowers the loss."""
    for halving in range(60):
        coefficients = start + step / 2**halving
        lower = _loss(design @ coefficients + offset, came_true, failed)
        if lower <= loss:
            return coefficients, lower
    return start, loss


def _loss(log_odds: Array, came_true: Array, failed: Array) -> float:
    towards = np.log1p(np.exp(-np.abs(log_odds)))  # the loss of the outcome that the odds are for
    against = np.abs(log_odds) * np.where(log_odds > 0, failed, came_true)
    return float(((came_true + failed) * towards + against).sum())


def _derivatives(design: Array, log_odds: Array, came_true: Array, failed: Array) -> tuple[Array, Array]:
    from scipy.special import expit

    share = expit(log_odds)
    rows = came_true + failed
    gradient = design.T @ (came_true - rows * share)
    return gradient, (design * (rows * share * expit(-log_odds))[:, np.newaxis]).T @ design
