"""Random tables through scikit-learn, SciPy and us: what both have must agree, whatever the ties, weights and sizes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as foreign

import referee

SEEDS = range(40)
OF_LABELS = {
    "accuracy": foreign.accuracy_score,
    "balanced_accuracy": foreign.balanced_accuracy_score,
    "mcc": foreign.matthews_corrcoef,
    "kappa": foreign.cohen_kappa_score,
}
OF_ONE_CLASS = {"f1": foreign.f1_score, "precision": foreign.precision_score, "recall": foreign.recall_score}
OF_SCORES = {
    "roc_auc": foreign.roc_auc_score,
    "average_precision": foreign.average_precision_score,
    "brier": foreign.brier_score_loss,
    "log_loss": foreign.log_loss,
}
OF_NUMBERS = {
    "rmse": foreign.root_mean_squared_error,
    "mae": foreign.mean_absolute_error,
    "mse": foreign.mean_squared_error,
    "r2": foreign.r2_score,
}


def ours(truth, prediction, asked, **options):
    scores = referee.evaluate(truth, {"m": prediction}, metrics=list(asked), **options)
    return {metric: scores["m", metric].value for metric in asked}


def theirs(asked, truth, prediction, weight):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of undefined values, which are compared where both are defined
        return {name: float(peer(truth, prediction, sample_weight=weight)) for name, peer in asked.items()}


def assert_agree(mine, peers):
    for metric, value in peers.items():
        if mine[metric] is not None:
            assert mine[metric] == pytest.approx(value, rel=1e-9, abs=1e-12), metric


def weights(draw, rows):
    return [None, draw.integers(1, 5, rows).astype(float), draw.random(rows) + 0.01][draw.integers(3)]


@pytest.mark.parametrize("seed", SEEDS)
def test_two_classes(seed):
    draw = np.random.default_rng(seed)
    rows = int(draw.integers(6, 80))
    truth = np.concatenate([[0, 1], draw.integers(0, 2, rows - 2)])
    scores = np.clip(np.round(draw.random(rows), int(draw.integers(1, 6))), 0.001, 0.999)
    weight = weights(draw, rows)
    labels = (scores >= 0.5).astype(int)
    asked = OF_SCORES | OF_LABELS | OF_ONE_CLASS
    mine = ours(truth, scores, asked, weight=weight, positive=1)
    assert_agree(mine, theirs(OF_SCORES, truth, scores, weight))
    assert_agree(mine, theirs(OF_LABELS | OF_ONE_CLASS, truth, labels, weight))


@pytest.mark.parametrize("seed", SEEDS)
def test_several_classes(seed):
    draw = np.random.default_rng(1000 + seed)
    rows, classes = int(draw.integers(10, 80)), int(draw.integers(3, 6))
    truth = np.concatenate([np.arange(classes), draw.integers(0, classes, rows - classes)])
    labels = np.where(draw.random(rows) < 0.5, truth, draw.integers(0, classes, rows))
    weight = weights(draw, rows)
    mine = ours(truth, labels, OF_LABELS, weight=weight, task="multiclass", classes=list(range(classes)))
    assert_agree(mine, theirs(OF_LABELS, truth, labels, weight))


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers(seed):
    draw = np.random.default_rng(2000 + seed)
    rows, size = int(draw.integers(4, 80)), 10.0 ** draw.integers(-6, 7)
    truth = size * (draw.normal(size=rows) + draw.choice([0, 100]))
    predicted = truth + size * draw.standard_t(2, rows)
    weight = weights(draw, rows)
    mine = ours(truth, predicted, OF_NUMBERS, weight=weight, task="regression")
    for metric, value in theirs(OF_NUMBERS, truth, predicted, weight).items():
        assert mine[metric] == pytest.approx(value, rel=1e-8), metric
    if weight is None:
        expected = stats.pearsonr(truth, predicted).statistic
        assert ours(truth, predicted, ["correlation"])["correlation"] == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_paired_values(seed):
    draw = np.random.default_rng(3000 + seed)
    units = int(draw.integers(6, 40))
    a = np.round(draw.random(units), int(draw.integers(1, 8)))
    b = np.round(np.clip(a + draw.normal(0.02, 0.1, units), 0, 1), int(draw.integers(1, 8)))
    a[0] = b[0] + 0.1  # some unit differs
    tests = referee.tests
    assert tests["paired_t"](a, b).p == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-9)
    each = np.round(a - b, 12)
    wins, losses = int((each > 0).sum()), int((each < 0).sum())
    assert tests["sign"](a, b).p == pytest.approx(stats.binomtest(wins, wins + losses).pvalue, rel=1e-9)
    if len(np.unique(np.abs(each))) == units and each.all():
        assert tests["wilcoxon"](a, b).p == pytest.approx(stats.wilcoxon(each, method="exact").pvalue, rel=1e-9)
