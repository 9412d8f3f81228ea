"""Rows that come in groups: the test that suits the groups, against jackknives and flips written out here."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score, matthews_corrcoef, precision_score, recall_score, roc_auc_score

from referee import metrics
from referee.comparing import compare, contest_of, gate
from referee.comparing.group_pairs import SignFlips
from referee.engines import summarise
from referee.predictions import Predictions
from referee.scoring import evaluate, groups_of


def grouped(rows_of_groups, seed=0, easier=0.0, **more):
    """Two models whose errors depend on the group."""
    draw = np.random.default_rng(seed)
    group = np.repeat(np.arange(len(rows_of_groups)), rows_of_groups)
    truth = draw.integers(0, 2, len(group))
    noise = draw.normal(size=(2, len(rows_of_groups)))[:, group] + draw.normal(size=(2, len(group)))
    scores = 1 / (1 + np.exp((1 - 2 * truth) * (1 + noise + np.array([[easier], [0.0]]))))
    return Predictions.from_arrays(truth, {"a": scores[0], "b": scores[1]}, group=group, **more)


def compared(predictions, goal, **options):
    return compare(predictions, goal, metrics=[goal], **options).comparisons[0]


def values_without(predictions, goal, *, each):
    """What both models' values differ by without each group: re-scored by the public metric."""
    found = []
    for one in each:
        kept = predictions.part(np.flatnonzero(predictions.group.codes != one))
        a, b = (metrics[goal](kept.truth, model.scores) for model in kept.models)
        found.append(a - b)
    return np.array(found)


UNEQUAL = np.array([60, 25, 4, 7, 3, 12, 5, 2])


class TestDeletingGroups:
    def test_a_mean_over_equal_groups_is_the_paired_t_of_groups(self):
        predictions = grouped(np.full(20, 9), seed=3)
        found = compared(predictions, "accuracy")
        right = [(model.scores >= 0.5) == predictions.truth for model in predictions.models]
        of_groups = [np.bincount(predictions.group.codes, one) / 9 for one in right]
        expected = stats.ttest_rel(*of_groups)
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
        each = of_groups[0] - of_groups[1]
        df = min(19, 2 * 20 / (stats.kurtosis(each, fisher=False) - 1))
        assert found.df == pytest.approx(df, rel=1e-9)
        assert found.p == pytest.approx(2 * stats.t.sf(abs(expected.statistic), df), rel=1e-9)
        assert found.details["groups"]["test"] == "t"

    @pytest.mark.parametrize("goal", ["accuracy", "recall", "log_loss", "brier", "specificity"])
    @pytest.mark.parametrize("sizes", [np.full(12, 8), UNEQUAL], ids=["equal", "unequal"])
    def test_the_error_of_a_mean_is_the_jackknife_over_groups(self, goal, sizes):
        predictions = grouped(sizes, seed=5)
        of_class = {"recall": predictions.truth == 1, "specificity": predictions.truth == 0}.get(goal, slice(None))
        each = values_without(predictions, goal, each=np.unique(predictions.group.codes[of_class]))
        variance = (len(each) - 1) / len(each) * ((each - each.mean()) ** 2).sum()
        assert compared(predictions, goal).standard_error == pytest.approx(variance**0.5, rel=1e-9)

    @pytest.mark.parametrize("goal", ["roc_auc", "f_beta", "precision", "mcc", "balanced_accuracy", "rms", "kappa"])
    @pytest.mark.parametrize("kind", ["equal", "unequal"])
    def test_the_error_of_other_metrics_is_so_to_first_order(self, goal, kind):
        sizes = np.full(80, 10) if kind == "equal" else np.random.default_rng(1).geometric(0.1, 80)
        predictions = grouped(sizes, seed=6)
        each = values_without(predictions, goal, each=range(80))
        variance = 79 / 80 * ((each - each.mean()) ** 2).sum()
        assert compared(predictions, goal).standard_error == pytest.approx(variance**0.5, rel=0.03)

    def test_the_error_of_one_value_too(self):
        predictions = grouped(UNEQUAL, seed=7)
        each = []
        for one in np.unique(predictions.group.codes[predictions.truth == 1]):
            kept = predictions.group.codes != one
            each.append(recall_score(predictions.truth[kept], predictions.models[0].scores[kept] >= 0.5))
        variance = (len(each) - 1) * np.var(each)
        score = evaluate(predictions, ["recall"])["a", "recall"]
        assert score.standard_error == pytest.approx(variance**0.5, rel=1e-9)

    @pytest.mark.parametrize("goal", ["accuracy", "recall", "roc_auc", "f_beta", "precision", "log_loss"])
    def test_pieces_give_the_covariance_of_any_two_models(self, goal):
        predictions = grouped(UNEQUAL, seed=8)
        contest = contest_of(predictions, metrics[goal])
        a, b = contest.contenders["a"], contest.contenders["b"]
        for one in (a, b):
            assert one.spread.variance == pytest.approx((one.pieces**2).sum(), rel=1e-12)
        difference = a.spread.variance + b.spread.variance - 2 * (a.pieces * b.pieces).sum()
        assert a.spread_of_difference(b).variance == pytest.approx(difference, rel=1e-9)
        assert contest.covariance == pytest.approx(np.stack([a.pieces, b.pieces]) @ np.stack([a.pieces, b.pieces]).T)

    def test_groups_of_one_row_are_rows(self):
        predictions = grouped(np.ones(150, int), seed=9)
        alone = replace(predictions, group=None)
        for goal in ("accuracy", "log_loss", "roc_auc"):
            mine, other = compared(predictions, goal), compared(alone, goal)
            assert mine.standard_error == pytest.approx(other.standard_error, rel=0.005 if goal == "roc_auc" else 1e-9)
            if goal != "roc_auc":
                assert mine.df == pytest.approx(other.df, rel=1e-9)

    def test_a_value_without_an_exception_is_as_sure_as_its_groups(self):
        """400 rows of ten groups: the exact bound is that of ten trials, not of 400."""
        truth = np.tile([0, 1], 200)
        both = {"a": truth, "b": 1 - truth}
        score = evaluate(Predictions.from_arrays(truth, both, group=np.arange(400) // 40), ["accuracy"])[
            "a", "accuracy"
        ]
        assert score.low == pytest.approx(stats.beta.ppf(0.025, 10, 1), rel=1e-9)


TN, FP, FN, TP = range(4)
COUNTING = {
    "accuracy": (TN, FP, FN, TP),
    "recall": (FN, TP),
    "specificity": (TN, FP),
    "false_positive_rate": (TN, FP),
    "precision": (FP, TP),
    "negative_predictive_value": (TN, FN),
    "f_beta": (FP, FN, TP),
    "jaccard": (FP, FN, TP),
    "mcc": (TN, FP, FN, TP),
    "balanced_accuracy": (TN, FP, FN, TP),
    "roc_auc": (TN, FP, FN, TP),
    "log_loss": (TN, FP, FN, TP),
}


class TestWhatCounts:
    """A row counts where one more like it can change the value."""

    @pytest.mark.parametrize("goal", COUNTING)
    @pytest.mark.parametrize("perfect", [False, True])
    def test_rows(self, goal, perfect):
        """Also of a model that makes no error, where no row moves the value."""
        predictions = grouped(UNEQUAL, seed=1)
        model = predictions.models[0]
        if perfect:
            model = replace(model, scores=0.2 + 0.6 * predictions.truth)
        counts = np.isin(2 * predictions.truth + (model.scores >= 0.5), COUNTING[goal])
        found = groups_of(predictions, summarise(predictions, model).rows, metrics[goal])
        assert found.places.tolist() == np.flatnonzero(counts).tolist()

    def test_groups_and_what_they_are_worth(self):
        truth = np.array([1] * 6 + [1] * 3 + [1] * 1 + [0] * 50)
        group = np.array([0] * 6 + [1] * 3 + [2] * 1 + [3, 4] * 25)
        said = np.tile([0, 1], 30)
        predictions = Predictions.from_arrays(truth, {"a": said, "b": 1 - said}, group=group)
        found = compared(predictions, "recall").details["groups"]
        assert (found["groups"], found["counting"], found["balanced"]) == (5, 3, False)
        assert found["worth_equal"] == pytest.approx(1 / (0.36 + 0.09 + 0.01))

    @pytest.mark.parametrize("goal", ["roc_auc", "balanced_accuracy", "mcc", "f_beta"])
    def test_a_class_in_few_groups_limits_what_compares_classes(self, goal):
        draw = np.random.default_rng(0)
        group = np.repeat(np.arange(40), 10)
        truth = ((group < 3) & (draw.random(400) < 0.7)).astype(int)
        scores = {name: np.clip(0.2 + 0.5 * truth + draw.normal(0, 0.2, 400), 0, 1) for name in "ab"}
        verdict = compare(Predictions.from_arrays(truth, scores, group=group), goal, metrics=[goal])
        assert verdict.comparisons[0].details["groups"]["counting"] == 3
        assert verdict.outcome == "undecided"
        assert (
            compared(Predictions.from_arrays(truth, scores, group=group), "log_loss").details["groups"]["counting"]
            == 40
        )


def flipped(added, shares, delta=0.0):
    """The p of the studentised sign flips, by trying all signs."""
    x = added - delta * shares

    def size(e):
        y = (e * x).sum()
        return abs(y) / np.sqrt(((e * x - shares * y) ** 2).sum())

    seen = size(np.ones(len(x)))
    return np.mean([size(np.array(e)) >= seen * (1 - 1e-9) for e in product([1, -1], repeat=len(x))])


class TestSignFlips:
    def test_all_signs(self):
        """By brute force, from the rows' own right and wrong."""
        predictions = grouped(UNEQUAL, seed=11, easier=0.6)
        found = compared(predictions, "accuracy")
        right = [((model.scores >= 0.5) == predictions.truth).astype(float) for model in predictions.models]
        added = np.bincount(predictions.group.codes, right[0] - right[1]) / predictions.rows
        shares = UNEQUAL / UNEQUAL.sum()
        assert found.details["groups"]["test"] == "flips"
        assert found.p == pytest.approx(flipped(added, shares), abs=1e-12)
        for end, side in ((found.low, -1), (found.high, 1)):
            assert flipped(added, shares, end - side * 1e-5) >= 0.05 > flipped(added, shares, end + side * 1e-5)

    def test_both_must_agree_for_what_is_not_a_mean(self):
        predictions = grouped(UNEQUAL, seed=11, easier=0.6)
        for goal, score in (("f_beta", f1_score), ("mcc", matthews_corrcoef), ("precision", precision_score)):
            found = compared(predictions, goal)
            values = [score(predictions.truth, model.scores >= 0.5) for model in predictions.models]
            assert found.details["groups"]["test"] == "both"
            assert found.difference == pytest.approx(values[0] - values[1])
            t = 2 * stats.t.sf(abs(found.statistic), found.df)
            reach = stats.t.ppf(0.975, found.df) * found.standard_error
            assert found.p >= t * (1 - 1e-9)
            assert found.low <= found.difference - reach + 1e-12
            assert found.high >= found.difference + reach - 1e-12

    def test_many_groups_are_flipped_at_random_and_agree_with_all_signs(self):
        draw = np.random.default_rng(4)
        shares = draw.dirichlet(np.full(13, 0.7))
        added = shares * draw.normal(0.6, 1, 13)
        random, every = SignFlips.of(added, shares), flipped(added, shares)
        assert random.p() == pytest.approx(every, abs=4 * (every * (1 - every) / 9999) ** 0.5 + 2e-4)
        assert SignFlips.of(added, shares, seed=1).p() != random.p()

    def test_very_many_groups_are_summed_up(self, monkeypatch):
        """Those that add least as one normal number: nearly the same as flipping each of them."""
        draw = np.random.default_rng(5)
        shares = draw.dirichlet(np.full(1500, 0.4))
        added = shares * (0.08 + draw.normal(0, 1, 1500))
        summed = SignFlips.of(added, shares)
        monkeypatch.setattr("referee.comparing.group_pairs.ONE_BY_ONE", 10**6)
        each = SignFlips.of(added, shares, seed=3)
        assert summed.p() == pytest.approx(each.p(), abs=0.02)
        assert np.subtract(summed.interval(0.05), each.interval(0.05)) == pytest.approx(0, abs=0.1 * each.error)

    @pytest.mark.parametrize("goal", ["accuracy", "recall", "roc_auc", "rmse"])
    @pytest.mark.parametrize("groups", [8, 30])
    def test_p_is_below_alpha_where_the_interval_leaves_0_out(self, goal, groups):
        for seed in range(12):
            draw = np.random.default_rng(seed)
            sizes = np.maximum(1, np.exp(draw.normal(2, 1.3, groups))).astype(int)
            predictions = grouped(sizes, seed=seed, easier=draw.normal(0, 1))
            if goal == "rmse":
                values = {model.name: np.log(model.scores / (1 - model.scores)) for model in predictions.models}
                predictions = Predictions.from_arrays(
                    predictions.truth * 1.0, values, task="regression", group=predictions.group.codes
                )
            for alpha in (0.05, 0.1, 0.3):
                found = compared(predictions, goal, alpha=alpha)
                assert (found.p < alpha) == (not found.low <= 0 <= found.high)
                assert found.low <= found.difference <= found.high

    def test_a_margin_is_held_against_the_interval_of_the_flips(self):
        predictions = grouped(UNEQUAL, seed=11, easier=0.6)
        right = [((model.scores >= 0.5) == predictions.truth).astype(float) for model in predictions.models]
        added = np.bincount(predictions.group.codes, right[0] - right[1]) / predictions.rows
        shares = UNEQUAL / UNEQUAL.sum()
        (margin,) = compare(predictions, "accuracy", margin=0.02, metrics=["accuracy"]).margins.values()
        assert flipped(added, shares, margin.low + 1e-5) >= 0.1 > flipped(added, shares, margin.low - 1e-5)
        assert margin.a_not_worse == (flipped(added, shares, -0.02) < 0.1)


class TestInvariance:
    GOALS = ("accuracy", "recall", "precision", "roc_auc", "log_loss")

    @staticmethod
    def facts(predictions, goal):
        found = compared(predictions, goal)
        return [found.difference, found.p, found.low, found.high, found.standard_error, found.df]

    @pytest.mark.parametrize("goal", GOALS)
    @pytest.mark.parametrize("groups", [9, 25])
    def test_weights_order_and_names(self, goal, groups):
        sizes = np.maximum(1, np.exp(np.random.default_rng(groups).normal(1.6, 1.2, groups))).astype(int)
        predictions = grouped(sizes, seed=groups)
        expected = self.facts(predictions, goal)
        draw = np.random.default_rng(1)
        order, names = draw.permutation(predictions.rows), draw.permutation(groups)
        columns = {model.name: model.scores for model in predictions.models}
        codes, truth = predictions.group.codes, predictions.truth
        same = {
            "ones": Predictions.from_arrays(truth, columns, group=codes, weight=np.ones(len(truth))),
            "threes": Predictions.from_arrays(truth, columns, group=codes, weight=np.full(len(truth), 3.0)),
            "rows": predictions.part(order),
            "names": Predictions.from_arrays(truth, columns, group=names[codes]),
            "a removed row": Predictions.from_arrays(
                np.append(truth, 1), {n: np.append(c, 0.5) for n, c in columns.items()},
                group=np.append(codes, groups + 5), weight=np.append(np.ones(len(truth)), 0.0),
            ),
        }  # fmt: skip
        for name, one in same.items():
            assert self.facts(one, goal) == pytest.approx(expected, rel=1e-6), name
        swapped = replace(predictions, models=predictions.models[::-1])
        difference, p, low, high, *_ = self.facts(swapped, goal)
        assert [-difference, p, -high, -low] == pytest.approx(expected[:4], rel=1e-6)

    def test_a_row_of_weight_two_is_two_rows_of_its_group(self):
        predictions = grouped(UNEQUAL, seed=13)
        twice = np.repeat(np.arange(predictions.rows), 1 + np.arange(predictions.rows) % 2)
        columns = {model.name: model.scores for model in predictions.models}
        weighted = Predictions.from_arrays(
            predictions.truth, columns, group=predictions.group.codes, weight=1.0 + np.arange(predictions.rows) % 2
        )
        for goal in self.GOALS:
            assert self.facts(weighted, goal) == pytest.approx(self.facts(predictions.part(twice), goal), rel=1e-6)

    def test_repeats_of_an_example_are_its_group(self):
        predictions = grouped(np.full(30, 3), seed=14)
        columns = {model.name: model.scores for model in predictions.models}
        repeated = Predictions.from_arrays(
            predictions.truth, columns, id=predictions.group.codes, repeat=np.arange(90) % 3
        )
        assert self.facts(repeated, "log_loss") == pytest.approx(self.facts(predictions, "log_loss"), rel=1e-9)


def positives_in_few_groups(groups_with_positives):
    draw = np.random.default_rng(2)
    group = np.repeat(np.arange(40), 10)
    truth = ((group < groups_with_positives) & (draw.random(400) < 0.7)).astype(int)
    scores = [np.where(draw.random(400) < right, truth, 1 - truth) * 0.8 + 0.1 for right in (0.8, 0.6)]
    return Predictions.from_arrays(truth, {"a": scores[0], "b": scores[1]}, group=group)


class TestVerdict:
    def test_positives_in_four_of_forty_groups_are_no_clean_winner(self):
        verdict = compare(positives_in_few_groups(4), "recall", metrics=["recall"])
        found = verdict.comparisons[0]
        assert found.p > 0.01
        assert found.df <= 3
        assert verdict.outcome != "winner" or verdict.approximate
        assert "only 4 groups hold rows that count for recall" in verdict.sentence

    def test_fewer_than_four_groups_decide_nothing(self):
        predictions = positives_in_few_groups(3)
        verdict = compare(predictions, "recall", metrics=["recall"])
        assert verdict.outcome == "undecided"
        assert verdict.undecided == (
            "only 3 groups hold rows that count for recall: with fewer than 4 no test is reliable; collect more groups"
        )
        assert "W_FEWGROUPS" in [notice.code for notice in verdict.warnings]
        found = gate(predictions, "recall", production="b", candidate="a", margin=0.05)
        assert not found.passed
        assert "only 3 groups" in found.sentence

    def test_one_group_has_no_error(self):
        truth = np.r_[np.ones(30, int), np.zeros(60, int)]
        said = {"a": np.tile([1, 1, 0], 30), "b": np.tile([0, 1, 0], 30)}
        alone = compare(Predictions.from_arrays(truth, said, group=np.repeat([0, 1, 2], 30)), "recall")
        assert alone.undecided == "all rows that count for recall belong to one group"

    def test_five_unequal_groups_decide_nothing_and_six_do(self):
        five = compare(grouped([50, 5, 4, 3, 3], seed=1, easier=3), "accuracy", metrics=["accuracy"])
        assert five.outcome == "undecided"
        assert "only 5 groups of unequal size" in five.undecided
        assert "fewer than 6" in five.undecided
        six = compare(grouped([50, 15, 5, 4, 3, 3], seed=1, easier=3), "accuracy", metrics=["accuracy"])
        assert six.outcome != "undecided"
        assert six.approximate

    def test_an_alpha_that_no_signs_can_reach(self):
        """The smallest p of seven groups is 2 / 2^7."""
        seven = grouped([50, 15, 5, 4, 3, 3, 9], seed=1, easier=3)
        verdict = compare(seven, "accuracy", metrics=["accuracy"], alpha=0.01)
        assert verdict.outcome == "undecided"
        assert "the smallest p that they can show is 0.0156" in verdict.undecided

    def test_the_reasons_name_groups_and_test(self):
        said = {}
        for name, sizes in (("equal", np.full(30, 10)), ("unequal", np.r_[100, 50, np.full(28, 4)])):
            for goal in ("accuracy", "roc_auc"):
                said[name, goal] = " ".join(compare(grouped(sizes), goal, metrics=[goal]).reasons)
        assert (
            "30 of 30 groups hold rows that count for accuracy, and they are about equal" in said["equal", "accuracy"]
        )
        assert "Student's t" in said["equal", "accuracy"]
        assert "unequal, worth" in said["unequal", "accuracy"]
        assert "a sign-flip test" in said["unequal", "accuracy"]
        assert "two tests that must agree" in said["unequal", "roc_auc"]

    def test_all_groups_that_differ_by_the_same_are_as_many_signs_as_groups(self):
        truth = np.tile([0, 1], 60)
        predictions = Predictions.from_arrays(truth, {"a": truth, "b": 1 - truth}, group=np.arange(120) // 12)
        found = compared(predictions, "accuracy")
        assert found.p == pytest.approx(2 * 0.5**10)

    def test_from_the_command_line(self, referee, tmp_path):
        predictions = positives_in_few_groups(3)
        lines = ["y,a,b,patient"]
        for row in range(predictions.rows):
            a, b = (model.scores[row] for model in predictions.models)
            lines.append(f"{predictions.truth[row]},{a:.1f},{b:.1f},{predictions.group.codes[row]}")
        path = tmp_path / "rows.csv"
        path.write_text("\n".join(lines))
        common = (path, "--truth", "y", "--models", "a,b", "--group", "patient", "--goal", "recall")
        found = referee("compare", *common)
        assert found.json["verdict"]["outcome"] == "undecided"
        reason = found.json["comparisons"][0]["details"]["groups"]["too_few"]
        assert reason.startswith("only 3 groups hold rows that count for recall")
        assert reason in found.json["verdict"]["sentence"]
        gated = referee(
            "gate", path, "--truth", "y", "--group", "patient", "--goal", "recall", "--production", "b",
            "--candidate", "a", "--margin", "0.05",
        )  # fmt: skip
        assert not gated.json["gate"]["passed"]

    @pytest.mark.parametrize("name", ["equal", "unequal"])
    def test_equal_models_seldom_win(self, name):
        """A small version of docs/simulations/group_tests.py: 5% of 200 are 10, and t(G - 1) names 27 if unequal."""
        wins = 0
        for seed in range(200):
            draw = np.random.default_rng(seed)
            sizes = np.full(15, 10)
            if name == "unequal":
                sizes = np.maximum(1, np.round(6 * np.exp(draw.normal(0, 1.3, 15)))).astype(int)
            predictions = grouped(sizes, seed=1000 + seed)
            wins += compared(predictions, "accuracy").outcome != "tie"
        assert wins <= 19


def test_roc_auc_counts_each_class_by_itself():
    """The jackknife of sklearn's AUC, where two groups hold nearly all positives."""
    draw = np.random.default_rng(3)
    group = np.repeat(np.arange(30), 20)
    truth = (draw.random(600) < np.where(group < 2, 0.8, 0.1)).astype(int)
    scores = draw.normal(size=600) + truth + draw.normal(size=30)[group]
    predictions = Predictions.from_arrays(truth, {"a": scores, "b": draw.normal(size=600) + truth}, group=group)
    each = np.array([roc_auc_score(truth[group != one], scores[group != one]) for one in range(30)])
    error = (29 / 30 * ((each - each.mean()) ** 2).sum()) ** 0.5
    assert evaluate(predictions, ["roc_auc"])["a", "roc_auc"].standard_error == pytest.approx(error, rel=0.03)
