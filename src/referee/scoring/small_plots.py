"""Small curves side by side in characters: dots of Braille, which a screen turns into ASCII where it must."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.document import number
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array

WIDTH = 78
"""Fits a screen of 80 columns, with a margin."""
HEIGHT = 8
LABEL = 8
BEST, HONEST = "●", "▲"
BLANK_BRAILLE = 0x2800
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a Braille character: (row, column)."""


@dataclass(frozen=True, eq=False)
class Panel:
    """One curve: where it is best is marked on it, the honest report below it."""

    title: str
    x: Array
    y: Array
    best: Array
    best_value: float
    honest: float | None = None


def small_plots(panels: Sequence[Panel], width: int = WIDTH) -> list[str]:
    """The panels side by side on one scale, in lines of at most `width` characters."""
    inner = min(40, (width - LABEL) // len(panels) - 3)
    low, high = _ends(panels)
    drawn = [_panel(panel, inner, low, high) for panel in panels]
    labels = ["", number(high), *[""] * (HEIGHT - 2), number(low), "", ""]
    return [
        f"{label:>{LABEL}} " + "  ".join(lines).rstrip()
        for label, *lines in zip(labels, *drawn, strict=True)
    ]  # fmt: skip


def _ends(panels: Sequence[Panel]) -> tuple[float, float]:
    """The scale: one confident error must not press all curves flat."""
    every = np.concatenate([panel.y[np.isfinite(panel.y)] for panel in panels])
    lower, upper = np.quantile(every, [0.03, 0.97])
    room, bests = (upper - lower) / 2, [panel.best_value for panel in panels]
    low = float(min([max(every.min(), lower - room), *bests]))
    high = float(max([min(every.max(), upper + room), *bests]))
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _panel(panel: Panel, inner: int, low: float, high: float) -> list[str]:
    cells = _curve(panel, inner, low, high)
    top = cells[HEIGHT - 1 - _step(panel.best_value, low, high, HEIGHT)]
    for q in panel.best:
        top[_column(panel, q, inner)] = BEST
    axis = ["─"] * inner
    if panel.honest is not None:
        axis[_column(panel, panel.honest, inner)] = HONEST
    ends = f"{panel.x[0]:g}".ljust(inner - 4) + f"{panel.x[-1]:g}".rjust(4)
    body = ["│" + "".join(row) for row in cells]
    return [f" {panel.title}".ljust(inner + 1), *body, "└" + "".join(axis), " " + ends]


def _curve(panel: Panel, inner: int, low: float, high: float) -> list[list[str]]:
    columns, rows = inner * len(DOTS[0]), HEIGHT * len(DOTS)
    x = np.linspace(panel.x[0], panel.x[-1], columns)
    nearest = np.abs(panel.x[:, None] - x).argmin(axis=0)
    y = panel.y[nearest]
    grid = np.zeros((rows, columns), bool)
    before = None
    for column, value in enumerate(y):
        if not np.isfinite(value) or not low <= value <= high:
            before = None
            continue
        step = _step(value, low, high, rows)
        first, last = sorted((step if before is None else before, step))
        grid[rows - 1 - last : rows - first, column] = True
        before = step
    return [[_cell(grid, row, column) for column in range(inner)] for row in range(HEIGHT)]


def _cell(grid: Array, row: int, column: int) -> str:
    part = grid[row * 4 : row * 4 + 4, column * 2 : column * 2 + 2]
    bits = sum(DOTS[down][across] for down in range(4) for across in range(2) if part[down, across])
    return chr(BLANK_BRAILLE + bits) if bits else " "


def _column(panel: Panel, q: float, inner: int) -> int:
    return round((q - panel.x[0]) / float(np.ptp(panel.x)) * (inner - 1))


def _step(value: float, low: float, high: float, steps: int) -> int:
    return min(steps - 1, max(0, int((value - low) / (high - low) * steps)))
