"""The same numbers as scikit-learn and SciPy, wherever they have the metric and both are defined."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression

import referee
from referee import metrics
from referee.engines import summarise
from referee.errors import RefereeError
from referee.testing.samples import binary, multiclass, regression, score

SEEDS = range(6)
AVERAGES = ("macro", "micro", "weighted")


def close(value):
    return pytest.approx(value, rel=1e-12, abs=1e-12)


def weights_for(draw, rows, seed):
    """No weights, whole ones, or any."""
    return (None, draw.integers(0, 4, rows) + (np.arange(rows) < 4) * 1.0, draw.exponential(size=rows))[seed % 3]


@pytest.fixture(params=SEEDS)
def two(request):
    """Binary rows: truth, probabilities with many ties, weights."""
    draw = np.random.default_rng(request.param)
    truth = draw.permutation(np.arange(200) % 10 < 1 + request.param)
    scores = np.round(np.clip(draw.beta(1, 2, 200) + 0.2 * truth, 0, 1), 2 + request.param % 2)
    return truth.astype(int), scores, weights_for(draw, 200, request.param)


@pytest.fixture(params=SEEDS)
def four(request):
    """Rows of four classes: truth, probabilities without ties inside a row, weights."""
    draw = np.random.default_rng(100 + request.param)
    truth = draw.permutation(np.arange(240) % 9 % 4)
    logits = draw.normal(size=(240, 4)) + 0.8 * np.eye(4)[truth]
    columns = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    columns[1::3] = columns[0]  # rows that tie
    return truth, columns, weights_for(draw, 240, request.param)


@pytest.fixture(params=SEEDS)
def numbers(request):
    draw = np.random.default_rng(200 + request.param)
    truth = np.round(draw.normal(5, 20, 150), 1) + 0.05
    return truth, np.round(truth + draw.standard_t(3, 150), 1), weights_for(draw, 150, request.param)


def of_two(call, two):
    truth, scores, weight = two
    return score(metrics[call], binary(truth, scores, weight=weight))


def of_four(call, four):
    truth, columns, weight = four
    return score(metrics[call], multiclass(truth, columns, weight=weight))


def of_numbers(call, numbers):
    truth, values, weight = numbers
    return score(metrics[call], regression(truth, values, weight=weight))


LABELS = {
    "accuracy": sk.accuracy_score,
    "error_rate": sk.zero_one_loss,
    "expected_cost": sk.zero_one_loss,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "mcc": sk.matthews_corrcoef,
    "kappa": sk.cohen_kappa_score,
}


@pytest.mark.parametrize("name", LABELS)
def test_decisions_on_two_classes(two, name):
    truth, scores, weight = two
    assert of_two(name, two) == close(LABELS[name](truth, scores >= 0.5, sample_weight=weight))


@pytest.mark.parametrize("name", LABELS)
def test_decisions_on_four_classes(four, name):
    truth, columns, weight = four
    assert of_four(name, four) == close(LABELS[name](truth, columns.argmax(axis=1), sample_weight=weight))


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weighted_kappa(four, weights):
    truth, columns, weight = four
    theirs = sk.cohen_kappa_score(truth, columns.argmax(axis=1), weights=weights, sample_weight=weight)
    assert of_four(f"weighted_kappa(weights={weights})", four) == close(theirs)


def test_the_order_of_classes_is_the_one_that_is_said():
    grades = np.array(["low", "mid", "high", "top"])
    draw = np.random.default_rng(3)
    truth = draw.integers(0, 4, 90)
    decided = np.clip(truth + draw.integers(-1, 3, 90), 0, 3)
    theirs = sk.cohen_kappa_score(truth, decided, weights="quadratic")
    assert metrics["qwk"](grades[truth], grades[decided], classes=grades) == close(theirs)
    assert metrics["qwk"](truth, decided) == close(theirs)
    turned = ["top", "low", "high", "mid"]
    other = sk.cohen_kappa_score(grades[truth], grades[decided], weights="quadratic", labels=turned)
    assert metrics["qwk"](grades[truth], grades[decided], classes=turned) == close(other)
    with pytest.raises(RefereeError, match="which is the lowest"):
        metrics["qwk"](grades[truth], grades[decided])


def test_estimators_say_no_order():
    """They sort their classes by name, which is no order of grades."""
    x = np.arange(30.0)[:, None]
    model = LogisticRegression().fit(x, np.repeat(["low", "mid", "high"], 10))
    with pytest.raises(RefereeError, match="which is the lowest"):
        referee.evaluate(model, x, np.repeat(["low", "mid", "high"], 10), metrics="qwk")


PER_CLASS = {
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "f_beta": sk.f1_score,
    "jaccard": sk.jaccard_score,
}


@pytest.mark.parametrize("name", PER_CLASS)
def test_one_class_against_the_other(two, name):
    truth, scores, weight = two
    assert of_two(name, two) == close(PER_CLASS[name](truth, scores >= 0.5, sample_weight=weight))


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("name", PER_CLASS)
def test_averages_over_four_classes(four, name, average):
    truth, columns, weight = four
    theirs = PER_CLASS[name](truth, columns.argmax(axis=1), sample_weight=weight, average=average)
    assert of_four(f"{name}(average={average})", four) == close(theirs)


@pytest.mark.parametrize("average", AVERAGES)
def test_f2(four, average):
    truth, columns, weight = four
    theirs = sk.fbeta_score(truth, columns.argmax(axis=1), beta=2, sample_weight=weight, average=average)
    assert of_four(f"f_beta(beta=2, average={average})", four) == close(theirs)


def test_rates_of_the_negatives(two):
    truth, scores, weight = two
    decided = scores >= 0.5
    assert of_two("specificity", two) == close(sk.recall_score(truth, decided, pos_label=0, sample_weight=weight))
    npv = sk.precision_score(truth, decided, pos_label=0, sample_weight=weight)
    assert of_two("negative_predictive_value", two) == close(npv)
    fpr, _, thresholds = sk.roc_curve(truth, decided * 1.0, sample_weight=weight)
    assert of_two("false_positive_rate", two) == close(fpr[thresholds == 1][0])
    informedness = sk.balanced_accuracy_score(truth, decided, sample_weight=weight, adjusted=True)
    assert of_two("informedness", two) == close(informedness)


def test_confusion_matrix(two, four):
    for (truth, prediction, weight), make in ((two, binary), (four, multiclass)):
        predictions = make(truth, prediction, weight=weight)
        decided = prediction >= 0.5 if prediction.ndim == 1 else prediction.argmax(axis=1)
        theirs = sk.confusion_matrix(truth, decided, sample_weight=weight)
        np.testing.assert_allclose(summarise(predictions, predictions.models[0]).counts.matrix[0], theirs, rtol=1e-12)


def test_ranking_of_two_classes(two):
    truth, scores, weight = two
    assert of_two("roc_auc", two) == close(sk.roc_auc_score(truth, scores, sample_weight=weight))
    assert of_two("average_precision", two) == close(sk.average_precision_score(truth, scores, sample_weight=weight))
    fpr, tpr, _ = sk.roc_curve(truth, scores, sample_weight=weight, drop_intermediate=False)
    assert of_two("ks", two) == close(np.abs(tpr - fpr).max())


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_ranking_of_four_classes(four, average):
    truth, columns, weight = four
    theirs = sk.roc_auc_score(truth, columns, multi_class="ovr", average=average, sample_weight=weight)
    assert of_four(f"roc_auc(average={average})", four) == close(theirs)
    theirs = sk.average_precision_score(np.eye(4)[truth], columns, average=average, sample_weight=weight)
    assert of_four(f"average_precision(average={average})", four) == close(theirs)


def test_micro_averages_pool_the_decisions(two, four):
    truth, columns, weight = four
    auc = sk.roc_auc_score(truth, columns, multi_class="ovr", average="micro", sample_weight=weight)
    assert of_four("roc_auc(average=micro)", four) == close(auc)
    truth, scores, weight = two
    both = np.stack([1 - scores, scores], axis=1)
    auc = sk.roc_auc_score(np.eye(2)[truth], both, average="micro", sample_weight=weight)
    assert of_two("roc_auc(average=micro)", two) == close(auc)


def test_hand_till(four):
    truth, columns, _ = four
    theirs = sk.roc_auc_score(truth, columns, multi_class="ovo", average="macro")
    assert of_four("hand_till", (truth, columns, None)) == close(theirs)


@pytest.mark.parametrize("wanted", [0.1, 0.5, 0.9])
def test_points_of_the_precision_recall_curve(two, wanted):
    truth, scores, weight = two
    precision, recall, _ = sk.precision_recall_curve(truth, scores, sample_weight=weight)
    precision, recall = precision[:-1], recall[:-1]  # the last point is no threshold
    ours = of_two(f"recall_at_precision(precision={wanted})", two)
    assert ours == close(recall[precision >= wanted].max(initial=0))
    ours = of_two(f"precision_at_recall(recall={wanted})", two)
    assert ours == close(precision[recall >= wanted].max())


def test_ks_is_scipys(two):
    truth, scores, _ = two
    theirs = stats.ks_2samp(scores[truth == 1], scores[truth == 0]).statistic
    assert of_two("ks", (truth, scores, None)) == close(theirs)


def test_probabilities(two, four):
    truth, scores, weight = two
    brier = sk.brier_score_loss(truth, scores, sample_weight=weight)
    assert of_two("brier", two) == close(brier)
    assert of_two("rms", two) == close(np.sqrt(brier))
    assert of_two("log_loss", two) == close(sk.log_loss(truth, scores, sample_weight=weight))
    assert of_two("probability_mae", two) == close(sk.mean_absolute_error(truth, scores, sample_weight=weight))
    truth, columns, weight = four
    brier = sk.brier_score_loss(truth, columns, sample_weight=weight)
    assert of_four("brier", four) == close(brier)
    assert of_four("rms", four) == close(np.sqrt(brier / 4))
    assert of_four("log_loss", four) == close(sk.log_loss(truth, columns, sample_weight=weight))
    error = sk.mean_absolute_error(np.eye(4)[truth], columns, sample_weight=weight)
    assert of_four("probability_mae", four) == close(error)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_top_k(four, k):
    truth, columns, weight = four
    theirs = sk.top_k_accuracy_score(truth, columns, k=k, sample_weight=weight)
    assert of_four(f"top_k(k={k})", four) == close(theirs)


@pytest.mark.parametrize("bins", [1, 3, 10])
def test_bins_of_the_calibration_curve(two, bins):
    truth, scores, _ = two
    happened, said = calibration_curve(truth, scores, n_bins=bins)
    edges = np.linspace(0, 1, bins + 1)
    rows = np.bincount(np.searchsorted(edges[1:-1], scores), minlength=bins)
    share = rows[rows > 0] / len(truth)
    unweighted = (truth, scores, None)
    assert of_two(f"calibration_error(bins={bins})", unweighted) == close((share * abs(happened - said)).sum())
    assert of_two(f"max_calibration_error(bins={bins}, mass=false)", unweighted) == close(abs(happened - said).max())
    assert of_two(f"murphy_reliability(bins={bins}, mass=false)", unweighted) == close(
        (share * (happened - said) ** 2).sum()
    )
    resolution = (share * (happened - truth.mean()) ** 2).sum()
    assert of_two(f"murphy_resolution(bins={bins}, mass=false)", unweighted) == close(resolution)


VALUES = {
    "mae": sk.mean_absolute_error,
    "mse": sk.mean_squared_error,
    "rmse": sk.root_mean_squared_error,
    "r2": sk.r2_score,
    "mape": sk.mean_absolute_percentage_error,
    "median_ae": sk.median_absolute_error,
    "rrse": lambda y, p, sample_weight: np.sqrt(1 - sk.r2_score(y, p, sample_weight=sample_weight)),
    "pinball": sk.mean_pinball_loss,
}


@pytest.mark.parametrize("name", VALUES)
def test_numbers(numbers, name):
    truth, values, weight = numbers
    assert of_numbers(name, numbers) == close(VALUES[name](truth, values, sample_weight=weight))


def test_quantiles(numbers):
    truth, values, weight = numbers
    for level in (0.1, 0.8):
        theirs = sk.mean_pinball_loss(truth, values, alpha=level, sample_weight=weight)
        assert of_numbers(f"pinball(level={level})", numbers) == close(theirs)
    predictions = regression(truth, values, weight=weight)
    quantiles = predictions.models[0].quantiles
    losses = [sk.mean_pinball_loss(truth, q, alpha=level, sample_weight=weight) for level, q in quantiles.items()]
    assert score(metrics["crps"], predictions) == close(2 * np.mean(losses))


def test_correlation_is_scipys(numbers):
    truth, values, _ = numbers
    assert of_numbers("correlation", (truth, values, None)) == close(stats.pearsonr(truth, values).statistic)


@pytest.fixture(scope="module")
def fitted():
    """An estimator with test data for each task."""
    made = {}
    for task, load, model in (
        ("multiclass", load_iris, LogisticRegression(max_iter=500)),
        ("binary", load_breast_cancer, LogisticRegression(max_iter=500)),
        ("regression", load_diabetes, LinearRegression()),
    ):
        rows, y = load(return_X_y=True)
        made[task] = model.fit(rows[::5, :2], y[::5]), rows[:, :2], y
    return made


OTHERS_THERE = {("average_precision", "multiclass")} | {
    (name, "multiclass") for name in ("f1", "precision", "recall", "jaccard", "roc_auc")
}
"""Scorers that take two classes only, or rank by decision_function, which orders three classes in another way."""


@pytest.mark.parametrize("name", [name for name in sk.get_scorer_names() if name in metrics])
def test_their_names_are_their_scores(fitted, name):
    for task in metrics[name].tasks:
        model, *test_rows = fitted[task]
        if (name, task) not in OTHERS_THERE:
            ours = metrics[name].scorer(positive=1 if task == "binary" else None)
            assert ours(model, *test_rows) == close(sk.get_scorer(name)(model, *test_rows))


def test_their_names_are_most_of_ours():
    known = {name for name in sk.get_scorer_names() if name in metrics}
    asked = {
        "f1_macro",
        "f1_weighted",
        "neg_log_loss",
        "neg_brier_score",
        "neg_root_mean_squared_error",
        "r2",
        "roc_auc_ovr",
    }
    assert asked <= known
    functions = ("roc_auc_score", "f1_score", "mean_squared_error", "brier_score_loss", "matthews_corrcoef", "r2_score")
    assert all(hasattr(sk, name) and name in metrics for name in functions)
