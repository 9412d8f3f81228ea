"""Growth: how the CPU time of a fit grows with the number of training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

MEASURABLE = 0.001
"""Seconds: below this the time of the call is measured, not that of the rows."""


@dataclass(frozen=True)
class Growth:
    """Time grows as rows to the power of the exponent, between the numbers of rows that were measured."""

    exponent: float | None
    standard_error: float | None = None
    """Of the slope through three sizes or more."""
    rows: tuple[float, float] | None = None
    undefined: str | None = None


def growth(rows: Sequence[float], seconds: Sequence[float]) -> Growth:
    """The slope of log time on log rows, by least squares.

    >>> round(growth([100, 200, 400], [0.01, 0.04, 0.16]).exponent, 12)
    2.0
    >>> growth([100, 200, 400], [0.0001, 0.0002, 0.0004]).undefined
    'fits of up to 400 rows take less than 1 ms, which is too little to measure'
    """
    measured = [(n, t) for n, t in zip(rows, seconds, strict=True) if t >= MEASURABLE]
    if len({n for n, _ in measured}) < 2:
        return Growth(None, undefined=_too_little(rows, len(measured)))
    x, y = (np.log(np.array(column)) for column in zip(*measured, strict=True))
    spread = ((x - x.mean()) ** 2).sum()
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / spread)
    left = y - y.mean() - slope * (x - x.mean())
    error = float(np.sqrt((left**2).sum() / (len(x) - 2) / spread)) if len(x) > 2 else None
    sizes = [n for n, _ in measured]
    return Growth(slope, error, (float(min(sizes)), float(max(sizes))))


def _too_little(rows: Sequence[float], measured: int) -> str:
    if len(rows) < 2:
        return "one size says nothing of growth"
    most = f"{max(rows):,.0f}" if not measured else f"{sorted(rows)[-2]:,.0f}"
    return f"fits of up to {most} rows take less than {1000 * MEASURABLE:g} ms, which is too little to measure"
