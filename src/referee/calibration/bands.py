"""Where points of a reliability diagram lie if the forecasts are calibrated, and how sure observed shares are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.student_t import quantile

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.calibration.forecasts import Forecasts

HALVINGS = 50
"""Bisections of an interval of length 1: down to the last bit."""


def consistency_of_bins(forecast: Array, rows: Array, alpha: float) -> tuple[Array, Array]:
    """The binomial quantiles of each bin's share, if its mean forecast is right.

    >>> low, high = consistency_of_bins(np.array([0.5]), np.array([100.0]), 0.05)
    >>> low.tolist(), high.tolist()
    ([0.4], [0.6])
    """
    rows = np.maximum(np.round(rows), 1)
    return binomial_quantile(alpha / 2, rows, forecast) / rows, binomial_quantile(1 - alpha / 2, rows, forecast) / rows


def binomial_quantile(level: float, rows: Array, share: Array) -> Array:
    """The smallest count that is reached with at least the probability `level`."""
    from scipy.special import bdtrik

    with np.errstate(all="ignore"):
        near = np.floor(np.nan_to_num(bdtrik(level, rows, np.clip(share, 0, 1)), nan=0.0))
    candidates = np.clip(near + np.array([[-1.0], [0.0], [1.0], [2.0]]), 0, rows)
    reached = _at_most(candidates, rows, share) >= level
    return np.where(reached.any(axis=0), np.take_along_axis(candidates, reached.argmax(axis=0)[None], 0)[0], rows)


def _at_most(count: Array, rows: Array, share: Array) -> Array:
    """The binomial distribution function."""
    from scipy.special import betainc

    with np.errstate(all="ignore"):
        return np.where(count >= rows, 1.0, betainc(np.maximum(rows - count, 1), count + 1, 1 - share))


def confidence_of_bins(observed: Array, rows: Array, alpha: float) -> tuple[Array, Array]:
    """Wilson's interval of each bin's share.

    >>> low, high = confidence_of_bins(np.array([0.5]), np.array([100.0]), 0.05)
    >>> round(float(low[0]), 4), round(float(high[0]), 4)
    (0.4038, 0.5962)
    """
    z = quantile(1 - alpha / 2, np.inf)
    centre = (observed + z * z / (2 * rows)) / (1 + z * z / rows)
    reach = z / (1 + z * z / rows) * np.sqrt(observed * (1 - observed) / rows + (z / (2 * rows)) ** 2)
    return np.maximum(centre - reach, 0), np.minimum(centre + reach, 1)


def consistency_of_isotonic(forecasts: Forecasts, at: Array, alpha: float) -> tuple[Array, Array]:
    """Where the isotonic regression of calibrated forecasts lies, pointwise, by a formula.

    The regression at a forecast pools its neighbours: so many that what it gains in noise it loses in bias. The band
    is as wide as the binomial spread of the rows inside it: the smallest w with w² rows(w) >= z² variance, upwards
    and downwards by themselves. Where forecasts are dense this is the limit of the estimator, Chernoff's
    distribution (at 95 % within 2 %); where each is given to many rows it is the binomial interval.
    """
    z = quantile(1 - alpha / 2, np.inf)
    return at - _reach(forecasts, at, -1, z), at + _reach(forecasts, at, 1, z)


def _reach(forecasts: Forecasts, at: Array, side: int, z: float) -> Array:
    weights = np.concatenate([[0], np.cumsum(forecasts.rows)])
    noise = np.concatenate([[0], np.cumsum(forecasts.noise)])
    low, high = np.zeros(len(at)), 1 - at if side > 0 else at.copy()
    for _ in range(HALVINGS):
        reach = (low + high) / 2
        end = at + side * reach
        a, b = (at, end) if side > 0 else (end, at)
        first, last = np.searchsorted(forecasts.forecast, a), np.searchsorted(forecasts.forecast, b, "right")
        rows = (weights[last] - weights[first]) ** 2 / np.maximum(noise[last] - noise[first], np.finfo(float).tiny)
        enough = reach**2 * rows >= z**2 * np.maximum(end * (1 - end), at * (1 - at))
        low, high = np.where(enough, low, reach), np.where(enough, reach, high)
    return high
