"""Cells: rows that are alike for a value, as those of one cell of the confusion matrix, or of one step and class."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.arrays import Array
    from referee.engines.ranked_scores import Ranking

BLOCK = 1 << 15
"""Cells that are looked at together, so that what is made of them stays in the processor's cache."""


class Cells:
    """A way of putting rows into cells; every row is in one."""

    def __init__(
        self,
        rows: tuple[Array, ...],
        sides: tuple[Array | int, ...] | None,
        unit: Array | int,
        place: Callable[[], Array],
    ) -> None:
        self._rows = rows
        """What the rows in each cell weigh, in pieces of the same length that follow each other."""
        self._sides = sides
        """The class of the cells of each piece, where the rows of a cell all have the same."""
        self._unit, self._place = unit, place
        self._length = len(rows[0])

    def __len__(self) -> int:
        return self._length * len(self._rows)

    @property
    def has_sides(self) -> bool:
        """Whether they are the steps of a ranking: those of all other classes, and then those of its class."""
        return len(self._rows) == 2

    @cached_property
    def place(self) -> Array:
        """The cell of each row."""
        return self._place()

    @property
    def has_truth(self) -> bool:
        return self._sides is not None

    @cached_property
    def truth(self) -> Array | None:
        """The class of the rows in each cell, where they all have the same."""
        if self._sides is None:
            return None
        return np.concatenate([np.broadcast_to(side, self._length) for side in self._sides])

    def weighted_sums(self, values: Array, units: int) -> Array:
        """Of a value of cells, in each unit."""
        if units == 1:
            pieces = zip(self._rows, np.split(values, len(self._rows)), strict=True)
            return np.array([sum(float(np.einsum("i,i", rows, of_rows)) for rows, of_rows in pieces)])
        totals = np.zeros(units)
        for part, unit, _ in self.parts(1):
            totals += np.bincount(unit, self.weight_in(part) * values[part], units)
        return totals

    def weight_in(self, part: slice) -> Array:
        """Of all rows in each of some cells of one piece."""
        piece, here = self._within(part)
        return self._rows[piece][here]

    def unit_in(self, part: slice) -> Array | int:
        """Of some cells of one piece; 0 where there is only one."""
        return self._unit if isinstance(self._unit, int) else self._unit[self._within(part)[1]]

    def _within(self, part: slice) -> tuple[int, slice]:
        if part.start is None:
            return 0, part
        piece, first = divmod(part.start, self._length)
        return piece, slice(first, first + part.stop - part.start)

    def parts(self, classes: int) -> Iterator[tuple[slice, Array | int, Array | int]]:
        """Some cells at a time, their units, and their units and classes as one number (units alone of one class)."""
        for first in range(0, len(self), max(1, self._length)):
            for start in range(first, first + self._length, BLOCK):
                part = slice(start, min(start + BLOCK, first + self._length))
                unit = self.unit_in(part)
                yield part, unit, unit if classes == 1 else unit * classes + self._class_in(part)

    def _class_in(self, part: slice) -> Array | int:
        assert self._sides is not None
        piece, here = self._within(part)
        side = self._sides[piece]
        return side if isinstance(side, int) else side[here]


def step_cells(
    ranking: Ranking, is_positive: Array, steps_of_rows: Callable[[], Array], sides: tuple[int, int] | None
) -> Cells:
    """The rows of all other classes at each step of a ranking, and then those of its class."""
    unit = ranking.steps.unit if ranking.units > 1 else 0
    steps = len(ranking.scores)
    return Cells((ranking.negatives, ranking.positives), sides, unit, lambda: steps_of_rows() + steps * is_positive)


def label_cells(matrices: Array, place: Callable[[], Array]) -> Cells:
    """Those of confusion matrices: (unit, true class, predicted class)."""
    units, classes, _ = matrices.shape
    truth = np.tile(np.repeat(np.arange(classes), classes), units)
    unit = np.repeat(np.arange(units), classes * classes) if units > 1 else 0
    return Cells((matrices.reshape(-1).astype(float),), (truth,), unit, place)
