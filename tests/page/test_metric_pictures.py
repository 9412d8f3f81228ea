"""Pictures of metrics show what the formulas do: against scikit-learn and exact fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from sklearn import metrics as theirs

from referee import metrics
from referee.page.metric_pictures import CALLED, VARIED, metric_picture, slopes

SCALES = [
    ("scores", "binary", "roc_auc", theirs.roc_auc_score),
    ("scores", "binary", "average_precision", theirs.average_precision_score),
    ("probabilities", "binary", "brier", theirs.brier_score_loss),
    ("probabilities", "binary", "log_loss", theirs.log_loss),
    ("values", "regression", "mae", theirs.mean_absolute_error),
    ("values", "regression", "mse", theirs.mean_squared_error),
    ("values", "regression", "median_ae", theirs.median_absolute_error),
    ("values", "regression", "r2", theirs.r2_score),
    ("scores", "multiclass", "hand_till", partial(theirs.roc_auc_score, multi_class="ovo")),
    ("labels", "multilabel", "hamming_loss", theirs.hamming_loss),
    ("labels", "multilabel", "subset_accuracy", theirs.accuracy_score),
    ("labels", "multilabel", "multilabel_f1", partial(theirs.f1_score, average="macro")),
]


@pytest.mark.parametrize(("needs", "task", "name", "their"), SCALES)
def test_a_curve_has_the_values_of_scikit_learn(needs, task, name, their):
    varied = VARIED[needs, task]
    expected = [their(np.array(varied.truth), np.array(varied.predicted(step))) for step in varied.steps]
    np.testing.assert_allclose(varied.values(metrics[name]), expected, rtol=1e-9, atol=1e-12)


def test_ranked_lists_as_in_scikit_learn():
    varied = VARIED["scores", "ranking"]
    expected = [theirs.ndcg_score([varied.truth], [varied.predicted(step)]) for step in varied.steps]
    np.testing.assert_allclose(varied.values(metrics["ndcg"]), expected, rtol=1e-9)


def test_strictly_proper_metrics_are_best_where_the_truth_is_said():
    """7 of 10 come true; the absolute error of probabilities is best at the end instead."""
    varied = VARIED["probabilities", "binary"]
    assert varied.steps[int(np.argmin(varied.values(metrics["brier"])))] == pytest.approx(0.7)
    assert varied.steps[int(np.argmin(varied.values(metrics["log_loss"])))] == pytest.approx(0.7)
    assert varied.steps[int(np.argmin(varied.values(metrics["probability_mae"])))] == varied.steps[-1]


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("recall", lambda tp, fn, _fp, _tn: Fraction(tp, tp + fn)),
        ("precision", lambda tp, _fn, fp, _tn: Fraction(tp, tp + fp)),
        ("specificity", lambda _tp, _fn, fp, tn: Fraction(tn, fp + tn)),
        ("jaccard", lambda tp, fn, fp, _tn: Fraction(tp, tp + fn + fp)),
    ],
)
def test_cells_are_marked_by_what_one_more_row_does(name, formula):
    cells = [int(cell) for cell in CALLED.reshape(-1)]
    more = [[cell + (at == place) for at, cell in enumerate(cells)] for place in range(4)]
    expected = [float(formula(*table) - formula(*cells)) for table in more]
    np.testing.assert_allclose(slopes(metrics[name], CALLED).reshape(-1), expected, atol=1e-15)


def test_a_win_rate_counts_the_scores_above_zero_and_half_of_the_ties():
    varied = VARIED["values", "scores"]
    signs = [np.sign(varied.predicted(step)) for step in varied.steps]
    expected = [float(sum(Fraction(int(sign) + 1, 2) for sign in row) / len(row)) for row in signs]
    assert varied.values(metrics["win_rate"]) == pytest.approx(expected)


def test_every_metric_has_a_picture():
    assert [name for name, metric in metrics.items() if metric_picture(metric) is None] == []
