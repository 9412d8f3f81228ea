"""The costs of two models at many probability costs on the same rows, and how their differences vary together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from referee.curves.hull import hull_places
from referee.engines.memory import summarise
from referee.errors import UndefinedError
from referee.thresholds.best_steps import halfway
from referee.thresholds.cross_fitting import training_rankings
from referee.thresholds.redrawing import cheapest_at, redrawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.predictions import Predictions
    from referee.ranking import Ranking
    from referee.thresholds.parts import Parts

AT_ONCE = 20_000
"""Rows whose losses at all conditions stand in memory together."""


@dataclass(frozen=True, eq=False)
class CostDifferences:
    conditions: Array
    cost_a: Array
    cost_b: Array
    resting_on: Array
    """How many rows each difference rests on: those that are decided differently, by what they cost (Kish)."""
    covariance: Array
    """Of the differences at all conditions, with the choice of the thresholds."""


def cost_differences(parts: Parts, names: Sequence[str], conditions: Array, seed: int) -> CostDifferences:
    """Normalised expected costs on the judged rows, each model at the threshold of the condition."""
    costs, resting_on = _Losses(parts, names, conditions).totals()
    return CostDifferences(conditions, costs[0], costs[1], resting_on, _covariance(parts, names, conditions, seed))


class _Losses:
    """What each judged row adds to the costs of two models at each condition."""

    def __init__(self, parts: Parts, names: Sequence[str], conditions: Array) -> None:
        judged = parts.judged
        self.conditions = conditions
        self.thresholds = [_thresholds(parts, name, conditions) for name in names]
        self.scores = [_scores(judged, name) for name in names]
        self.fold = np.zeros(judged.rows, np.int64) if parts.fold is None else parts.fold
        self.is_positive = judged.truth == judged.positive
        self.weight = np.ones(judged.rows) if judged.weight is None else judged.weight
        self.rows_of_class = np.bincount(self.is_positive, self.weight, 2)
        self.blocks = [slice(first, first + AT_ONCE) for first in range(0, judged.rows, AT_ONCE)]

    def of(self, rows: slice) -> list[Array]:
        """Of each model: (row, condition)."""
        is_positive = self.is_positive[rows, None]
        of_miss, of_alarm = self.conditions / self.rows_of_class[1], (1 - self.conditions) / self.rows_of_class[0]
        at_stake = np.where(is_positive, of_miss, of_alarm)
        both = zip(self.scores, self.thresholds, strict=True)
        return [at_stake * ((score[rows, None] >= chosen[self.fold[rows]]) != is_positive) for score, chosen in both]

    def totals(self) -> tuple[Array, Array]:
        """The costs of both models, and how many rows each difference rests on."""
        costs, moments = np.zeros((2, 2, len(self.conditions)))
        for rows in self.blocks:
            weight, (a, b) = self.weight[rows], self.of(rows)
            costs += [weight @ a, weight @ b]
            moments += [weight @ np.abs(a - b), weight @ (a - b) ** 2]
        with np.errstate(all="ignore"):
            return costs, np.nan_to_num(moments[0] ** 2 / moments[1])


def _covariance(parts: Parts, names: Sequence[str], conditions: Array, seed: int) -> Array:
    """Of the differences, where thresholds are chosen and judged again on rows that are drawn again."""
    found = redrawn(parts, names, seed).counts(cheapest_at(conditions))
    with np.errstate(all="ignore"):
        a, b = (conditions * (1 - at.tp / at.P) + (1 - conditions) * at.fp / at.N for at in found.values())
    differences = a - b
    return np.cov(differences[np.isfinite(differences).all(axis=1)], rowvar=False)


def _thresholds(parts: Parts, name: str, conditions: Array) -> Array:
    """The best threshold of each fold at each condition: (fold, condition)."""
    predictions = parts.chosen_on
    positive = predictions.positive
    assert positive is not None
    ranking = summarise(predictions, predictions.model(name)).ranking(positive)
    each: Sequence[Ranking] = [ranking]
    if parts.fold is not None:
        is_positive = predictions.truth == positive
        each = training_rankings(_scores(predictions, name), ranking, is_positive, predictions.weight, parts.fold)
    return np.stack([_best_corners(one, conditions) for one in each])


def _best_corners(ranking: Ranking, conditions: Array) -> Array:
    if not ranking.P[0] > 0 or not ranking.N[0] > 0:
        raise UndefinedError("E_ONECLASS", "the rows to choose on have only one class, so no threshold is best")
    corners = hull_places(ranking)
    costs = conditions[:, None] * (1 - corners.tp / corners.P) + (1 - conditions[:, None]) * corners.fp / corners.N
    scores = corners.score[np.argmin(costs, axis=1)]
    below = np.append(ranking.scores.astype(float), -np.inf)
    step = np.searchsorted(-ranking.scores.astype(float), -scores)
    return np.array(
        [
            score if score == np.inf else halfway(float(score), float(below[place + 1]))
            for score, place in zip(scores, step, strict=True)
        ]
    )


def _scores(predictions: Predictions, name: str) -> Array:
    assert predictions.positive is not None
    return summarise(predictions, predictions.model(name)).rows.score(predictions.positive)
