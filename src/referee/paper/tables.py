"""The paper's tables, from the outcomes of all cases."""

from __future__ import annotations

import json
from dataclasses import field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.paper.datasets import DATA_SETS
from referee.paper.regret import Estimate, standard_error
from referee.paper.settings import TIES, Settings
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from referee.arrays import Array
    from referee.fitting import DataSet
    from referee.paper.outcomes import Approach, CaseOutcomes, Test

    Values = dict[str, Any]
    """Nested by the words of rows and columns, numbers inside."""


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
METHODS: dict[int, tuple[Approach, Test]] = {3: ("test_sets", "t"), 4: ("test_sets", "sign"), 5: ("holdout", "t")}
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
    return Table(1, {name: _described(name, data_set) for name, data_set in data.items()})


def _described(name: str, data: DataSet) -> Values:
    classes = len(DATA_SETS[name].counts) if name in DATA_SETS else len(data.classes)
    positives = 100 * float((data.target == data.positive).mean())
    return {"rows": data.rows, "attributes": len(data.features), "classes": classes, "positive_percent": positives}


def table_of_cases(number: int, cases: Sequence[CaseOutcomes], settings: Settings) -> Table:
    """Tables 2 to 5: accuracy and AUC as evaluation metrics where the goal is accuracy."""
    if number == 2:
        others = {ties: _by_case(cases, _rosset(ties))[0] for ties in TIES if ties != settings.ties}
        return Table(2, *_by_case(cases, _rosset(settings.ties)), {"ties": settings.ties, "other_ties": others})
    approach, test = METHODS[number]
    return Table(number, *_by_case(cases, lambda case, metric: ratio(case, approach, "accuracy", metric, test)))


def _rosset(ties: str) -> Callable[[CaseOutcomes, str], Estimate]:
    return lambda case, metric: rosset_ratio(case, "accuracy", metric, ties)


def _by_case(cases: Sequence[CaseOutcomes], estimate: Callable[[CaseOutcomes, str], Estimate]) -> tuple[Values, Values]:
    values: Values = {}
    errors: Values = {}
    for case in cases:
        estimates = {metric: estimate(case, metric) for metric in TWO}
        values.setdefault(case.data_set, {})[case.pair] = {metric: mean.value for metric, mean in estimates.items()}
        errors.setdefault(case.data_set, {})[case.pair] = {
            metric: mean.standard_error for metric, mean in estimates.items()
        }
    return values, errors


def table_of_metrics(number: int, cases: Sequence[CaseOutcomes]) -> Table:
    """Tables 6 and 7: every metric as goal and as evaluation metric, the mean over all cases."""
    approach: Any = {6: "test_sets", 7: "holdout"}[number]
    names = list(cases[0].metrics)
    estimates = {goal: {h: mean_ratio(cases, approach, goal, h) for h in names} for goal in names}
    values = {goal: {h: estimate.value for h, estimate in row.items()} for goal, row in estimates.items()}
    errors = {goal: {h: estimate.standard_error for h, estimate in row.items()} for goal, row in estimates.items()}
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


@cache
def paper() -> dict[str, Any]:
    """Everything that was transcribed: reference, names, tables, figure_1, remarks.

    >>> paper()["reference"][:30]
    'Huang, Ling, Zhang and Matwin '
    """
    return dict(json.loads(files("referee.paper").joinpath("paper.json").read_text("utf-8")))


def printed(number: int | str) -> dict[str, Any]:
    """The values of a table: 2 to 5 by data set, pair and evaluation metric, 6 and 7 by goal and evaluation metric.

    >>> printed(5)["adult"]["tree"]["roc_auc"], printed(7)["accuracy"]["accuracy"]
    (0.62, 0.85)
    """
    return dict(paper()["tables"][str(number)]["values"])


def figure_1() -> dict[str, Any]:
    """The paper's three-by-three counts of decision trees on pen digits: goal down, evaluation metric across.

    >>> figure_1()["crossed"]["roc_auc"]
    [[8, 5, 0], [21, 39, 5], [5, 8, 9]]
    """
    return dict(paper()["figure_1"])


def paper_name(name: str) -> str:
    """What the paper calls a data set, a learner or a metric.

    >>> paper_name("log_loss"), paper_name("brier")
    ('MXE', 'brier')
    """
    return str(paper()["names"].get(name, name))


def remarks(number: int | str) -> list[str]:
    """What must be said of a table's printed values.

    >>> remarks(6)[0][:15]
    '0.46 is printed'
    """
    return [entry["remark"] for entry in paper()["remarks"] if entry["table"] == str(number)]
