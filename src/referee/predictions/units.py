"""Units: what each row belongs to, such as a fold or a moment in time; Lists: rows that are lists of numbers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array


@dataclass(frozen=True)
class Units:
    """Which unit (fold, subset, slice) each row belongs to."""

    codes: Array
    names: tuple[str, ...]

    def part(self, rows: slice | Array) -> Units:
        return Units(self.codes[rows], self.names)

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, eq=False)
class Instants:
    """When each row was observed.

    >>> Instants.of([2020, 2018, 2020]).sums(np.array([1.0, 10.0, 100.0]))
    array([ 10., 101.])
    """

    codes: Array
    """Of each row: whole numbers that rise with time, the same for rows of one moment."""

    @classmethod
    def of(cls, values: Any) -> Instants:
        values = np.asarray(values)
        order = _rising(values)
        codes = np.empty(len(values), np.intp)
        codes[order] = np.cumsum(_starts(values[order])) - 1
        made = cls(codes)
        made.__dict__["_order"] = None if isinstance(order, slice) else order
        return made

    def part(self, rows: slice | Array) -> Instants:
        return Instants(self.codes[rows])

    @cached_property
    def _order(self) -> Array | None:
        """The rows in the order of time; None where that is the order which they have."""
        order = _rising(self.codes)
        return None if isinstance(order, slice) else order

    @cached_property
    def _first(self) -> Array | None:
        """Of the rows in order, the first of each moment; None where each row is one."""
        codes = self._ordered(self.codes)
        starts = np.flatnonzero(_starts(codes))
        return None if len(starts) == len(codes) else starts

    def _ordered(self, column: Array) -> Array:
        return column if self._order is None else column[self._order]

    def __len__(self) -> int:
        return len(self.codes) if self._first is None else len(self._first)

    def sums(self, column: Array) -> Array:
        """Of the rows of each moment, in the order of time."""
        ordered = self._ordered(column)
        return ordered if self._first is None else np.add.reduceat(ordered, self._first)


def _rising(values: Array) -> slice | Array:
    """Their places in rising order; those of one size keep theirs."""
    is_rising = bool((values[1:] >= values[:-1]).all())
    return slice(None) if is_rising else np.argsort(values, kind="stable")


def _starts(rising: Array) -> Array:
    """Whether each value is the first of its size."""
    return np.concatenate([[True], rising[1:] != rising[:-1]])[: len(rising)]


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
