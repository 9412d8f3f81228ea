"""Scales: from values to places on a chart, with round numbers for the axes."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from sys import float_info
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LARGEST = float_info.max


@dataclass(frozen=True)
class Scale:
    """From values to places on the chart.

    >>> Scale(0, 1, 50, 250)(0.5)
    150.0
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        spread = self.high / 2 - self.low / 2  # halves, as the whole may be beyond all floats
        return self.start + ((value / 2 - self.low / 2) / spread if spread else 0.5) * (self.end - self.start)

    def ticks(self, wanted: int = 5) -> list[float]:
        """Round numbers within, about as many as wanted.

        >>> Scale(0.83, 1, 0, 1).ticks(4)
        [0.85, 0.9, 0.95, 1.0]
        """
        if not isfinite(self.high - self.low) or self.high == self.low:
            return []
        step = _round_step((self.high - self.low) / max(wanted, 1))
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        digits = max(0, 1 - floor(log10(step)))
        return [round(place * step, digits) + 0.0 for place in range(first, last + 1)]


def _round_step(step: float) -> float:
    if not (isfinite(step) and step > 0):
        return 1.0
    power: float = 10.0 ** floor(log10(step))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if step <= factor * power * 1.001)


def spanning(values: Iterable[float], start: float, end: float, *, around: float = 0.04) -> Scale:
    """A scale on which all values have room."""
    known = [value for value in values if isfinite(value)] or [0.0, 1.0]
    low, high = min(known), max(known)
    room = (high / 2 - low / 2) * 2 * around or abs(high) * around or around
    return Scale(max(low - room, -LARGEST), min(high + room, LARGEST), start, end)


def tick_label(value: float) -> str:
    """A tick in as few digits as it needs.

    >>> tick_label(0.85), tick_label(1500.0), tick_label(2e7)
    ('0.85', '1,500', '2e+07')
    """
    return f"{value:.3g}" if abs(value) >= 1e6 or 0 < abs(value) < 1e-3 else f"{value:,.6g}"
