"""Ranks with ties: of many models on several data sets, and what rank tests make of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial, inf, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import largest
from referee.errors import InputError, Notice, UndefinedError, UsageError
from referee.unit_differences import DUST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.design import Design


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
