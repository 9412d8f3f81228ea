"""The thresholds that a curve has points for: all of them, or those that its picture needs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from referee.curves.kind import Kind, Place, above_all
from referee.curves.stretches import Stretches, stretches_of
from referee.curves.thinning import TOLERANCE, extent, kept_as_drawn, probit, refuse_tolerance

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.ranking import Ranking

FEW_POINTS = 10_000
"""Up to here a curve has all its points, unless it is asked for fewer."""
COLUMNS = ("score", "tp", "fp")
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
    return replace(then, **{name: np.concatenate([getattr(first, name), getattr(then, name)]) for name in COLUMNS})


def _some(at: Place, places: Array) -> Place:
    return replace(at, **{name: getattr(at, name)[places] for name in COLUMNS})
