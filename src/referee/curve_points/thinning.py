"""Leaving out points that nobody would see."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.curve_points.kind import Kind, Place, above_all
from referee.curve_points.slopes import Stretches, stretches_of
from referee.errors import UsageError

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.curve_points.points import Curve
    from referee.engines import Ranking

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
    >>> from referee.curve_points import curve
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


FEW_POINTS = 10_000
"""Up to here a curve has all its points, unless it is asked for fewer."""

STEP_COLUMNS = ("score", "tp", "fp")

PASSED_OVER = 0.25
"""The part of the tolerance that a stretch of steps may move by without a closer look."""


def places_of(ranking: Ranking, kind: Kind, tolerance: float | None) -> tuple[Place, int, float]:
    """Every threshold that has a point, or those that are needed for the picture; and how many there were."""
    stretches = stretches_of(ranking)
    points = _steps_with_a_point(stretches, kind) + kind.begins_empty
    if tolerance is None:
        tolerance = TOLERANCE if points > FEW_POINTS else 0.0
    refuse_tolerance(tolerance)
    at = _needed(stretches, kind, tolerance)
    if kind.begins_empty:
        at = _joined(above_all(ranking), at)
    if not tolerance:
        return at, len(at.tp), 0.0
    # The rest of the tolerance was spent on the stretches that were passed over.
    kept = kept_as_drawn(kind.x(at), kind.y(at), kind.scale, (1 - PASSED_OVER) * tolerance)
    return _some(at, kept), points, tolerance


def _needed(stretches: Stretches, kind: Kind, tolerance: float) -> Place:
    """The ends of stretches that move by less than can be seen, and all steps of the others."""
    if stretches.stride == 1:
        return _inside(stretches.ends, kind)
    small = _are_small(stretches, kind, PASSED_OVER * tolerance)
    others, _, numbers = stretches.inside(np.flatnonzero(~small))
    order = np.argsort(np.concatenate([stretches.number[small], numbers]), kind="stable")
    return _inside(_some(_joined(_some(stretches.ends, small), others), order), kind)


def _are_small(stretches: Stretches, kind: Kind, tolerance: float) -> Array:
    """Both axes rise or fall with each count, so that a stretch lies in the box of its extreme counts."""
    small = np.full(len(stretches.score), tolerance > 0)
    with np.errstate(all="ignore"):
        for axis in (kind.x, kind.y):
            corners = np.array([axis(box) for box in stretches.boxes()])
            known = axis(_inside(stretches.ends, kind))
            for on_scale in (np.asarray, probit) if kind.scale == "probit" else (np.asarray,):
                reach = tolerance * extent(on_scale(known[np.isfinite(known)]))
                small &= np.ptp(on_scale(corners), axis=0) <= reach
    return small


def _steps_with_a_point(stretches: Stretches, kind: Kind) -> int:
    """Once a threshold has one, all lower ones do."""
    if kind.inside is None:
        return stretches.steps
    first = int(np.argmax(kind.inside(stretches.ends)))
    steps, _, _ = stretches.inside(np.array([first]))
    return int(np.count_nonzero(kind.inside(steps)) + stretches.lengths[first + 1 :].sum())


def _inside(at: Place, kind: Kind) -> Place:
    return at if kind.inside is None else _some(at, np.flatnonzero(kind.inside(at)))


def _joined(first: Place, then: Place) -> Place:
    return replace(then, **{name: np.concatenate([getattr(first, name), getattr(then, name)]) for name in STEP_COLUMNS})


def _some(at: Place, places: Array) -> Place:
    return replace(at, **{name: getattr(at, name)[places] for name in STEP_COLUMNS})
