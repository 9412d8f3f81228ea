"""Ratios by hand, and every rule for a claim tried on the paper's own numbers and on their opposite."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from referee import metrics
from referee.paper import CLAIMS, Confusions, Table, closeness, figure_1, mean_ratio, printed
from referee.paper.outcomes import APPROACHES, ROLES, CaseOutcomes, Partition
from referee.paper.settings import SIX, Settings
from referee.paper.tables import cases_where_best, mean_of, rosset_ratio, table_of_cases

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
    assert case.confusions("holdout", "accuracy", "roc_auc").crossed.tolist() == [[2, 0, 0], [0, 0, 1], [1, 0, 0]]
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


def columns(**signs_of_metrics):
    """One repetition of subsets: who is better on each by accuracy and AUC, and log loss the same as AUC."""
    accuracy, auc = (np.array(signs_of_metrics[name], float) for name in ("accuracy", "auc"))
    return np.stack([accuracy, auc, -auc], axis=1)[None]


AHEAD = case_of(columns(accuracy=[1, 1, 1, -1], auc=[1, -1, -1, -1]))
"""Accuracy is better in the mean; so on 3 of 4 subsets by accuracy, and on 1 by AUC."""
BEHIND = case_of(columns(accuracy=[9, -1, -1, -1], auc=[1, 1, 1, -1]))
HANGING = case_of(columns(accuracy=[1, 1, 0, 0], auc=[1, 1, 1, -1]))
"""Ties as one half: equal; as wrong: AUC ahead; left out: accuracy ahead."""
ALIKE = {"holdout_evaluation": columns(accuracy=[1, 1, 1, 1, 1, 0, 0], auc=[1, 1, 1, 1, -1, 1, -1])}
"""AUC agrees on 4 of 5 subsets, and tells the models apart on 2 more."""
UNLIKE = {"holdout_evaluation": columns(accuracy=[1, 1, 1, 1, 1], auc=[1, -1, -1, -1, 0])}


def told_apart(case, parts):
    return replace(case, partitions=case_of([[[0, 0, 0]]], **parts).partitions | {
        key: part for key, part in case.partitions.items() if key != ("holdout", "evaluation")
    })  # fmt: skip


def the_papers(swap=False):
    """A study that found the paper's own numbers; or what it says the other way round."""
    tables = {
        number: Table(number, _swapped(printed(number), number) if swap else deepcopy(printed(number)))
        for number in range(1, 8)
    }
    best = dict.fromkeys(SIX, 0 if swap else 15)
    for number in (6, 7):
        tables[number] = replace(tables[number], more={"cases_where_the_goal_is_best": best})
    crossed = figure_1()["crossed"]
    other = {"accuracy": "roc_auc", "roc_auc": "accuracy"}
    drawn = {name: Confusions(np.array(crossed[other[name] if swap else name])) for name in other}
    cases = (
        [told_apart(BEHIND, UNLIKE)] * 15 if swap else [told_apart(AHEAD, ALIKE)] * 10 + [told_apart(BEHIND, ALIKE)] * 5
    )
    return SimpleNamespace(
        tables=tables, tables_of_other_average=tables, cases=cases, figure={"pen-digits": drawn},
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


def opposites():
    """All the other way round; holdout sets for test sets; and a t-test that contradicts the sign test."""
    exchanged, contradicting = the_papers(), the_papers()
    for a, b in ((3, 5), (6, 7)):
        exchanged.tables[a], exchanged.tables[b] = exchanged.tables[b], exchanged.tables[a]
    contradicting.tables[3] = Table(3, _swapped(printed(3), 3))
    return the_papers(swap=True), exchanged, contradicting


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda one: f"{one.where}: {one.words[:50]}")
def test_the_papers_own_numbers_reproduce_its_claims_and_no_opposite_does(claim):
    assert claim.judge(the_papers()).verdict == "reproduced"
    assert [claim.judge(other).verdict for other in opposites()] != ["reproduced"] * 3


def judged_by_words(study, where, words):
    (claim,) = [one for one in CLAIMS if one.where == where and words in one.words]
    return claim.judge(study)


@pytest.mark.parametrize("number", [3, 4, 5])
def test_accuracy_behind_in_a_case_is_counted(number):
    study = the_papers()
    words = "accuracy ahead in {}, equal {}, AUC ahead {}"
    assert judged_by_words(study, f"Table {number}", "at least as well") == (
        "reproduced", f"15 of 15: {words.format(14, 1, 0)}"
    )  # fmt: skip
    assert judged_by_words(study, f"Table {number}", "... and better") == ("reproduced", words.format(14, 1, 0))
    study.tables[number].values["letter"]["knn"]["accuracy"] = 0.5
    found = judged_by_words(study, f"Table {number}", "at least as well")
    assert found.verdict == "partly"
    assert found.told.startswith(f"14 of 15: {words.format(14, 0, 1)}; ")
    assert judged_by_words(study, f"Table {number}", "... and better") == ("partly", words.format(14, 0, 1))


@pytest.mark.parametrize("number", [3, 4, 5])
def test_ties_are_not_better(number):
    study = the_papers()
    for pairs in list(study.tables[number].values.values())[:3]:
        for row in pairs.values():
            row["roc_auc"] = row["accuracy"]
    assert judged_by_words(study, f"Table {number}", "at least as well").verdict == "reproduced"
    assert judged_by_words(study, f"Table {number}", "... and better").verdict == "not"


def test_a_claim_that_hangs_on_ties_holds_partly():
    study = the_papers()
    study.cases = [HANGING] * 15
    for words in ("10 of the 15", "even by Rosset"):
        assert judged_by_words(study, "Table 2", words).verdict == "partly"
    assert judged_by_words(study, "Table 2", "10 of the 15").told == (
        "half: accuracy ahead in 0, equal 15, AUC ahead 0; strict: accuracy ahead in 0, equal 0, AUC ahead 15; "
        "excluded: accuracy ahead in 15, equal 0, AUC ahead 0"
    )


def test_equal_ratios_on_holdout_sets_are_not_smaller():
    study = the_papers()
    study.tables[5] = Table(5, deepcopy(printed(3)))
    assert judged_by_words(study, "Tables 3, 5", "smaller") is None
    study.tables[5].values["adult"]["tree"]["roc_auc"] += 0.1
    found = judged_by_words(study, "Tables 3, 5", "smaller")
    assert found == ("not", "accuracy: 0 smaller, 15 equal, 0 larger; AUC: 0 smaller, 14 equal, 1 larger")


def test_consistency_and_discriminancy_are_of_subsets():
    study = the_papers()
    study.cases = [case_of([[[0, 0, 0]]], **ALIKE)]
    assert judged_by_words(study, "Section 4", "consistent").told.startswith("they agree on 4 of the 5 subsets")
    assert judged_by_words(study, "Section 4", "discriminating").told == (
        "on 2 subsets only AUC separates the models, on 0 only accuracy"
    )


def test_without_evidence_nothing_is_said():
    study = the_papers()
    study.cases = [case_of(np.zeros((2, 4, 3)))]
    study.figure["pen-digits"] = dict.fromkeys(("accuracy", "roc_auc"), Confusions(np.diag([0, 9, 0])))
    assert judged_by_words(study, "Section 4", "consistent") is None
    assert judged_by_words(study, "Section 4", "discriminating") is None
    assert judged_by_words(study, "Figure 1", "truly different") is None
    assert judged_by_words(study, "Figure 1 b", "never takes") is None
    study.figure["pen-digits"] = dict.fromkeys(("accuracy", "roc_auc"), Confusions(np.diag([5, 0, 4])))
    assert judged_by_words(study, "Figure 1 c", "too sensitive") is None
    study.tables[2] = Table(2, deepcopy(printed(3)))
    assert judged_by_words(study, "Tables 2, 3", "advantage of AUC disappears") is None


def test_rounding_dust_is_no_truth():
    """0.1 + 0.2 - 0.3 is not 0 in floating point, and the mean of these differences is."""
    dust = [[0.1, 0.1, 0.1], [0.2, 0.2, 0.2], [-0.3, -0.3, -0.3]]
    case = case_of([dust])
    assert np.mean([row[0] for row in dust]) != 0
    assert not case.mean_gains("test_sets", "goal").any()
    assert not case.mean_gains("holdout", "evaluation").any()
    assert rosset_ratio(case, "accuracy", "roc_auc").value == 0


def test_closeness_by_hand():
    values = {"adult": {"tree": {"accuracy": 0.97 + 0.02, "roc_auc": 0.62 - 0.1}}}
    (found,) = closeness(Table(5, values)).values()
    assert (found.numbers, found.mean, found.largest) == (2, pytest.approx(0.06), pytest.approx(0.1))
    near = closeness(Table(7, {"rms": {"rms": 0.89, "log_loss": 0.71}}))
    assert (near["diagonal"].mean, near["off the diagonal"].mean) == (0, pytest.approx(0.1))
    assert closeness(Table(5, {"own": {"tree": {"accuracy": 0.5}}})) == {}


def test_every_table_of_the_paper_has_a_claim():
    assert len(CLAIMS) == 34
    assert {number for claim in CLAIMS for number in claim.tables} == set(range(1, 8))
    assert len({(claim.where, claim.words) for claim in CLAIMS}) == len(CLAIMS)
