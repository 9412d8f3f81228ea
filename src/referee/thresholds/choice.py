"""Each model's best threshold, and its decisions on the rows that judge it."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import Ranking, engine_of, just_below, reaches
from referee.errors import UndefinedError
from referee.records import dataclass
from referee.scoring import Metric, derivative, quantile
from referee.thresholds.curve_kinds import kinds
from referee.thresholds.curve_points import curve_of_ranking
from referee.thresholds.curve_stretches import Stretches, stretches_of
from referee.thresholds.judgement import Parts, decided, training_rankings
from referee.thresholds.objective import Objective, RowsAbove, first_best

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.arrays import Array
    from referee.thresholds.curve_kind import Place

    Formula = Callable[[RowsAbove], Array]
    from referee.predictions import Model, Predictions


@dataclass(frozen=True)
class BestStep:
    """The threshold that is best on some rows."""

    threshold: float
    """Halfway to the next lower score; infinite if no row is called positive, minus infinite if all are."""
    worth: float
    """Of the objective, higher is better; -inf if no threshold keeps the limits."""
    tp: float
    fp: float


def best_step(ranking: Ranking, objective: Objective, positive: int = 1) -> BestStep:
    """Of equally good ones the highest: of the ends of all stretches, then inside those that may have a better one."""
    stretches = stretches_of(ranking)
    none, ends = _none_positive(ranking, objective, positive), stretches.ends
    worth = objective.worth(ends, positive)
    if not len(worth):
        return none
    best = _better(none, _at(worth, ends, stretches.below))
    if stretches.stride == 1:
        return best
    which = np.flatnonzero(_bounds(stretches, objective, positive) >= just_below(best.worth))
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
    top = int(first_best(worth))
    threshold = halfway(float(at.score[top]), float(below[top]))
    return BestStep(threshold, float(worth[top]), float(at.tp[top]), float(at.fp[top]))


def _better(a: BestStep, b: BestStep) -> BestStep:
    """The one that is worth more; if none is, the higher threshold."""
    higher, lower = (a, b) if a.threshold >= b.threshold else (b, a)
    return higher if reaches(higher.worth, lower.worth) else lower


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


def as_good(
    ranking: Ranking, best: BestStep, objective: Objective, alpha: float, *, positive: int = 1, inflation: float = 1.0
) -> tuple[float, float]:
    """The lowest and the highest threshold that may be the best one.

    Two thresholds differ only by the rows between them, so that their difference is known much better than each value.
    A threshold is out if it breaks a limit by more than chance, or is worse by more than chance than one that surely
    keeps them all. `inflation` is what weights or groups add to a variance.
    """
    places = curve_of_ranking(ranking, kinds["roc"])
    tp, fp = (np.asarray(counts, float) for counts in (places.tp, places.fp))
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
    best = int(first_best(np.where(sure, worth, -np.inf)))
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
    for hits, rows in (("tp", "P"), ("fp", "N")):
        above = getattr(at, hits)
        total = total + above * (slope[hits] + slope[rows]) ** 2 + (getattr(at, rows) - above) * slope[rows] ** 2
    return np.asarray(total)


def _variance_of_difference(at: RowsAbove, best: RowsAbove, formula: Formula) -> Array:
    """Of the difference of two values, from the rows above both, between and below both thresholds."""
    here, there = _gradient(at, formula), _gradient(best, formula)
    total: Any = 0.0
    for hits, rows in (("tp", "P"), ("fp", "N")):
        a, b = getattr(at, hits), getattr(best, hits)
        fixed = here[rows] - there[rows]
        between = np.where(a >= b, here[hits], -there[hits])
        amounts = np.minimum(a, b), np.abs(a - b), getattr(at, rows) - np.maximum(a, b)
        for amount, change in zip(amounts, (here[hits] - there[hits], between, 0.0), strict=True):
            total = total + amount * (fixed + change) ** 2
    return np.asarray(np.nan_to_num(total))


def _gradient(at: RowsAbove, formula: Formula) -> dict[str, Array]:
    """The change of a value by one more row in each count, at every threshold."""
    size = np.ones(len(at.tp))
    columns = {"tp": at.tp, "fp": at.fp, "P": at.P * size, "N": at.N * size}

    def by(name: str) -> Array:
        return derivative(lambda column: formula(RowsAbove(**(columns | {name: column}))), columns[name])

    return {name: by(name) for name in columns}


@dataclass(frozen=True, eq=False)
class Choice:
    """What was chosen on all rows that may be chosen on, and what that means for the judged ones."""

    model: str
    best: BestStep
    low: float
    high: float
    rows: tuple[float, float]
    """Positives and negatives that it was chosen on."""
    apparent: float | None
    called_positive: Array | None
    """Of each judged row; None where these are not in memory."""

    @property
    def reached(self) -> bool:
        return self.best.worth > -inf

    @property
    def above(self) -> RowsAbove:
        return RowsAbove(np.array([self.best.tp]), np.array([self.best.fp]), *self.rows)


def choose(parts: Parts, model: Model, objective: Objective, alpha: float) -> Choice:
    predictions = parts.chosen_on
    positive = predictions.positive
    assert positive is not None
    summary = engine_of(predictions).summarise(predictions, model)
    ranking = summary.ranking(positive)
    _refuse_one_class(ranking, predictions)
    best = best_step(ranking, objective, positive)
    low, high = _as_good(predictions, summary, ranking, best, objective, alpha)
    rows = float(ranking.P[0]), float(ranking.N[0])
    above = objective.shifted(RowsAbove(np.array([best.tp]), np.array([best.fp]), *rows))
    value = float(objective.value(above, positive)[0])
    called = _called_positive(parts, model, summary, ranking, best, objective)
    return Choice(model.name, best, low, high, rows, value if np.isfinite(value) else None, called)


def _as_good(
    predictions: Predictions, summary: Any, ranking: Ranking, best: BestStep, objective: Objective, alpha: float
) -> tuple[float, float]:
    positive = predictions.positive or 0
    if best.worth == -inf:
        return inf, inf
    inflation = 1.0
    if predictions.has_rows and (predictions.weight is not None or predictions.clusters is not None):
        called = np.asarray(summary.rows.score(positive) >= best.threshold)
        plain = variance_at(ranking, best, objective, positive)
        inflation = _inflation(predictions, summary.rows.model.name, called, objective, plain)
    return as_good(ranking, best, objective, alpha, positive=positive, inflation=inflation)


def _called_positive(
    parts: Parts, model: Model, summary: Any, ranking: Ranking, best: BestStep, objective: Objective
) -> Array | None:
    judged, positive = parts.judged, parts.judged.positive
    if not judged.has_rows:
        return None
    assert positive is not None
    if parts.fold is None:
        scores = engine_of(judged).summarise(judged, judged.model(model.name)).rows.score(positive)
        return np.asarray(scores >= best.threshold)
    scores = summary.rows.score(positive)
    each = training_rankings(scores, ranking, judged.truth == positive, judged.weight, parts.fold)
    thresholds = np.array([best_step(without_fold, objective, positive).threshold for without_fold in each])
    return np.asarray(scores >= thresholds[parts.fold])


def _inflation(predictions: Predictions, model: str, called: Array, objective: Objective, plain: float) -> float:
    """What weights and groups do to the variance of the value, as a factor."""
    contender = decided(predictions, {model: called}, objective.metric, objective.prevalence)[model]
    with np.errstate(all="ignore"):
        spread = contender.spread
    known = spread is not None and np.isfinite(spread.variance) and plain > 0
    return spread.variance / plain if spread is not None and known else 1.0


def _refuse_one_class(ranking: Ranking, predictions: Predictions) -> None:
    if not ranking.P[0] > 0 or not ranking.N[0] > 0:
        place = f"column {predictions.truth_column!r}"
        raise UndefinedError(
            "E_ONECLASS", f"{place}: the rows to choose on have only one class, so no threshold is best"
        )
