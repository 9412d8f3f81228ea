"""The standard error of a value and its interval, on the scale that suits it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, isnan
from typing import TYPE_CHECKING

import numpy as np

from referee.arrays import total
from referee.scoring.proportions import quantile

if TYPE_CHECKING:
    from referee.arrays import Array

ROUNDING = 1e-12

"""Sums of weights round where counts of rows do not: a value this near to an end is the end."""


@dataclass(frozen=True)
class Spread:
    """The variance of a value, and the degrees of freedom of its t distribution."""

    variance: float
    df: float

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
    if not squares or not isfinite(squares):
        return 1.0
    kurtosis = rows * fourths / squares**2
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
    with np.errstate(over="ignore"):
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


def _reached(value: float, ends: tuple[float, float]) -> float | None:
    """The end that a value is at, but for rounding."""
    size = max([1.0, *(abs(end) for end in ends if isfinite(end))])
    return next((end for end in ends if abs(value - end) <= ROUNDING * size), None)


def on_its_scale(value: float, reach: float, low: float, high: float) -> tuple[float, float]:
    if isfinite(low) and isfinite(high):
        scaled = (value - low) / (high - low)
        if not 0 < scaled < 1:  # but for rounding it is an end
            return value, value
        centre, step = np.log(scaled / (1 - scaled)), reach / (high - low) / (scaled * (1 - scaled))
        lower, upper = (low + (high - low) / (1 + np.exp(-(centre + side * step))) for side in (-1, 1))
    elif isfinite(low):
        lower, upper = (low + (value - low) * np.exp(side * reach / (value - low)) for side in (-1, 1))
    elif isfinite(high):
        lower, upper = (high - (high - value) * np.exp(side * reach / (high - value)) for side in (1, -1))
    else:
        lower, upper = value - reach, value + reach
    return float(lower), float(upper)


def _at_the_end(value: float, ends: tuple[float, float], alpha: float, rows: float) -> tuple[float, float]:
    """Clopper and Pearson's bound: how far off the end could be without one of so many rows showing it."""
    low, high = ends
    if not (isfinite(low) and isfinite(high)) or isnan(rows) or rows <= 0:
        return value, value
    room = (1 - (alpha / 2) ** (1 / rows)) * (high - low)
    return (value, low + room) if value == low else (high - room, value)
