"""Spiegelhalter's test, intercept and slope: against values of others, with weights, and with few groups."""

from __future__ import annotations

import html
from fractions import Fraction
from math import erfc, sqrt

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import binom, chi2, norm, ttest_1samp
from scipy.stats import f as fisher_f
from sklearn.linear_model import LogisticRegression

from referee.calibration import event_of, spiegelhalter
from referee.calibration.diagnosis import diagnose
from referee.calibration.recalibration import recalibration
from referee.document import p_value
from tests.calibration.test_calibration import overconfident, predictions_of, simulation_of


def test_spiegelhalter_in_fractions():
    truth, said = [0, 1, 1, 0, 1, 0, 0], [0.125, 0.75, 0.5, 0.25, 0.875, 0.625, 0.25]
    p = [Fraction(one) for one in said]
    above = sum((y - q) * (1 - 2 * q) for y, q in zip(truth, p, strict=True))
    variance = sum((1 - 2 * q) ** 2 * q * (1 - q) for q in p)
    found = spiegelhalter(event_of(predictions_of(truth, said), "m"))
    assert found.statistic == pytest.approx(float(above) / sqrt(variance), rel=1e-14)
    assert found.p == pytest.approx(erfc(abs(float(above)) / sqrt(2 * variance)), rel=1e-12)


def test_spiegelhalter_counts_frequencies():
    truth, said, times = [0, 1, 1, 0], [0.2, 0.7, 0.4, 0.6], [3, 2, 5, 1]
    whole = predictions_of(np.repeat(truth, times), np.repeat(said, times))
    weighted = predictions_of(truth, said, weight=times, weight_kind="frequency")
    for measure in (spiegelhalter, recalibration):
        by_weight, by_row = (vars(measure(event_of(rows, "m"))) for rows in (weighted, whole))
        assert by_weight == pytest.approx(by_row)


@pytest.mark.parametrize(
    ("said", "truth", "p"),
    [([0, 1, 1, 0], [0, 1, 0, 0], 0.0), ([0, 1, 1, 0], [0, 1, 1, 0], 1.0), ([0.5, 0.5], [0, 1], None)],
)
def test_spiegelhalter_without_a_variance(said, truth, p):
    found = spiegelhalter(event_of(predictions_of(truth, np.array(said, float), classes=[0, 1]), "m"))
    assert found.p == p
    assert (found.undefined is None) == (p is not None)


def test_slope_and_intercept_are_those_of_logistic_regression():
    truth, said = overconfident(600)
    x = np.log(said / (1 - said))
    foreign = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit(x[:, None], truth)
    found = recalibration(event_of(predictions_of(truth, said), "m"))
    assert found.slope == pytest.approx(foreign.coef_[0, 0], rel=1e-6)

    def loss(coefficients):
        eta = coefficients[0] + coefficients[1] * x
        return float(np.logaddexp(0, np.where(truth == 1, -eta, eta)).sum())

    best = minimize(loss, [0, 1], method="BFGS", tol=1e-10)
    fitted = 1 / (1 + np.exp(-(foreign.intercept_[0] + foreign.coef_[0, 0] * x)))
    design = np.column_stack([np.ones_like(x), x])
    covariance = np.linalg.inv((design.T * (fitted * (1 - fitted))) @ design)
    assert found.slope_error == pytest.approx(sqrt(covariance[1, 1]), rel=1e-5)
    assert found.statistic == pytest.approx(2 * (loss([0, 1]) - best.fun), rel=1e-6)
    assert found.p == pytest.approx(chi2.sf(found.statistic, 2), rel=1e-9)
    alone = minimize(lambda a: loss([a[0], 1]), [0.0], method="BFGS", tol=1e-12)
    assert found.intercept == pytest.approx(alone.x[0], abs=1e-5)


def test_robust_errors_are_those_of_weights_by_hand():
    """The sandwich of the intercept alone: sum of squared scores over the squared information."""
    truth, said, weight = np.array([0, 1, 1, 0, 1]), np.array([0.3, 0.6, 0.2, 0.5, 0.9]), np.array([1, 2, 0.5, 1, 3.0])
    found = recalibration(event_of(predictions_of(truth, said, weight=weight), "m"))
    fitted = 1 / (1 + np.exp(-(np.log(said / (1 - said)) + found.intercept)))
    assert weight @ (truth - fitted) == pytest.approx(0, abs=1e-9)
    scores, information = weight * (truth - fitted), (weight * fitted * (1 - fitted)).sum()
    assert found.intercept_error == pytest.approx(sqrt((scores**2).sum() * 5 / 4) / information, rel=1e-9)


def test_rows_that_come_twice_say_no_more_in_groups():
    truth, said = overconfident(300)
    once = recalibration(event_of(predictions_of(truth, said, group=np.arange(300)), "m"))
    twice = recalibration(
        event_of(predictions_of(np.tile(truth, 2), np.tile(said, 2), group=np.tile(np.arange(300), 2)), "m")
    )
    assert twice.slope_error == pytest.approx(once.slope_error, rel=1e-9)
    z = [
        spiegelhalter(
            event_of(predictions_of(np.tile(truth, k), np.tile(said, k), group=np.tile(np.arange(300), k)), "m")
        )
        for k in (1, 2)
    ]
    assert z[0].statistic == pytest.approx(z[1].statistic, rel=1e-12)


def test_slope_of_groups_by_hand():
    """Liang and Zeger's covariance of six groups, and Hotelling's limits for it."""
    truth, said = overconfident(90, factor=1.2)
    group = np.arange(90) % 6
    found = recalibration(event_of(predictions_of(truth, said, group=group), "m"))
    x = np.log(said / (1 - said))
    foreign = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit(x[:, None], truth)
    design, b = np.column_stack([np.ones(90), x]), np.array([foreign.intercept_[0], foreign.coef_[0, 0]])
    fitted = 1 / (1 + np.exp(-design @ b))
    bread = np.linalg.inv((design.T * (fitted * (1 - fitted))) @ design)
    sums = np.array([((truth - fitted)[:, None] * design)[group == one].sum(axis=0) for one in range(6)])
    covariance = bread @ sums.T @ sums @ bread * 6 / 5
    assert found.slope_error == pytest.approx(sqrt(covariance[1, 1]), rel=1e-5)
    assert found.error_df == 5
    squared = (b - [0, 1]) @ np.linalg.inv(covariance) @ (b - [0, 1])
    assert found.statistic == pytest.approx(squared * 4 / (2 * 5), rel=1e-4)
    assert found.p == pytest.approx(fisher_f.sf(squared * 4 / (2 * 5), 2, 4), rel=1e-4)


def test_spiegelhalter_of_groups_is_students_t_of_their_sums():
    truth, said = overconfident(60)
    group = np.arange(60) % 4
    sums = [((truth - said) * (1 - 2 * said))[group == one].sum() for one in range(4)]
    found, foreign = spiegelhalter(event_of(predictions_of(truth, said, group=group), "m")), ttest_1samp(sums, 0)
    assert found.statistic == pytest.approx(foreign.statistic, rel=1e-10)
    assert found.p == pytest.approx(foreign.pvalue, rel=1e-10)
    assert found.df == 3


@pytest.mark.parametrize("groups", [1, 4])
def test_too_few_groups(groups):
    truth, said = overconfident(60)
    event = event_of(predictions_of(truth, said, group=np.arange(60) % groups), "m")
    found = recalibration(event)
    assert (found.p, found.slope_error, found.intercept_error) == (None, None, None)
    assert found.slope > 0
    assert f"{groups} group" in found.undefined
    assert (spiegelhalter(event).p is None) == (groups == 1)


@pytest.mark.parametrize(
    ("truth", "said", "why"),
    [
        ([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], "separates the outcomes"),
        ([1, 1, 0, 0], [0.1, 0.2, 0.7, 0.9], "separates the outcomes"),
        ([0, 1, 0], [0.4, 0.4, 0.4], "all forecasts are the same"),
        ([0, 1, 0], [0, 1, 1], "only one outcome"),
        ([1, 1, 1], [0.2, 0.8, 0.9], "only one outcome"),
    ],
)
def test_no_slope(truth, said, why):
    predictions = predictions_of(truth, np.array(said, float), classes=[0, 1])
    found = recalibration(event_of(predictions, "m"))
    assert found.slope is None
    assert why in found.undefined


def test_few_groups_are_not_called_miscalibrated_too_often():
    """Of 200 draws at most 9.6% are significant in 99.7% of runs, if 5% are; with chi-squared it is every fifth."""
    chi_squared, hotelling, _, t = simulation_of("calibration_tests").false_alarms_of_groups(5, 0.5, repeats=200)
    assert chi_squared > 12
    assert hotelling <= 9.6
    assert t <= 9.6


def rare_events(seed, rows=2000, slope=1.0):
    """About 1 in 100, whatever the slope; above 1 it says that the forecasts are too timid."""
    draw = np.random.default_rng(seed)
    log_odds = 1.2 * draw.normal(size=rows)
    as_many = (slope**2 - 1) * 1.2**2 / 2  # the mean of exp(normal) grows with its variance
    truth = (draw.random(rows) < expit(slope * log_odds - as_many - 5.2)).astype(int)
    return truth, expit(log_odds - 5.2)


def likelihood_ratio_p(truth, said):
    """Of intercept 0 and slope 1, by SciPy's optimiser."""
    x = np.log(said / (1 - said))

    def loss(coefficients):
        line = coefficients[0] + coefficients[1] * x
        return np.logaddexp(0, -line)[truth == 1].sum() + np.logaddexp(0, line)[truth == 0].sum()

    best = minimize(loss, [0.0, 1.0], method="BFGS", options={"gtol": 1e-8})
    return chi2.sf(2 * (loss([0, 1]) - best.fun), 2)


def found_by_slope_only():
    """Rare events whose slope is wrong, on which the calibration error in ten bins shows nothing."""
    for seed in range(200):
        truth, said = rare_events(seed, slope=1.6)
        (one,) = diagnose(predictions_of(truth, said), "m")
        if one.error.as_expected and likelihood_ratio_p(truth, said) < 0.04:
            return truth, said, one
    raise AssertionError("there should be one")


def test_the_most_powerful_test_speaks():
    truth, said, one = found_by_slope_only()
    assert "no sign" not in one.judgement
    assert "are not calibrated: intercept" in one.judgement
    assert p_value(likelihood_ratio_p(truth, said)) in one.judgement


def test_a_test_that_disagrees_is_named():
    """Bent forecasts, whose line is right: bins see it, intercept and slope do not."""
    seen = 0
    for seed in range(60):
        draw = np.random.default_rng(seed)
        log_odds = 1.5 * draw.normal(size=500)
        truth = (draw.random(500) < expit(log_odds)).astype(int)
        (one,) = diagnose(predictions_of(truth, expit(log_odds + 0.15 * (log_odds**2 - 2.25))), "m")
        others = {"Spiegelhalter's test": one.spiegelhalter.p, "the ECE": one.error.p}
        if one.recalibration.p < 0.05:
            assert one.judgement.startswith("m: the probabilities are not calibrated")
            continue
        assert "no sign of miscalibration by the test of intercept and slope" in one.judgement
        for name, p in others.items():
            assert (f"{name} ({p_value(p)})" in one.judgement) == (p < 0.05)
            seen += p < 0.05
    assert seen > 3, "there should be some to name"


def test_the_p_of_the_calibration_error_is_that_of_its_limit():
    truth, said = overconfident(200, factor=1.3)
    for alpha in (0.01, 0.05, 0.3):
        (one,) = diagnose(predictions_of(truth, said), "m", alpha=alpha)
        error = one.error
        deviation = (error.limit - error.expected) / norm.isf(alpha)
        assert error.p == pytest.approx(norm.sf((error.plain - error.expected) / deviation), rel=1e-9)
        assert error.as_expected == (error.p >= alpha)


def test_right_forecasts_are_seldom_called_wrong():
    called = 0
    for seed in range(400):
        draw = np.random.default_rng(seed)
        said = expit(1.5 * draw.normal(size=200))
        (one,) = diagnose(predictions_of((draw.random(200) < said).astype(int), said), "m")
        called += "are not calibrated" in one.judgement
    low, high = binom.ppf([0.001, 0.999], 400, 0.05)
    assert low <= called <= high


def test_certain_forecasts_that_were_wrong_refute_calibration():
    (one,) = diagnose(predictions_of([0, 1, 1, 0] * 20, [0.0, 0.6, 0.0, 0.4] * 20), "m")
    assert "20 forecasts of exactly 0 or 1 were wrong" in one.judgement


def test_the_headline_is_the_same_everywhere(referee, tmp_path):
    truth, said, one = found_by_slope_only()
    file, page = tmp_path / "rare.csv", tmp_path / "page.html"
    np.savetxt(file, np.c_[truth, said], fmt=["%d", "%.17g"], delimiter=",", header="y,m", comments="")
    asked = ("calibrate", file, "--truth", "y", "--models", "m", "--method", "temperature", "--metrics", "log_loss")
    found = referee(*asked).json
    assert found["headline"] == one.judgement == found["calibration"][0]["judgement"]
    assert one.judgement in " ".join(referee(*asked, "--html", page, form="text").out.split())
    assert one.judgement.replace(" ", "") in referee(*asked, form="md").out.replace("\\", "").replace(" ", "")
    assert one.judgement in html.unescape(page.read_text())
