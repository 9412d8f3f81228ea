"""Row influences: against pROC, exact formulas, the delta method by hand, the jackknife and simulation."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from referee import metrics
from referee.comparing import compare
from referee.engines import Summary, summarise
from referee.predictions import Predictions
from referee.scoring import IndependentRows, Spread, evaluate, interval, row_changes, values
from referee.scoring.influences import influences
from referee.scoring.standard_errors import spread
from referee.testing.samples import sample

CUT = {"break_even_point", "lift", "median", "median_ae", "precision_at_recall", "recall_at_precision"}
"""Metrics that hang on the row at a cut: their influence is smoothed over its neighbours, so no derivative shows it."""


def value(metric, predictions):
    summary = summarise(predictions, predictions.models[0])
    return values(metric, summary, len(predictions.classes), predictions.positive)[0]


def variants():
    """Bins of about equal rows hang on the rows at their edges, as cuts do: bins of equal width show the derivative."""
    for name, entry in metrics.items():
        metric = entry.bind(mass=False) if entry.defaults.get("mass") else entry
        for task in metric.tasks:
            averages = (None, "macro", "weighted", "micro") if metric.per_class else (None,)
            for average in averages[: 3 if "sums" in metric.summaries else 4]:
                if name not in CUT:
                    yield metric.bind(average=average) if average else metric, task


def by_name(case):
    return f"{case[0].full_name}-{case[1]}"


@pytest.mark.parametrize("case", list(variants()), ids=by_name)
def test_the_derivative_by_each_rows_weight(case):
    metric, task = case
    weight = np.random.default_rng(0).integers(1, 4, 60).astype(float)
    predictions = replace(sample(task, 3, rows=60), weight=weight)
    found = influences(predictions, predictions.models[0], metric)
    step = 1e-6
    moved = [replace(predictions, weight=weight + sign * step * unit) for unit in np.eye(60) for sign in (1, -1)]
    each = np.array([value(metric, one) for one in moved]).reshape(60, 2)
    expected = (each[:, 0] - each[:, 1]) / (2 * step) * weight.sum()
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-5 * max(1e-6, np.abs(expected).max()))
    assert weight @ found == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("case", list(variants()), ids=by_name)
def test_the_jackknife_agrees(case):
    """To first order: leaving a row out changes the value by its influence over the number of rows."""
    metric, task = case
    rows = 3000
    predictions = sample(task, 5, rows=rows)
    found = influences(predictions, predictions.models[0], metric)
    whole = value(metric, predictions)
    some = range(0, rows, 150)
    left_out = np.array([value(metric, predictions.part(np.delete(np.arange(rows), row))) for row in some])
    expected = (rows - 1) * (whole - left_out)
    off = np.abs(found[list(some)] - expected).max()
    assert off <= 0.06 * np.abs(found).max() + 1e-9


def r_pairs(reference):
    return json.loads((reference / "r/proc_and_paired.json").read_text())["pairs"]


def read_pair(reference, pair):
    return Predictions.read(reference / "r" / pair["input"], truth="y", models=["score_a", "score_b"])


def test_auc_has_delongs_variance(reference):
    """R 4.2.2 and pROC 1.18.0."""
    for pair in r_pairs(reference):
        predictions = read_pair(reference, pair)
        for model, expected in zip(predictions.models, (pair["auc_a"], pair["auc_b"]), strict=True):
            found = spread(summarise(predictions, model), metrics["roc_auc"])
            assert found.variance == pytest.approx(expected["delong_var"], rel=1e-10)


def test_differences_of_auc_have_delongs_covariance(reference):
    for pair in r_pairs(reference):
        predictions = read_pair(reference, pair)
        a, b = (influences(predictions, model, metrics["roc_auc"]) for model in predictions.models)
        sizes = np.bincount(predictions.truth)[predictions.truth]
        covariance = (a * b * sizes / (sizes - 1)).sum() / predictions.rows**2
        assert covariance == pytest.approx(pair["delong_cov"], rel=1e-9)


def test_accuracy_is_binomial():
    draw = np.random.default_rng(0)
    truth, scores = draw.integers(0, 2, 500), draw.random(500)
    predictions = Predictions.from_arrays(truth, {"a": scores, "b": draw.random(500)})
    share = np.mean((scores >= 0.5) == truth)
    error = evaluate(predictions, ["accuracy"])["a", "accuracy"].standard_error
    assert error == pytest.approx((share * (1 - share) / 499) ** 0.5, rel=1e-12)
    a, b = (influences(predictions, model, metrics["accuracy"]) for model in predictions.models)
    right = [(predictions.model(name).scores >= 0.5) == truth for name in "ab"]
    paired = np.var(right[0].astype(float) - right[1], ddof=0)
    assert np.var(a - b) == pytest.approx(paired, rel=1e-12)


def test_f_by_the_delta_method():
    truth, decided = np.array([1] * 30 + [0] * 70), np.array([1] * 20 + [0] * 10 + [1] * 15 + [0] * 55)
    predictions = Predictions.from_arrays(truth, {"m": decided})
    tp, fp, fn, rows = 20, 15, 10, 100
    f = 2 * tp / (2 * tp + fp + fn)
    size = (2 * tp + fp + fn) / rows
    by_row = np.where(truth & decided, 2 - 2 * f, np.where(truth != decided, -f, 0)) / size
    found = influences(predictions, predictions.models[0], metrics["f1"])
    assert found == pytest.approx(by_row, rel=1e-9)


def test_r2_by_the_delta_method():
    draw = np.random.default_rng(1)
    truth = draw.normal(size=200)
    predicted = truth + draw.normal(size=200)
    predictions = Predictions.from_arrays(truth, {"m": predicted}, task="regression")
    squared, deviation = (truth - predicted) ** 2, (truth - truth.mean()) ** 2
    ratio = squared.mean() / deviation.mean()
    expected = -(squared - squared.mean()) / deviation.mean() + ratio / deviation.mean() * (
        deviation - deviation.mean()
    )
    found = influences(predictions, predictions.models[0], metrics["r2"])
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("name", ["accuracy", "roc_auc", "average_precision", "brier", "f1", "mcc"])
def test_frequency_weights_are_repeated_rows(name):
    predictions = sample("binary", 2, rows=80)
    weight = np.random.default_rng(3).integers(1, 4, 80)
    weighted = replace(predictions, weight=weight.astype(float), weight_kind="frequency")
    repeated = predictions.part(np.repeat(np.arange(80), weight))
    of_weights, of_rows = (spread(summarise(one, one.models[0]), metrics[name]) for one in (weighted, repeated))
    assert of_weights.variance == pytest.approx(of_rows.variance, rel=0.02)
    assert of_weights.df == pytest.approx(of_rows.df, rel=1e-6)


def test_probability_weights_are_a_sandwich():
    draw = np.random.default_rng(4)
    truth, scores, weight = draw.integers(0, 2, 300), draw.random(300), draw.exponential(size=300)
    predictions = Predictions.from_arrays(truth, {"m": scores}, weight=weight)
    right = ((scores >= 0.5) == truth).astype(float)
    mean = np.average(right, weights=weight)
    expected = np.sum((weight * (right - mean)) ** 2) / weight.sum() ** 2 * 300 / 299
    assert evaluate(predictions, ["accuracy"])["m", "accuracy"].standard_error == pytest.approx(expected**0.5)


def test_clusters_count_as_one():
    """Rows that are copies of each other know no more than one of them."""
    predictions = sample("binary", 6, rows=90)
    copies = np.repeat(np.arange(90), 4)
    grouped = Predictions.from_arrays(
        predictions.truth[copies], {"m": predictions.models[0].scores[copies]}, group=copies.astype(str)
    )
    for name in ("accuracy", "roc_auc", "brier", "f1"):
        alone = evaluate(predictions, [name])["m", name]
        together = evaluate(grouped, [name])["m", name]
        assert together.value == pytest.approx(alone.value)
        assert together.standard_error == pytest.approx(alone.standard_error, rel=0.02)


@pytest.mark.parametrize(
    "case", [*variants(), *((metrics[name], metrics[name].tasks[0]) for name in sorted(CUT))], ids=by_name
)
def test_tables_have_the_spread_of_their_rows(case):
    """Sums over cells, or over blocks of rows, are sums over rows."""
    metric, task = case
    predictions = sample(task, 4, rows=70)
    summary = summarise(predictions, predictions.models[0])
    found, expected = spread(summary, metric), IndependentRows(predictions, metric).spread(row_changes(summary, metric))
    assert (found.variance, found.df) == pytest.approx((expected.variance, expected.df), rel=1e-9, abs=1e-25)


RANKED = ("roc_auc", "average_precision", "partial_auc", "murphy_resolution(bins=none)", "calibration_error", "ks")


@pytest.mark.parametrize("name", [*sorted(CUT - {"median", "median_ae"}), *RANKED])
def test_steps_in_chunks_have_the_same_slopes(name, monkeypatch):
    """Beyond 16,384 steps a formula sees them in chunks, which changes nothing."""
    predictions = sample("binary", 6, rows=200)
    at_once = row_changes(Summary(predictions, predictions.models[0], None), metrics[name])
    monkeypatch.setattr("referee.scoring.taped_steps.CHUNK", 7)
    in_chunks = row_changes(Summary(predictions, predictions.models[0], None), metrics[name])
    assert in_chunks == pytest.approx(at_once, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_of_units_move_their_own_auc(weighted):
    """Without a row the AUC of its fold, by scikit-learn, moves by its influence times n / (n - 1) of its class."""
    draw = np.random.default_rng(12)
    truth, scores, fold = draw.integers(0, 2, 90), np.round(draw.random(90), 1), draw.integers(0, 3, 90)
    weight = draw.integers(1, 4, 90).astype(float) if weighted else np.ones(90)
    predictions = Predictions.from_arrays(truth, {"m": scores}, fold=fold, weight=weight if weighted else None)
    changes = row_changes(Summary(predictions, predictions.models[0], predictions.fold), metrics["roc_auc"])
    for row in range(90):
        here = fold == int(predictions.fold.names[predictions.fold.codes[row]])
        others = here & (np.arange(90) != row)
        whole, without = (
            roc_auc_score(truth[part], scores[part], sample_weight=weight[part]) for part in (here, others)
        )
        left = weight[others & (truth == truth[row])].sum()
        assert changes[row] * weight[row] == pytest.approx((whole - without) * left / (left + weight[row]), abs=1e-14)


def test_many_rows_have_the_errors_of_delong():
    """No size has a formula of its own: the variance of AUC by placements, as DeLong wrote it."""
    draw = np.random.default_rng(8)
    for rows in (99_000, 140_000, 300_000):
        truth = draw.random(rows) < 0.4
        scores = draw.normal(0.7 * truth)
        found = evaluate(Predictions.from_arrays(truth.astype(int), {"m": scores}), ["roc_auc"])["m", "roc_auc"]
        above, below = np.sort(scores[truth]), np.sort(scores[~truth])
        of_positives = np.searchsorted(below, scores[truth]) / len(below)
        of_negatives = 1 - np.searchsorted(above, scores[~truth]) / len(above)
        variance = of_positives.var(ddof=1) / len(above) + of_negatives.var(ddof=1) / len(below)
        assert found.standard_error == pytest.approx(variance**0.5, rel=1e-9)


def test_terms_that_the_tape_cannot_follow_are_moved():
    """A term with a function that is none of elements has the slopes of the same term without it."""
    known = metrics["average_precision"]

    def value(ranking):
        return ranking.sum(lambda at: np.nan_to_num(at.tp / (at.tp + at.fp)) * at.positives) / ranking.P

    predictions = sample("binary", 2, rows=50)
    summary = summarise(predictions, predictions.models[0])
    other = replace(known, value=value, name="other", examples=())
    assert row_changes(summary, other) == pytest.approx(row_changes(summary, known), rel=1e-7, abs=1e-10)


def test_interval_scales():
    from math import inf

    tight = Spread(1e-8, inf)
    for ends, centre in (((0, 1), 0.3), ((-1, 1), -0.2), ((0, inf), 2.0), ((-inf, 1), -3.0), ((-inf, inf), 5.0)):
        low, high = interval(centre, tight, ends, 0.05, 100)
        assert (low, high) == pytest.approx((centre - 1.96e-4, centre + 1.96e-4), rel=1e-4)
        wide = interval(centre, Spread(1e4, 3.0), ends, 0.05, 100)
        assert ends[0] <= wide[0] < centre < wide[1] <= ends[1]


def test_fisher_z_for_correlations():
    low, high = interval(0.5, Spread(0.01, np.inf), (-1, 1), 0.05, 100)
    reach = 1.959963985 * 0.1 / (1 - 0.25)
    assert (low, high) == pytest.approx((np.tanh(np.arctanh(0.5) - reach), np.tanh(np.arctanh(0.5) + reach)))


def test_a_perfect_score_is_not_certain():
    """20 rows without an error: Clopper and Pearson."""
    scipy_stats = pytest.importorskip("scipy.stats")
    predictions = Predictions.from_arrays([0, 1] * 10, {"m": [0.1, 0.9] * 10})
    score = evaluate(predictions, ["accuracy"])["m", "accuracy"]
    expected = scipy_stats.binomtest(20, 20).proportion_ci(0.95, method="exact")
    assert (score.low, score.high) == pytest.approx((expected.low, 1.0))
    recall = evaluate(predictions, ["recall"])["m", "recall"]
    assert recall.low == pytest.approx(scipy_stats.binomtest(10, 10).proportion_ci(0.95, method="exact").low)


@pytest.mark.parametrize("name", ["accuracy", "f1", "roc_auc", "average_precision", "brier", "mcc"])
def test_intervals_cover(name):
    """A smaller version of docs/simulations/interval_coverage.py."""
    metric, held, repeats = metrics[name], 0, 400

    def drawn(rows, seed):
        draw = np.random.default_rng(seed)
        truth = draw.random(rows) < 0.4
        scores = 1 / (1 + np.exp(-1.5 * (1.5 * truth + draw.normal(size=rows) - 0.75)))
        return Predictions("binary", truth.astype(int), (sample("binary", 0).models[0],), ("0", "1"), 1), scores

    def scored(rows, seed):
        predictions, scores = drawn(rows, seed)
        predictions = replace(predictions, models=(replace(predictions.models[0], scores=scores),))
        return evaluate(predictions, [metric])["m", metric.full_name]

    true = scored(400_000, 10**6).value
    for seed in range(repeats):
        score = scored(200, seed)
        held += score.low <= true <= score.high
    assert 0.915 <= held / repeats <= 0.98


@pytest.mark.parametrize("classes", [2, 3])
def test_bins_of_equal_rows_have_the_standard_errors_of_other_samples(classes):
    """A row taken out moves every border of equal bins, so the jackknife cannot judge these: many samples can."""
    rng, asked = np.random.default_rng(11), ["murphy_reliability", "murphy_resolution"]

    def scored():
        odds = np.exp(1.2 * rng.normal(size=(1000, classes)))
        truth = (rng.random(1000)[:, None] > (odds / odds.sum(1, keepdims=True)).cumsum(1)).sum(1)
        told = odds**1.4 / (odds**1.4).sum(1, keepdims=True)
        given = {"m": told[:, 1]} if classes == 2 else {"m": told}
        predictions = Predictions.from_arrays(truth, given, **({} if classes == 2 else {"classes": [0, 1, 2]}))
        found = evaluate(predictions, asked)
        return [(found["m", name].value, found["m", name].standard_error) for name in asked]

    drawn = np.array([scored() for _ in range(60)])
    assert np.sqrt((drawn[:, :, 1] ** 2).mean(0)) == pytest.approx(drawn[:, :, 0].std(0, ddof=1), rel=0.3)


def test_correlations_near_one_have_small_standard_errors():
    """Of normal numbers about (1 - r^2) / sqrt(n), however near to 1."""
    generator = np.random.default_rng(0)
    for noise in (0.1, 0.01, 0.001):
        truth = generator.normal(size=400)
        both = Predictions.from_arrays(truth, {"m": truth + noise * generator.normal(size=400)}, task="regression")
        found = evaluate(both, ["correlation"])["m", "correlation"]
        assert found.standard_error == pytest.approx((1 - found.value**2) / 400**0.5, rel=0.2)
        assert found.low < found.value < found.high


@pytest.mark.parametrize("unit", [2.0**40, 2.0**-14, 2.0**-30])
@pytest.mark.parametrize("name", ["rmse", "rae", "rrse", "r2", "correlation", "mae", "median_ae"])
def test_the_unit_of_the_numbers_does_not_matter(name, unit):
    """Powers of two change no digit, so that intervals in grams and in tonnes are the same ones."""
    draw = np.random.default_rng(1)
    truth = draw.normal(size=200)
    predicted = truth + draw.normal(size=200) / 4
    in_units = [Predictions.from_arrays(truth * one, {"m": predicted * one}, task="regression") for one in (1.0, unit)]
    one, other = (evaluate(some, name)["m", name] for some in in_units)
    power = metrics[name].units_power
    assert other.standard_error == pytest.approx(one.standard_error * unit**power, rel=1e-9)


@pytest.mark.parametrize("wrong", [1, 3, 40, 129])
def test_a_share_of_rows_has_the_exact_interval(wrong):
    from scipy.stats import binomtest

    truth = np.array([0, 1] * 65)
    decided = np.where(np.arange(130) < wrong, 1 - truth, truth)
    scores = evaluate(Predictions.from_arrays(truth, {"m": decided}))
    positives_missed = int((decided != truth)[truth == 1].sum())
    for name, hits, rows in (("accuracy", 130 - wrong, 130), ("recall", 65 - positives_missed, 65)):
        exact = binomtest(hits, rows).proportion_ci(0.95, method="exact")
        assert (scores["m", name].low, scores["m", name].high) == pytest.approx((exact.low, exact.high))


def test_one_error_does_not_widen_other_intervals_beyond_sense():
    """F1 of one error in 130 rows lies between shares of 1 error in 130 and 1 in 65."""
    from scipy.stats import binomtest

    truth = np.array([0, 1] * 65)
    decided = np.where(np.arange(130) < 1, 1 - truth, truth)
    score = evaluate(Predictions.from_arrays(truth, {"m": decided}))["m", "f_beta"]
    assert score.low > binomtest(64, 65).proportion_ci(0.99, method="exact").low


def test_numbers_whose_squares_are_no_numbers_name_no_winner():
    draw = np.random.default_rng(0)
    truth = draw.normal(size=200)
    models = {"good": truth + draw.normal(0, 0.1, 200), "bad": truth + draw.normal(0, 0.9, 200)}
    tiny = Predictions.from_arrays(
        truth * 1e-300, {name: one * 1e-300 for name, one in models.items()}, task="regression"
    )
    verdict = compare(tiny, "mae", metrics=["mae"])
    assert verdict.outcome == "undecided"
    assert "standard error" in verdict.sentence
