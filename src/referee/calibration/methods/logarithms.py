"""Logarithms of probabilities that keep their order to the last bit, and do not let a few decide a fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.calibration.score_decomposition import CLIP

if TYPE_CHECKING:
    from referee.arrays import Array

BEND = float(np.log(CLIP))
"""Below what log_loss believes a logarithm goes on falling, but as the logarithm of itself."""
OF_ZERO = float(np.log(np.nextafter(0, 1)) - np.log(2))
"""Half of the smallest number above 0."""
OF_ONE = float(np.log(1 - np.nextafter(1, 0)) - np.log(2))
"""Of what is left to 1: half of what the largest number below 1 leaves."""


def logs_of(probability: Array) -> tuple[Array, Array]:
    """The logarithms of probabilities and of their complements; 0 and 1 lie beyond all others.

    >>> low, _ = logs_of(np.array([0.0, 1e-300, 1e-200, 0.5]))
    >>> low.round(1).tolist()
    [-42.6, -42.5, -42.1, -0.7]
    """
    probability = np.asarray(probability, float)
    with np.errstate(divide="ignore"):
        low = np.where(probability > 0, np.log(probability), OF_ZERO)
        high = np.where(probability < 1, np.log1p(-probability), OF_ONE)
    return _bent(low), _bent(high)


def log_odds(probability: Array) -> Array:
    low, high = logs_of(probability)
    return low - high


def _bent(logarithm: Array) -> Array:
    beyond = np.maximum(BEND - logarithm, 0)
    return np.maximum(logarithm, BEND) - np.log1p(beyond)
