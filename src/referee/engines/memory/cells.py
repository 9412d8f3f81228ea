"""Cells: rows that are alike for a value, as those of one cell of the confusion matrix, or of one step and class."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.arrays import Array
    from referee.engines.ranked_scores import Ranking


class Cells:
    """A way of putting rows into cells; every row is in one."""

    def __init__(
        self, rows: tuple[Array, ...], classes: Array | None, unit: Array | int, place: Callable[[], Array]
    ) -> None:
        self._rows = rows
        """What the rows in each cell weigh, in pieces that follow each other."""
        self.unit = unit
        """Of each cell; 0 where there is only one."""
        self._classes, self._place = classes, place

    def __len__(self) -> int:
        return sum(len(rows) for rows in self._rows)

    @cached_property
    def weight(self) -> Array:
        """Of all rows in each cell."""
        return np.concatenate(self._rows, dtype=float)

    @cached_property
    def place(self) -> Array:
        """The cell of each row."""
        return self._place()

    @property
    def truth(self) -> Array | None:
        """The class of the rows in each cell, where they all have the same."""
        return self._classes

    def weighted_sums(self, values: Array, units: int) -> Array:
        """Of a value of cells, in each unit."""
        if units == 1:
            pieces = zip(self._rows, np.split(values, len(self._rows)), strict=True)
            return np.array([sum(float(np.einsum("i,i", rows, of_rows)) for rows, of_rows in pieces)])
        return np.bincount(self.unit, self.weight * values, units)

    def weight_in(self, part: slice) -> Array:
        """That of some cells."""
        return self.weight[part]

    @property
    def has_truth(self) -> bool:
        return self._classes is not None

    def parts(self, classes: int, block: int) -> Iterator[tuple[slice, Array | int, Array | int]]:
        """Some cells at a time, their units, and their units and classes as one number (units alone of one class)."""
        for start in range(0, len(self), block):
            part = slice(start, start + block)
            unit = 0 if isinstance(self.unit, int) else self.unit[part]
            yield part, unit, unit if classes == 1 or self.truth is None else unit * classes + self.truth[part]


class StepCells(Cells):
    """The rows of all other classes at each step of a ranking, and then those of its class."""

    def __init__(
        self, ranking: Ranking, is_positive: Array, steps_of_rows: Callable[[], Array], sides: tuple[int, int] | None
    ) -> None:
        self.steps = len(ranking.scores)
        unit = np.tile(ranking.steps.unit, 2) if ranking.units > 1 else 0
        rows = ranking.negatives, ranking.positives
        super().__init__(rows, None, unit, lambda: steps_of_rows() + self.steps * is_positive)
        self._sides = sides
        """The class of either half, where it is one."""

    def weight_in(self, part: slice) -> Array:
        if isinstance(self.unit, int) and self._sides is not None:  # whose parts are of one half
            side, first = divmod(part.start, self.steps)
            return self._rows[side][first : first + part.stop - part.start]
        return self.weight[part]

    @cached_property
    def truth(self) -> Array | None:
        return None if self._sides is None else np.repeat(np.array(self._sides), self.steps)

    @property
    def has_truth(self) -> bool:
        return self._sides is not None

    def parts(self, classes: int, block: int) -> Iterator[tuple[slice, Array | int, Array | int]]:
        if not isinstance(self.unit, int) or self._sides is None:
            yield from super().parts(classes, block)
            return
        for side, code in enumerate(self._sides):
            first, end = side * self.steps, (side + 1) * self.steps
            for start in range(first, end, block):
                yield slice(start, min(start + block, end)), 0, code if classes > 1 else 0


def label_cells(matrices: Array, place: Callable[[], Array]) -> Cells:
    """Those of confusion matrices: (unit, true class, predicted class)."""
    units, classes, _ = matrices.shape
    truth = np.tile(np.repeat(np.arange(classes), classes), units)
    unit = np.repeat(np.arange(units), classes * classes) if units > 1 else 0
    return Cells((matrices.reshape(-1).astype(float),), truth, unit, place)
