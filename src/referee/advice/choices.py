"""Choosing a model by each metric: who is chosen, what that costs by each goal, and which choice is safe for all goals.

Arrays end in an axis of models; whatever axes stand before it are draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array

ROUNDING = 1e-12
"""Values that differ by less than this share of their size are equal."""
NEARLY = 0.02
"""Worst cases that differ by less than this are as good as equal."""
AVERAGE = "average"
"""Of the possible goals, each in its standard errors."""


def preferred(gains: Array) -> Array:
    """Each model's share of being chosen: 1 for the best, the same for each of several best.

    `gains` are values of which more is better; where one of them is undefined nothing is chosen (nan).

    >>> preferred(np.array([[0.7, 0.9, 0.9], [0.8, 0.6, 0.5], [0.5, np.nan, 0.1]]))
    array([[0. , 0.5, 0.5],
           [1. , 0. , 0. ],
           [nan, nan, nan]])
    """
    known = np.isfinite(gains).all(axis=-1, keepdims=True)
    given = np.where(known, gains, 0.0)
    slack = ROUNDING * np.abs(given).max(axis=-1, keepdims=True)
    best = given >= given.max(axis=-1, keepdims=True) - slack
    return np.where(known, best / best.sum(axis=-1, keepdims=True), np.nan)


def rightness(chosen: Array, worth: Array) -> Array:
    """The probability that the chosen model is the best on the goal, in each draw.

    >>> rightness(np.array([[0.5, 0.5, 0.0]]), np.array([[0.1, 0.4, 0.3]])).tolist()
    [0.5]
    """
    best = np.where(np.isnan(worth), np.nan, np.sign(preferred(worth)))
    return np.asarray((chosen * best).sum(axis=-1))


def cost_of(chosen: Array, worth: Array) -> Array:
    """What the goal loses by taking the chosen model instead of its best one, in each draw.

    >>> cost_of(np.array([[0.5, 0.5, 0.0]]), np.array([[0.25, 0.75, 0.5]])).tolist()
    [0.25]
    """
    return np.maximum(worth.max(axis=-1) - (chosen * worth).sum(axis=-1), 0.0)


def cost_of_a_coin(worth: Array) -> Array:
    """The same where each model is equally likely to be taken."""
    return cost_of(np.full_like(worth, 1 / worth.shape[-1]), worth)


@dataclass(frozen=True)
class SafeChoice:
    """What choosing by one metric, or by the average, costs over all goals that are possible."""

    by: str
    mean: float
    """The mean regret, each goal with its weight: 0 is perfect, 1 a coin flip."""
    worst: float
    """The regret of the goal that it serves worst."""
    worst_goal: str

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def safe_choices(names: Sequence[str], seen: Array, worth: Array, goals: Mapping[str, float]) -> tuple[SafeChoice, ...]:
    """Every metric to choose by, and the average of the goals, the smallest worst case first.

    `seen` and `worth` are values of which more is better, on the rows that one chooses on and on others: (fit, deal,
    model, metric), the metrics in the order of `names`; `goals` has the weight of each goal that is possible.

    >>> values = np.array([[[[0.9, 0.2], [0.8, 0.6]], [[0.9, 0.3], [0.8, 0.8]]]])
    >>> safe_choices(["a", "b"], values, values, {"a": 1, "b": 3})[0].by
    'average'
    """
    places = {goal: names.index(goal) for goal in goals}
    chosen = {name: preferred(seen[..., place]) for place, name in enumerate(names)}
    chosen[AVERAGE] = preferred(_average(seen, places, goals))
    regrets = {by: {goal: _regret(share, worth[..., place]) for goal, place in places.items()} for by, share in
               chosen.items()}  # fmt: skip
    return safest_first(regrets, goals)


def safest_first(regrets: Mapping[str, Mapping[str, float]], goals: Mapping[str, float]) -> tuple[SafeChoice, ...]:
    """What each way to choose, by its regret for each goal, costs over all goals: the smallest worst case first.

    >>> [choice.by for choice in safest_first({"a": {"x": 0.0, "y": 0.5}, "b": {"x": 0.3, "y": 0.4}}, {"x": 2, "y": 1})]
    ['b', 'a']
    """
    known = [_safe(by, each, goals) for by, each in regrets.items() if not np.isnan(list(each.values())).any()]
    return tuple(sorted(known, key=lambda choice: (round(choice.worst, 9), choice.mean, choice.by != AVERAGE)))


def safest(choices: Sequence[SafeChoice]) -> SafeChoice:
    """The smallest worst case; of those that are nearly as small, the smallest mean.

    >>> safest([SafeChoice("a", 0.4, 0.54, "x"), SafeChoice("b", 0.3, 0.55, "x"), SafeChoice("c", 0.2, 0.7, "y")]).by
    'b'
    """
    least = min(choice.worst for choice in choices)
    return min((choice for choice in choices if choice.worst <= least + NEARLY), key=lambda choice: choice.mean)


def _safe(by: str, regrets: Mapping[str, float], goals: Mapping[str, float]) -> SafeChoice:
    mean = sum(goals[goal] * regret for goal, regret in regrets.items()) / sum(goals.values())
    worst = max(regrets, key=lambda goal: regrets[goal])
    return SafeChoice(by, mean, regrets[worst], worst)


def _regret(chosen: Array, worth: Array) -> float:
    """The mean cost over that of a coin; nan where no model is ever better."""
    cost, coin = cost_of(chosen, worth), cost_of_a_coin(worth)
    known = np.isfinite(cost) & np.isfinite(coin)
    below = float(coin[known].sum())
    return float(cost[known].sum()) / below if below > 0 else np.nan


def _average(seen: Array, places: Mapping[str, int], goals: Mapping[str, float]) -> Array:
    """The goals' values above the models' mean, each over its spread from deal to deal, added up with their weights.

    Dealing rows anew moves all metrics by the same share of their standard errors, so these are standard errors but
    for one factor.
    """
    centred = seen - seen.mean(axis=-2, keepdims=True)
    spread = np.sqrt(np.nanmean(np.nanvar(centred, axis=1), axis=(0, 1)))
    return np.asarray(sum(
        weight * centred[..., places[goal]] / spread[places[goal]] for goal, weight in goals.items()
        if spread[places[goal]] > 0
    ))  # fmt: skip
