"""Intervals of a share of rows, and the tail of Student's t."""

from __future__ import annotations

from math import hypot, inf, sqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array


def quantile(p: float, df: float) -> float:
    """The value that a share p lies below."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri(p) if df == inf else stdtrit(df, p))


def tail(statistic: float, df: float) -> float:
    """The share beyond a value."""
    from scipy.special import ndtr, stdtr

    return float(ndtr(-statistic) if df == inf else stdtr(df, -statistic))


def sign_p(wins: int, losses: int, *, mid: bool = False) -> float:
    """Two-sided p of so many wins and losses, if both are equally likely; 1 where there are none.

    >>> sign_p(5, 0), sign_p(5, 5), sign_p(0, 0)
    (0.0625, 1.0, 1.0)
    """
    from scipy.special import bdtr

    units, fewer = wins + losses, min(wins, losses)
    if not units:
        return 1.0
    p = 2 * float(bdtr(fewer, units, 0.5))
    if mid:
        p -= _binomial(fewer, units, 0.5)
    return min(1.0, p)


def median_interval(values: Array, alpha: float) -> tuple[float, float] | None:
    """The medians that the sign test would not reject, from one value to another; None where there are too few.

    >>> median_interval(np.arange(1.0, 11.0), 0.05)
    (2.0, 9.0)
    """
    from scipy.special import bdtr

    units = len(values)
    beyond = int((2 * bdtr(np.arange(units), units, 0.5) < alpha).sum())
    rising = np.sort(values)
    return (float(rising[beyond - 1]), float(rising[units - beyond])) if beyond else None


def clopper_pearson(wins: float, units: float, alpha: float) -> tuple[float, float]:
    """The exact interval of a share, as R's binom.test gives it.

    >>> [round(end, 12) for end in clopper_pearson(44, 65, 0.05)]
    [0.5494504329, 0.787672393061]
    """
    from scipy.special import betaincinv

    low = betaincinv(wins, units - wins + 1, alpha / 2) if wins else 0.0
    high = betaincinv(wins + 1, units - wins, 1 - alpha / 2) if wins < units else 1.0
    return float(low), float(high)


def jeffreys(wins: float, units: float, alpha: float) -> tuple[float, float]:
    """The middle of the distribution of a share after Jeffreys' prior, to the end where all units are alike.

    >>> [round(end, 12) for end in jeffreys(6, 6, 0.05)]
    [0.669611090848, 1.0]
    """
    from scipy.special import betaincinv

    low, high = (float(betaincinv(wins + 0.5, units - wins + 0.5, level)) for level in (alpha / 2, 1 - alpha / 2))
    return low if wins else 0.0, high if wins < units else 1.0


def mover(shares: Sequence[tuple[float, float]], intervals: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The interval of the mean of independent shares of so many wins and units (Zou and Donner, 2008)."""
    each = [wins / units for wins, units in shares]
    below, above = (
        hypot(*(share - ends[side] for share, ends in zip(each, intervals, strict=True))) / len(each) for side in (0, 1)
    )
    mean = sum(each) / len(each)
    return max(0.0, mean - below), min(1.0, mean + above)


def mid_p_interval(wins: int, units: int, alpha: float) -> tuple[float, float]:
    """The shares that the mid-p test would not reject; narrower than the exact interval."""
    from scipy.optimize import brentq
    from scipy.special import bdtr, bdtrc

    def below(share: float) -> float:
        return float(bdtrc(wins, units, share)) + _binomial(wins, units, share) / 2 - alpha / 2

    def above(share: float) -> float:
        return float(bdtr(wins - 1, units, share) if wins else 0.0) + _binomial(wins, units, share) / 2 - alpha / 2

    def root(function: Callable[[float], float]) -> float:
        return float(brentq(function, 0.0, 1.0, xtol=1e-14))

    return root(below) if wins else 0.0, root(above) if wins < units else 1.0


def wilson(wins: int, units: int, alpha: float, *, correction: bool = False) -> tuple[float, float]:
    """The shares that the normal approximation would not reject.

    >>> [round(end, 12) for end in wilson(754, 1000, 0.05)]
    [0.726368159976, 0.779687846713]
    """
    z, share = quantile(1 - alpha / 2, inf), wins / units
    half = 0.5 / units if correction else 0.0

    def end(side: int) -> float:
        near = min(1.0, max(0.0, share + side * half))
        room = z * sqrt(near * (1 - near) / units + z * z / (4 * units * units))
        return min(1.0, max(0.0, (near + z * z / (2 * units) + side * room) / (1 + z * z / units)))

    return end(-1), end(1)


def _binomial(wins: int, units: int, share: float) -> float:
    """The probability of just so many wins."""
    from scipy.special import bdtr

    return float(bdtr(wins, units, share) - (bdtr(wins - 1, units, share) if wins else 0.0))
