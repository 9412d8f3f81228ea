"""What the paper did not ask of its own experiment: what a wrong choice costs, and what could be chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.study.confusions import confusions
from referee.study.consistency import agreement_on_repetitions, agreement_on_subsets
from referee.study.contests import contests
from referee.study.regret import constant_answer, mean_regrets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array
    from referee.study.consistency import Agreement
    from referee.study.outcomes import Approach, CaseOutcomes
    from referee.study.results import Study


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
