"""Reliability, calibration errors, decompositions and tests of calibration against values of others."""

from __future__ import annotations

import importlib.util
import json
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression

from referee import metrics
from referee.calibration import decomposition, diagnose, event_of, reliability
from referee.calibration.events import Forecasts, events_of, first_of_blocks, pool_adjacent
from referee.calibration.reliability_diagram import binomial_quantile, expected_error
from referee.errors import RefereeError
from referee.predictions import Predictions

FOREIGN = json.loads((Path(__file__).parents[1] / "reference/model_diagnostics_decomposition.json").read_text())


def overconfident(rows, seed=0, factor=2.0, digits=None):
    draw = np.random.default_rng(seed)
    signal = draw.normal(size=rows)
    truth = (draw.random(rows) < 1 / (1 + np.exp(-signal))).astype(int)
    said = 1 / (1 + np.exp(-factor * signal))
    return truth, said if digits is None else said.round(digits)


def predictions_of(truth, said, **more):
    return Predictions.from_arrays(truth, {"m": said}, **more)


@pytest.mark.parametrize("digits", [None, 2])
@pytest.mark.parametrize("bins", [1, 5, 10])
def test_equal_width_is_that_of_scikit_learn(bins, digits):
    truth, said = overconfident(500, digits=digits)
    observed, forecast = calibration_curve(truth, said, n_bins=bins)
    found = reliability(predictions_of(truth, said), "m", method="width", bins=bins)
    np.testing.assert_allclose(found.observed, observed, rtol=1e-13)
    np.testing.assert_allclose(found.forecast, forecast, rtol=1e-13)
    assert found.rows.sum() == 500


@pytest.mark.parametrize("bins", [2, 5, 10])
def test_equal_mass_is_that_of_scikit_learn(bins):
    # 501 distinct forecasts: scikit-learn cuts at interpolated quantiles, which are between rows then.
    truth, said = overconfident(bins * 40 + 1)
    said = np.sort(said)
    observed, forecast = calibration_curve(truth, said, n_bins=bins, strategy="quantile")
    found = reliability(predictions_of(truth, said), "m", method="mass", bins=bins)
    assert len(found) == len(observed)
    # A row on a cut may fall to either side.
    np.testing.assert_allclose(found.observed, observed, atol=1 / 40)
    np.testing.assert_allclose(found.forecast, forecast, atol=0.02)


def test_equal_mass_of_scikit_learn_where_no_row_is_on_a_cut():
    truth, said = np.tile([0, 1, 1, 0], 25), np.linspace(0.005, 0.995, 100)
    observed, forecast = calibration_curve(truth, said, n_bins=10, strategy="quantile")
    found = reliability(predictions_of(truth, said), "m", method="mass", bins=10)
    np.testing.assert_allclose(found.observed, observed, rtol=1e-13)
    np.testing.assert_allclose(found.forecast, forecast, rtol=1e-13)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("digits", [None, 1])
def test_isotonic_is_that_of_scikit_learn(digits, weighted):
    truth, said = overconfident(800, digits=digits)
    weight = np.random.default_rng(1).integers(1, 5, 800) / 2 if weighted else None
    found = reliability(predictions_of(truth, said, weight=weight), "m")
    foreign = IsotonicRegression().fit(said, truth, sample_weight=weight)
    ours = found.observed[np.searchsorted(found.first, said, "right") - 1]
    np.testing.assert_allclose(ours, foreign.predict(said), rtol=1e-12, atol=1e-14)
    assert (np.diff(found.observed) > 0).all()


def test_pooling_is_the_same_compiled_or_not():
    truth, said = overconfident(3000, digits=3)
    given = Forecasts.of(*_binary(truth, said))
    first, count = np.empty(len(given.rows), np.int64), len(given.rows)
    blocks = pool_adjacent(given.came_true, given.rows, first, np.empty(count), np.empty(count))
    np.testing.assert_array_equal(first[:blocks], first_of_blocks(given))


def test_pooling_of_many_rows():
    truth, said = overconfident(250_000)
    found = reliability(predictions_of(truth, said), "m")
    np.testing.assert_allclose(
        found.observed[np.searchsorted(found.first, said, "right") - 1],
        IsotonicRegression().fit(said, truth).predict(said),
        rtol=1e-10,
    )


def test_bands_of_many_rows():
    """Counts of many rows are kept in 32 bits, and their squares are not."""
    truth, said = overconfident(250_000)
    found = reliability(predictions_of(truth, said), "m", method="width", bins=2)
    reach = 1.96 * np.sqrt(found.forecast * (1 - found.forecast) / found.rows)
    np.testing.assert_allclose(found.high - found.forecast, reach, rtol=0.02)
    expected, _ = expected_error(event_of(predictions_of(truth, said), "m"), 2, mass=False)
    # Two halves, each a normal share with the mean variance of its forecasts.
    halves = [said[said <= 0.5], said[said > 0.5]]
    by_hand = sum(np.sqrt(2 / np.pi * (half * (1 - half)).sum()) for half in halves) / 250_000
    assert expected == pytest.approx(by_hand, rel=0.01)


def _binary(truth, said):
    predictions = predictions_of(truth, said)
    return predictions, predictions.models[0]


@pytest.mark.parametrize("metric", ["brier", "log_loss"])
@pytest.mark.parametrize("name", FOREIGN)
def test_decomposition_is_that_of_model_diagnostics(name, metric):
    given = FOREIGN[name]
    predictions = predictions_of(given["truth"], given["forecast"], weight=given["weight"])
    found = decomposition(predictions, "m", metric)
    for part, value in given[metric].items():
        assert getattr(found, part) == pytest.approx(value, rel=1e-9, abs=1e-15), part
    assert found.score == pytest.approx(metrics[metric](given["truth"], given["forecast"], given["weight"]), rel=1e-14)


@pytest.mark.parametrize("metric", ["brier", "log_loss"])
@pytest.mark.parametrize("seed", range(20))
def test_decompositions_add_up(seed, metric):
    truth, said = overconfident(50 + 37 * seed, seed, factor=0.3 + seed / 4)
    found = decomposition(predictions_of(truth, said), "m", metric)
    largest = max(found.score, found.uncertainty)
    assert abs(found.miscalibration - found.discrimination + found.uncertainty - found.score) <= 1e-15 * largest
    assert min(found.miscalibration, found.discrimination, found.uncertainty) >= 0


def test_decomposition_by_hand_in_fractions():
    truth, said = [0, 1, 0, 1, 1], [0.25, 0.25, 0.5, 0.75, 0.5]
    # Shares 1/2, 1/2, 1 at 1/4, 1/2, 3/4; they rise already.
    score = Fraction(1, 5) * (Fraction(1, 16) + Fraction(9, 16) + Fraction(1, 4) + Fraction(1, 16) + Fraction(1, 4))
    recalibrated = Fraction(1, 5) * 4 * Fraction(1, 4)
    uncertainty = Fraction(3, 5) * Fraction(2, 5)
    found = decomposition(predictions_of(truth, said), "m")
    assert found.miscalibration == pytest.approx(float(score - recalibrated), rel=1e-14)
    assert found.discrimination == pytest.approx(float(uncertainty - recalibrated), rel=1e-14)


def test_classes_of_the_brier_score_add_up():
    """Of several classes the Brier score is the sum of those of each class against the rest."""
    truth = [0, 1, 2, 1, 0, 2]
    said = np.random.default_rng(0).dirichlet([1, 1, 1], 6)
    predictions = Predictions.from_arrays(truth, {"m": said})
    each = [decomposition(predictions, "m", event=name) for name in "012"]
    assert sum(one.score for one in each) == pytest.approx(metrics["brier"](truth, said), rel=1e-13)


def test_expected_error_in_fractions():
    """Forecasts that are the same in each bin: the mean distance of binomial shares, summed over all outcomes."""
    counts = {Fraction(1, 8): 5, Fraction(1, 2): 4, Fraction(7, 8): 3}
    said = np.repeat([float(p) for p in counts], list(counts.values()))
    truth = np.arange(12) % 2
    mean = sum(
        comb(n, k) * p**k * (1 - p) ** (n - k) * abs(k - n * p) for p, n in counts.items() for k in range(n + 1)
    ) / Fraction(12)
    expected, deviation = expected_error(event_of(predictions_of(truth, said), "m"), 10, mass=False)
    assert expected == pytest.approx(float(mean), rel=1e-12)
    assert deviation > 0


@pytest.mark.parametrize("bins", [1, 10])
def test_expected_error_of_different_forecasts(bins):
    """The exact distribution of each bin's count, by convolution."""
    said = np.random.default_rng(5).random(60)
    place = np.minimum((said * bins).astype(int), bins - 1)
    mean = 0.0
    for one in range(bins):
        inside = said[place == one]
        distribution = np.ones(1)
        for p in inside:
            distribution = np.convolve(distribution, [1 - p, p])
        mean += float(distribution @ abs(np.arange(len(distribution)) - inside.sum())) / len(said)
    found, _ = expected_error(event_of(predictions_of(np.arange(60) % 2, said), "m"), bins, mass=False)
    assert found == pytest.approx(mean, rel=0.02)


def test_a_hundred_rows_do_not_look_calibrated_and_are():
    """With 100 rows an ECE of 0.12 may be chance, and the words say so."""
    draw = np.random.default_rng(3)
    errors = []
    for _ in range(200):
        said = draw.random(100)
        predictions = predictions_of((draw.random(100) < said).astype(int), said)
        (found,) = diagnose(predictions, "m")
        errors.append((found.error.plain, found.error.expected, found.error.as_expected, found.error.debiased))
    plain, expected, as_expected, debiased = np.array(errors, float).T
    assert plain.mean() == pytest.approx(expected.mean(), rel=0.05)
    assert plain.max() > 0.12
    assert as_expected.mean() > 0.92
    assert debiased.mean() < 0.7 * plain.mean()


def test_band_of_bins_is_binomial():
    rows, share = np.array([10.0, 400.0, 3.0, 7.0]), np.array([0.3, 0.01, 0.999, 0.0])
    for level in (0.005, 0.025, 0.5, 0.975):
        np.testing.assert_array_equal(binomial_quantile(level, rows, share), binom.ppf(level, rows, share))


def test_band_of_isotonic_where_forecasts_repeat_is_the_normal_interval():
    said = np.repeat([0.2, 0.5, 0.8], 400)
    found = reliability(predictions_of(np.arange(1200) % 2, said), "m", alpha=0.05)
    assert len(found) == 1  # alternating outcomes are pooled
    rising = (np.arange(400) < np.array([[60], [200], [340]])).astype(int).ravel()
    found = reliability(predictions_of(rising, said), "m")
    np.testing.assert_allclose(
        found.high - found.forecast, 1.96 * np.sqrt([0.16 / 400, 0.25 / 400, 0.16 / 400]), rtol=0.2
    )
    np.testing.assert_array_equal(found.outside, [True, False, True])


def test_band_of_isotonic_is_the_limit_where_forecasts_are_dense():
    """Chernoff's quantile 0.998181: the isotonic regression of uniform forecasts, at one half."""
    said = (np.arange(100_000) + 0.5) / 100_000
    truth = (np.random.default_rng(0).random(100_000) < said).astype(int)
    found = reliability(predictions_of(truth, said), "m")
    middle = int(np.argmin(abs(found.forecast - 0.5)))
    p = found.forecast[middle]
    reach = 0.998181 * (4 * p * (1 - p) / 100_000) ** (1 / 3)
    assert found.high[middle] - p == pytest.approx(reach, rel=0.02)
    assert p - found.low[middle] == pytest.approx(reach, rel=0.02)


def simulation_of(name):
    path = Path(__file__).parents[2] / f"docs/simulations/{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    simulation = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(simulation)
    return simulation


def test_calibrated_forecasts_stay_inside_in_95_of_100_draws():
    """The committed simulation, in small: of 100 draws at least 88 are inside in 99.6% of runs, if 95% are."""
    found = simulation_of("calibration_bands").shares("uniform", 1000, repeats=100)
    assert found.min() >= 88
    assert found[2:5].max() < 100  # the band is no wider than it must be in the middle


def test_confidence_and_what_has_none():
    predictions = predictions_of(*overconfident(200))
    found = reliability(predictions, "m", method="mass", bins=4, band="confidence")
    assert ((found.low < found.observed) & (found.observed < found.high)).all()
    with pytest.raises(RefereeError, match="consistency band only"):
        reliability(predictions, "m", band="confidence")
    for wrong in ({"method": "widht"}, {"band": "none"}, {"method": "width", "bins": 0}, {"event": "x"}):
        with pytest.raises(RefereeError):
            reliability(predictions, "m", **wrong)


def test_top_label_and_classes():
    truth, said = [0, 1, 2, 1], [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.4, 0.3, 0.3], [0.2, 0.5, 0.3]]
    top, *classes = events_of(Predictions.from_arrays(truth, {"m": said}), "m")
    assert top.name == "top label"
    np.testing.assert_array_equal(top.forecasts.forecast, [0.4, 0.5, 0.6])
    np.testing.assert_array_equal(top.forecasts.came_true, [0, 2, 1])
    assert [event.forecasts.share for event in classes] == [0.25, 0.5, 0.25]


@pytest.mark.parametrize(
    "truth",
    [[0, 0, 0, 0], [0, 1, 0, 1]],
)
@pytest.mark.parametrize("said", [[0.3] * 4, [0.0, 1.0, 0.0, 1.0], [0.2, 0.2, 0.7, 0.7]])
def test_bad_input_has_a_defined_result(truth, said):
    """One class, constant forecasts, certain forecasts, ties: finite numbers, or None and a reason."""
    (found,) = diagnose(predictions_of(truth, said, classes=[0, 1]), "m")
    content = json.dumps(found.to_dict(), allow_nan=False)
    assert "reliability" in content
    for one in found.decompositions:
        assert one.miscalibration - one.discrimination + one.uncertainty == pytest.approx(one.score, abs=1e-12)


def test_scores_that_are_no_probabilities_are_refused():
    with pytest.raises(RefereeError, match=r"row 2 is 1\.5, outside"):
        reliability(predictions_of([0, 1], [0.5, 1.5]), "m")


def test_weights_of_zero_do_not_count():
    truth, said = overconfident(50)
    weight = np.r_[np.ones(30), np.zeros(20)]
    found = reliability(predictions_of(truth, said, weight=weight), "m")
    alone = reliability(predictions_of(truth[:30], said[:30]), "m")
    np.testing.assert_allclose(found.observed, alone.observed)
    np.testing.assert_allclose(found.high, alone.high)
