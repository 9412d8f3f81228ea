"""The paper's tables, from the outcomes of all cases."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from referee.study.datasets import DATA_SETS
from referee.study.estimates import mean_ratio, ratio, rosset_ratio
from referee.study.settings import TIES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from referee.dataset import DataSet
    from referee.study.outcomes import CaseOutcomes
    from referee.study.regret import Estimate
    from referee.study.settings import Settings

    Values = dict[str, Any]
    """Nested by the words of rows and columns, numbers inside."""

TITLES = {
    1: "Data sets",
    2: "Ratio of correct model selection, Rosset's method",
    3: "Ratio of correct model selection, t-test, test sets",
    4: "Ratio of correct model selection, sign test, test sets",
    5: "Ratio of correct model selection, t-test, holdout sets",
    6: "Mean ratio of correct model selection, test sets",
    7: "Mean ratio of correct model selection, holdout sets",
}
NUMBERS = tuple(TITLES)
BY_CASE, BY_METRIC = (2, 3, 4, 5), (6, 7)
TWO = ("accuracy", "roc_auc")
"""The evaluation metrics of Tables 2 to 5, where the goal is accuracy."""


@dataclass(frozen=True)
class Table:
    """A table: its values, their standard errors, and what else there is to it."""

    number: int
    values: Values
    standard_errors: Values = field(default_factory=dict)
    more: Values = field(default_factory=dict)

    @property
    def title(self) -> str:
        return TITLES[self.number]


def table_of_data(data: Mapping[str, DataSet]) -> Table:
    """Table 1: what the data sets are; classes are counted before they became two."""
    return Table(1, {name: _described(name, one) for name, one in data.items()})


def _described(name: str, data: DataSet) -> Values:
    classes = len(DATA_SETS[name].counts) if name in DATA_SETS else len(data.classes)
    positives = 100 * float((data.target == data.positive).mean())
    return {"rows": data.rows, "attributes": len(data.features), "classes": classes, "positive_percent": positives}


def table_of_cases(number: int, cases: Sequence[CaseOutcomes], settings: Settings) -> Table:
    """Tables 2 to 5: accuracy and AUC as evaluation metrics where the goal is accuracy."""
    if number == 2:
        others = {ties: _by_case(cases, _rosset(ties))[0] for ties in TIES if ties != settings.ties}
        return Table(2, *_by_case(cases, _rosset(settings.ties)), {"ties": settings.ties, "other_ties": others})
    approach, test = {3: ("test_sets", "t"), 4: ("test_sets", "sign"), 5: ("holdout", "t")}[number]
    return Table(number, *_by_case(cases, lambda case, metric: ratio(case, approach, "accuracy", metric, test)))  # type: ignore[arg-type]


def _rosset(ties: str) -> Callable[[CaseOutcomes, str], Estimate]:
    return lambda case, metric: rosset_ratio(case, "accuracy", metric, ties)


def _by_case(cases: Sequence[CaseOutcomes], estimate: Callable[[CaseOutcomes, str], Estimate]) -> tuple[Values, Values]:
    values: Values = {}
    errors: Values = {}
    for case in cases:
        found = {metric: estimate(case, metric) for metric in TWO}
        values.setdefault(case.data_set, {})[case.pair] = {metric: one.value for metric, one in found.items()}
        errors.setdefault(case.data_set, {})[case.pair] = {metric: one.standard_error for metric, one in found.items()}
    return values, errors


def table_of_metrics(number: int, cases: Sequence[CaseOutcomes]) -> Table:
    """Tables 6 and 7: every metric as goal and as evaluation metric, the mean over all cases."""
    approach: Any = {6: "test_sets", 7: "holdout"}[number]
    names = list(cases[0].metrics)
    found = {goal: {h: mean_ratio(cases, approach, goal, h) for h in names} for goal in names}
    values = {goal: {h: one.value for h, one in row.items()} for goal, row in found.items()}
    errors = {goal: {h: one.standard_error for h, one in row.items()} for goal, row in found.items()}
    best = {goal: cases_where_best(cases, approach, goal) for goal in names}
    return Table(number, values, errors, {"cases": len(cases), "cases_where_the_goal_is_best": best})


def cases_where_best(cases: Sequence[CaseOutcomes], approach: Any, goal: str) -> int:
    """In how many cases no evaluation metric has a larger ratio than the goal metric itself."""
    return sum(
        all(
            case.correct(approach, goal, goal).sum() >= case.correct(approach, goal, other).sum()
            for other in case.metrics
        )
        for case in cases
    )
