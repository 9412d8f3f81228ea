"""Grids of numbers in colours: how good in blue, how bad in orange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from referee.report.figures.looks import BAD, GOOD
from referee.report.figures.pictures import room_for

if TYPE_CHECKING:
    from collections.abc import Sequence

DEEPEST = 0.45
LINE = 0.16
"""Of a cell's text, in inches."""


@dataclass(frozen=True)
class Grid:
    """Cells with their texts, and how deep their colours are: 1 is best, -1 worst, 0 white."""

    rows: Sequence[str]
    columns: Sequence[str]
    texts: Sequence[Sequence[str]]
    depths: Sequence[Sequence[float]]
    x_title: str = ""
    y_title: str = ""
    title: str = ""

    @property
    def _cell(self) -> float:
        """The width of a cell."""
        lines = [line for row in self.texts for text in row for line in text.split("\n")]
        return max(0.35, 0.12 + room_for(lines))

    @property
    def _upright(self) -> bool:
        """Whether the names of the columns have no room beside each other."""
        return 0.1 + room_for(self.columns) > self._cell

    @property
    def width(self) -> float:
        """In inches, with the names of the rows."""
        return max(2.6, 0.9 + room_for(self.rows) + self._cell * len(self.columns))

    @property
    def height(self) -> float:
        """In inches, with the names of the columns."""
        lines = max((text.count("\n") + 1 for row in self.texts for text in row), default=1)
        below = room_for(self.columns) if self._upright else LINE
        return 0.9 + below + (0.12 + LINE * lines) * len(self.rows)

    def draw(self, axes: Any) -> None:
        axes.grid(visible=False)
        axes.imshow(self._colours(), aspect="auto", gid="cells")
        for y, row in enumerate(self.texts):
            for x, text in enumerate(row):
                axes.text(x, y, text, ha="center", va="center", fontsize=7.5, gid=f"cell-{y}-{x}")
        axes.set_xticks(range(len(self.columns)), self.columns, rotation=90 if self._upright else 0)
        axes.set_yticks(range(len(self.rows)), self.rows)
        axes.set_xticks([x + 0.5 for x in range(len(self.columns) - 1)], minor=True)
        axes.set_yticks([y + 0.5 for y in range(len(self.rows) - 1)], minor=True)
        axes.grid(which="minor", color="white", linewidth=1.5)
        axes.tick_params(which="both", length=0)
        axes.set(xlabel=self.x_title, ylabel=self.y_title, title=self.title)

    def _colours(self) -> list[list[tuple[float, ...]]]:
        from matplotlib.colors import to_rgb

        def cell(depth: float) -> tuple[float, ...]:
            colour, strength = to_rgb(GOOD if depth > 0 else BAD), DEEPEST * min(1.0, abs(depth))
            return tuple(1 - strength * (1 - part) for part in colour)

        return [[cell(depth) for depth in row] for row in self.depths]
