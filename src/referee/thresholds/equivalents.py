"""Thresholds that these rows cannot tell from the best one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.curves.kind import kinds
from referee.curves.making import curve_of_ranking
from referee.influence.derivatives import derivative
from referee.student_t import quantile
from referee.thresholds.best_steps import halfway
from referee.thresholds.objective import RowsAbove

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.arrays import Array
    from referee.ranking import Ranking
    from referee.thresholds.best_steps import BestStep
    from referee.thresholds.objective import Objective

    Formula = Callable[[RowsAbove], Array]


def as_good(
    ranking: Ranking, best: BestStep, objective: Objective, alpha: float, *, positive: int = 1, inflation: float = 1.0
) -> tuple[float, float]:
    """The lowest and the highest threshold that may be the best one.

    Two thresholds differ only by the rows between them, so that their difference is known much better than each value.
    A threshold is out if it breaks a limit by more than chance, or is worse by more than chance than one that surely
    keeps them all. `inflation` is what weights or groups add to a variance.
    """
    places = curve_of_ranking(ranking, kinds["roc"])
    tp, fp = (np.asarray(one, float) for one in (places.tp, places.fp))
    at = RowsAbove(tp, fp, places.positives, places.negatives)
    reach = quantile(1 - alpha / 2, np.inf) * inflation**0.5
    with np.errstate(all="ignore"):
        slacks = list(_slacks(at, objective, positive))
        possible = np.all([slack >= -reach * error for slack, error in slacks] or [at.tp >= 0], axis=0)
        sure = np.all([slack > reach * error for slack, error in slacks] or [at.tp >= 0], axis=0)
        if sure.any():
            possible &= ~_worse(at, sure, replace(objective, limits=(), capacity=None), reach, positive)
    thresholds = _halfway_down(places.threshold)[possible]
    return min([*thresholds.tolist(), best.threshold]), max([*thresholds.tolist(), best.threshold])


def _worse(at: RowsAbove, sure: Array, objective: Objective, reach: float, positive: int) -> Array:
    """Whether a threshold is worse by more than chance than the best of those that surely keep the limits."""
    worth = objective.worth(at, positive)
    best = int(np.argmax(np.where(sure, worth, -np.inf)))
    there = RowsAbove(np.full_like(at.tp, at.tp[best]), np.full_like(at.fp, at.fp[best]), at.P, at.N)
    spread = np.sqrt(_variance_of_difference(at, there, _shifted(objective, positive)))
    return np.asarray(worth + reach * spread < worth[best])


def variance_at(ranking: Ranking, best: BestStep, objective: Objective, positive: int) -> float:
    """Of the value at the best threshold, as if every row counted once and for itself."""
    at = RowsAbove(np.array([best.tp]), np.array([best.fp]), float(ranking.P[0]), float(ranking.N[0]))
    with np.errstate(all="ignore"):
        return float(_variance(at, _shifted(objective, positive))[0])


def _halfway_down(scores: Array) -> Array:
    below = [*scores[1:].tolist(), -np.inf]
    return np.array(
        [halfway(score, low) if score < np.inf else score for score, low in zip(scores.tolist(), below, strict=True)]
    )


def _shifted(objective: Objective, positive: int) -> Formula:
    return lambda at: objective.value(objective.shifted(at), positive)


def _slacks(at: RowsAbove, objective: Objective, positive: int) -> Iterator[tuple[Array, Array]]:
    """By how much each limit is kept at every threshold, and the standard error of that."""
    for limit in objective.limits:
        formula = _shifted(replace(objective, metric=limit.metric), positive)
        sign = 1 if limit.at_least else -1
        yield sign * (formula(at) - limit.bound), np.sqrt(_variance(at, formula))
    if objective.capacity is not None:

        def share(rows: RowsAbove) -> Array:
            shifted = objective.shifted(rows)
            return np.asarray((shifted.tp + shifted.fp) / (shifted.P + shifted.N))

        yield objective.capacity / 1000 - share(at), np.sqrt(_variance(at, share))


def _variance(at: RowsAbove, formula: Formula) -> Array:
    """Of a value at each threshold, from the rows above and below."""
    slope = _gradient(at, formula)
    total: Any = 0.0
    for found, rows in (("tp", "P"), ("fp", "N")):
        above = getattr(at, found)
        total = total + above * (slope[found] + slope[rows]) ** 2 + (getattr(at, rows) - above) * slope[rows] ** 2
    return np.asarray(total)


def _variance_of_difference(at: RowsAbove, best: RowsAbove, formula: Formula) -> Array:
    """Of the difference of two values, from the rows above both, between and below both thresholds."""
    here, there = _gradient(at, formula), _gradient(best, formula)
    total: Any = 0.0
    for found, rows in (("tp", "P"), ("fp", "N")):
        a, b = getattr(at, found), getattr(best, found)
        fixed = here[rows] - there[rows]
        between = np.where(a >= b, here[found], -there[found])
        amounts = np.minimum(a, b), np.abs(a - b), getattr(at, rows) - np.maximum(a, b)
        for amount, change in zip(amounts, (here[found] - there[found], between, 0.0), strict=True):
            total = total + amount * (fixed + change) ** 2
    return np.asarray(np.nan_to_num(total))


def _gradient(at: RowsAbove, formula: Formula) -> dict[str, Array]:
    """The change of a value by one more row in each count, at every threshold."""
    size = np.ones(len(at.tp))
    columns = {"tp": at.tp, "fp": at.fp, "P": at.P * size, "N": at.N * size}

    def by(name: str) -> Array:
        return derivative(lambda column: formula(RowsAbove(**(columns | {name: column}))), columns[name])

    return {name: by(name) for name in columns}
