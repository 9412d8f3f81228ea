"""What selecting by one metric costs on another: regret, beside the ratio of correct selections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from referee.scoring import quantile, wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.paper.outcomes import Approach, CaseOutcomes, Test

By = Literal["mean", "t", "sign"]
"""How the evaluation metric chooses: the better mean, or the better model of a test, where a tie is a coin flip."""


class Estimate(NamedTuple):
    """A mean over repetitions, and how far it may be off because they are not more."""

    value: float
    standard_error: float


def costs(gains: Array, chosen: Array) -> Array:
    """What each choice costs on the goal, in the goal's own units.

    With the gain d (by how much a is better than b on the goal) and the choice c (1: a, -1: b, 0: neither, so that a
    coin decides) it is |d| (1 - c sign d) / 2: nothing for the better model, |d| for the worse one, half of it for
    the coin.

    >>> costs(np.array([0.2, 0.2, -0.2, 0.0]), np.array([1, -1, 0, -1])).tolist()
    [0.0, 0.2, 0.1, 0.0]
    """
    return np.abs(gains) * (1 - chosen * np.sign(gains)) / 2


def regret(gains: Array, chosen: Array) -> Estimate:
    """The cost of the choices as a share of what a coin would cost: sum of costs / sum of |d| / 2.

    0 is an oracle's, 1 a coin's, 2 that of always choosing the worse model; nan where no model is ever better. The
    standard error is that of a ratio of means over repetitions.

    >>> regret(np.array([0.3, 0.1]), np.array([1, -1])).value
    0.5
    """
    return ratio_of_means(costs(gains, chosen), np.abs(gains) / 2)


def ratio_of_means(above: Array, below: Array) -> Estimate:
    """The mean of one over the mean of the other, repetition by repetition paired; by the delta method.

    >>> ratio_of_means(np.array([1.0, 3.0]), np.array([2.0, 2.0]))
    Estimate(value=1.0, standard_error=0.5)
    """
    if not below.sum() > 0:
        return Estimate(np.nan, np.nan)
    ratio = above.sum() / below.sum()
    return Estimate(float(ratio), standard_error(above - ratio * below) / float(below.mean()))


def standard_error(values: Array) -> float:
    """Of a mean over repetitions; nan if there is only one."""
    return float(values.std(ddof=1) / len(values) ** 0.5) if len(values) > 1 else np.nan


def choices(case: CaseOutcomes, approach: Approach, by: By = "mean") -> Array:
    """Which model each evaluation metric chooses: 1 for a, -1 for b, 0 for neither. (repetition, metric)."""
    if by == "mean":
        return np.sign(case.mean_gains(approach, "evaluation"))
    return case.outcomes(approach, "evaluation", by)


def case_regrets(case: CaseOutcomes, approach: Approach, by: By = "mean") -> tuple[Array, Array]:
    """The regret of each evaluation metric on each goal, and its standard error: (goal, evaluation metric)."""
    gains, chosen = case.mean_gains(approach, "goal"), choices(case, approach, by)
    found = np.array([[regret(goal, choice) for choice in chosen.T] for goal in gains.T])
    return found[..., 0], found[..., 1]


def mean_regrets(cases: Sequence[CaseOutcomes], approach: Approach, by: By = "mean") -> tuple[Array, Array]:
    """The regrets' mean over the cases, each counting the same, and its standard error: (goal, evaluation metric).

    A case in which no model is ever better on the goal does not count there. The standard error is the Monte-Carlo
    error of these cases: it says nothing about other data sets.

    >>> from referee.paper.outcomes import CaseOutcomes
    >>> mean, error = mean_regrets([CaseOutcomes.made_up(seed=1), CaseOutcomes.made_up(seed=2)], "holdout")
    >>> mean.shape
    (2, 2)
    """
    regrets, errors = (np.stack(each) for each in zip(*(case_regrets(one, approach, by) for one in cases), strict=True))
    known = np.isfinite(regrets)
    amount = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, regrets, 0).sum(axis=0) / amount
    error = np.sqrt((np.where(known, errors, 0) ** 2).sum(axis=0)) / amount
    undefined = ~known.any(axis=0)
    return np.where(undefined, np.nan, mean), np.where(undefined, np.nan, error)


class Constant(NamedTuple):
    """The best answer that looks at nothing, with hindsight: 1 for a, -1 for b, 0 for a tie."""

    answer: int
    ratio: float


def constant_answer(case: CaseOutcomes, approach: Approach, goal: str, test: Test = "t") -> Constant:
    """How often the most frequent outcome of the goal would have been correct, said every time.

    On the test sets the same rows are dealt out twice, so that every ratio is near 1; what a metric adds to this is
    what it knows.

    >>> from referee.paper.outcomes import CaseOutcomes
    >>> constant_answer(CaseOutcomes.made_up(), "holdout", "accuracy").answer
    0
    """
    truth = case.outcomes(approach, "goal", test)[:, case.column(goal)]
    amounts = {answer: int((truth == answer).sum()) for answer in (0, 1, -1)}
    answer = max(amounts, key=lambda one: amounts[one])
    return Constant(answer, amounts[answer] / len(truth))


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
