"""The standard error of a value and its interval, on the scale that suits it."""

from __future__ import annotations

from bisect import bisect_left
from math import exp, hypot, inf, isfinite, isnan, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from referee.arrays import total
from referee.records import dataclass
from referee.scoring.distributions import beta_quantile, binomial_cdf, binomial_sf, t_cdf, t_quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array


def quantile(p: float, df: float) -> float:
    """The value that a share p lies below."""
    return t_quantile(df, p)


def tail(statistic: float, df: float) -> float:
    """The share beyond a value."""
    return t_cdf(df, -statistic)


def sign_p(wins: int, losses: int, *, mid: bool = False) -> float:
    """Two-sided p of so many wins and losses, if both are equally likely; 1 where there are none.

    >>> sign_p(5, 0), sign_p(5, 5), sign_p(0, 0)
    (0.0625, 1.0, 1.0)
    """
    units, fewer = wins + losses, min(wins, losses)
    if not units:
        return 1.0
    p = 2 * binomial_cdf(fewer, units, 0.5)
    if mid:
        p -= _binomial(fewer, units, 0.5)
    return min(1.0, p)


def median_interval(values: Array, alpha: float) -> tuple[float, float] | None:
    """The medians that the sign test would not reject, from one value to another; None where there are too few.

    >>> median_interval(np.arange(1.0, 11.0), 0.05)
    (2.0, 9.0)
    """
    units = len(values)
    beyond = bisect_left(range(units), alpha, key=lambda wins: 2 * binomial_cdf(wins, units, 0.5))
    rising = np.sort(values)
    return (float(rising[beyond - 1]), float(rising[units - beyond])) if beyond else None


def clopper_pearson(wins: float, units: float, alpha: float) -> tuple[float, float]:
    """The exact interval of a share, as R's binom.test gives it.

    >>> [round(end, 12) for end in clopper_pearson(44, 65, 0.05)]
    [0.5494504329, 0.787672393061]
    """
    low = beta_quantile(wins, units - wins + 1, alpha / 2) if wins else 0.0
    high = beta_quantile(wins + 1, units - wins, 1 - alpha / 2) if wins < units else 1.0
    return low, high


def jeffreys(wins: float, units: float, alpha: float) -> tuple[float, float]:
    """The middle of the distribution of a share after Jeffreys' prior, to the end where all units are alike.

    >>> [round(end, 12) for end in jeffreys(6, 6, 0.05)]
    [0.669611090848, 1.0]
    """
    low, high = (beta_quantile(wins + 0.5, units - wins + 0.5, level) for level in (alpha / 2, 1 - alpha / 2))
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

    def below(share: float) -> float:
        return binomial_sf(wins, units, share) + _binomial(wins, units, share) / 2 - alpha / 2

    def above(share: float) -> float:
        return binomial_cdf(wins - 1, units, share) + _binomial(wins, units, share) / 2 - alpha / 2

    def root(function: Callable[[float], float]) -> float:
        return float(brentq(function, 0.0, 1.0, xtol=1e-14))

    return root(below) if wins else 0.0, root(above) if wins < units else 1.0


def wilson(wins: int, units: int, alpha: float, *, correction: bool = False) -> tuple[float, float]:
    """The shares that the normal approximation would not reject.

    >>> [round(end, 12) for end in wilson(754, 1000, 0.05)]
    [0.726368159976, 0.779687846713]
    """
    z, share = quantile(1 - alpha / 2, inf), wins / units if units else 0.5
    half = 0.5 / units if correction and units else 0.0

    def end(side: int) -> float:
        near = min(1.0, max(0.0, share + side * half))
        room = z * sqrt(near * (1 - near) * units + z * z / 4)
        return min(1.0, max(0.0, (near * units + z * z / 2 + side * room) / (units + z * z)))

    return end(-1), end(1)


def _binomial(wins: int, units: int, share: float) -> float:
    """The probability of just so many wins."""
    return binomial_cdf(wins, units, share) - binomial_cdf(wins - 1, units, share)


ROUNDING = 1e-12
"""Sums of weights round where counts of rows do not: a value this near to an end is the end."""


@dataclass(frozen=True)
class Spread:
    """The variance of a value, and the degrees of freedom of its t distribution."""

    variance: float
    df: float

    @property
    def facts(self) -> dict[str, float]:
        """What else there is to know of it, by name."""
        return {}

    @property
    def standard_error(self) -> float:
        return self.variance**0.5


def bessel(rows: float) -> float:
    """What a variance about an estimated mean is multiplied by; one row has no variance."""
    return rows / (rows - 1) if rows > 1 else inf


def degrees_of_freedom(changes: Array) -> float:
    """The reference t of heavy-tailed influences: 2 n / (kurtosis - 1), at least 1 and at most n - 1."""
    squares = changes**2
    return df_from_moments(len(changes), total(squares), total(squares**2))


def df_from_moments(rows: float, squares: float, fourths: float) -> float:
    product = squares * squares
    if not product or not isfinite(product):  # the least that can be known, also where it has no number
        return 1.0
    kurtosis = rows * fourths / product
    return max(1.0, min(rows - 1.0, 2 * rows / (kurtosis - 1) if kurtosis > 1 else inf))


def interval(
    value: float, spread: Spread, ends: tuple[float, float], alpha: float, certain_rows: float
) -> tuple[float, float]:
    """The 1 - alpha interval of a value that lies between two ends.

    On the logit scale between two finite ends (Fisher's z for -1 and 1), on the log scale above or below one, as it
    is without. At an end itself, the exact binomial bound for `certain_rows` rows without an exception.

    >>> low, high = interval(0.9, Spread(0.0009, inf), (0, 1), 0.05, 100)
    >>> round(low, 4), round(high, 4)
    (0.824, 0.9453)
    """
    low, high = ends
    if (end := _reached(value, ends)) is not None:
        return _at_the_end(end, ends, alpha, certain_rows)
    if not spread.variance:
        return value, value
    reach = quantile(1 - alpha / 2, spread.df) * spread.standard_error
    return on_its_scale(value, reach, low, high)


def name_of_interval(value: float, ends: tuple[float, float]) -> str:
    """What it is called.

    >>> name_of_interval(0.9, (0, 1)), name_of_interval(1.0, (0, 1)), name_of_interval(3.5, (0, inf))
    ('t on the logit scale', "Clopper and Pearson's bound", 't on the log scale')
    """
    finite = [end for end in ends if isfinite(end)]
    if len(finite) == 2 and _reached(value, ends) is not None:
        return "Clopper and Pearson's bound"
    scales = {0: "t", 1: "t on the log scale", 2: "t on the logit scale"}
    return "t on Fisher's z scale" if tuple(ends) == (-1, 1) else scales[len(finite)]


def is_at_an_end(value: float, ends: tuple[float, float]) -> bool:
    """Whether it is the best or the worst possible, but for rounding."""
    return _reached(value, ends) is not None


def are_at_an_end(values: Array, ends: tuple[float, float]) -> Array:
    """The same of many."""
    return np.any([np.abs(values - end) <= ROUNDING * _size(ends) for end in ends], axis=0)


def _size(ends: tuple[float, float]) -> float:
    """Of the range; what is above 0 without an end is in any unit, so that nothing but 0 is near to 0."""
    sizes = [abs(end) for end in ends if isfinite(end)]
    return max(1.0, *sizes) if len(sizes) == 2 else max(sizes, default=0.0)


def _reached(value: float, ends: tuple[float, float]) -> float | None:
    """The end that a value is at, but for rounding."""
    low, high = ends
    near = ROUNDING * _size(ends)
    if abs(value - low) <= near:
        return low
    return high if abs(value - high) <= near else None


@np.errstate(over="ignore")  # an end may be infinite
def on_its_scale(value: float, reach: float, low: float, high: float) -> tuple[float, float]:
    if isfinite(low) and isfinite(high):
        scaled = (value - low) / (high - low)
        if not 0 < scaled < 1:  # but for rounding it is an end
            return value, value
        centre, step = log(scaled / (1 - scaled)), reach / (high - low) / (scaled * (1 - scaled))
        lower, upper = (low + (high - low) * _logistic(centre + side * step) for side in (-1, 1))
    elif isfinite(low):
        lower, upper = (low + (value - low) * np.exp(side * reach / (value - low)) for side in (-1, 1))
    elif isfinite(high):
        lower, upper = (high - (high - value) * np.exp(side * reach / (high - value)) for side in (1, -1))
    else:
        lower, upper = value - reach, value + reach
    return float(lower), float(upper)


def _logistic(logit: float) -> float:
    small = exp(-abs(logit))
    return (1 if logit >= 0 else small) / (1 + small)


def _at_the_end(value: float, ends: tuple[float, float], alpha: float, rows: float) -> tuple[float, float]:
    """Clopper and Pearson's bound: how far off the end could be without one of so many rows showing it."""
    low, high = ends
    if not (isfinite(low) and isfinite(high)) or isnan(rows) or rows <= 0:
        return value, value
    room = (1 - (alpha / 2) ** (1 / rows)) * (high - low)
    return (value, low + room) if value == low else (high - room, value)
