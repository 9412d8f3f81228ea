"""Ratios by hand, and every rule for a claim tried on the paper's own numbers and on their opposite."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from referee import metrics
from referee.study.claims import CLAIMS
from referee.study.confusions import Confusions
from referee.study.estimates import mean_of, mean_ratio, rosset_ratio
from referee.study.outcomes import APPROACHES, ROLES, CaseOutcomes, Partition
from referee.study.paper import figure_1, printed
from referee.study.settings import SIX, Settings
from referee.study.tables import Table, cases_where_best, table_of_cases

NAMES = ("accuracy", "roc_auc", "log_loss")


def case_of(differences, **parts):
    """A case whose partitions are all the same, but for those given: (repetition, subset, metric)."""
    same = np.asarray(differences, float)

    def partition(values):
        return Partition(values, values.mean(axis=1), np.zeros_like(values[:, 0]))

    every = {(a, r): partition(np.asarray(parts.get(f"{a}_{r}", same), float)) for a in APPROACHES for r in ROLES}
    return CaseOutcomes("made up", "tree", "a", "b", {name: metrics[name] for name in NAMES}, every)


def test_rosset_ratio_by_hand():
    """Accuracy's mean is positive. Of four subsets accuracy has 2 right, 1 tied; AUC 1 right, 2 tied; MXE 3 right."""
    case = case_of([[[0.3, 0.1, -0.1], [0.1, -0.1, -0.2], [0.0, 0.0, -0.3], [-0.1, 0.0, 0.5]]])
    expected = {
        "half": (2.5 / 4, 2 / 4, 3 / 4),
        "strict": (2 / 4, 1 / 4, 3 / 4),
        "excluded": (2 / 3, 1 / 2, 3 / 4),
    }
    for ties, ratios in expected.items():
        assert tuple(rosset_ratio(case, "accuracy", name, ties).value for name in NAMES) == pytest.approx(ratios)


def test_where_the_goal_is_equal_a_tied_subset_is_right():
    case = case_of([[[0.1, 0.0, 0.0], [-0.1, 0.2, 0.0], [0.0, 0.0, 0.0]]])
    assert rosset_ratio(case, "accuracy", "roc_auc").value == pytest.approx(2 / 3)


def test_only_ties_leave_nothing_where_they_are_excluded():
    case = case_of([[[0.1, 0.0, 0.0], [0.1, 0.0, 0.0]]])
    assert np.isnan(rosset_ratio(case, "accuracy", "roc_auc", "excluded").value)


def subsets(*signs):
    """A repetition in which each metric is clearly better for a (1), for b (-1), or tied (0)."""
    steps = np.linspace(0.9, 1.1, 8)
    directions = [1 if metrics[name].better == "higher" else -1 for name in NAMES]
    return np.stack([steps * sign * up for sign, up in zip(signs, directions, strict=True)], axis=1)


def test_ratios_and_crossed_outcomes_by_hand():
    goal = np.stack([subsets(1, 1, 1), subsets(1, 1, -1), subsets(0, 1, 1), subsets(-1, -1, 1)])
    evaluation = np.stack([subsets(1, 1, 1), subsets(0, 1, 1), subsets(0, -1, 1), subsets(-1, 1, 1)])
    case = case_of(goal, holdout_evaluation=evaluation)
    assert case.correct("holdout", "accuracy", "accuracy").tolist() == [True, False, True, True]
    assert case.correct("holdout", "accuracy", "roc_auc").tolist() == [True, True, False, False]
    assert case.correct("holdout", "log_loss", "log_loss").tolist() == [True, False, True, True]
    assert case.crossed("holdout", "accuracy", "roc_auc").tolist() == [[2, 0, 0], [0, 0, 1], [1, 0, 0]]
    found = mean_ratio([case, case], "holdout", "accuracy", "accuracy")
    assert found.value == 0.75
    assert found.standard_error == pytest.approx(np.std([1, 0, 1, 1], ddof=1) / 2)
    assert cases_where_best([case], "holdout", "accuracy") == 1
    assert cases_where_best([case], "holdout", "roc_auc") == 0


def test_table_4_is_by_the_sign_test():
    """Six of eight subsets differ, all for a by very unequal amounts: p = 0.03 by signs, not significant by t."""
    few = np.array([1e-6] * 5 + [9.0, 0.0, 0.0])
    goal = np.zeros((1, 8, 3))
    goal[..., 0] = few
    case = case_of(goal, test_sets_evaluation=np.abs(goal[:, ::-1]))
    assert case.outcomes("test_sets", "goal", "sign")[0, 0] == 1
    assert case.outcomes("test_sets", "goal", "t")[0, 0] == 0
    found = {number: table_of_cases(number, [case], Settings()).values["made up"]["tree"] for number in (3, 4)}
    assert found[3] == {"accuracy": 1.0, "roc_auc": 1.0}
    assert found[4] == {"accuracy": 1.0, "roc_auc": 0.0}


def test_one_repetition_has_no_standard_error():
    assert np.isnan(mean_of(np.array([1.0])).standard_error)


def the_papers(swap=False):
    """A study that found the paper's own numbers; or what it says the other way round."""
    tables = {
        number: Table(number, _swapped(printed(number), number) if swap else printed(number)) for number in range(1, 8)
    }
    best = dict.fromkeys(SIX, 0 if swap else 15)
    for number in (6, 7):
        tables[number] = replace(tables[number], more={"cases_where_the_goal_is_best": best})
    crossed = figure_1()["crossed"]
    other = {"accuracy": "roc_auc", "roc_auc": "accuracy"}
    drawn = {name: Confusions(np.array(crossed[other[name] if swap else name])) for name in other}
    return SimpleNamespace(
        tables=tables, tables_of_other_average=tables, cases=[SimpleNamespace()] * 15, figure={"pen-digits": drawn},
        positive=lambda _: "7,8,9", settings=Settings(),
    )  # fmt: skip


def _swapped(values, number):
    """Accuracy's numbers for AUC's, in Tables 6 and 7 the columns from right to left, other sizes."""
    if number == 1:
        return {name: row | {"rows": 1} for name, row in values.items()}
    if number <= 5:
        return {
            name: {pair: {"accuracy": row["roc_auc"], "roc_auc": row["accuracy"]} for pair, row in pairs.items()}
            for name, pairs in values.items()
        }
    turned = dict(zip(SIX, reversed(SIX), strict=True))
    return {goal: {name: row[turned[name]] for name in row} for goal, row in values.items()}


NEEDS_CASES = ("however tied subsets count", "same one in at least 80 %", "AUC alone differs")


def told_by_tables_alone(claim):
    return not any(words in claim.rule for words in NEEDS_CASES) and "selects at least as well" not in claim.words


@pytest.mark.parametrize("claim", [one for one in CLAIMS if told_by_tables_alone(one)], ids=lambda one: one.words[:50])
def test_the_papers_own_numbers_reproduce_its_claims(claim):
    assert claim.judge(the_papers()).verdict == "reproduced"


SAME_EITHER_WAY = (
    "ratios on holdout sets are generally smaller",
    "does not matter which",
    "diagonal on holdout sets is",
)


@pytest.mark.parametrize(
    "claim",
    [one for one in CLAIMS if told_by_tables_alone(one) and not any(words in one.words for words in SAME_EITHER_WAY)],
    ids=lambda one: one.words[:50],
)
def test_the_opposite_does_not(claim):
    assert claim.judge(the_papers(swap=True)).verdict != "reproduced"


def test_accuracy_behind_in_a_case_is_counted(monkeypatch):
    study = the_papers()
    monkeypatch.setattr("referee.study.claim_rules._clearly_behind", lambda *_: False)
    (claim,) = [one for one in CLAIMS if one.where == "Table 5"]
    assert claim.judge(study).verdict == "reproduced"
    study.tables[5].values["letter"]["knn"]["accuracy"] = 0.5
    assert claim.judge(study) == ("partly", "14 of 15; accuracy ahead in 14, equal 0, AUC ahead 1; 0 of these by more "
                                            "than 2 standard errors")  # fmt: skip


def test_every_table_of_the_paper_has_a_claim():
    assert {number for claim in CLAIMS for number in claim.tables} == set(range(1, 8))
    assert len({(claim.where, claim.words) for claim in CLAIMS}) == len(CLAIMS)
