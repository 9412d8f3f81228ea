"""What selecting by one metric costs on another: regret, beside the ratio of correct selections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.study.outcomes import Approach, CaseOutcomes, Test

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

    >>> from referee.study.outcomes import CaseOutcomes
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

    >>> from referee.study.outcomes import CaseOutcomes
    >>> constant_answer(CaseOutcomes.made_up(), "holdout", "accuracy").answer
    0
    """
    truth = case.outcomes(approach, "goal", test)[:, case.column(goal)]
    amounts = {answer: int((truth == answer).sum()) for answer in (0, 1, -1)}
    answer = max(amounts, key=lambda one: amounts[one])
    return Constant(answer, amounts[answer] / len(truth))
