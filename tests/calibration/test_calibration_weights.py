"""Weights in calibrate: only their ratios count, weights of one are none, and Kish's rows stand for unequal ones."""

from __future__ import annotations

import numpy as np
import pytest

from referee import Predictions, calibrate, metrics
from referee.calibration import diagnose
from referee.calibration.methods import METHODS
from referee.comparing import Contender

ROWS = 400


def made_up(weight=None, **roles):
    draw = np.random.default_rng(1)
    truth = draw.integers(0, 2, ROWS)
    score = np.clip(0.2 + 0.5 * truth + draw.normal(0, 0.3, ROWS), 0.02, 0.98).round(2)
    return Predictions.from_arrays(truth, {"m": score}, weight=weight, **roles)


def drawn_weights():
    return np.random.default_rng(2).integers(1, 5, ROWS).astype(float)


def platt_by_scikit_learn(predictions, weight):
    """Its smoothing takes sums of weights for numbers of rows, so it is given weights that are these."""
    from sklearn.calibration import _SigmoidCalibration

    fitted = _SigmoidCalibration().fit(predictions.models[0].scores, predictions.truth, weight)
    return -fitted.a_, -fitted.b_


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_platt_is_scikit_learns_on_as_many_rows_as_kish_counts(scale):
    weight = drawn_weights()
    rows = weight * weight.sum() / (weight**2).sum()
    found = calibrate(made_up(weight * scale), "m", method="platt").fitted["platt"].maps[0]
    assert (found.slope, found.intercept) == pytest.approx(platt_by_scikit_learn(made_up(), rows), rel=1e-3)


def test_platt_with_frequencies_is_scikit_learns_on_repeated_rows():
    times = drawn_weights()
    found = calibrate(made_up(times, weight_kind="frequency"), "m", method="platt").fitted["platt"].maps[0]
    repeated = made_up().part(np.repeat(np.arange(ROWS), times.astype(int)))
    expected = platt_by_scikit_learn(repeated, np.ones(repeated.rows))
    assert (found.slope, found.intercept) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("scale", [1e-300, 1 / 731.3, 0.0025, 1.0, 1000.0])
def test_equal_weights_are_none(scale):
    """Also those whose sums round."""
    plain, weighted = (calibrate(made_up(weight), "m") for weight in (None, np.full(ROWS, scale)))
    assert weighted.best == plain.best
    for one, other in zip(plain.changes, weighted.changes, strict=True):
        for name in ("value_after", "standard_error", "p"):
            assert _shown(other)[name] == (None if _shown(one)[name] is None else pytest.approx(_shown(one)[name])), (
                name
            )


def _shown(change):
    return change.to_dict() | {"value_after": change.after}


def test_the_test_of_intercept_and_slope_with_equal_weights_is_that_of_rows():
    plain, weighted = (diagnose(made_up(weight), "m")[0].recalibration for weight in (None, np.full(ROWS, 0.37)))
    assert weighted.test == plain.test == "likelihood ratio"
    for name in ("intercept_error", "slope_error", "statistic", "p"):
        assert getattr(weighted, name) == pytest.approx(getattr(plain, name), rel=1e-9)


def test_forecasts_of_one_that_are_left_out_are_counted_as_rows():
    score = np.repeat([0.3, 0.7, 1.0, 0.0], 20)
    truth = np.tile([0, 1], 40) | (score == 1)
    weight = np.where(score == 1, 0.001, 5000.0) * np.where(np.arange(80) < 45, 1, 0)
    predictions = Predictions.from_arrays(truth, {"m": score}, weight=weight)
    assert diagnose(predictions, "m")[0].recalibration.left_out == 5  # of the 45 rows that count, those from 40 on


def test_debiased_calibration_error_of_unequal_weights():
    """Row by row: the mean of |gap| under normal resampling of each bin's share, with Kish's number of rows."""
    from scipy.stats import foldnorm

    weight, metric = drawn_weights(), metrics["calibration_error(bins=5, debiased=true)"]
    plain = made_up()
    score, truth = plain.models[0].scores, plain.truth
    bins = np.ceil(score * 5).astype(int)
    one, plug_in, resampled = (weight**2).sum() / weight.sum(), 0.0, 0.0
    for place in np.unique(bins):
        own = bins == place
        share = weight[own] @ truth[own] / weight[own].sum()
        gap = weight[own] @ score[own] / weight[own].sum() - share
        spread = np.sqrt(share * (1 - share) / (weight[own].sum() / one))
        plug_in += weight[own].sum() * abs(gap)
        resampled += weight[own].sum() * (foldnorm.mean(abs(gap) / spread, scale=spread) if spread else abs(gap))
    expected = (2 * plug_in - resampled) / weight.sum()
    for scale in (1e-4, 1.0, 1e4):
        weighted = made_up(weight * scale)
        assert Contender(weighted, weighted.models[0], metric).value == pytest.approx(expected, rel=1e-9)


def test_shares_of_blocks_that_are_one_half_are_called_positive():
    """An isotonic block of as many successes as failures is at 0.5 whatever the scale of its weights."""
    fitted = METHODS["isotonic"].fit([np.array([0.2] * 6)], np.tile([True, False], 3), np.repeat([0.1, 0.2, 0.7], 2))
    assert fitted.probabilities == (0.5,)


def test_rows_that_were_seen_several_times_are_not_few():
    """40 rows of the rarer class, each seen 30 times, are 1,200 rows to fit on."""
    truth, score = np.tile([0, 1], 40), np.linspace(0.1, 0.9, 80)
    for times, said in ((1, {"W_FEWROWS", "W_ISOTONIC"}), (30, set())):
        given = Predictions.from_arrays(truth, {"m": score}, weight=np.full(80, times), weight_kind="frequency")
        codes = {notice.code for notice in calibrate(given, "m", method="isotonic").notices}
        assert codes & {"W_FEWROWS", "W_ISOTONIC"} == said
