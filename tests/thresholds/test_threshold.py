"""Thresholds: pROC's, scikit-learn's, every threshold tried; judged on rows that they were not chosen on."""

from __future__ import annotations

import csv
from math import inf

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import TunedThresholdClassifierCV

import referee as package
from referee import metrics
from referee.predictions import Predictions
from referee.thresholds import Objective, cheaper_regions, threshold
from referee.thresholds.costs import probability_cost
from tests.thresholds.test_curves import read_credit, some_rows

OF_COUNTS = [name for name in metrics if metrics[name].summaries == ("counts",) and "binary" in metrics[name].tasks]


class Given(ClassifierMixin, BaseEstimator):
    """Its only feature is the probability."""

    def fit(self, X, y):  # noqa: ARG002, N803 (as scikit-learn has it)
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):  # noqa: N803
        return np.column_stack([1 - X[:, 0], X[:, 0]])

    def predict(self, X):  # noqa: N803
        return (X[:, 0] >= 0.5).astype(int)


def predictions_of(rows=400, **more):
    truth, scores, _ = some_rows(rows, **more)
    return truth, scores, Predictions.from_arrays(truth, {"m": scores})


def test_youden_is_that_of_proc(reference):
    expected, truth, scores = read_credit(reference)
    found = threshold(Predictions.from_arrays(truth, scores), "youden")
    for name in "ab":
        known = expected[f"auc_{name}"]["youden"]
        one = found[name]
        assert one.threshold == pytest.approx(known["threshold"], rel=1e-12)
        assert one.tp / (one.tp + one.fn) == pytest.approx(known["sensitivity"], rel=1e-12)
        assert one.tn / (one.tn + one.fp) == pytest.approx(known["specificity"], rel=1e-12)


@pytest.mark.parametrize(
    ("goal", "scoring"),
    [
        ("f1", "f1"),
        ("accuracy", "accuracy"),
        ("mcc", "matthews_corrcoef"),
        ("balanced_accuracy", "balanced_accuracy"),
        ("jaccard", "jaccard"),
    ],
)
def test_the_best_is_scikit_learns(goal, scoring):
    truth, scores, predictions = predictions_of()
    tuned = TunedThresholdClassifierCV(
        Given().fit(None, truth), scoring=scoring, cv="prefit", refit=False, thresholds=np.unique(scores)
    ).fit(scores[:, None], truth)
    found = threshold(predictions, goal)["m"]
    assert found.apparent == pytest.approx(tuned.best_score_, rel=1e-12)
    ours = scores >= found.threshold
    assert metrics[goal](truth, ours.astype(int)) == pytest.approx(tuned.best_score_, rel=1e-12)


@pytest.mark.parametrize("digits", [None, 1])
@pytest.mark.parametrize("name", OF_COUNTS)
def test_no_threshold_is_better(name, digits):
    """Every metric of the confusion matrix, against scikit-learn's matrix at every threshold."""
    truth, scores, predictions = predictions_of(150, digits=digits)
    metric = metrics[name]
    found = threshold(predictions, name, folds=0)["m"]
    each = []
    for limit in [*np.unique(scores), inf]:
        matrix = confusion_matrix(truth, scores >= limit, labels=[0, 1])
        each.append(metric.of_counts(matrix, positive=1))
    best = np.nanmax(each) if metric.better == "higher" else np.nanmin(each)
    assert found.apparent == pytest.approx(best, rel=1e-12)
    assert (found.low <= found.threshold <= found.high) or found.low == found.high


def test_costs_by_hand():
    """A miss costs five false alarms: of calibrated scores those above 1 / 6 are positive (Elkin, 2001)."""
    draw = np.random.default_rng(1)
    scores = draw.random(20_000)
    truth = (draw.random(20_000) < scores).astype(int)
    found = threshold(Predictions.from_arrays(truth, {"m": scores}), "expected_cost(fp=1, fn=5)")["m"]
    assert found.threshold == pytest.approx(1 / 6, abs=0.03)
    assert found.low < 1 / 6 < found.high
    by_matrix = threshold(Predictions.from_arrays(truth, {"m": scores}), "expected_cost(costs=[[0, 1], [5, 0]])")
    assert by_matrix["m"].threshold == found.threshold


def test_the_matrix_of_costs_is_in_the_order_of_the_classes():
    truth, scores, _ = predictions_of(300)
    labels = np.where(truth == 1, "a", "b")  # the positive class comes first
    swapped = Predictions.from_arrays(labels, {"m": scores}, positive="a")
    plain = Predictions.from_arrays(truth, {"m": scores})
    ours = threshold(swapped, "expected_cost(costs=[[0, 5], [1, 0]])")["m"]
    assert ours.threshold == threshold(plain, "expected_cost(costs=[[0, 1], [5, 0]])")["m"].threshold
    assert ours.apparent == threshold(plain, "expected_cost(fn=5)")["m"].apparent


def test_a_given_prevalence_counts_the_classes_anew():
    """Expected cost at share p is p x FNR x cost + (1 - p) x FPR, whatever the rows' own share."""
    truth, scores, predictions = predictions_of(500)
    found = threshold(predictions, "expected_cost(fn=4)", prevalence=0.02, folds=0)["m"]
    each = {}
    for limit in [*np.unique(scores), inf]:
        called = scores >= limit
        each[limit] = 0.02 * 4 * (~called[truth == 1]).mean() + 0.98 * called[truth == 0].mean()
    assert found.apparent == pytest.approx(min(each.values()), rel=1e-12)
    # With given shares only the two rates are left to chance.
    called = scores >= found.threshold
    rates = (~called[truth == 1], 4 * 0.02), (called[truth == 0], 0.98)
    variance = sum(factor**2 * one.mean() * (1 - one.mean()) / len(one) for one, factor in rates)
    assert found.standard_error == pytest.approx(variance**0.5, rel=0.01)


@pytest.mark.parametrize(("goal", "limit"), [("recall", {"precision": 0.6}), ("precision", {"recall": 0.5})])
def test_limits_are_those_of_the_metrics(goal, limit):
    truth, scores, predictions = predictions_of(500)
    ((name, bound),) = limit.items()
    found = threshold(predictions, goal, at_least=limit)["m"]
    expected = metrics[f"{goal}_at_{name}"](truth, scores, **{name: bound})
    assert found.apparent == pytest.approx(expected, rel=1e-12)
    by_name = threshold(predictions, f"{goal}_at_{name}({name}={bound})")["m"]
    assert by_name == found
    assert list(found.limits) == [f"{name} >= {bound:.4f}"]


@pytest.mark.parametrize("capacity", [0, 1, 50, 333, 1000])
def test_capacity(capacity):
    truth, scores, predictions = predictions_of(400, digits=2)
    found = threshold(predictions, "recall", capacity=capacity, folds=0)["m"]
    allowed = [
        truth[scores >= t].sum() for t in [*np.unique(scores), inf] if (scores >= t).sum() <= capacity / 1000 * 400
    ]
    assert found.tp == max(allowed)
    assert found.flagged <= capacity / 1000


def test_a_limit_that_nothing_keeps():
    predictions = Predictions.from_arrays([0, 1] * 20, {"m": [0.9, 0.1] * 20})
    found = threshold(predictions, "recall", at_least={"precision": 0.9})
    assert not found["m"].reached
    assert found["m"].threshold == inf
    assert "W_UNREACHED" in [notice.code for notice in found.notices]


def test_cross_fitting_has_no_optimism_on_noise():
    """Scores that mean nothing: chosen and evaluated on the same rows they look useful, cross-fitted they do not."""
    apparent, honest = [], []
    for seed in range(20):
        draw = np.random.default_rng(seed)
        predictions = Predictions.from_arrays(draw.integers(0, 2, 100), {"m": draw.random(100)})
        found = threshold(predictions, "youden", seed=seed)["m"]
        apparent.append(found.apparent)
        honest.append(found.value)
        assert found.optimism == found.apparent - found.value
    assert np.mean(apparent) > 0.1
    assert abs(np.mean(honest)) < 2.5 * np.std(honest) / 20**0.5 + 0.01


def test_cross_fitted_by_hand():
    """Folds are dealt by the scheme; each fold's threshold is the best on the others."""
    from referee.fitting import stratified_folds

    truth, scores, predictions = predictions_of(200)
    ordered = predictions.in_canonical_order()
    fold = stratified_folds(ordered, 5, seed=7)
    y, s = ordered.truth, np.asarray(ordered.models[0].scores)
    called = np.zeros(200, bool)
    for number in range(5):
        train, test = fold != number, fold == number
        candidates = np.unique(s[train])
        worth = [metrics["f1"](y[train], (s[train] >= t).astype(int)) for t in candidates]
        best = candidates[len(worth) - 1 - int(np.argmax(worth[::-1]))]
        below = candidates[candidates < best].max(initial=-inf)
        called[test] = s[test] >= (best + below) / 2
    expected = metrics["f1"](y, called.astype(int))
    assert threshold(predictions, "f1", folds=5, seed=7)["m"].value == pytest.approx(expected, rel=1e-12)
    assert sorted(np.bincount(fold)) == [40] * 5
    assert truth.sum() == y.sum()
    assert scores.sum() == pytest.approx(s.sum())


def test_groups_stay_together():
    from referee.fitting import stratified_folds

    truth, scores, _ = predictions_of(300)
    group = np.arange(300) // 5
    fold = stratified_folds(Predictions.from_arrays(truth, {"m": scores}, group=group), 5, 0)
    assert all(len(set(fold[group == one])) == 1 for one in range(60))


def test_the_order_of_the_rows_does_not_matter():
    truth, scores, predictions = predictions_of(200)
    order = np.random.default_rng(0).permutation(200)
    other = Predictions.from_arrays(truth[order], {"m": scores[order]})
    assert threshold(predictions, "f1").chosen == threshold(other, "f1").chosen


def test_chosen_on_one_part_and_judged_on_the_other():
    truth, scores, _ = predictions_of(400)
    part = np.where(np.arange(400) < 150, "valid", "test")
    whole = Predictions.from_arrays(truth, {"m": scores}, by={"part": part})
    found = threshold(whole, "f1", chosen_on=("part", "valid"))
    first, second = (
        Predictions.from_arrays(truth[some], {"m": scores[some]}) for some in (part == "valid", part == "test")
    )
    assert found.how == "other_rows"
    assert found["m"].threshold == threshold(first, "f1")["m"].threshold
    judged = metrics["f1"](truth[150:], (scores[150:] >= found["m"].threshold).astype(int))
    assert found["m"].value == pytest.approx(judged, rel=1e-12)
    assert threshold(second, "f1", chosen_on=first)["m"] == found["m"]


def test_two_models_each_at_its_own_threshold():
    """The comparison is the paired test of the decisions that cross-fitting made."""
    draw = np.random.default_rng(5)
    truth = draw.integers(0, 2, 600)
    good, poor = 2 * truth + draw.normal(size=600), 5 + 0.3 * truth + draw.normal(size=600)
    found = threshold(Predictions.from_arrays(truth, {"good": good, "poor": poor}), "accuracy")
    (one,) = found.comparisons
    assert (one.a, one.b, one.outcome, one.winner) == ("good", "poor", "a", "good")
    assert one.difference == pytest.approx(found["good"].value - found["poor"].value)
    assert one.low < one.difference < one.high
    same = threshold(Predictions.from_arrays(truth, {"a": good, "b": 10 * good}), "accuracy")
    assert (same.comparisons[0].outcome, same.comparisons[0].p) == ("tie", 1.0)


def test_regions_know_who_is_cheaper_where():
    """One model never raises a false alarm at the top, the other misses nothing at the bottom."""
    rng = np.random.default_rng(2)
    truth = np.repeat([1, 0], 1000)
    half = rng.random(2000) < 0.5
    careful = np.where(half & (truth == 1), 1.0, 0.0) + 0.01 * rng.random(2000)
    eager = np.where(half & (truth == 0), 0.0, 1.0) + 0.01 * rng.random(2000)
    predictions = Predictions.from_arrays(truth, {"careful": careful, "eager": eager})
    found = cheaper_regions(predictions)
    # careful: FNR 1/2, FPR 0; eager: FNR 0, FPR 1/2. They cost the same where a miss weighs as much as an alarm.
    assert (found.at(1 / 3, 0.5), found.at(3, 0.5), found.at(1, 0.5)) == ("a", "b", "tie")
    assert found.at(3, 0.25) == "tie"
    assert found.cost_a[found.condition == 0.25] == pytest.approx(0.25 * 0.5, abs=0.01)
    assert {side for side, _, _ in found.stretches} == {"a", "b", "tie"}
    assert probability_cost(3, 0.25) == 0.5


def test_regions_of_the_same_model_are_ties():
    truth, scores, _ = predictions_of(300)
    found = cheaper_regions(Predictions.from_arrays(truth, {"a": scores, "b": scores * 2}))
    assert set(found.outcome) == {"tie"}
    assert (found.p == 1).all()
    assert (found.low == 0).all()


def test_weights_say_how_often():
    """Whole weights are as many rows: the same threshold, value and standard error."""
    truth, scores, _ = predictions_of(200)
    weight = np.random.default_rng(0).integers(1, 4, 200)
    weighted = Predictions.from_arrays(truth, {"m": scores}, weight=weight, weight_kind="frequency")
    repeated = Predictions.from_arrays(np.repeat(truth, weight), {"m": np.repeat(scores, weight)})
    a, b = (threshold(one, "f1", folds=0)["m"] for one in (weighted, repeated))
    assert a.threshold == b.threshold
    assert (a.apparent, a.standard_error) == pytest.approx((b.apparent, b.standard_error), rel=1e-9)
    assert (a.low, a.high) == pytest.approx((b.low, b.high), rel=1e-3)


def weighted_and_repeated(rows=300):
    rng = np.random.default_rng(4)
    truth = (rng.random(rows) < 0.4).astype(int)
    models = {"a": rng.normal(size=rows) + 1.2 * truth, "b": rng.normal(size=rows) + 0.6 * truth}
    weight = rng.integers(1, 6, rows)
    repeated = {name: np.repeat(scores, weight) for name, scores in models.items()}
    return (
        Predictions.from_arrays(truth, models, weight=weight, weight_kind="frequency"),
        Predictions.from_arrays(np.repeat(truth, weight), repeated),
    )


def test_weights_say_how_often_at_another_prevalence():
    """How often a row was seen is one thing, what its class counts another."""
    weighted, repeated = (threshold(one, "accuracy", prevalence=0.1, folds=0)["a"] for one in weighted_and_repeated())
    assert weighted.threshold == repeated.threshold
    assert weighted.value == pytest.approx(repeated.value, rel=1e-12)
    assert weighted.standard_error == pytest.approx(repeated.standard_error, rel=1e-9)
    assert (weighted.value_low, weighted.value_high) == pytest.approx((repeated.value_low, repeated.value_high))


def test_weights_say_how_often_in_redraws():
    """As many rows, as much spread: but for the folds, and for the chance of 200 redraws."""
    choose, judge = weighted_and_repeated(), weighted_and_repeated(301)
    found = [cheaper_regions(b, chosen_on=a) for a, b in zip(choose, judge, strict=True)]
    for one in found[1:]:
        np.testing.assert_allclose(one.cost_a, found[0].cost_a, rtol=1e-9)
    middle = [float((one.high - one.low)[(one.condition > 0.3) & (one.condition < 0.7)].mean()) for one in found]
    assert middle[0] == pytest.approx(middle[1], rel=0.1)
    heavy = Predictions.from_arrays(judge[0].truth, {m.name: m.scores for m in judge[0].models}, weight=judge[0].weight)
    light = cheaper_regions(heavy, chosen_on=choose[0])
    assert (light.high - light.low)[(light.condition > 0.3) & (light.condition < 0.7)].mean() > 1.3 * middle[0]


@pytest.mark.parametrize("prevalence", [None, 0.5, 0.9])
def test_a_value_at_its_end_is_as_sure_as_the_rows_that_were_seen(prevalence):
    """Clopper and Pearson: 15 of 15 positives found; their weight adds no rows."""
    truth = np.repeat([1, 0], [15, 985])
    predictions = Predictions.from_arrays(truth, {"m": truth + np.linspace(0, 0.5, 1000)})
    found = threshold(predictions, "recall", at_least={"precision": 0.5}, prevalence=prevalence)["m"]
    assert (found.value, found.value_low) == (1, pytest.approx(0.025 ** (1 / 15)))


def equal_models(rng, rows=400):
    truth = (rng.random(rows) < 0.4).astype(int)
    both, *own = rng.normal(size=(3, rows))
    return Predictions.from_arrays(truth, {name: 1.5 * truth + both + one for name, one in zip("ab", own, strict=True)})


def test_equal_models_are_seldom_told_apart():
    """Five percent of 40 are 2, of 12 less than 1. Without the choice in the spread it is 5 and 5 of these rows."""
    rng = np.random.default_rng(20)
    claims = {"youden": 0, "regions": 0}
    for _ in range(40):
        predictions = equal_models(rng)
        claims["youden"] += threshold(predictions, "youden").comparisons[0].outcome != "tie"
    for _ in range(12):
        claims["regions"] += set(cheaper_regions(equal_models(rng)).outcome) != {"tie"}
    assert claims["youden"] <= 4
    assert claims["regions"] <= 2


def test_no_model_wins_by_breaking_a_limit():
    """The eager one keeps the limit where the thresholds are chosen, and not where they are judged."""
    rng = np.random.default_rng(0)
    truth = np.tile([1, 0], 200)
    part = np.repeat(["valid", "test"], 200)
    poor = 0.8 * truth + rng.normal(size=400)
    fooled = truth + np.where((part == "test") & (truth == 0) & (rng.random(400) < 0.7), 1, 0) + 0.1 * rng.random(400)
    predictions = Predictions.from_arrays(truth, {"eager": fooled, "poor": poor}, by={"part": part})
    found = threshold(predictions, "recall", at_least={"precision": 0.75}, chosen_on=("part", "valid"))
    assert found["eager"].limits["precision >= 0.7500"] < 0.75
    assert found["eager"].value > found["poor"].value
    (one,) = found.comparisons
    assert one.p < 0.05
    assert (one.outcome, one.winner) == (None, None)
    assert "eager misses a limit" in one.undefined
    assert "W_LIMIT" in [notice.code for notice in found.notices]


def test_thresholds_judged_on_their_own_rows_are_not_compared():
    rng = np.random.default_rng(1)
    found = threshold(equal_models(rng), "youden", folds=0)
    assert found.comparisons[0].outcome is None
    assert "chosen on" in found.comparisons[0].undefined


def test_rows_without_weight_change_nothing():
    """Their scores are no thresholds."""
    truth, scores, _ = predictions_of(100)
    more = Predictions.from_arrays(
        np.append(truth, [0, 1]), {"m": np.append(scores, [-5, 5])}, weight=np.append(np.ones(100), [0, 0])
    )
    assert (
        threshold(more, "f1")["m"].threshold
        == threshold(Predictions.from_arrays(truth, {"m": scores}), "f1")["m"].threshold
    )


def test_the_table_of_regions_has_conditions_of_its_own():
    rng = np.random.default_rng(1)
    found = cheaper_regions(equal_models(rng))
    for ratio, share in ((0.1, 0.001), (100, 0.5), (5, round(found.prevalence, 4))):
        assert probability_cost(ratio, share) in found.condition


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "p.csv"
    truth, scores, _ = some_rows(200, seed=8, digits=6)  # folds are dealt by the digits, and exp's last one differs
    rows = zip(truth, scores, 1 - scores, np.arange(200) % 2, strict=True)
    path.write_text("y,a,b,part\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


def test_on_the_command_line(referee, table):
    asked = ("threshold", table, "--truth", "y", "--models", "a,b", "--for", "f1")
    body = referee(*asked, "--region").json
    assert (body["command"], body["goal"], body["how"], body["folds"]) == ("threshold", "f_beta", "cross_fitted", 10)
    assert [one["model"] for one in body["thresholds"]] == ["a", "b"]
    assert body["comparisons"][0]["outcome"] == "a"
    assert body["regions"]["stretches"]
    screen = referee(*asked, form="text").out
    assert max(map(len, screen.splitlines())) <= 80
    best = body["thresholds"][0]
    assert best["value"] < best["value_as_given"]  # chosen on other rows, it is no gain, and is not recommended
    last = " ".join(screen.splitlines()[-3:])
    assert "Keep a at 0.5: f1" in last
    assert "a is better than b, each at its own threshold" in last
    rows = list(csv.DictReader(referee(*asked, form="csv").out.splitlines()))
    assert float(rows[0]["threshold"]) == body["thresholds"][0]["threshold"]
    assert "| model | threshold |" in referee(*asked, "--region", form="md").out
    parts = referee(*asked, "--choose-on", "part=0").json
    assert parts["how"] == "other_rows"
    assert referee(*asked).out == referee(*asked).out


def test_several_models_have_a_table_of_comparisons():
    """The same scores twice and their reverse: the reverse is worse than both, which cannot be told apart."""
    truth, scores, _ = some_rows(300)
    found = threshold(Predictions.from_arrays(truth, {"a": scores, "same": scores, "worse": -scores}), "youden")
    assert str(found).endswith(". a is better than worse; same is better than worse, each at its own threshold")
    for line in ("a \\~ same", "a \\> worse", "same \\> worse"):
        assert f"| {line} |" in found.to_markdown()
    assert found.to_latex().count(r"\toprule") == 2
    assert "Comparisons, each at its own threshold" in found.to_html()


@pytest.mark.parametrize(
    ("truth", "scores", "said"),
    [
        ([1, 0] * 20, [0.9, 0.3] * 20, "Use m at 0.6000: accuracy 1.0000 vs 1.0000 at 0.5"),
        ([1, 0, 0, 0] * 20, [0.5] * 80, "Use m to call no row positive: accuracy 0.7500 vs 0.2500 at 0.5"),
        ([1, 1, 1, 0] * 20, [0.5] * 80, "Use m to call every row positive: accuracy 0.7500 vs 0.7500 at 0.5"),
    ],
)
def test_of_a_single_model_it_says_what_to_do(truth, scores, said):
    """The most accurate rule: halfway between the scores, or the commoner class."""
    assert str(threshold(Predictions.from_arrays(truth, {"m": scores}), "accuracy")) == said


def test_one_class_column_of_several_classes(referee, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,m:a,m:b,m:c\n" + "a,0.7,0.2,0.1\nb,0.2,0.5,0.3\nc,0.1,0.3,0.6\n" * 10)
    run = referee("threshold", path, "--truth", "y", "--for", "f1")
    assert (run.code, run.json["error"]["code"]) == (2, "E_POSITIVE")
    assert package.Predictions is Predictions
    assert str(Objective.of("youden")) == "informedness"


@pytest.mark.parametrize("name", ["curves", "threshold"])
def test_the_guide_knows_every_option_and_its_code_runs(name):
    import re
    from importlib import import_module
    from pathlib import Path

    from referee.cli.options import COLUMNS, OUTPUT, READING

    guide = (Path(__file__).parents[2] / f"docs/guide/{name}.md").read_text()
    own = {
        option for one in import_module(f"referee.cli.{name}").command.params for option in one.opts if "--" in option
    }
    elsewhere = {
        option for add in [*COLUMNS, *READING, *OUTPUT] for option in add(lambda: None).__click_params__[0].opts
    }
    assert {option for option in own - elsewhere if not re.search(rf"`{option}\b", guide)} == set()
    (code,) = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    exec(code, {})
    for target in re.findall(r"\]\(([\w./-]+\.md)\)", guide):
        assert (Path(__file__).parents[2] / "docs/guide" / target).exists(), target


@pytest.mark.parametrize("digits", [None, 3])
def test_many_rows_are_not_all_looked_at_and_yet_the_best_is_found(monkeypatch, digits):
    """The bounds of stretches of steps leave out no step that could be best."""
    from referee.engines import summarise
    from referee.thresholds import curve_stretches
    from referee.thresholds.choice import best_step

    truth, scores, _ = some_rows(25_000, digits=digits)
    objectives = [Objective.of(name) for name in OF_COUNTS]
    objectives += [Objective.of("recall", at_least={"precision": bound}) for bound in (0.31, 0.5, 0.8)]
    objectives += [Objective.of("precision", at_least={"recall": 0.4}), Objective.of("recall", capacity=77)]
    objectives += [Objective.of("expected_cost(costs=[[1, 0], [0, 2]])"), Objective.of("expected_cost(fn=3)")]
    objectives += [Objective.of("accuracy", at_most={"false_positive_rate": 0.1}, prevalence=0.05)]

    def found():
        predictions = Predictions.from_arrays(truth, {"m": scores})
        ranking = summarise(predictions, predictions.models[0]).ranking(1)
        return [best_step(ranking, objective) for objective in objectives]

    some = found()
    monkeypatch.setattr(curve_stretches, "FEW_ROWS", 10**9)
    assert some == found()
