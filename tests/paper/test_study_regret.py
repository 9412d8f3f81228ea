"""Beyond the paper, by hand: regret, constant answers, contests, confusions, consistency and discriminancy."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from referee.paper import agreement_on_subsets, contests, figure_1, mean_regrets
from referee.paper.outcomes import Agreement, CaseOutcomes, Partition, agreement, agreement_on_repetitions
from referee.paper.regret import case_regrets, constant_ratio, costs, ratio_of_means, regret
from referee.scoring import metrics

CHOSEN = {name: metrics[name] for name in ("accuracy", "log_loss")}


def case_of(goal, evaluation, data_set="made_up"):
    """A case from gains of a, (repetition, subset, metric), positive where a is better whatever the direction."""
    direction = np.array([1.0, -1.0])  # log loss is better lower

    def partition(gains):
        differences = np.asarray(gains, float) * direction
        return Partition(differences, differences.mean(axis=1), np.zeros((len(differences), len(CHOSEN))))

    parts = {
        (approach, role): partition(gains)
        for approach in ("test_sets", "holdout")
        for role, gains in (("goal", goal), ("evaluation", evaluation))
    }
    return CaseOutcomes(data_set, "tree", "a", "b", CHOSEN, parts)


def steady(*signs, subsets=8):
    """Gains of both metrics on every subset, clearly for a (1), clearly for b (-1) or for neither (0)."""
    noise = np.array([1.0, -1.0] * (subsets // 2))[None, :, None] / 64
    return np.asarray(signs, float)[:, None, :] / 4 + noise


def test_regret_of_two_repetitions_by_hand():
    """Gains 3/10 and 1/10; the second choice is wrong: cost 1/10 of a coin's 3/20 + 1/20."""
    assert costs(np.array([0.3, 0.1]), np.array([1, -1])).tolist() == [0.0, 0.1]
    found = regret(np.array([0.3, 0.1]), np.array([1, -1]))
    assert found.value == pytest.approx(float(Fraction(1, 10) / Fraction(2, 10)), abs=1e-15)
    # Residuals -3/40 and 3/40: standard deviation 3/40 sqrt 2, over sqrt 2, over the mean 1/10 of a coin's cost.
    assert found.standard_error == pytest.approx(0.75, abs=1e-12)


@pytest.mark.parametrize(("chosen", "value"), [((1, -1, 1), 0), ((0, 0, 0), 1), ((-1, 1, -1), 2)])
def test_oracle_coin_and_always_wrong(chosen, value):
    assert regret(np.array([0.5, -0.25, 0.125]), np.array(chosen)).value == value


def test_no_difference_is_no_regret_but_undefined():
    assert np.isnan(regret(np.zeros(3), np.ones(3)).value)
    assert np.isnan(ratio_of_means(np.zeros(2), np.zeros(2)).standard_error)


def test_standard_error_of_regret_agrees_with_the_jackknife():
    draw = np.random.default_rng(3)
    gains, chosen = draw.normal(0.02, 0.05, 400), np.sign(draw.normal(0.3, 1, 400))
    without = [regret(np.delete(gains, i), np.delete(chosen, i)).value for i in range(400)]
    jackknife = np.sqrt(399 / 400 * ((without - np.mean(without)) ** 2).sum())
    assert regret(gains, chosen).standard_error == pytest.approx(jackknife, rel=0.02)


def test_regrets_of_a_case_by_hand():
    """Accuracy says a, a, b; log loss says a, b, b; gains are 1/4 in size on every repetition."""
    truth = steady((1, 1), (1, -1), (-1, -1))
    case = case_of(truth, truth)
    # Goals down: selecting by the other metric is wrong in one of three repetitions, which costs 1/4; a coin costs 1/8.
    values, errors = case_regrets(case, "holdout")
    assert values == pytest.approx(np.array([[0, 2 / 3], [2 / 3, 0]]), abs=1e-12)
    # Residuals of the ratio 2/3: -1/12, 1/6, -1/12, over a coin's 1/8.
    expected = np.std([-1 / 12, 1 / 6, -1 / 12], ddof=1) / 3**0.5 / (1 / 8)
    assert errors == pytest.approx(np.array([[0, expected], [expected, 0]]), abs=1e-12)


def test_mean_regret_leaves_out_cases_without_differences():
    truth = steady((1, 1), (1, -1))
    some, none = case_of(truth, truth), case_of(np.zeros((2, 8, 2)), truth)
    mean, error = mean_regrets([some, none], "holdout")
    assert mean == pytest.approx(case_regrets(some, "holdout")[0])
    assert error == pytest.approx(case_regrets(some, "holdout")[1])
    assert np.isnan(mean_regrets([none], "holdout")[0]).all()
    mean, _ = mean_regrets([some, case_of(truth, -truth)], "holdout")
    assert mean == pytest.approx(np.ones((2, 2)))  # one is right where the other is wrong


def test_the_constant_answer():
    case = case_of(steady((1, 0), (1, 0), (0, 0), (-1, 0)), steady((0, 0), (0, 0), (0, 0), (0, 0)))
    assert constant_ratio(case, "holdout", "accuracy") == 0.5
    assert constant_ratio(case, "holdout", "log_loss") == 1.0


def case_as_in_figure_1(metric):
    """Repetitions with the outcomes of the paper's figure, goal and evaluation metric both as 'accuracy'."""
    cells = figure_1()["crossed"][metric]
    pairs = [(1 - goal, 1 - said) for goal in range(3) for said in range(3) for _ in range(cells[goal][said])]
    return case_of(steady(*((goal, goal) for goal, _ in pairs)), steady(*((said, said) for _, said in pairs)))


@pytest.mark.parametrize(
    ("metric", "confused", "found", "ratio"),
    [("accuracy", (6, 6, 0), 28, 0.88), ("roc_auc", (26, 13, 5), 17, 0.56)],
)
def test_the_papers_own_confusions(metric, confused, found, ratio):
    """Its section 4 counts these; the ratios are those of its Table 5."""
    seen = case_as_in_figure_1(metric).confusions("holdout", "accuracy", "accuracy")
    assert (seen.a_with_tie, seen.b_with_tie, seen.a_with_b) == confused
    assert (seen.different, seen.found, seen.ratio) == (35, found, ratio)
    assert seen.recall == found / 35
    assert seen.to_dict()["crossed"] == figure_1()["crossed"][metric]


def test_recall_where_no_model_is_ever_better():
    seen = case_of(steady((0, 0)), steady((1, 1))).confusions("holdout", "accuracy", "accuracy")
    assert np.isnan(seen.recall)
    assert seen.to_dict()["recall"] is None


@pytest.mark.parametrize(
    ("examples", "counts"),
    [(4, (9, 0, 5, 0)), (6, (113, 1, 62, 4)), (8, (1459, 34, 762, 52))],
)
def test_consistency_and_discriminancy_of_auc_and_accuracy(examples, counts):
    """All rankings of as many positives as negatives, as Huang and Ling (2005) have counted them."""
    half = examples // 2
    rankings = list(combinations(range(examples), half))  # places of the positives, the upper half is called positive
    accuracy = np.array([sum(place >= half for place in ranking) for ranking in rankings])
    auc = np.array([sum(place - order for order, place in enumerate(ranking)) for ranking in rankings])
    a, b = np.triu_indices(len(rankings), 1)
    found = agreement(auc[a] - auc[b], accuracy[a] - accuracy[b])
    assert (found.agree, found.contradict, found.only_f, found.only_g) == counts
    agree, contradict, only_f, only_g = counts
    assert found.consistency == agree / (agree + contradict)
    assert found.discriminancy == (only_f / only_g if only_g else np.inf)


def test_agreement_without_pairs_is_undefined():
    nothing = Agreement(0, 0, 0, 0, 5)
    assert np.isnan(nothing.consistency)
    assert np.isnan(nothing.discriminancy)
    assert nothing.to_dict()["consistency"] is None
    assert Agreement(1, 2, 3, 4, 5) + nothing == Agreement(1, 2, 3, 4, 10)


def test_agreement_over_subsets_and_repetitions():
    case = case_of(steady((1, 1), (0, 1)), steady((1, 1), (0, 1), (1, -1), (0, 0)))
    by_test = agreement_on_repetitions([case, case], "log_loss", "accuracy")
    assert by_test == Agreement(agree=2, contradict=2, only_f=2, only_g=0, neither=2)
    by_subset = agreement_on_subsets([case], "log_loss", "accuracy")
    # The 8 subsets of a tie are 4 for a and 4 for b, by both metrics alike.
    assert by_subset == Agreement(agree=8 + 4 + 8, contradict=4 + 8, only_f=0, only_g=0, neither=0)


def test_contests_by_hand():
    """Six cases of four repetitions: log loss finds accuracy's model in 4, accuracy in 3, 2, 1, 0 ... of them."""
    cases = []
    for wrong in (1, 2, 3, 4, 1, 2):
        said = [(-1 if place < wrong else 1, 1) for place in range(4)]
        cases.append(case_of(steady(*[(1, 1)] * 4), steady(*said)))
    (found,) = contests(cases, "accuracy")
    assert (found.a, found.b, found.won, found.lost) == ("accuracy", "log_loss", 0, 6)
    assert found.difference == pytest.approx(-float(Fraction(1 + 2 + 3 + 4 + 1 + 2, 4 * 6)))
    assert found.p == found.p_adjusted == 2 / 2**6  # all six ranks on one side
    assert found.winner == "log_loss"
    variances = [Fraction(w, 4) * Fraction(4 - w, 4) * Fraction(4, 3) / 4 for w in (1, 2, 3, 4, 1, 2)]
    assert found.standard_error == pytest.approx(float(sum(variances)) ** 0.5 / 6)


def test_contests_are_adjusted_for_their_number():
    """Three metrics, of which two say the same: Holm takes 3 p, 2 p and p."""
    truth = steady(*[(1, 1)] * 4)
    cases = [with_log_loss_again(case_of(truth, steady(*[(-1, 1)] * 4))) for _ in range(6)]
    three = contests(cases, "accuracy")
    assert [contest.p for contest in three] == [2 / 64, 2 / 64, 1.0]
    assert [contest.p_adjusted for contest in three] == [6 / 64, 6 / 64, 1.0]
    assert [contest.winner for contest in three] == [None, None, None]


def with_log_loss_again(case):
    def twice(values):
        return np.concatenate([values, values[..., -1:]], axis=-1)

    parts = {place: Partition(*map(twice, vars(part).values())) for place, part in case.partitions.items()}
    return replace(case, metrics=case.metrics | {"again": case.metrics["log_loss"]}, partitions=parts)
