"""Beyond the paper: what selecting by one metric costs on another, and contests between evaluation metrics."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from referee.comparing import adjusted, tests
from referee.paper.outcomes import agreement_on_repetitions, agreement_on_subsets
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array
    from referee.paper.outcomes import Agreement, Approach, CaseOutcomes
    from referee.paper.study import Study


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


def case_regrets(case: CaseOutcomes, approach: Approach) -> tuple[Array, Array]:
    """The regret of choosing by the better mean of each evaluation metric, and its standard error: (goal, metric)."""
    gains, chosen = case.mean_gains(approach, "goal"), np.sign(case.mean_gains(approach, "evaluation"))
    estimates = np.array([[regret(goal, choice) for choice in chosen.T] for goal in gains.T])
    return estimates[..., 0], estimates[..., 1]


def mean_regrets(cases: Sequence[CaseOutcomes], approach: Approach) -> tuple[Array, Array]:
    """The regrets' mean over the cases, each counting the same, and its standard error: (goal, evaluation metric).

    A case in which no model is ever better on the goal does not count there. The standard error is the Monte-Carlo
    error of these cases: it says nothing about other data sets.

    >>> from referee.paper.outcomes import CaseOutcomes
    >>> mean, error = mean_regrets([CaseOutcomes.made_up(seed=1), CaseOutcomes.made_up(seed=2)], "holdout")
    >>> mean.shape
    (2, 2)
    """
    pairs = (case_regrets(case, approach) for case in cases)
    regrets, errors = (np.stack(each) for each in zip(*pairs, strict=True))
    known = np.isfinite(regrets)
    amount = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, regrets, 0).sum(axis=0) / amount
    error = np.sqrt((np.where(known, errors, 0) ** 2).sum(axis=0)) / amount
    undefined = ~known.any(axis=0)
    return np.where(undefined, np.nan, mean), np.where(undefined, np.nan, error)


def constant_ratio(case: CaseOutcomes, approach: Approach, goal: str) -> float:
    """How often the most frequent outcome of the goal would have been correct, said every time.

    On the test sets the same rows are dealt out twice, so that every ratio is near 1; what a metric adds to this is
    what it knows.

    >>> from referee.paper.outcomes import CaseOutcomes
    >>> constant_ratio(CaseOutcomes.made_up(), "holdout", "accuracy")
    0.9
    """
    truth = case.outcomes(approach, "goal")[:, case.column(goal)]
    return max(int((truth == answer).sum()) for answer in (0, 1, -1)) / len(truth)


@dataclass(frozen=True)
class MetricContest:
    """Two evaluation metrics on one goal; a case is won by the one that selects correctly more often."""

    goal: str
    a: str
    b: str
    difference: float
    """Mean ratio of a minus that of b, over the cases."""
    standard_error: float
    """Its Monte-Carlo error: repetitions are paired, and the cases are these."""
    won: int
    lost: int
    p: float
    """Wilcoxon's signed-rank test, cases as units."""
    p_adjusted: float = 1.0
    """For all contests of this goal."""
    alpha: float = 0.05

    @property
    def winner(self) -> str | None:
        if not self.p_adjusted < self.alpha:
            return None
        return self.a if self.difference > 0 else self.b

    def to_dict(self) -> dict[str, Any]:
        error = self.standard_error if np.isfinite(self.standard_error) else None
        return vars(self) | {"standard_error": error, "winner": self.winner}


def contests(cases: Sequence[CaseOutcomes], goal: str, *, alpha: float = 0.05) -> list[MetricContest]:
    """Compare every two evaluation metrics on a goal on holdout sets, over all cases, with p adjusted by Holm.

    The cases are taken as independent. Cases on the same data set are less than that, so p speaks of data sets and
    learners like these with some optimism.

    >>> from referee.paper.outcomes import CaseOutcomes
    >>> cases = [CaseOutcomes.made_up(seed=seed) for seed in range(6)]
    >>> [(contest.a, contest.b, contest.winner) for contest in contests(cases, "accuracy")]
    [('accuracy', 'log_loss', None)]
    """
    correct = {name: [case.correct("holdout", goal, name) for case in cases] for name in cases[0].metrics}
    pairwise = [_contest(goal, (a, b), (correct[a], correct[b]), alpha) for a, b in combinations(correct, 2)]
    p_adjusted = adjusted([contest.p for contest in pairwise])
    return [replace(contest, p_adjusted=float(p or 0.0)) for contest, p in zip(pairwise, p_adjusted, strict=True)]


def _contest(
    goal: str, names: tuple[str, str], correct: tuple[Sequence[Array], Sequence[Array]], alpha: float
) -> MetricContest:
    each = [a.astype(float) - b for a, b in zip(*correct, strict=True)]
    by_case = np.array([gains.mean() for gains in each])
    errors = np.array([standard_error(gains) for gains in each])
    ratios = (np.array([hits.mean() for hits in of_metric]) for of_metric in correct)
    comparison = tests["wilcoxon"](*ratios, alpha=alpha)
    assert comparison.p is not None
    return MetricContest(
        goal, *names, float(by_case.mean()), float(np.sqrt((errors**2).sum()) / len(each)),
        int((by_case > 0).sum()), int((by_case < 0).sum()), comparison.p, alpha=alpha,
    )  # fmt: skip


def beyond_the_paper(study: Study) -> dict[str, Any]:
    """Regret, constant answers, confusions, contests and agreement; nothing where no models were fitted."""
    if not study.cases:
        return {}
    return {
        "regret": {approach: regret_table(study.cases, approach) for approach in ("test_sets", "holdout")},
        "constant_answer": {approach: constant_ratios(study.cases, approach) for approach in ("test_sets", "holdout")},
        "confusions": _confusions(study.cases),
        "contests": [
            contest.to_dict()
            for goal in study.settings.chosen
            for contest in contests(study.cases, goal, alpha=study.settings.alpha)
        ],
        "agreement": {
            "subsets": _agreements(study.cases, agreement_on_subsets),
            "repetitions": _agreements(study.cases, agreement_on_repetitions),
        },
    }


def regret_table(cases: Sequence[CaseOutcomes], approach: Approach) -> dict[str, Any]:
    """By goal and evaluation metric: 0 is an oracle's, 1 a coin's."""
    names = list(cases[0].metrics)

    def nested(values: Array) -> dict[str, Any]:
        return {goal: dict(zip(names, row, strict=True)) for goal, row in zip(names, values.tolist(), strict=True)}

    values, errors = mean_regrets(cases, approach)
    return {"values": nested(values), "standard_errors": nested(errors)}


def _confusions(cases: Sequence[CaseOutcomes]) -> dict[str, Any]:
    """The paper's section 4 for every case and goal: what is taken for what, on holdout sets."""
    by_case: dict[str, Any] = {}
    for case in cases:
        by_goal = {
            goal: {name: case.confusions("holdout", goal, name).to_dict() for name in case.metrics}
            for goal in case.metrics
        }
        by_case.setdefault(case.data_set, {})[case.pair] = by_goal
    return by_case


def _agreements(cases: Sequence[CaseOutcomes], agreement: Callable[..., Agreement]) -> dict[str, Any]:
    """Of every two metrics f and g, by their names."""
    names = list(cases[0].metrics)
    return {f: {g: agreement(cases, f, g).to_dict() for g in names if g != f} for f in names}


def constant_ratios(cases: Sequence[CaseOutcomes], approach: Approach) -> dict[str, float]:
    """The mean ratio of always giving the most frequent outcome of each goal, which looks at nothing."""
    goals = list(cases[0].metrics)
    return {goal: sum(constant_ratio(case, approach, goal) for case in cases) / len(cases) for goal in goals}
