"""From the differences in replicates to p and interval: by hand, by Efron's formula and against SciPy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.comparing import Correction, bias_and_acceleration, by_replicates, tests
from tests.resampled_models import ROWS, pair, two_models
from tests.strategies import FEW_EXAMPLES

differences_of_replicates = st.lists(st.integers(-8, 8).map(float), min_size=40, max_size=120)


@FEW_EXAMPLES
@given(
    differences_of_replicates,
    st.integers(-6, 6).map(float),
    st.floats(-0.6, 0.6),
    st.floats(-0.2, 0.2),
    st.sampled_from([0.05, 0.1, 0.3, 0.5, 0.9]),
)
def test_p_belongs_to_the_interval(each, difference, bias, acceleration, alpha):
    each, design = np.array(each), replace(ROWS, alpha=alpha)
    for correction in (Correction(), Correction(bias, acceleration)):
        found = by_replicates(difference, each, design, correction)
        low = -np.inf if found.low is None else found.low
        high = np.inf if found.high is None else found.high
        assert low <= difference <= high
        assert (found.p < alpha) == (not low <= 0 <= high)
        assert (found.outcome == "tie") == (low <= 0 <= high)
        assert 0 < found.p <= 1
        mirrored = by_replicates(-difference, -each, design, correction.mirrored)
        assert mirrored.p == found.p
        assert (mirrored.low is None, mirrored.high is None) == (found.high is None, found.low is None)
        assert found.low is None or mirrored.high == -found.low


def test_percentile_by_hand():
    each = np.arange(1, 100) / 100 - 0.1
    found = by_replicates(0.4, each, replace(ROWS, alpha=0.1), Correction())
    # Ten of 99 replicates are not above 0; 2 x 4 / 100 < 0.1 and 2 x 5 / 100 is not: the fourth from either end.
    assert found.p == pytest.approx(2 * (10 + 1) / 100)
    assert (found.low, found.high) == pytest.approx((each[3], each[95]))


@pytest.mark.parametrize(("difference", "outcome"), [(1.0, "a"), (-1.0, "tie"), (0.0, "tie")])
def test_the_observed_difference_is_inside(difference, outcome):
    """Of a metric with much bias all replicates may lie above it: 0 is outside if it lies beyond both."""
    found = by_replicates(difference, np.linspace(5, 8, 99), ROWS, Correction())
    assert found.low <= difference < found.high
    assert found.outcome == outcome
    assert found.p == (1.0 if outcome == "tie" else 2 / 100)


def test_bca_by_efrons_formula():
    from scipy.stats import norm

    draw = np.random.default_rng(0)
    each, alpha, z = draw.gamma(4, 1, 9999) - 2.5, 0.05, norm.ppf(0.975)
    correction = bias_and_acceleration(1.2, each, draw.gamma(4, 1, 500) - 4)
    below = (each < 1.2).mean()
    assert correction.bias == pytest.approx(norm.ppf(below), abs=1e-3)
    assert 0 < correction.acceleration < 0.1
    found = by_replicates(1.2, each, replace(ROWS, alpha=alpha), correction)
    for end, quantile in ((found.low, -z), (found.high, z)):
        moved = correction.bias + quantile
        share = norm.cdf(correction.bias + moved / (1 - correction.acceleration * moved))
        assert end == pytest.approx(np.quantile(each, share), abs=0.01)


def test_acceleration_is_a_sixth_of_the_skewness():
    from scipy.stats import skew

    influences = np.random.default_rng(0).exponential(1, 300)
    influences -= influences.mean()
    found = bias_and_acceleration(0.0, np.array([-1.0, 1.0]), influences)
    assert found.acceleration == pytest.approx(skew(influences) / 6 / 300**0.5, rel=1e-12)
    assert found.bias == 0


def test_bca_near_scipys():
    from scipy.stats import bootstrap

    draw = np.random.default_rng(1)
    truth = draw.normal(0, 1, 80)
    a, b = truth + draw.exponential(1, 80), truth + draw.normal(0, 0.8, 80)
    found = tests["bootstrap"](truth, a, b, metric="mse", method="bca", replicates=20_000)
    each = (truth - a) ** 2 - (truth - b) ** 2
    peer = bootstrap((each,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(0))
    ends = peer.confidence_interval
    width = ends.high - ends.low
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), abs=0.03 * width)


def test_too_few_replicates_leave_an_open_end():
    a, b = pair(two_models("binary", 40), "brier")
    found = tests["bootstrap(replicates=100)"].apply(a, b, replace(ROWS, alpha=0.001))
    assert (found.low, found.high, found.outcome) == (None, None, "tie")
    assert [notice.code for notice in found.warnings] == ["W_REPLICATES"]
