"""Interval forecasts: which two of a model's quantiles are the ends of an interval."""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def interval_ends(levels: Sequence[float], level: float | None = None) -> tuple[int, int] | None:
    """The places of the quantiles between which an interval of that level lies; without one, the outermost two.

    >>> interval_ends((0.05, 0.25, 0.75, 0.95)), interval_ends((0.05, 0.25, 0.75, 0.95), 0.5)
    ((0, 3), (1, 2))
    >>> interval_ends((0.5,)), interval_ends((0.1, 0.9), 0.95)
    (None, None)
    """
    if level is None:
        return (0, len(levels) - 1) if len(levels) > 1 else None
    ends = [_place(levels, (1 + side * level) / 2) for side in (-1, 1)]
    return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])


def _place(levels: Sequence[float], wanted: float) -> int | None:
    return next((place for place, level in enumerate(levels) if isclose(level, wanted, abs_tol=1e-9)), None)


def level_of(levels: Sequence[float], level: float | None = None) -> float | None:
    """The share of the truths that the interval is meant to hold.

    >>> level_of((0.1, 0.5, 0.9))
    0.8
    """
    ends = interval_ends(levels, level)
    return None if ends is None else round(levels[ends[1]] - levels[ends[0]], 12)
