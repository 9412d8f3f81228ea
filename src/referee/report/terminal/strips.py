"""Intervals drawn in a line of text, all on one scale: ├──●──┤."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

WIDTH, NARROWEST = 24, 10


@dataclass(frozen=True)
class Scale:
    """From the lowest to the highest value that is drawn, over some columns of text.

    >>> print(Scale(0.0, 1.0, 11).strip(0.2, 0.5, 0.8))
      ├──●──┤
    >>> print(Scale(0.0, 1.0, 11).strip(0.9, 0.9, 0.9))
             ●
    """

    low: float
    high: float
    columns: int

    def strip(self, low: float | None, value: float | None, high: float | None) -> str:
        """One interval with its value; nothing where it is undefined."""
        if low is None or value is None or high is None:
            return ""
        start, middle, end = map(self._place, (low, value, high))
        drawn = [" "] * start + ["─"] * (end - start + 1)
        drawn[start], drawn[end] = "├", "┤"
        drawn[middle] = "●"
        return "".join(drawn)

    def _place(self, value: float) -> int:
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return round(share * (self.columns - 1))


def scale_of(console: Console, ends: Iterable[float | None], taken: int) -> Scale | None:
    """A scale for the columns that a table leaves free; none where they are too few, or there is nothing to draw."""
    known = [end for end in ends if end is not None]
    columns = min(WIDTH, console.width - taken)
    if not known or columns < NARROWEST:
        return None
    return Scale(min(known), max(known), columns)
