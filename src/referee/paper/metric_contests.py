"""Contests between evaluation metrics: which one selects better for a goal, and whether that could be chance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing import adjusted, tests
from referee.errors import UsageError
from referee.paper.outcome_confusions import agreement_on_repetitions, agreement_on_subsets, confusions
from referee.paper.regret import constant_answer, mean_regrets, standard_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array
    from referee.paper.outcome_confusions import Agreement
    from referee.paper.outcomes import Approach, CaseOutcomes, Test
    from referee.paper.study import Study


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


def contests(
    cases: Sequence[CaseOutcomes],
    goal: str,
    *,
    approach: Approach = "holdout",
    evaluations: Sequence[str] | None = None,
    test: Test = "t",
    alpha: float = 0.05,
    adjustment: str = "holm",
) -> list[MetricContest]:
    """Compare every two evaluation metrics on a goal, over all cases, with p values adjusted for their number.

    The cases are taken as independent. Cases on the same data set are less than that, so p speaks of data sets and
    learners like these with some optimism.

    >>> from referee.paper.outcomes import CaseOutcomes
    >>> cases = [CaseOutcomes.made_up(seed=seed) for seed in range(6)]
    >>> [(one.a, one.b, one.winner) for one in contests(cases, "accuracy")]
    [('accuracy', 'log_loss', None)]
    """
    names = list(cases[0].metrics if evaluations is None else evaluations)
    if len(names) < 2:
        raise UsageError("E_ONEMETRIC", "a contest needs at least two evaluation metrics")
    correct = {name: [case.correct(approach, goal, name, test) for case in cases] for name in names}
    found = [_contest(goal, (a, b), (correct[a], correct[b]), alpha) for a, b in combinations(names, 2)]
    p_adjusted = adjusted([one.p for one in found], adjustment)
    return [replace(one, p_adjusted=float(p or 0.0)) for one, p in zip(found, p_adjusted, strict=True)]


def _contest(
    goal: str, names: tuple[str, str], correct: tuple[Sequence[Array], Sequence[Array]], alpha: float
) -> MetricContest:
    each = [a.astype(float) - b for a, b in zip(*correct, strict=True)]
    by_case = np.array([one.mean() for one in each])
    errors = np.array([standard_error(one) for one in each])
    found = tests["wilcoxon"](*(np.array([one.mean() for one in of_metric]) for of_metric in correct), alpha=alpha)
    assert found.p is not None
    return MetricContest(
        goal, *names, float(by_case.mean()), float(np.sqrt((errors**2).sum()) / len(each)),
        int((by_case > 0).sum()), int((by_case < 0).sum()), found.p, alpha=alpha,
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
            one.to_dict()
            for goal in study.settings.chosen
            for one in contests(study.cases, goal, alpha=study.settings.alpha)
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
    found: dict[str, Any] = {}
    for case in cases:
        by_goal = {
            goal: {name: confusions(case, "holdout", goal, name).to_dict() for name in case.metrics}
            for goal in case.metrics
        }
        found.setdefault(case.data_set, {})[case.pair] = by_goal
    return found


def _agreements(cases: Sequence[CaseOutcomes], agreement: Callable[..., Agreement]) -> dict[str, Any]:
    """Of every two metrics f and g, by their names."""
    names = list(cases[0].metrics)
    return {f: {g: agreement(cases, f, g).to_dict() for g in names if g != f} for f in names}


def constant_ratios(cases: Sequence[CaseOutcomes], approach: Approach) -> dict[str, float]:
    """The mean ratio of always giving the most frequent outcome of each goal, which looks at nothing."""
    goals = list(cases[0].metrics)
    return {goal: sum(constant_answer(case, approach, goal).ratio for case in cases) / len(cases) for goal in goals}
