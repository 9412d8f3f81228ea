"""Ranks: signed ones of differences, and mean ranks of many models."""

from __future__ import annotations

from functools import cached_property
from math import ceil, factorial, inf, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import largest
from referee.comparing.comparison import DUST
from referee.errors import InputError, Notice, UndefinedError, UsageError
from referee.records import dataclass
from referee.scoring import quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.comparing.design import Design


def midranks(values: Array, rounding: float = 0.0) -> Array:
    """Rank from 1 upwards; values that are equal, or differ by rounding only, share the mean of their ranks.

    >>> midranks(np.array([0.3, 0.1, 0.3, 0.2])).tolist()
    [3.5, 1.0, 3.5, 2.0]
    """
    order = np.argsort(values, kind="stable")
    group = np.concatenate([[0], np.cumsum(np.diff(values[order]) > rounding)])
    sizes = np.bincount(group)
    ranks = np.empty(len(values))
    ranks[order] = (np.cumsum(sizes) - (sizes - 1) / 2)[group]
    return ranks


@dataclass(frozen=True)
class RankTable:
    """The rank of each model on each data set; the best has rank 1."""

    names: Sequence[str]
    ranks: Array
    """Data sets by models."""
    warnings: tuple[Notice, ...] = ()

    @property
    def data_sets(self) -> int:
        return len(self.ranks)

    @property
    def models(self) -> int:
        return len(self.names)

    @property
    def means(self) -> dict[str, float]:
        return dict(zip(self.names, self.ranks.mean(axis=0).tolist(), strict=True))

    @property
    def all_tied(self) -> bool:
        return bool((self.ranks == self.ranks[0, 0]).all())

    @property
    def all_alike(self) -> bool:
        """Whether every data set ranks the models in the same way."""
        return bool((self.ranks == self.ranks[0]).all())

    @property
    def chi_squared(self) -> float:
        """Friedman's statistic, corrected for ties; 0 where every data set ties all models."""
        middle = (self.models + 1) / 2
        between = ((self.ranks.sum(axis=0) - self.data_sets * middle) ** 2).sum()
        within = ((self.ranks - middle) ** 2).sum()
        return float((self.models - 1) * between / within) if within else 0.0

    def iman_davenport(self) -> tuple[float, float]:
        """The F statistic and its p; where all data sets agree, infinity and the exact probability of that."""
        from scipy.special import fdtrc

        if self.all_tied:
            return 0.0, 1.0
        if self.all_alike:
            ties = np.unique(self.ranks[0], return_counts=True)[1].tolist()
            orders = factorial(self.models) // prod(factorial(tied) for tied in ties)
            return inf, float((1 / orders) ** (self.data_sets - 1))
        chi_squared, n, k = self.chi_squared, self.data_sets, self.models
        statistic = (n - 1) * chi_squared / (n * (k - 1) - chi_squared)
        return statistic, float(fdtrc(k - 1, (k - 1) * (n - 1), statistic))


def rank_table(names: Sequence[str], values: Array, design: Design) -> RankTable:
    """Rank models (the rows of `values`) on each data set; values that differ by rounding only are tied."""
    _check(names, values, design)
    towards_best = -1 if design.better == "higher" else 1
    ranks, dusty = [], 0
    for column in values.T:
        ranks.append(midranks(towards_best * column, DUST * largest(column)))
        dusty += not np.array_equal(ranks[-1], midranks(towards_best * column))
    what = f"{dusty:,} {design.unit}{'' if dusty == 1 else 's'} with values that differ only by rounding: ranked alike"
    return RankTable(list(names), np.array(ranks), (Notice("W_DUST", what),) if dusty else ())


def _check(names: Sequence[str], values: Array, design: Design) -> None:
    if len(names) < 2:
        raise UsageError("E_NOMODEL", f"this test compares at least two models, and there is {len(names)}")
    if values.shape[1] < 2:
        raise UndefinedError("E_TOOFEW", f"{values.shape[1]} {design.unit}: this test needs at least 2")
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        model, unit = wrong[0].tolist()
        value = values[model, unit]
        raise InputError("E_NAN", f"the value of {design.unit} {unit + 1} of {names[model]} is {value}")


def f_details(table: RankTable, statistic: float, p: float) -> dict[str, Any]:
    """Iman and Davenport's test, as a report holds it."""
    df = [table.models - 1, (table.models - 1) * (table.data_sets - 1)]
    return {"statistic": None if statistic == inf else statistic, "df": df, "p": p}


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
