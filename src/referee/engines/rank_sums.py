"""RankSums: the ranks of one class's rows among each other, added up in each unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.engines.ranked_scores import ROUNDING
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.arrays import Array

    Stretch = tuple[Array, Array, Array | None]
    """Scores in rising order, the unit of each row and its weight; None: one."""


@dataclass(frozen=True)
class RankSums:
    """Rows that tie have the middle of their ranks, which run from 0 to 1.

    >>> import numpy as np
    >>> sums = rank_sums([(np.array([0.1, 0.2, 0.2, 0.9]), np.array([0, 0, 1, 1]), None)], 2)
    >>> sums.ranks.tolist(), sums.within
    ([0.625, 1.375], 0.0703125)
    """

    weight: Array
    """Of the rows of each unit."""
    squares: Array
    """Of the weights of the rows of each unit."""
    ranks: Array
    """Of the rows of each unit, each times its weight."""
    cubes: float
    """Of the share of rows at each distinct score."""

    @property
    def within(self) -> float:
        """The variance of the ranks; 0 where all rows tie, however sums round."""
        return (1 - self.cubes) / 12 if self.cubes < 1 - ROUNDING else 0.0

    @property
    def means(self) -> Array:
        """Of the units that have rows."""
        return np.asarray(self.ranks[self.seen] / self.weight[self.seen])

    @property
    def seen(self) -> Array:
        return self.weight > 0

    @property
    def between(self) -> float:
        """The variance of the units' mean ranks."""
        return float(np.average((self.means - 0.5) ** 2, weights=self.weight[self.seen]))


def rank_sums(stretches: Iterable[Stretch], units: int) -> RankSums:
    """Of stretches of scores, each above the one before."""
    (weight, squares, ranks), cubes, below = np.zeros((3, units)), 0.0, 0.0
    for scores, unit, weights in stretches:
        if not len(scores):
            continue
        first = np.flatnonzero(np.concatenate([[True], scores[1:] != scores[:-1]]))
        rows = np.diff(first, append=len(scores))
        tied = rows.astype(float) if weights is None else np.add.reduceat(weights, first)
        middle = np.repeat(below + np.cumsum(tied) - tied / 2, rows)
        weight += np.bincount(unit, weights, units)
        squares += np.bincount(unit, None if weights is None else weights**2, units)
        ranks += np.bincount(unit, middle if weights is None else middle * weights, units)
        cubes += float((tied**3).sum())
        below += float(tied.sum())
    total = below or 1.0
    return RankSums(weight, squares, ranks / total, cubes / total / total / total)
