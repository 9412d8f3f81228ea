"""Units: what each row belongs to, such as a fold or a moment in time."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.records import dataclass

if TYPE_CHECKING:
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
        return cls(np.unique(values, return_inverse=True)[1])

    def part(self, rows: slice | Array) -> Instants:
        return Instants(self.codes[rows])

    @cached_property
    def _order(self) -> Array | None:
        """The rows in the order of time; None where that is the order which they have."""
        in_order = bool((self.codes[1:] >= self.codes[:-1]).all())
        return None if in_order else np.argsort(self.codes, kind="stable")

    @cached_property
    def _first(self) -> Array | None:
        """Of the rows in order, the first of each moment; None where each row is one."""
        codes = self._ordered(self.codes)
        starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]]))
        return None if len(starts) == len(codes) else starts

    def _ordered(self, column: Array) -> Array:
        return column if self._order is None else column[self._order]

    def __len__(self) -> int:
        return len(self.codes) if self._first is None else len(self._first)

    def sums(self, column: Array) -> Array:
        """Of the rows of each moment, in the order of time."""
        ordered = self._ordered(column)
        return ordered if self._first is None else np.add.reduceat(ordered, self._first)
