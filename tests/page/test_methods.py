"""The methods text says what was done in each design, and nothing that was not."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest

from referee import metrics
from referee.comparing import compare, contest_of, gate, tests
from referee.document import level, p_value, short_p, within_a_sentence
from referee.fitting import select
from referee.page.methods import methods_text, references_of
from referee.page.significance_methods import the
from referee.page.verdict_page import gate_page, scores_page
from referee.predictions import Predictions
from referee.scoring import evaluate
from tests.pages_to_read import Page, regression, scores_of_rows

ROW = np.arange(400)


def predictions_of(names=("good", "fair", "poor"), **columns):
    truth, models = scores_of_rows(400, names)
    return Predictions.from_arrays(truth, models, **columns)


def alike(models=4):
    """Models of which none is the best, and one that knows nothing."""
    truth, scores = scores_of_rows(400)
    noise = np.random.default_rng(1)
    level_ones = {f"m{place}": scores["fair"] + 0.3 * noise.normal(size=400) for place in range(models)}
    return Predictions.from_arrays(truth, level_ones | {"poor": noise.normal(size=400)})


def repeated(times=4):
    """Every row predicted in 10 folds of each repeat."""
    truth, models = scores_of_rows(400)
    several = {name: np.tile(scores, times) for name, scores in models.items()}
    where = {"fold": np.tile(ROW % 10, times), "repeat": np.repeat(np.arange(times), 400), "id": np.tile(ROW, times)}
    return Predictions.from_arrays(np.tile(truth, times), several, **where)


def cited(verdict, asked=None):
    return {re.match(r"(?:[A-Z]\. )*([\w-]+)", line)[1] for line in references_of(verdict, asked)}


def test_rows():
    said = methods_text(compare(predictions_of(), "roc_auc", seed=5, alpha=0.1))
    positives = np.mean(scores_of_rows(400)[0]) * 100
    for part in (
        "3 models were compared on ROC AUC", f"predictions of 400 rows ({positives:.1f}% of class '1'",
        "the same rows of one test set; the rows are taken as independent",
        "the paired t-test on influence values (influence)",
        "two-sided, alpha = 0.1, with 90% intervals", "adjusted for 3 comparisons by Holm's method",
        "better than every other one, each by its own test (p below alpha, unadjusted)", "good was named the winner",
        "seed 5",
    ):  # fmt: skip
        assert part in said
    for part in ("weight", "groups", "partition", "margin", "confidence set", "slice", "do not differ significantly"):
        assert part not in said


def test_two_models_have_nothing_to_adjust():
    said = methods_text(compare(predictions_of(("x", "y")), "roc_auc"))
    assert "Two models" in said and "adjusted" not in said.replace("unadjusted", "")


def test_a_tie_is_a_confidence_set():
    verdict = compare(alike(), "roc_auc")
    said = methods_text(verdict)
    assert verdict.outcome == "tie"
    assert "a 95% confidence set (Hansen, Lunde and Nason, 2011)" in said
    assert "it can hold one that the best one beats in their own pair" in said
    assert "do not differ significantly" not in said
    assert "Hansen" in cited(verdict) and "Hansen" not in cited(compare(predictions_of(), "roc_auc"))
    assert all(name in said for name in verdict.winners)


def test_a_tie_of_many_models_is_found_by_their_influences():
    truth, _ = scores_of_rows(400)
    models = {f"m{place}": np.random.default_rng(place).random(400) for place in range(22)}
    predictions = Predictions.from_arrays(truth, models)
    verdict = compare(predictions, "accuracy", test="permutation(permutations=200)", metrics=["accuracy"])
    said = methods_text(verdict)
    assert verdict.outcome == "tie"
    assert "confidence set" in said and "pairs without the best model by their row influences" in said
    assert "5,000 normal draws" in said and {"Hansen", "Mogstad"} <= cited(verdict)
    assert "permutation(permutations=200)), two-sided, alpha = 0.05." in said, "it gives no intervals"


def test_a_tie_of_two_may_be_either():
    truth = [0, 1] * 50
    said = methods_text(compare(Predictions.from_arrays(truth, {"a": truth, "b": truth}), "accuracy"))
    assert "Otherwise either may be the best." in said and "a and b may each be the best" in said


def test_groups():
    said = methods_text(compare(predictions_of(group=ROW % 40), "roc_auc"))
    assert "rows may depend on each other within 40 groups, and the groups are taken as independent" in said
    assert "the rows are taken as independent" not in said and "400 groups" not in said


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("probability", "how many rows of the population a row stands for"),
        ("frequency", "how often a row was observed"),
    ],
)
def test_weights(kind, words):
    weight = 1 + ROW % 3
    said = methods_text(compare(predictions_of(weight=weight, weight_kind=kind), "roc_auc"))
    truth, _ = scores_of_rows(400)
    assert f"taken as {kind} weights: each says {words}" in said
    assert f"({100 * weight[truth == 1].sum() / weight.sum():.1f}% of the weight of class '1'" in said


def test_out_of_fold():
    said = methods_text(compare(predictions_of(fold=ROW % 10), "roc_auc"))
    assert "out of fold: different fitted models made those of 10 folds, and they were compared row by row" in said
    assert "is about these fitted models, not about the learning procedures" in said


def test_out_of_fold_in_several_repeats():
    said = methods_text(compare(repeated(), "accuracy"))
    assert "predictions of 400 rows (" in said and "), predicted 1,600 times in all." in said
    assert "10 folds in each of 4 repeats" in said and "predicted once" not in said
    assert "the predictions of one row are taken together" in said


def test_folds():
    said = methods_text(compare(predictions_of(fold=ROW % 10), "roc_auc", unit="fold"))
    assert "taken as 10-fold cross-validation: 10 splits of 360 training and 40 test rows" in said
    assert "The training sets overlap" in said and "corrected resampled t-test" in said


def test_repeated_cross_validation():
    said = methods_text(compare(repeated(), "roc_auc", unit="fold"))
    assert "taken as 4 x 10-fold cross-validation: 40 splits of 360 training and 40 test rows" in said
    assert "predictions of 400 rows (" in said and "), predicted 1,600 times in all." in said


def test_data_sets():
    verdict = compare(predictions_of(by={"region": ROW % 8}), "roc_auc", by="region", unit="slice")
    said = methods_text(verdict)
    assert "mean of their values on each of 8 data sets (region)" in said
    assert "with the Wilcoxon signed-rank test (wilcoxon)" in said
    assert f"Friedman's test with Iman and Davenport's correction gave {p_value(verdict.across.p)}" in said
    assert "slice" not in said
    assert {"Wilcoxon", "Iman", "Nemenyi"} <= cited(verdict)


def test_a_tie_over_data_sets_is_by_mean_ranks():
    generator = np.random.default_rng(2)
    models = {name: generator.random(400) for name in "abc"}
    part = np.arange(400) % 8
    predictions = Predictions.from_arrays(generator.integers(0, 2, 400), models, by={"part": part})
    said = methods_text(compare(predictions, "accuracy", by="part", unit="slice"))
    assert "mean rank is within Nemenyi's critical difference of the best one" in said
    assert "confidence set" not in said


def test_subsets():
    said = methods_text(compare(predictions_of(), "accuracy", subsets=20, partitions=7, test="sign"))
    assert "divided at random into 20 equal stratified subsets, in 7 partitions" in said
    assert "come from the partition with the median p" in said
    assert "with the sign test (sign)" in said


def test_bayesian():
    verdict = compare(predictions_of(fold=ROW % 10), "accuracy", test="bayes_correlated_t(rope=0.02)", alpha=0.1)
    said = methods_text(verdict)
    assert "with the Bayesian correlated t-test (bayes_correlated_t(rope=0.02))" in said
    assert "a correlation of 0.1 between units" in said, "a tenth of the rows of each split are tested"
    assert "better by more than 0.02, the region of practical equivalence, is above 0.9" in said
    for part in ("two-sided", "p below", "adjusted", "significantly"):
        assert part not in said
    assert "Holm" not in cited(verdict)


def test_a_bayesian_tie_rules_out_whom_the_posterior_does():
    verdict = compare(alike(), "roc_auc", test="bayes_correlated_t", subsets=10, partitions=5)
    said = methods_text(verdict)
    beaten = {one.against(verdict.best) for one in verdict.comparisons if one.winner == verdict.best}
    assert verdict.outcome == "tie" and beaten and {*verdict.winners} == {*verdict.values} - beaten
    assert "all models are named that may each be the best: those that the best one does not beat" in said
    assert "come from the partition with the median probability" in said
    assert "confidence set" not in said


def test_partitions_without_p_are_ordered_by_their_probability():
    contest = contest_of(alike(), metrics["roc_auc"], subsets=10, partitions=5)
    test, in_the_middle = tests["bayes_correlated_t"], []
    for a, b in combinations(contest.unit_values, 2):
        found = contest.compare(test, a, b).details
        pairs = zip(contest.unit_values[a], contest.unit_values[b], strict=True)
        each = [test(x, y).details["a_better"] for x, y in pairs]
        assert found["a_better"] == np.median(each)
        assert (found["partitions"], found["subsets"]) == (5, 10)
        in_the_middle.append(each[2] == np.median(each))
    assert not all(in_the_middle), "the third partition is not the median one by chance in every pair"


def test_a_margin_is_held_by_two_one_sided_tests():
    verdict = compare(predictions_of(), "accuracy", margin=0.02)
    said = methods_text(verdict)
    assert "A difference of 0.0200 was named as the one that matters" in said
    assert "where the 90% interval of their difference lies within the margin (two one-sided tests at alpha)" in said
    assert "Schuirmann" in cited(verdict)


def test_a_margin_that_no_interval_can_be_held_against():
    said = methods_text(compare(predictions_of(), "accuracy", margin=0.02, test="permutation(permutations=200)"))
    assert "the test gives no interval to compare it with" in said and "one-sided" not in said


@pytest.mark.parametrize(("goal", "side"), [("accuracy", "above -0.0200"), ("brier", "below 0.0200")])
def test_a_gate(goal, side):
    found = gate(predictions_of(), goal, production="fair", candidate="good", margin=0.02, superiority=True)
    said = methods_text(found.verdict, found)
    assert "Whether good may replace fair was decided by a test of non-inferiority, one-sided at alpha = 0.05" in said
    assert f"where the 90% interval of its value minus that of fair lies {side}" in said
    assert "It also had to be significantly better." in said and "good passed." in said
    assert "A winner is named" not in said
    assert "Piaggio" in cited(found.verdict, found)
    shown = Page(gate_page(found)).one("section", id="methods")["text"]
    assert said in shown and "piaggio2012" in shown


def test_slices():
    predictions = predictions_of(by={"region": ROW % 3})
    verdict = compare(predictions, "accuracy", by="region")
    said = methods_text(verdict)
    assert "In 3 of 3 slices by region (those with at least 10 rows of a second class" in said
    assert "Welch's t-test on the logit scale of the metric's range from 0 to 1" in said
    assert "adjusted for all slices and models by Holm's method" in said
    assert {"Welch", "Holm"} <= cited(verdict)


def test_slices_that_are_too_small_and_slices_of_an_error():
    said = methods_text(compare(predictions_of(by={"region": ROW % 100}), "accuracy", by="region"))
    assert "No slice by region has at least 10 rows of a second class" in said and "Welch" not in said
    generator = np.random.default_rng(0)
    truth = generator.normal(size=400)
    models = {name: truth + generator.normal(size=400) for name in "ab"}
    predictions = Predictions.from_arrays(truth, models, task="regression", by={"part": ROW % 2})
    assert "Welch's t-test on the log scale of the metric," in methods_text(compare(predictions, "rmse", by="part"))


def test_the_corrected_score():
    verdict = compare(alike(), "roc_auc")
    said = methods_text(verdict)
    one = verdict.corrected
    assert f"Without this luck, the value is {one.value:.4f} (95% interval that holds for all models at once: " in said
    assert "20,000 normal draws" in said


def test_what_is_undecided():
    models = {"a": np.linspace(0, 1, 100), "b": np.linspace(1, 0, 100)}
    said = methods_text(compare(Predictions.from_arrays([0] * 95 + [1] * 5, models), "roc_auc"))
    assert "No verdict was reached: there are 5 rows of class '1'" in said and "named the winner" not in said


def test_a_selection():
    features = np.random.default_rng(0).normal(size=(80, 2))
    target = features[:, 0] > 0
    verdict = select(["logistic", "dummy"], features, target, goal="accuracy", scheme="k_fold(k=4, repeats=3)")
    said = methods_text(verdict)
    assert "predictions of 80 rows (" in said and "), predicted 240 times in all." in said and "240 rows" not in said
    assert "fitted on the same 12 splits (k_fold(k=4, repeats=3))" in said
    assert {"Nadeau", "Kohavi"} <= cited(verdict)
    half = select(["logistic", "dummy"], features, target, goal="accuracy", scheme="holdout")
    assert "rows out of 80" in methods_text(half) and "fitted on the same split (holdout)" in methods_text(half)


def test_numbers_that_are_predicted():
    said = methods_text(regression())
    assert "lower is better) using their predictions of 250 rows. The models" in said


def test_a_hostile_name_stays_in_one_line():
    truth = [0, 1] * 50
    said = methods_text(compare(Predictions.from_arrays(truth, {"a\nb": truth, "c" * 500: truth}), "accuracy"))
    assert "\n" not in said and "c" * 100 not in said


def test_a_long_text_is_not_cut():
    verdict = compare(alike(8), "roc_auc", margin=0.01)
    assert methods_text(verdict) in Page(verdict.to_html()).one("section", id="methods")["text"]


@pytest.mark.parametrize("name", list(tests))
def test_tests_are_called_by_their_proper_names(name):
    """Who is cited keeps a capital letter; other titles begin with a small one."""
    title = the(tests[name])
    first = tests[name].title.split()[0]
    if "'s " not in tests[name].title:
        assert title.startswith("the ")
    surnames = {word for line in tests[name].references for word in re.findall(r"[A-Z]\w+", line.partition(" (")[0])}
    if first in surnames or first == "Bayesian":
        assert first in title


@pytest.mark.parametrize("name", list(metrics))
def test_metrics_are_called_by_their_proper_names(name):
    title = metrics[name].title
    first = re.match(r"\w+", title)[0]
    surnames = {word for line in metrics[name].references for word in re.findall(r"[A-Z]\w+", line.partition(" (")[0])}
    assert within_a_sentence(title).startswith(first if first in surnames else (first, first.lower()))


def test_p_values_are_not_rounded_across_a_level():
    assert [short_p(p) for p in (0.0344, 0.05, 0.04996, 0.0501, 0.00999, 0.99996, 1.0, 1e-5, None)] == [
        "0.034", "0.05", "0.04996", "0.0501", "0.00999", "0.99996", "1", "< 0.0001", "–",
    ]  # fmt: skip
    assert p_value(1e-5) == "p < 0.0001" and p_value(0.0344) == "p = 0.034"
    assert level(0.1) == "90%"


def of_the_page(text):
    return Page(text).one("section", id="reproduce")["text"]


def test_a_page_made_in_python_says_what_to_call():
    predictions = predictions_of(by={"region": ROW % 3})
    asked = {"goal": "f_beta(beta=2)", "by": "region", "test": "bootstrap(replicates=200)", "margin": 0.02, "seed": 3}
    verdict = compare(predictions, alpha=0.1, **asked)
    shown = of_the_page(verdict.to_html())
    call = re.search(r"referee\.compare\(.*\)", shown)[0]
    again = eval(call, {"referee": __import__("referee"), "predictions": predictions})  # it is meant to be run
    assert again.to_dict() == verdict.to_dict() and again.call == verdict.call
    assert predictions.fingerprint in shown
    assert "referee.compare(" not in of_the_page(verdict.to_html(command="referee compare x.csv"))


def test_a_gate_and_scores_say_what_to_call():
    predictions = predictions_of()
    space = {"referee": __import__("referee"), "predictions": predictions}
    made = gate(predictions, metrics["brier"], production="fair", candidate="poor", margin=0.02, alpha=0.1)
    call = re.search(r"referee\.gate\(.*\)", of_the_page(gate_page(made)))[0]
    assert not made.passed and eval(call, space).to_dict() == made.to_dict()
    scores = evaluate(predictions, ["mcc", metrics["f_beta(beta=2)"]], alpha=0.1)
    call = re.search(r"referee\.evaluate\(.*\)", of_the_page(scores_page(scores)))[0]
    assert eval(call, space).to_dict() == scores.to_dict()


def test_a_selection_says_what_to_call():
    features = np.random.default_rng(0).normal(size=(80, 2))
    target = features[:, 0] > 0
    verdict = select(["logistic", "knn(k=5)"], features, target, goal="accuracy", scheme="k_fold(k=4)", margin=0.1)
    call = re.search(r"referee\.select\(.*\)", of_the_page(verdict.to_html()))[0]
    again = eval(call, {"referee": __import__("referee"), "X": features, "y": target})
    assert again.sentence == verdict.sentence and again.call == verdict.call
    assert again.selection.splits_fingerprint == verdict.selection.splits_fingerprint


def test_objects_in_a_call_have_no_addresses():
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import FunctionTransformer

    from referee.catalogue import written

    assert written({"line": LogisticRegression(C=2)}) == "{'line': LogisticRegression(C=2)}"
    assert written(FunctionTransformer(lambda x: x)) == "FunctionTransformer(...)"
    assert written(np.float64(0.1)) == "0.1" and written("it's at 0x12") == repr("it's at 0x12")
