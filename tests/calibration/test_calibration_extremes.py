"""Scores next to 0 and 1, and beyond what log_loss believes: their order is kept, and they do not decide a fit."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from referee.calibration.calibrator import Calibrator
from referee.calibration.methods import METHODS
from tests.calibration.test_calibration_methods import probabilities_of

EXTREME = np.array([0, 5e-324, 1e-300, 1e-299, 1e-20, 1e-17, 0.3, 0.9, 1 - 1e-15, 1 - 2.3e-16, 1 - 1.2e-16, 1])


@pytest.mark.parametrize(
    ("method", "numbers"), [("temperature", {"temperature": 3.0}), ("beta", {"a": 0.2, "b": 0.3, "c": 1.0})]
)
def test_extreme_scores_keep_their_order(method, numbers):
    calibrator = Calibrator.of_maps(method, [0, 1], [METHODS[method].restore(**numbers)], 1)
    after = calibrator.predict_proba(EXTREME)[:, 1]
    assert (np.diff(EXTREME) > 0).all()
    assert (np.diff(after) > 0).all()


def test_auc_of_extreme_scores():
    """A naive Bayes of many correlated columns: most scores are beyond what log_loss believes."""
    draw = np.random.default_rng(0)
    signal = draw.normal(size=400)
    truth = (draw.random(400) < 1 / (1 + np.exp(-signal))).astype(int)
    said = np.exp(-np.abs(200 * signal - 220))
    after = Calibrator("temperature").fit(said, truth).predict_proba(said)[:, 1]
    assert (said < 1e-17).mean() > 0.8
    assert roc_auc_score(truth, after) == roc_auc_score(truth, said)


def test_extreme_scores_of_a_row_keep_their_order():
    said = np.array([[0, 1e-300, 1e-200, 1.0], [1e-250, 1e-30, 0.4, 0.6]])
    calibrator = Calibrator.of_maps("temperature", range(4), [METHODS["temperature"].restore(2.0)], 4)
    assert (np.diff(calibrator.predict_proba(said), axis=1) > 0).all()


def test_one_forecast_that_was_very_wrong_does_not_decide_the_temperature():
    """Beyond what log_loss believes, a smaller probability moves the fit little more."""
    truth, said = probabilities_of(500)
    said[int(np.argmax(truth))] = 1e-15
    (near,) = Calibrator("temperature").fit(said, truth).maps_
    said[int(np.argmax(truth))] = 1e-300
    (far,) = Calibrator("temperature").fit(said, truth).maps_
    assert near.temperature < far.temperature < 1.1 * near.temperature
