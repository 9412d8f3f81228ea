"""Definitions that no other package has, checked against brute force, identities and exact fractions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from referee import metrics
from referee.engines import summarise
from referee.errors import UsageError
from referee.scoring.formula import class_values
from referee.testing.samples import binary, multiclass, regression, sample, score
from tests.strategies import FEW_EXAMPLES, predictions_for


def close(value):
    return pytest.approx(value, rel=1e-12, abs=1e-12)


def of(call, predictions):
    return score(metrics[call], predictions)


# Counts

HUGE = 10**18


@pytest.mark.parametrize(
    "matrix",
    [
        [[HUGE, HUGE], [HUGE, 2]],
        [[HUGE, 1], [1, 1]],
        [[HUGE, 3], [5, HUGE]],
        [[HUGE, 0], [7, 0]],
        [[1, HUGE], [HUGE, 1]],
    ],
)
def test_huge_counts(matrix):
    (tn, fp), (fn, tp) = [[Fraction(cell) for cell in row] for row in matrix]
    with_chance = (tp + fn) * (tn + fn) + (tn + fp) * (tp + fp)
    assert metrics["kappa"].of_counts(matrix) == pytest.approx(float(2 * (tp * tn - fp * fn) / with_chance), rel=1e-9)
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    mcc = metrics["mcc"].of_counts(matrix)
    if product == 0:
        assert np.isnan(mcc)
    else:
        assert mcc == pytest.approx(float(tp * tn - fp * fn) / float(product) ** 0.5, rel=1e-9)


def test_costs_follow_the_positive_class():
    predictions = binary([0, 0, 0, 1, 1], [0.1, 0.7, 0.2, 0.4, 0.9])
    assert of("expected_cost(fp=2, fn=5)", predictions) == (1 * 2 + 1 * 5) / 5
    # If high scores speak for class 0, one row of class 1 is called 0 and two rows of class 0 are missed.
    assert of("expected_cost(fp=2, fn=5)", replace(predictions, positive=0)) == (1 * 2 + 2 * 5) / 5
    assert metrics["expected_cost(fp=2, fn=5)"].of_counts([[3, 1], [4, 2]]) == (4 * 2 + 1 * 5) / 10


def test_costs_of_three_classes():
    costs = np.array([[0, 1, 4], [2, 0, 8], [3, 9, 0]])
    predictions = sample("multiclass", 1)
    decided = np.stack(predictions.models[0].class_scores).argmax(axis=0)
    expected = costs[predictions.truth, decided].mean()
    assert of(f"expected_cost(costs={costs.tolist()})", predictions) == close(expected)


@pytest.mark.parametrize(
    "costs", [[[0, 1]], [[0, 1, 1], [1, 0, 1], [1, 1, 0]], [[0, -1], [1, 0]], [[0, 1], [1]], "cheap"]
)
def test_costs_that_do_not_fit_are_refused(costs):
    with pytest.raises(UsageError, match="2 x 2 matrix"):
        score(metrics["expected_cost"].bind(costs=costs), sample("binary", 1))


def test_two_costs_do_not_fit_three_classes():
    with pytest.raises(UsageError, match="two classes"):
        of("expected_cost(fn=5)", sample("multiclass", 1))


# Rankings


@pytest.mark.parametrize("call", ["lift(top=0.25)", "lift(top=0.5)", "break_even_point"])
def test_ties_at_the_cut_are_shared_as_in_a_random_order(call):
    truth, scores = np.array([1, 0, 1, 0, 0, 1, 0, 0]), np.array([3, 2, 2, 2, 2, 2, 1, 0])
    rows = len(truth) * (metrics[call].settings.get("top") or truth.mean())
    share = truth.mean() if call.startswith("lift") else 1.0
    tied = [1, 2, 3, 4, 5]
    found = [truth[[0, *order, 6, 7]][: int(rows)].mean() for order in permutations(tied)]
    assert of(call, binary(truth, scores / 4)) == close(np.mean(found) / share)


def test_a_precision_that_is_just_reached_counts():
    predictions = binary([1] * 9 + [0], [0.5] * 10)
    assert of("recall_at_precision(precision=0.9)", predictions) == 1
    assert of("recall_at_precision(precision=0.91)", predictions) == 0


# Calibration


@FEW_EXAMPLES
@given(predictions_for(metrics["brier"], ("binary",)), st.integers(0, 1))
def test_murphys_parts_add_up_to_the_brier_score(predictions, code):
    summary = summarise(predictions, predictions.models[0])
    reliability, resolution, uncertainty = (
        class_values(metrics[call], summary, code)[0]
        for call in ("murphy_reliability(bins=none)", "murphy_resolution(bins=none)", "murphy_uncertainty")
    )
    assert reliability - resolution + uncertainty == close(of("brier", predictions))


@pytest.mark.parametrize(("call", "bins"), [("(bins=5)", 5), ("", 10), ("(bins=1)", 1)])
def test_murphys_parts_of_forecasts_that_never_repeat(call, bins):
    """In exact fractions, with the two terms of Stephenson, Coelho and Jolliffe (2008) for what varies inside bins."""
    forecasts = [Fraction(one, 40) for one in range(1, 40, 2)]
    truth = [0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 1]
    parts = np.array_split(np.arange(20), bins)
    reliability = between = variance = covariance = Fraction(0)
    for rows in parts:
        mean = sum(forecasts[row] for row in rows) / len(rows)
        share = Fraction(sum(truth[row] for row in rows), len(rows))
        reliability += len(rows) * (mean - share) ** 2 / 20
        between += len(rows) * (share - Fraction(sum(truth), 20)) ** 2 / 20
        variance += sum((forecasts[row] - mean) ** 2 for row in rows) / 20
        covariance += sum((forecasts[row] - mean) * (truth[row] - share) for row in rows) / 20
    uncertainty = Fraction(sum(truth), 20) * (1 - Fraction(sum(truth), 20))
    brier = sum((p - y) ** 2 for p, y in zip(forecasts, truth, strict=True)) / 20
    assert reliability - between + uncertainty + variance - 2 * covariance == brier
    predictions = binary(np.array(truth), np.array(list(map(float, forecasts))))
    assert of(f"murphy_reliability{call}", predictions) == close(float(reliability))
    assert of(f"murphy_resolution{call}", predictions) == close(float(between))
    assert of("murphy_uncertainty", predictions) == close(float(uncertainty))


def test_without_bins_forecasts_that_never_repeat_are_all_reliability():
    predictions = binary(np.array([0, 1, 0, 1]), np.array([0.1, 0.4, 0.6, 0.9]))
    assert of("murphy_reliability(bins=none)", predictions) == close(of("brier", predictions))


def test_murphys_reliability_of_a_calibrated_model_is_small():
    """Forecasts that never repeat and mean what they say: their Brier score is all uncertainty that is left."""
    random = np.random.default_rng(3)
    forecasts = random.random(20_000)
    predictions = binary((random.random(20_000) < forecasts).astype(int), forecasts)
    assert of("brier", predictions) == pytest.approx(1 / 6, abs=0.01)
    assert of("murphy_reliability", predictions) < 0.001
    assert of("murphy_resolution", predictions) == pytest.approx(1 / 12, abs=0.005)


@FEW_EXAMPLES
@given(predictions_for(metrics["brier"], ("binary",)))
def test_the_other_class_has_the_other_probability(predictions):
    """A single score column p says 1 - p of the other class, wherever the classes stand."""
    other = binary(1 - predictions.truth, 1 - predictions.models[0].scores, weight=predictions.weight)
    for call in ("calibration_error", "max_calibration_error", "murphy_reliability", "murphy_resolution(bins=4)"):
        summary = summarise(predictions, predictions.models[0])
        assert class_values(metrics[call], summary, 0)[0] == close(of(call, other))


def test_bins_of_equal_mass():
    truth, scores = np.array([0, 1, 0, 1, 1, 1, 0, 1]), np.array([0.01, 0.02, 0.03, 0.04, 0.5, 0.6, 0.7, 0.99])
    gaps = [abs(scores[part].mean() - truth[part].mean()) for part in np.split(np.arange(8), 4)]
    assert of("calibration_error(bins=4, mass=true)", binary(truth, scores)) == close(np.mean(gaps))
    assert of("max_calibration_error(bins=4, mass=true)", binary(truth, scores)) == close(max(gaps))


def test_ties_stay_in_one_bin_of_equal_mass():
    truth, scores = np.array([0, 1, 0, 1, 1, 1]), np.array([0.5, 0.5, 0.5, 0.5, 0.75, 1])
    gaps = [abs(scores[:4].mean() - truth[:4].mean()), abs(scores[4:].mean() - truth[4:].mean())]
    assert of("calibration_error(bins=2, mass=true)", binary(truth, scores)) == close((4 * gaps[0] + 2 * gaps[1]) / 6)


def mean_gap_by_integration(said, happened, rows):
    spread = np.sqrt(happened * (1 - happened) / rows)
    normal = stats.norm(happened, spread)
    low, high = happened - 9 * spread, happened + 9 * spread
    return quad(lambda x: abs(said - x) * normal.pdf(x), low, high, points=[said], epsabs=1e-13, limit=200)[0]


def test_debiased_calibration_error():
    """Two bins: 0.3 comes true in 2 of 5, 0.8 in 3 of 6; the mean under resampling is integrated numerically."""
    truth, scores = [1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0], [0.3] * 5 + [0.8] * 6
    plug_in = (5 * 0.1 + 6 * 0.3) / 11
    resampled = (5 * mean_gap_by_integration(0.3, 0.4, 5) + 6 * mean_gap_by_integration(0.8, 0.5, 6)) / 11
    ours = of("calibration_error(debiased=true)", binary(truth, scores))
    assert ours == pytest.approx(2 * plug_in - resampled, abs=1e-9)


def test_debiased_calibration_error_is_never_negative():
    assert of("calibration_error(debiased=true)", binary([0, 1], [0.5, 0.5])) == 0
    sure = binary([0, 0, 1], [0.25, 0.25, 0.75])  # no spread in either bin: nothing to correct
    assert of("calibration_error(debiased=true)", sure) == of("calibration_error", sure) == 0.25


def test_debiasing_removes_what_noise_adds():
    """With noise only the resampled mean is sqrt(2) x the plug-in, E|N(0, s)|: 2 - sqrt(2) of it stays."""
    draw = np.random.default_rng(0)
    said = draw.integers(1, 10, (100, 200)) / 10
    happened = draw.random(said.shape) < said
    rows = [binary(y, p) for y, p in zip(happened, said, strict=True)]
    plain = np.mean([of("calibration_error", one) for one in rows])
    debiased = np.mean([of("calibration_error(debiased=true)", one) for one in rows])
    assert debiased / plain == pytest.approx(2 - 2**0.5, abs=0.05)


# Sums


@pytest.mark.parametrize("name", ["r2", "rae", "rrse", "correlation"])
@pytest.mark.parametrize("number", [0.1, 1 / 3, -7e10, 3e-200, 2.5e250])
def test_a_constant_truth_is_found_whatever_its_rounding(name, number):
    for rows in (3, 7, 11):
        assert np.isnan(of(name, regression([number] * rows, np.linspace(-1, 2, rows) * number)))


@pytest.mark.parametrize("name", ["r2", "rae", "rrse", "correlation"])
def test_a_truth_that_hardly_varies_is_not_constant(name):
    assert np.isfinite(of(name, regression([1e9, 1e9 + 1e-4, 1e9], [1e9, 1e9, 1e9 + 1e-4])))


def test_zero_is_no_divisor_of_a_percentage():
    assert np.isnan(of("mape", regression([0, 1], [1, 1])))
    assert np.isnan(of("mape", regression([0, 1], [0, 1])))


def test_ties_between_classes_go_to_the_earlier_one():
    columns = [[0.4, 0.4, 0.2], [0.4, 0.4, 0.2], [0.2, 0.4, 0.4]]
    assert of("top_k(k=1)", multiclass([0, 1, 2], columns)) == close(1 / 3)
    assert of("top_k(k=2)", multiclass([0, 1, 2], columns)) == 1


@FEW_EXAMPLES
@given(predictions_for(metrics["paper_average"]))
def test_the_papers_average(predictions):
    five = [of(call, predictions) for call in ("accuracy", "roc_auc", "f_beta", "rms", "log_loss(clip=0.000001)")]
    mean = (five[0] + five[1] + five[2] + (1 - five[3]) + (1 - five[4])) / 5
    assert of("paper_average", predictions) == pytest.approx(mean, rel=1e-12, abs=1e-12, nan_ok=True)


# Parameters


@pytest.mark.parametrize(
    "call", ["calibration_error(bins=2.5)", "top_k(k=1.5)", "top_k(k=0)", "calibration_error(bins=0)"]
)
def test_whole_numbers_only(call):
    with pytest.raises(UsageError):
        metrics[call]


@pytest.mark.parametrize(
    "call", ["lift(top=0)", "lift(top=1.1)", "recall_at_precision(precision=2)", "pinball(level=-1)"]
)
def test_parameters_outside_their_range_are_refused(call):
    with pytest.raises(UsageError):
        metrics[call]
