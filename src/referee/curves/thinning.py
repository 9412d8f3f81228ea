"""Leaving out points that nobody would see."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import UsageError

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.curves.curve import Curve

TOLERANCE = 1 / 2000
"""Half a pixel of a picture that is a thousand pixels wide."""
FEWEST = 10
MOST_EXTREME = 1e-6
"""The rate next to 0 or 1 that is told from it on normal scales."""
COLUMNS = ("x", "y", "threshold", "tp", "fp", "low", "high")


def thinned(curve: Curve, tolerance: float = TOLERANCE, *, points: int | None = None) -> Curve:
    """Leave out points that are nearer to one that is kept than the tolerance, as a share of each axis.

    `points` asks for at most so many: then the tolerance grows until they are. The area stays that of all points.

    >>> from referee import Predictions
    >>> from referee.curves import curve
    >>> scores = np.linspace(0, 1, 2000)
    >>> found = curve(Predictions.from_arrays((scores > 0.5).astype(int), {"m": scores}), "roc")
    >>> len(found), len(thinned(found, 0.01)), thinned(found, 0.01).area == found.area
    (2001, 401, True)
    """
    refuse_tolerance(tolerance)
    if points is not None and points < FEWEST:
        raise UsageError("E_PARAMETER", f"points={points} must be at least {FEWEST}")
    kept = kept_as_drawn(curve.x, curve.y, curve.scale, tolerance) if tolerance else np.arange(len(curve))
    while points is not None and len(kept) > points:
        tolerance = 1.5 * tolerance or TOLERANCE
        kept = kept_as_drawn(curve.x, curve.y, curve.scale, tolerance)
    columns = {name: getattr(curve, name) for name in COLUMNS}
    cut: dict[str, Any] = {name: None if column is None else column[kept] for name, column in columns.items()}
    return replace(curve, **cut, tolerance=curve.tolerance + tolerance)


def refuse_tolerance(tolerance: float) -> None:
    if not 0 <= tolerance < 1:
        raise UsageError("E_PARAMETER", f"tolerance={tolerance} must be at least 0 and below 1")


def kept_as_drawn(x: Array, y: Array, scale: str, tolerance: float) -> Array:
    """Points that are needed on plain axes, and those that only the scale of the picture shows apart."""
    kept = kept_points(x, y, tolerance)
    return kept if scale == "linear" else np.union1d(kept, kept_points(probit(x), probit(y), tolerance))


def probit(rate: Array) -> Array:
    """The normal quantile of a rate; 0 and 1 stay on the picture."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(rate, MOST_EXTREME, 1 - MOST_EXTREME)))


def kept_points(x: Array, y: Array, tolerance: float) -> Array:
    """The places of points such that every other one is within the tolerance of one of them, on each axis."""
    cells = [np.floor(column / (tolerance / 2 * (extent(column) or 1.0))) for column in (x, y)]
    near = ends_of_runs(*cells)
    return near[_moves(cells[0][near], cells[1][near])]


def extent(column: Array) -> float:
    return float(column.max() - column.min())


def ends_of_runs(*columns: Array) -> Array:
    """The first and the last place of each run of equal values."""
    new = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(np.concatenate([[True], new]) | np.concatenate([new, [True]]))


def _moves(x: Array, y: Array) -> Array:
    """Of points that go to and fro between neighbouring cells keep those that leave; and the point before."""
    kept, (last_x, last_y) = [0], (x[0], y[0])
    for place, (at_x, at_y) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        if abs(at_x - last_x) > 1 or abs(at_y - last_y) > 1:
            kept += [place - 1, place]
            last_x, last_y = at_x, at_y
    return np.unique([*kept, len(x) - 1])
