"""Ratios of correct selection: means over repetitions with their Monte-Carlo standard errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.study.regret import Estimate, standard_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.study.outcomes import Approach, CaseOutcomes, Test


def mean_of(each: Array) -> Estimate:
    """The mean of one number per repetition; those that are nan do not count.

    >>> mean_of(np.array([1.0, 0, 1, 0]))
    Estimate(value=0.5, standard_error=0.28867513459481287)
    """
    known = np.asarray(each, float)[~np.isnan(each)]
    return Estimate(float(known.mean()), standard_error(known)) if len(known) else Estimate(np.nan, np.nan)


def ratio(case: CaseOutcomes, approach: Approach, goal: str, evaluation: str, test: Test = "t") -> Estimate:
    """How often the evaluation metric selects as the goal metric says, on one case."""
    return mean_of(case.correct(approach, goal, evaluation, test))


def mean_ratio(cases: Sequence[CaseOutcomes], approach: Approach, goal: str, evaluation: str) -> Estimate:
    """The mean over cases; cases of a data set share its repetitions, so the error is that of the repetitions' means.

    Repetitions of different data sets are independent, so that it does not matter which are taken together.
    """
    return mean_of(np.mean([case.correct(approach, goal, evaluation) for case in cases], axis=0))


def rosset_ratio(case: CaseOutcomes, goal: str, evaluation: str, ties: str = "half") -> Estimate:
    """On how many single subsets the evaluation metric agrees with the goal metric's mean over all of them.

    A subset on which both models are equal by the evaluation metric counts one half, is wrong (`strict`), or is left
    out (`excluded`). Where the goal's means are equal, it is the right answer.
    """
    signs = case.signs("test_sets", "goal")[:, :, case.column(evaluation)].astype(int)
    truth = np.sign(case.mean_gains("test_sets", "goal")[:, case.column(goal)]).astype(int)
    right = (signs == truth[:, None]).sum(axis=1)
    tied = np.where(truth == 0, 0, (signs == 0).sum(axis=1))
    subsets = signs.shape[1]
    if ties == "excluded":
        with np.errstate(invalid="ignore"):
            return mean_of(right / (subsets - tied))
    return mean_of((right + (0.5 * tied if ties == "half" else 0)) / subsets)
