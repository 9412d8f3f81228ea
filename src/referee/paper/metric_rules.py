"""How claims about Tables 6 and 7 are judged: every metric as goal and as evaluation metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.paper.claim_rules import Finding, everywhere, graded
from referee.paper.settings import AVERAGE, FIVE, SIX
from referee.paper.tables import paper_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.paper.study import Study


def diagonal_largest(study: Study, number: int) -> Finding | None:
    values = study.tables[number].values
    largest = [goal for goal in SIX if goal in values and values[goal][goal] >= max(values[goal].values())]
    return everywhere(len(largest), sum(goal in values for goal in SIX))


def best_in_every_case(study: Study, numbers: Sequence[int]) -> Finding | None:
    found = [
        study.tables[number].more["cases_where_the_goal_is_best"][goal]
        for number in numbers
        for goal in SIX
        if goal in study.tables[number].values
    ]
    return everywhere(sum(found), len(found) * len(study.cases))


def average_by_itself(study: Study) -> Finding:
    rows = [study.tables[number].values[AVERAGE] for number in (6, 7)]
    best = sum(row[AVERAGE] >= max(row.values()) for row in rows)
    return graded(best == 2, best == 1, f"{best} of 2 tables")


def diagonal_smaller_on_holdout(study: Study) -> Finding | None:
    test, holdout = (study.tables[number].values for number in (6, 7))
    goals = [goal for goal in SIX if goal in test]
    return everywhere(sum(holdout[goal][goal] < test[goal][goal] for goal in goals), len(goals))


ROBUST = ("log_loss", "rms", "roc_auc", "accuracy", "f_beta")
"""The paper's order of single metrics for an unknown goal."""


def order_for_unknown_goal(study: Study, number: int) -> Finding:
    order = _order(study.tables[number].values[AVERAGE])
    other = _order(study.tables_of_other_average[number].values[AVERAGE])
    told = f"{_written(order)} (with the other average: {_written(other)})"
    return graded(order == ROBUST, order[0] == ROBUST[0], told)


def _order(row: dict[str, float]) -> tuple[str, ...]:
    return tuple(sorted(FIVE, key=lambda name: -row[name]))


def _written(order: Sequence[str]) -> str:
    return " > ".join(map(paper_name, order))


def mxe_most_robust(study: Study) -> Finding:
    first = sum(_order(study.tables[number].values[AVERAGE])[0] == "log_loss" for number in (6, 7))
    return graded(first == 2, first == 1, f"{first} of 2 tables")
