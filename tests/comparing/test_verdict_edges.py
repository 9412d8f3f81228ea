"""Verdicts where little or nothing can be said: few rows, no variance, disagreement, contradicting options."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_rel
from sklearn.metrics import brier_score_loss

from referee import metrics
from referee.comparing import compare, gate
from referee.errors import UsageError
from referee.predictions import Predictions
from tests.comparing.test_compare import predictions, sample
from tests.comparing.test_verdict import GOALS


def test_two_or_three_rows_are_no_certainty():
    """At n = 2 the influences have kurtosis 1: the formula for the degrees of freedom alone would say infinity."""
    generator = np.random.default_rng(0)
    wins = 0
    for _ in range(300):
        truth = generator.normal(size=3)
        models = {name: truth + generator.normal(size=3) for name in "ab"}
        both = Predictions.from_arrays(truth, models, task="regression")
        wins += compare(both, "mae", metrics=["mae"]).comparisons[0].outcome != "tie"
    assert wins / 300 < 0.09


def test_a_random_test_of_data_sets_keeps_their_rows():
    truth, scores = sample(seed=2, strength=(1.0, 0.6))
    sets = np.arange(len(truth)) % 8
    several = Predictions.from_arrays(truth, scores, by={"d": sets})
    options = {"unit": "slice", "by": "d", "metrics": ["roc_auc"]}
    random = compare(several, "roc_auc", test="bayes_signed_rank", **options)
    assert random.values == compare(several, "roc_auc", **options).values


def test_the_sentence_speaks_of_models_that_are_tied():
    """b is beaten clearly, c is noisy and may be the best; b's value is better than c's, so it is not left out."""
    generator = np.random.default_rng(0)
    truth = generator.normal(size=200)
    base = generator.normal(size=200)
    models = {
        "a": truth + base,
        "b": truth + base + np.sign(base) * 0.012,
        "c": truth + generator.normal(size=200) * 1.08,
    }
    verdict = compare(Predictions.from_arrays(truth, models, task="regression"), "mae", margin=0.05)
    assert verdict.winners == ("a", "b", "c") == tuple(verdict.values)
    assert verdict.comparison("a", "b").winner == "a"
    assert "(adjusted for comparing 3 models; taken one by one, a beats b)" in verdict.sentence
    assert verdict.runner_up == verdict.winners[1]


def test_mcnemar_refuses_weights_and_groups():
    truth, scores = sample()
    for role in ("weight", "group"):
        with pytest.raises(UsageError, match="neither weights nor rows that belong together"):
            compare(
                Predictions.from_arrays(truth, scores, **{role: np.arange(len(truth)) % 7 + 1}),
                "accuracy",
                test="mcnemar",
            )


def test_a_constant_difference_has_no_interval_and_three_rows_pass_no_gate():
    truth = np.array([1.0, 2.0, 3.0])
    both = Predictions.from_arrays(truth, {"a": truth + 1, "b": truth + 2}, task="regression")
    verdict = compare(both, "mae", margin=0.5)
    (found,) = verdict.comparisons
    assert (found.low, found.high, found.p, verdict.outcome) == (None, None, 0.25, "tie")
    assert not gate(both, "mae", production="a", candidate="b", margin=1.5)


def test_a_few_data_sets_must_not_outweigh_the_others():
    """b is better on 11 of 12 data sets and far worse on one: neither the mean nor the ranks may decide alone."""
    rows, sets = 12 * 20, np.repeat(np.arange(12), 20)
    truth = np.linspace(0, 1, rows)
    worse = np.where(sets == 0, 3.0, 0.25 + 0.001 * sets)
    both = Predictions.from_arrays(truth, {"a": truth + 0.3, "b": truth + worse}, task="regression", by={"d": sets})
    options = {"by": "d", "unit": "slice", "metrics": ["mae"]}
    verdict = compare(both, "mae", **options)
    assert verdict.outcome == "undecided"
    assert "outweigh" in verdict.sentence
    assert not gate(both, "mae", production="a", candidate="b", margin=0.1, by="d", unit="slice")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"unit": "banana"}, "the choices are"),
        ({"subsets": 5, "unit": "fold"}, "give one of them"),
        ({"subsets": 2.5}, "whole number"),
        ({"partitions": 0, "subsets": 5}, "whole number"),
        ({"train_size": -3}, "at least one row"),
        ({"margin": 0.1, "alpha": 0.5}, "below 0.5"),
        ({"margin": -1}, "positive number"),
        ({"test": "tost(margin=0.1)"}, "names no winner"),
    ],
)
def test_contradictions_are_refused(options, words):
    with pytest.raises(UsageError, match=words):
        compare(predictions(), "accuracy", **options)


def test_extreme_options_are_survived():
    assert compare(predictions(), "accuracy", seed=-1, delta=1e-300).rows_to_separate is None
    truth = np.array([0, 1] * 20)
    sure, mild = np.where(np.arange(40) == 3, 0.0, truth), np.full(40, 0.5)
    infinite = compare(Predictions.from_arrays(truth, {"sure": sure, "mild": mild}), "log_loss(clip=0)")
    assert json.dumps(infinite.to_dict(), allow_nan=False)
    assert infinite.outcome == "undecided"


def test_frequency_weights_are_repeated_rows():
    truth, scores = sample(rows=80)
    times = np.arange(80) % 3 + 1
    weighted = Predictions.from_arrays(truth, scores, weight=times.astype(float), weight_kind="frequency")
    repeated = Predictions.from_arrays(np.repeat(truth, times), {m: np.repeat(s, times) for m, s in scores.items()})
    for goal in GOALS:
        one, many = (compare(p, goal, metrics=[goal]).comparisons[0] for p in (weighted, repeated))
        assert one.standard_error == pytest.approx(many.standard_error, rel=1e-9)
        assert one.df == pytest.approx(many.df, rel=1e-9)


def test_the_winner_is_tested_against_guessing(referee, tmp_path):
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, 2000)
    models = {"coin": random.random(2000), "reversed": random.random(2000) - 0.4 * truth + 0.4}
    verdict = compare(Predictions.from_arrays(truth, models), "roc_auc", metrics=["roc_auc"])
    assert verdict.winners == ("coin",) and verdict.better_than_guessing is False
    assert "but is not shown to be better than guessing (0.5000)" in verdict.sentence
    assert "W_GUESSING" in [notice.code for notice in verdict.warnings]
    good = compare(Predictions.from_arrays(truth, models | {"good": random.random(2000) + truth}), "roc_auc")
    assert good.better_than_guessing is True and "guessing" not in good.sentence
    path = tmp_path / "p.csv"
    rows = zip(truth, *models.values(), strict=True)
    path.write_text("y,coin,reversed\n" + "".join(f"{y},{a},{b}\n" for y, a, b in rows))
    found = referee("compare", path, "--truth", "y", "--goal", "roc_auc")
    assert found.json["verdict"]["better_than_guessing"] is False


def test_the_test_against_guessing_is_a_paired_test_of_the_rows():
    """Of accuracy: right or wrong beside always predicting the larger class."""
    random = np.random.default_rng(3)
    truth = (random.random(400) < 0.7).astype(int)
    right = random.random(400) < np.where(truth == 1, 0.85, 0.62)
    labels = np.where(right, truth, 1 - truth)
    both = Predictions.from_arrays(truth, {"a": labels, "b": np.roll(labels, 7)})
    p = ttest_rel(right * 1.0, (truth == 1) * 1.0).pvalue
    assert compare(both, "accuracy").better_than_guessing == bool(p < 0.05 and right.mean() > truth.mean())


def test_a_constant_truth_has_no_guessing_to_beat():
    truth, right = np.ones(200, int), np.arange(200) % 10 > 0
    verdict = compare(Predictions.from_arrays(truth, {"a": right * 1, "b": np.roll(right, 3) * 1}), "accuracy")
    assert verdict.better_than_guessing is None and "W_GUESSING" not in [one.code for one in verdict.warnings]


def test_folds_are_compared_with_guessing_fold_by_fold():
    truth, scores = sample(seed=2, strength=(1.0, 0.6))
    several = Predictions.from_arrays(truth, scores, fold=np.arange(len(truth)) % 5)
    verdict = compare(several, "roc_auc", unit="fold", test="corrected_resampled_t")
    assert verdict.better_than_guessing is True


def test_a_tie_set_has_no_hole():
    """Whoever has a better value than a model that is kept is kept as well, and the set says that it is adjusted."""
    holes = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        truth = random.integers(0, 2, 150)
        shared = random.normal(size=150)
        models = {}
        for name in "abcde":
            noise = random.choice([0.1, 1.0]) * random.normal(size=150) + shared
            models[name] = random.choice([0.8, 1.2]) * truth + noise
        verdict = compare(Predictions.from_arrays(truth, models), "roc_auc", metrics=["roc_auc"])
        if verdict.outcome == "tie":
            assert verdict.winners == tuple(verdict.values)[: len(verdict.winners)]
            beaten = [name for name in verdict.winners[1:] if verdict.comparison(verdict.best, name).winner]
            holes += bool(beaten)
            assert ("taken one by one" in verdict.sentence) == bool(beaten)
            assert "adjusted for comparing 5 models" in verdict.sentence or len(verdict.winners) == 2
    assert holes


@pytest.mark.parametrize("goal", ["accuracy", "log_loss"])
def test_the_corrected_score_is_never_better_than_the_raw_one(goal):
    for seed in range(25):
        random = np.random.default_rng(seed)
        truth = random.integers(0, 2, 80)
        models = {name: np.clip(0.5 + 0.2 * (2 * truth - 1) + random.normal(0, 0.3, 80), 0.05, 0.95) for name in "abcd"}
        verdict = compare(Predictions.from_arrays(truth, models), goal, metrics=[goal])
        raw, corrected = verdict.values[verdict.best], verdict.corrected
        worse = corrected.value <= raw if goal == "accuracy" else corrected.value >= raw
        assert worse and corrected.optimism * (1 if goal == "accuracy" else -1) >= 0


def close_pair(rows: int = 60_000) -> Predictions:
    random = np.random.default_rng(1)
    truth = random.integers(0, 2, rows)
    score = truth + random.normal(size=rows)
    return Predictions.from_arrays(truth, {"a": score, "b": score + 0.1 * random.normal(size=rows)})


def test_a_significant_but_trivial_lead_is_said_to_be_small():
    verdict = compare(close_pair(), "roc_auc", metrics=["roc_auc"])
    assert verdict.outcome == "winner" and abs(verdict.comparisons[0].difference) < 0.005
    assert "significant but small (below 0.0050; margin= sets it)" in verdict.sentence
    assert "small" not in compare(close_pair(), "roc_auc", metrics=["roc_auc"], margin=0.0001).sentence
    declared = replace(metrics["roc_auc"], small=1e-6)
    assert "small" not in compare(close_pair(), declared, metrics=[declared]).sentence


def test_small_is_a_hundredth_of_what_guessing_has_where_there_is_no_range():
    random = np.random.default_rng(1)
    truth = random.normal(size=50_000)
    error = random.normal(size=50_000)
    for factor, small in ((1.003, True), (1.1, False)):
        models = {"a": truth + 0.5 * error, "b": truth + 0.5 * factor * error}
        said = compare(Predictions.from_arrays(truth, models, task="regression"), "mae", metrics=["mae"]).sentence
        limit = 0.01 * np.abs(truth - truth.mean()).mean()
        assert ("significant but small" in said) == small == (0.5 * (factor - 1) * np.abs(error).mean() < limit)


def test_exact_ties_are_ordered_by_brier():
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, 50)
    sure = np.clip(truth * 0.5 + 0.25 + random.normal(0, 0.2, 50), 0.01, 0.99)
    models = {"a": 0.5 + (sure - 0.5) / 4, "b": sure, "c": 1 - sure}
    verdict = compare(Predictions.from_arrays(truth, models), "accuracy")
    assert verdict.values["a"] == verdict.values["b"] and list(verdict.values) == ["b", "a", "c"]
    scores = [brier_score_loss(truth, models[name]) for name in "ba"]
    assert scores[0] < scores[1]
    said = f"exactly the same accuracy, so ordered by Brier score: b {scores[0]:.4f} and a {scores[1]:.4f}"
    assert said in verdict.reasons
    decided = {name: (score > 0.5).astype(int) for name, score in models.items()}
    assert list(compare(Predictions.from_arrays(truth, decided), "accuracy").values) == ["a", "b", "c"]


def test_exact_ties_with_the_same_brier_score_are_ordered_by_name():
    truth = np.arange(40) % 2
    sure = np.where(np.arange(40) < 30, truth, 1 - truth) * 0.8 + 0.1
    verdict = compare(Predictions.from_arrays(truth, {"b": np.roll(sure, 4), "a": sure}), "accuracy")
    assert list(verdict.values) == ["a", "b"]
    assert "exactly the same accuracy and Brier score, so ordered by name: a and b" in verdict.reasons


class TestAveragesAreNamed:
    """The goal is called what it is: f1 of one class, or an average over all of them."""

    @staticmethod
    def three_classes():
        random = np.random.default_rng(0)
        truth = random.integers(0, 3, 300)
        right = {name: np.where(random.random(300) < share, truth, (truth + 1) % 3) for name, share in SHARES.items()}
        letters = np.array(["x", "y", "z"])
        return Predictions.from_arrays(letters[truth], {name: letters[each] for name, each in right.items()})

    @pytest.mark.parametrize(
        ("goal", "called"),
        [("f1", "f1, macro average"), ("f1_weighted", "f1, weighted average"), ("accuracy", "accuracy")],
    )
    def test_of_several_classes(self, goal, called):
        verdict = compare(self.three_classes(), goal)
        assert verdict.sentence.startswith(f"a wins on {called}: ") and verdict.goal_name == called
        found = gate(self.three_classes(), goal, production="b", candidate="a", margin=0.01)
        assert f" on {called}; difference" in found.sentence

    def test_of_two_classes(self):
        truth = np.arange(60) % 2
        both = Predictions.from_arrays(truth, {"a": np.where(np.arange(60) % 7, truth, 1 - truth), "b": 1 - truth})
        assert compare(both, "f1").goal_name == "f1"
        assert compare(both, "f1_macro").goal_name == "f1, macro average"

    def test_every_format_says_so(self, referee, tmp_path):
        three, path = self.three_classes(), tmp_path / "p.csv"
        labels = [np.array(three.classes)[codes] for codes in (three.truth, *(m.labels for m in three.models))]
        rows = zip(*labels, strict=True)
        path.write_text("y,a,b\n" + "".join(f"{y},{a},{b}\n" for y, a, b in rows))
        asked = ("compare", path, "--truth", "y", "--task", "multiclass", "--label", "a=a", "--label", "b=b")
        for form in ("text", "md", "latex"):
            said = referee(*asked, "--goal", "f1", "--html", tmp_path / f"{form}.html", form=form).out
            assert said.count("f1, macro average") >= 2
        assert "f1, macro average" in (tmp_path / "md.html").read_text()
        assert referee(*asked, "--goal", "f1").json["goal"] == "f_beta"


SHARES = {"a": 0.9, "b": 0.6}


def test_rows_that_count_are_those_of_the_name_that_was_said():
    truth, group = np.arange(120) % 2, np.repeat(np.arange(6), 20)
    calls = {name: np.where(np.arange(120) % each, truth, 1 - truth) for name, each in (("a", 9), ("b", 4))}
    verdict = compare(Predictions.from_arrays(truth, calls, group=group), "f1", metrics=["f1"])
    said = " ".join((verdict.sentence, *verdict.reasons, *(notice.message for notice in verdict.warnings)))
    assert "that count for f1" in said and "f_beta" not in said


class TestGuessingThatCannotBeBeaten:
    def test_recall_of_the_commoner_class(self):
        draw = np.random.default_rng(1)
        truth = (draw.random(300) < 0.6).astype(int)
        a, b = (np.where(draw.random(300) < share, truth, 1 - truth) * 0.8 + 0.1 for share in (0.97, 0.75))
        verdict = compare(Predictions.from_arrays(truth, {"a": a, "b": b}), "recall")
        assert verdict.better_than_guessing is None and "guessing" not in verdict.sentence
        assert compare(Predictions.from_arrays(truth, {"a": a, "b": b}), "accuracy").better_than_guessing

    def test_a_perfect_model_in_few_groups(self):
        draw = np.random.default_rng(2)
        truth, group = np.tile([0, 1], 125), np.repeat(np.arange(5), 50)
        blurred = truth + draw.normal(0, 0.7, 250)
        verdict = compare(Predictions.from_arrays(truth, {"a": truth + 0.0, "b": blurred}, group=group), "roc_auc")
        assert "guessing" not in verdict.sentence


@pytest.mark.parametrize(("margin", "code"), [(1, "E_MARGIN"), (2, "E_MARGIN")])
def test_a_margin_on_the_brier_score_of_two_classes(margin, code):
    predictions = Predictions.from_arrays([0, 1] * 40, {"a": [0.2, 0.7] * 40, "b": [0.4, 0.6] * 40})
    with pytest.raises(UsageError) as caught:
        compare(predictions, "brier", margin=margin)
    assert caught.value.code == code
