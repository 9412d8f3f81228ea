"""Each model's best threshold, and its decisions on the rows that judge it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import engine_of
from referee.errors import UndefinedError
from referee.thresholds.best_steps import BestStep, best_steps
from referee.thresholds.cross_fitting import decisions, training_rankings
from referee.thresholds.equivalents import as_good, variance_at
from referee.thresholds.judging import decided
from referee.thresholds.objective import RowsAbove

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.predictions import Model, Predictions
    from referee.ranking import Ranking
    from referee.thresholds.objective import Objective
    from referee.thresholds.parts import Parts


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


def choose_all(parts: Parts, objective: Objective, alpha: float) -> list[Choice]:
    return [_choose(parts, model, objective, alpha) for model in parts.chosen_on.models]


def _choose(parts: Parts, model: Model, objective: Objective, alpha: float) -> Choice:
    predictions = parts.chosen_on
    positive = predictions.positive
    assert positive is not None
    summary = engine_of(predictions).summarise(predictions, model)
    ranking = summary.ranking(positive)
    _refuse_one_class(ranking, predictions)
    (best,) = best_steps(ranking, [objective], positive)
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
    if predictions.engine == "memory" and (predictions.weight is not None or predictions.clusters is not None):
        called = np.asarray(summary.rows.score(positive) >= best.threshold)
        plain = variance_at(ranking, best, objective, positive)
        inflation = _inflation(predictions, summary.rows.model.name, called, objective, plain)
    return as_good(ranking, best, objective, alpha, positive=positive, inflation=inflation)


def _called_positive(
    parts: Parts, model: Model, summary: Any, ranking: Ranking, best: BestStep, objective: Objective
) -> Array | None:
    judged, positive = parts.judged, parts.judged.positive
    if judged.engine != "memory":
        return None
    assert positive is not None
    if parts.fold is None:
        scores = engine_of(judged).summarise(judged, judged.model(model.name)).rows.score(positive)
        return np.asarray(scores >= best.threshold)
    scores = summary.rows.score(positive)
    each = training_rankings(scores, ranking, judged.truth == positive, judged.weight, parts.fold)
    thresholds = [best_steps(one, [objective], positive)[0].threshold for one in each]
    return decisions(scores, parts.fold, thresholds)


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
