"""Lists: a column in which each row is a list of numbers, such as the relevance of a query's items."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array

MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Lists:
    """The numbers of all lists, one list behind the other; none is empty.

    >>> lists = Lists.of([[3, 1], [2], [0, 0, 1]])
    >>> len(lists), lists[1:].values, lists[np.array([2, 0])].lengths
    (3, array([2., 0., 0., 1.]), array([3, 2]))
    """

    values: Array
    starts: Array
    """Where each list begins, and at last where the last one ends."""

    @classmethod
    def of(cls, lists: Sequence[Sequence[float]]) -> Lists:
        lengths = [len(numbers) for numbers in lists]
        return cls(np.concatenate([np.asarray(numbers, float) for numbers in lists]), np.cumsum([0, *lengths]))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Array:
        return np.diff(self.starts)

    @cached_property
    def row(self) -> Array:
        """The row of each number."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def __getitem__(self, rows: slice | Array) -> Lists:
        lengths, begins = self.lengths[rows], self.starts[:-1][rows]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(begins - starts[:-1], lengths) + np.arange(starts[-1])
        return Lists(self.values[places], starts)

    @property
    def columns(self) -> list[Array]:
        """The first number of each list, the second and so on, where all lists are as long."""
        return list(self.values.reshape(len(self), -1).T)

    def with_values(self, values: Array) -> Lists:
        """Other numbers at the same places."""
        return Lists(np.broadcast_to(np.asarray(values, float), self.values.shape), self.starts)

    def totals(self, values: Array) -> Array:
        """The sum over each list of a value that each of its numbers has."""
        return np.add.reduceat(values, self.starts[:-1])

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        """One number for each list that tells it from others: what fingerprints and orders of rows are made of."""
        place = (np.arange(len(self.values)) - self.starts[:-1][self.row] + 1).astype(np.uint64)
        bits = (np.asarray(self.values, float) + 0.0).view(np.uint64) ^ (place * MIX)
        mixed = (bits ^ (bits >> np.uint64(29))) * MIX
        each = np.add.reduceat(mixed ^ (mixed >> np.uint64(32)), self.starts[:-1])
        return ((each >> np.uint64(11)) * 2.0**-53).astype(dtype or float)
