"""The best threshold of a ranking for each of several objectives, in one pass over its steps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from referee.curves.stretches import stretches_of
from referee.thresholds.objective import RowsAbove

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.curves.kind import Place
    from referee.curves.stretches import Stretches
    from referee.metric import Metric
    from referee.ranking import Ranking
    from referee.thresholds.objective import Objective


@dataclass(frozen=True)
class BestStep:
    """The threshold that is best on some rows."""

    threshold: float
    """Halfway to the next lower score; infinite if no row is called positive, minus infinite if all are."""
    worth: float
    """Of the objective, higher is better; -inf if no threshold keeps the limits."""
    tp: float
    fp: float


def best_steps(ranking: Ranking, objectives: Sequence[Objective], positive: int = 1) -> list[BestStep]:
    """Of equally good thresholds the highest."""
    return [_best_step(ranking, objective, positive) for objective in objectives]


def _best_step(ranking: Ranking, objective: Objective, positive: int) -> BestStep:
    """Look at the ends of all stretches, and then inside those that may hold a better step."""
    stretches = stretches_of(ranking)
    none, ends = _none_positive(ranking, objective, positive), stretches.ends
    worth = objective.worth(ends, positive)
    best = _better(none, _at(worth, ends, stretches.below))
    if stretches.stride == 1:
        return best
    which = np.flatnonzero(_bounds(stretches, objective, positive) >= best.worth)
    steps, below, _ = stretches.inside(which)
    if not len(steps.tp):
        return best
    return _better(best, _at(objective.worth(steps, positive), steps, below))


def _bounds(stretches: Stretches, objective: Objective, positive: int) -> Array:
    """No step of a stretch is worth more: as many true positives as at its end, as few false ones as at its beginning.

    That holds for metrics that like a true positive more and a false one less; others are looked at step by step.
    """
    limits = objective.limits
    sensible = all(limit.at_least == (limit.metric.better == "higher") for limit in limits)
    every = [objective.metric, *(limit.metric for limit in limits)]
    if not sensible or not all(metric.built_in and _likes_hits(metric, positive) for metric in every):
        return np.full(len(stretches.score), inf)
    _, _, ideal, _ = stretches.boxes()
    bounds = replace(objective, capacity=None).worth(ideal, positive)
    if objective.capacity is not None:
        start = objective.shifted(replace(ideal, tp=stretches.tp[:-1], fp=stretches.fp[:-1]))
        bounds = np.where(objective.has_room(start), bounds, -inf)
    # Undefined is no bound.
    undefined = np.isnan(objective.value(objective.shifted(ideal), positive))
    return np.where(undefined, inf, bounds)


def _likes_hits(metric: Metric, positive: int) -> bool:
    """Unless it is told that a wrong decision costs less than the right one."""
    costs = metric.settings.get("costs")
    if costs is None:
        return True
    negative = 1 - positive
    miss, alarm = costs[positive][negative], costs[negative][positive]
    return bool(miss >= costs[positive][positive] and alarm >= costs[negative][negative])


def _at(worth: Array, at: Place, below: Array) -> BestStep:
    top = int(np.argmax(worth))
    threshold = halfway(float(at.score[top]), float(below[top]))
    return BestStep(threshold, float(worth[top]), float(at.tp[top]), float(at.fp[top]))


def _better(a: BestStep, b: BestStep) -> BestStep:
    """The one that is worth more; if none is, the higher threshold."""
    return max(a, b, key=lambda one: (one.worth, one.threshold))


def halfway(score: float, below: float) -> float:
    """A threshold that calls the score positive and the next lower one not.

    >>> halfway(0.5, 0.25), halfway(0.5, -inf), halfway(1.0, 1 - 2**-53)
    (0.375, -inf, 1.0)
    """
    if below == -inf:
        return below
    middle = below + (score - below) / 2
    return middle if below < middle <= score else score


def _none_positive(ranking: Ranking, objective: Objective, positive: int) -> BestStep:
    nothing = np.zeros(1)
    worth = objective.worth(RowsAbove(nothing, nothing, ranking.P[0], ranking.N[0]), positive)
    return BestStep(inf, float(worth[0]), 0.0, 0.0)
