"""Lines of many points, drawn through few of them: what is left out would not be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.arrays import Array


def simplified(x: Array, y: Array, tolerance: float) -> Array:
    """The places of points whose line has all others within the tolerance (Douglas and Peucker 1973).

    >>> simplified(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 0.001, 0.0, 1.0]), 0.01).tolist()
    [0, 2, 3]
    """
    kept = np.zeros(len(x), bool)
    kept[[0, -1]] = True
    pieces = [(0, len(x) - 1)]
    while pieces:
        first, last = pieces.pop()
        if last - first < 2:
            continue
        distance = _distances(x[first : last + 1], y[first : last + 1])
        farthest = first + int(distance.argmax())
        if distance[farthest - first] > tolerance:
            kept[farthest] = True
            pieces += [(first, farthest), (farthest, last)]
    return np.flatnonzero(kept)


def _distances(x: Array, y: Array) -> Array:
    """Of each point from the straight line between the first and the last, which ends there."""
    along, up = x[-1] - x[0], y[-1] - y[0]
    dx, dy = x - x[0], y - y[0]
    length = along**2 + up**2
    share = np.clip((dx * along + dy * up) / length, 0, 1) if length else 0.0
    return np.hypot(dx - share * along, dy - share * up)


def short_path(points: Iterable[tuple[float, float]]) -> str:
    """What `d` of an SVG path is: each point to a tenth of a pixel, by its distance from the one before.

    >>> short_path([(52.0, 318.0), (52.0, 300.0), (60.04, 300.0), (61.5, 299.55)])
    'M52 318v-18h8l1.5-.4'
    """
    parts: list[str] = []
    last_x = last_y = 0
    for x, y in ((round(10 * a), round(10 * b)) for a, b in points):
        dx, dy = x - last_x, y - last_y
        if not parts:
            parts.append(f"M{_tenths(x)} {_tenths(y)}")
        elif dx and dy:
            parts.append(f"l{_tenths(dx)}{'' if dy < 0 else ' '}{_tenths(dy)}")
        elif dx or dy:
            parts.append(f"h{_tenths(dx)}" if dx else f"v{_tenths(dy)}")
        last_x, last_y = x, y
    return "".join(parts)


def _tenths(value: int) -> str:
    whole, tenth = divmod(abs(value), 10)
    return ("-" if value < 0 else "") + (str(whole) if whole or not tenth else "") + (f".{tenth}" if tenth else "")
