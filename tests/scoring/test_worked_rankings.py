"""`--explain` puts numbers into the formulas of rankings, bins and medians: as SciPy, scikit-learn and counting."""

from __future__ import annotations

import re
import statistics

import numpy as np
import pytest
from scipy.stats import ks_2samp
from sklearn.metrics import average_precision_score, roc_auc_score

from referee import Predictions, evaluate

DRAW = np.random.default_rng(7)
SCORES = DRAW.random(200).round(2)
TRUTH = (DRAW.random(200) < SCORES).astype(int)
P = int(TRUTH.sum())


def explained(metric, truth=TRUTH, scores=SCORES):
    """The line of a metric, and all numbers in its last form but one."""
    scores = evaluate(Predictions.from_arrays(truth, {"m": scores}), [metric])
    (line,) = [line for line in scores.explained() if line.startswith(metric.partition("(")[0])]
    return line, [float(number.replace(",", "")) for number in re.findall(r"\d[\d.,]*", line.split(" = ")[-2])]


def test_average_precision():
    _, (total, positives) = explained("average_precision")
    assert positives == P
    assert total == pytest.approx(average_precision_score(TRUTH, SCORES) * P, rel=1e-3)


def test_ks():
    _, (tpr, fpr) = explained("ks")
    theirs = ks_2samp(SCORES[TRUTH == 1], SCORES[TRUTH == 0])
    assert abs(tpr - fpr) == pytest.approx(theirs.statistic, abs=2e-4)
    above = theirs.statistic_location < SCORES
    assert (tpr, fpr) == pytest.approx((above[TRUTH == 1].mean(), above[TRUTH == 0].mean()), abs=2e-4)


def test_lift():
    distinct = SCORES + np.arange(200) * 1e-6
    _, (hits, top, positives) = explained("lift", scores=distinct)
    assert (hits, top, positives) == (TRUTH[np.argsort(-distinct)[:20]].sum(), 0.1, P)


def test_partial_auc():
    line, (area, high, low) = explained("partial_auc(low=0.5)")
    assert (low, high) == (0.5, 1)
    whole = roc_auc_score(TRUTH, SCORES)
    scaled = roc_auc_score(TRUTH, SCORES, max_fpr=0.5)  # McClish's: from one half to 1
    assert area == pytest.approx((2 * scaled - 1) * (0.5 - 0.125) + 0.125, rel=1e-3)
    assert area < whole, line


def test_calibration_error():
    _, (total, rows) = explained("calibration_error")
    bins = np.ceil(SCORES * 10).clip(1, 10)
    gaps = [abs(SCORES[bins == at].sum() - TRUTH[bins == at].sum()) for at in range(1, 11)]
    assert rows == 200
    assert total == pytest.approx(sum(gaps), rel=1e-3)


def test_median():
    truth, predicted = DRAW.normal(size=30), DRAW.normal(size=30)
    _, (lower, upper, two) = explained("median_ae", truth, predicted)
    errors = abs(truth - predicted).tolist()
    assert (lower, upper, two) == pytest.approx(
        (statistics.median_low(errors), statistics.median_high(errors), 2), rel=1e-3
    )
