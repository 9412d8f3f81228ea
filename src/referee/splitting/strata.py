"""Drawing and dealing rows at random, with as even a share of every class as whole rows allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from referee.arrays import Array


def sampled(strata: Array, count: int, random: np.random.RandomState) -> Array:
    """Draw so many rows, each with the same chance; each class has its share, rounded down or up.

    scikit-learn's StratifiedShuffleSplit refuses a class of one row, and more classes than test rows; this does not.

    >>> strata = np.repeat([0, 1], [30, 60])
    >>> np.bincount(strata[sampled(strata, 30, np.random.RandomState(0))])
    array([10, 20])
    """
    rows = len(strata)
    # Systematic sampling: evenly spaced points, in whole numbers so that no share is rounded twice.
    places = (np.arange(count) * rows + random.randint(rows, dtype=np.int64)) // count
    return np.sort(_by_stratum(strata, random)[places])


def dealt(strata: Array, parts: int, random: np.random.RandomState) -> tuple[Array, ...]:
    """Deal all rows out in turn: sizes differ by at most one row, and so do the rows of each class.

    >>> [len(part) for part in dealt(np.zeros(7, int), 3, np.random.RandomState(0))]
    [3, 2, 2]
    """
    order = _by_stratum(strata, random)
    return tuple(np.sort(order[first::parts]) for first in range(parts))


def _by_stratum(strata: Array, random: np.random.RandomState) -> Array:
    """All places by class, in random order inside each."""
    shuffled = random.permutation(len(strata))
    return np.asarray(shuffled[np.argsort(strata[shuffled], kind="stable")])


def parted(strata: Array, share: float, random: np.random.RandomState) -> tuple[Array, Array]:
    """The rows that are not drawn, and the share that is: at least one row of each.

    >>> parted(np.zeros(3, int), 1 / 3, np.random.RandomState(0))
    (array([0, 1]), array([2]))
    """
    rows = len(strata)
    drawn = sampled(strata, min(max(1, round(share * rows)), rows - 1), random)
    return np.setdiff1d(np.arange(rows), drawn, assume_unique=True), drawn


def evenly_ordered(strata: Array, random: np.random.RandomState) -> Array:
    """All places in a random order of which every beginning holds each class in its share, and first a row of each.

    >>> strata = np.repeat([0, 1, 2], [60, 30, 10])
    >>> order = evenly_ordered(strata, np.random.RandomState(0))
    >>> [np.bincount(strata[order[:count]]).tolist() for count in (3, 10, 50)]
    [[1, 1, 1], [6, 3, 1], [30, 15, 5]]
    """
    ordered = _by_stratum(strata, random)
    codes = np.unique(strata[ordered], return_inverse=True)[1]
    sizes = np.bincount(codes)
    rank = np.arange(len(codes)) - (np.cumsum(sizes) - sizes)[codes]
    place_in_class = np.where(rank == 0, 0.0, (rank + 0.5) / sizes[codes])
    return np.asarray(ordered[np.argsort(place_in_class, kind="stable")])
