"""Signed ranks: rank sums of positive and negative differences, their distribution, and the estimate behind them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf
from typing import TYPE_CHECKING

import numpy as np

from referee.errors import UsageError
from referee.ranks import midranks
from referee.student_t import quantile

if TYPE_CHECKING:
    from referee.arrays import Array

MOST_STEPS = 2e9
"""Of the exact distribution; some seconds."""
MOST_UNITS = 5_000
"""Their pairwise averages take 100 MB and some seconds."""


@dataclass(frozen=True)
class SignedRanks:
    """Differences that are not 0, ranked by size."""

    differences: Array
    ranks: Array

    @cached_property
    def positive(self) -> float:
        return float(self.ranks[self.differences > 0].sum())

    @cached_property
    def negative(self) -> float:
        return float(self.ranks[self.differences < 0].sum())

    def exact(self, alpha: float) -> tuple[float, int]:
        """Two-sided p over all signs, and how many averages lie beyond each end of the matching interval."""
        below = cumulative(self.ranks)
        p = 2 * float(below[round(2 * min(self.positive, self.negative))])
        return min(1.0, p), int((2 * below[::2] < alpha).sum())

    def normal(self, alpha: float, correction: float) -> tuple[float, int]:
        """The same by the normal approximation, its variance given the ties."""
        from scipy.special import ndtr

        deviation = float((self.ranks**2).sum()) ** 0.5 / 2
        off_centre = max(0.0, abs(self.positive - self.negative) / 2 - correction)
        centre = (self.positive + self.negative) / 2
        beyond = ceil(centre - correction - quantile(1 - alpha / 2, inf) * deviation)
        return 2 * float(ndtr(-off_centre / deviation)), max(0, beyond)


def signed_ranks(each: Array, rounding: float, *, zeros: str) -> SignedRanks:
    """Rank the sizes; with Pratt's `zeros` the ties take part in the ranking, and are left out after it."""
    differ = each != 0
    if zeros == "pratt":
        return SignedRanks(each[differ], midranks(np.abs(each), rounding)[differ])
    return SignedRanks(each[differ], midranks(np.abs(each[differ]), rounding))


def cumulative(ranks: Array) -> Array:
    """How likely a sum of randomly signed ranks is at most 0, 1/2, 1, 3/2 ...; midranks are exact as well.

    >>> cumulative(np.array([1.0, 2.0]))[::2].tolist()
    [0.25, 0.5, 0.75, 1.0]
    """
    steps = np.rint(2 * ranks).astype(int).tolist()
    if len(steps) * sum(steps) > MOST_STEPS:
        raise UsageError("E_SIZE", f"{len(steps):,} units are too many for the exact method", hint="method=normal")
    density, reached = np.zeros(sum(steps) + 1), 0
    density[0] = 1.0
    for step in steps:
        density[: reached + 1] /= 2
        density[step : reached + step + 1] += density[: reached + 1].copy()
        reached += step
    return np.cumsum(density)


def walsh_averages(each: Array, rounding: float) -> Array:
    """The averages of all pairs, each difference with itself too, in rising order."""
    if len(each) > MOST_UNITS:
        hint = "paired_t, which with so many units needs no normal distribution"
        raise UsageError("E_SIZE", f"{len(each):,} units: signed ranks take at most {MOST_UNITS:,}", hint=hint)
    halves = each / 2
    averages = np.concatenate([halves[i:] + halves[i] for i in range(len(halves))])
    averages[np.abs(averages) <= rounding] = 0.0
    averages.sort()
    return averages


def pseudo_median(averages: Array) -> float:
    """Hodges and Lehmann's estimate of the difference."""
    return float(np.median(averages))
