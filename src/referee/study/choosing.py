"""Choosing one of several models by a metric: who is chosen, how often that is right, and what it costs on the goal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.proportions import wilson
from referee.student_t import quantile
from referee.study.regret import ratio_of_means, standard_error

if TYPE_CHECKING:
    from referee.arrays import Array

ROUNDING = 1e-12
"""Values that differ by less than this share of their size are equal."""


def preferred(gains: Array) -> Array:
    """Each model's share of being chosen: 1 for the best, the same for each of several best: (repetition, model).

    `gains` are values of which more is better; where one of them is undefined nothing is chosen (nan).

    >>> preferred(np.array([[0.7, 0.9, 0.9], [0.8, 0.6, 0.5], [0.5, np.nan, 0.1]]))
    array([[0. , 0.5, 0.5],
           [1. , 0. , 0. ],
           [nan, nan, nan]])
    """
    known = np.isfinite(gains).all(axis=1, keepdims=True)
    given = np.where(known, gains, 0.0)
    slack = ROUNDING * np.abs(given).max(axis=1, keepdims=True)
    best = given >= given.max(axis=1, keepdims=True) - slack
    return np.where(known, best / best.sum(axis=1, keepdims=True), np.nan)


def rightness(chosen: Array, worth: Array) -> Array:
    """The probability that the chosen model is the best on the goal, in each repetition.

    >>> rightness(np.array([[0.5, 0.5, 0.0]]), np.array([[0.1, 0.4, 0.3]])).tolist()
    [0.5]
    """
    best = np.where(np.isnan(worth), np.nan, np.sign(preferred(worth)))
    return (chosen * best).sum(axis=1)


def cost_of(chosen: Array, worth: Array) -> Array:
    """What the goal loses by taking the chosen model instead of its best one, in each repetition.

    >>> cost_of(np.array([[0.5, 0.5, 0.0]]), np.array([[0.25, 0.75, 0.5]])).tolist()
    [0.25]
    """
    return np.maximum(worth.max(axis=1) - (chosen * worth).sum(axis=1), 0.0)


def cost_of_a_coin(worth: Array) -> Array:
    """The same where each model is equally likely to be taken."""
    return cost_of(np.full_like(worth, 1 / worth.shape[1]), worth)


@dataclass(frozen=True)
class Choice:
    """Selecting by one metric for the goal of another one."""

    goal: str
    evaluation: str
    repetitions: int
    """In which both are defined for all models."""
    right: float | None = None
    """How often the model that it chooses on the holdout part is the best by the goal on the test part."""
    right_low: float | None = None
    right_high: float | None = None
    cost: float | None = None
    """What that loses on the goal, on average, in the goal's own units."""
    cost_low: float | None = None
    cost_high: float | None = None
    cost_standard_error: float | None = None
    regret: float | None = None
    """The cost as a share of a coin's: 0 is an oracle's, 1 a coin's."""
    regret_low: float | None = None
    regret_high: float | None = None
    same_outcome: float | None = None
    """How often a t-test on subsets says the same of two models on both parts: the paper's ratio, over all pairs."""
    p: float | None = None
    """Whether it costs something else than choosing by the goal itself: corrected resampled t-test."""
    p_adjusted: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def judged_choice(
    names: tuple[str, str], chosen: Array, worth: Array, overlap: float, *, alpha: float = 0.05
) -> Choice:
    """What choosing in this way is worth, over all repetitions in which it is defined.

    `overlap` is the number of rows that are not trained on, for each one that is: repetitions share rows, so standard
    errors of costs are Nadeau and Bengio's. The interval of `right` is that of a share among independent repetitions
    and says only what more repetitions on the same data would change.
    """
    known = np.isfinite(chosen).all(axis=1) & np.isfinite(worth).all(axis=1)
    chosen, worth = chosen[known], worth[known]
    repetitions = int(known.sum())
    if repetitions < 2:
        return Choice(*names, repetitions)
    right, cost, coin = rightness(chosen, worth), cost_of(chosen, worth), cost_of_a_coin(worth)
    correction = (1 + repetitions * overlap) ** 0.5
    reach = quantile(1 - alpha / 2, repetitions - 1) * correction
    regret = ratio_of_means(cost, coin)
    mean, error = float(cost.mean()), standard_error(cost)
    low, high = map(float, wilson(right.sum(), repetitions, alpha))
    regrets = _around(regret.value, reach * regret.standard_error) if np.isfinite(regret.value) else (None, None)
    return Choice(
        *names, repetitions, float(right.mean()), low, high, mean, *_around(mean, reach * error), correction * error,
        regret.value if np.isfinite(regret.value) else None, *regrets,
    )  # fmt: skip


def _around(value: float, reach: float) -> tuple[float, float]:
    """An interval of something that is never negative."""
    return max(0.0, value - reach), value + reach
