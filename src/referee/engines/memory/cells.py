"""Cells: rows that are alike for a value, as those of one cell of the confusion matrix, or of one step and class."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.engines.ranking import Ranking


@dataclass(frozen=True, eq=False)
class Cells:
    """A way of putting rows into cells; every row is in one."""

    weight: Array
    """Of all rows in each cell."""
    truth: Array | None
    """The class of the rows in each cell, where they all have the same."""
    place_of_rows: Callable[[], Array]

    def __len__(self) -> int:
        return len(self.weight)

    @cached_property
    def place(self) -> Array:
        """The cell of each row."""
        return self.place_of_rows()


@dataclass(frozen=True, eq=False)
class StepCells(Cells):
    """The rows of one class at one step of a ranking, and those of all others there."""

    negative_steps: Array
    positive_steps: Array
    """The steps that have such rows."""

    def table(self, positive: Array, negative: Array) -> Array:
        """What is known of positive and negative rows at each step, for each cell."""
        return np.concatenate([negative[self.negative_steps], positive[self.positive_steps]])


def label_cells(matrix: Array, place_of_rows: Callable[[], Array]) -> Cells:
    """Those of a confusion matrix."""
    return Cells(matrix.reshape(-1), np.repeat(np.arange(len(matrix)), len(matrix)), place_of_rows)


def step_cells(
    ranking: Ranking, is_positive: Array, steps_of_rows: Callable[[], Array], classes: tuple[int, int] | None
) -> StepCells:
    """Of the rows at each step; `classes` are those of negative and positive rows, if each is one class."""
    sides = ranking.negatives, ranking.positives
    steps = tuple(np.flatnonzero(rows) for rows in sides)
    weight = np.concatenate([rows[here] for rows, here in zip(sides, steps, strict=True)]).astype(float)

    def place() -> Array:
        step = steps_of_rows()
        below, above = (np.cumsum(rows > 0) - 1 for rows in sides)
        return np.where(is_positive, len(steps[0]) + above[step], below[step])

    truth = None if classes is None else np.repeat(np.array(classes), [len(here) for here in steps])
    return StepCells(weight, truth, place, *steps)
