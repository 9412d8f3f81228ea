"""Tails and quantiles against SciPy, and against sums of whole numbers where SciPy rounds more."""

from __future__ import annotations

from math import comb, inf, isnan, nan, pi, tan

import numpy as np
import pytest
from scipy import special, stats

from referee.scoring.distributions import (
    beta_quantile,
    binomial_cdf,
    binomial_sf,
    chi_square_tail,
    normal_cdf,
    normal_quantile,
    t_cdf,
    t_power,
    t_quantile,
)
from referee.scoring.many_quantiles import beta_quantiles, t_quantiles

CLOSE = 1e-13
SHARES = (1e-12, 1e-6, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.4, 0.6, 0.9, 0.975, 0.995)
DEGREES = (1, 1.5, 2, 3.7, 10, 33.3, 100, 1e3, 1e4, 1e5, 1e6, 1e7)
VALUES = (0.01, 0.3, 0.9, 1, 1.1, 1.96, 2.5, 3, 5, 8, 12, 30)


def near(expected):
    """A large exponent rounds a little more."""
    return pytest.approx(expected, rel=CLOSE if abs(expected) > 1e-20 else 10 * CLOSE, abs=1e-300)


@pytest.mark.parametrize("p", [*SHARES, 1e-300, 0.4999, 1 - 1e-12])
def test_normal(p):
    assert normal_quantile(p) == near(special.ndtri(p))
    assert normal_cdf(special.ndtri(p)) == near(special.ndtr(special.ndtri(p)))


@pytest.mark.parametrize("df", DEGREES)
def test_students_t(df):
    for value in (*VALUES, *(-value for value in VALUES)):
        assert t_cdf(df, value) == near(special.stdtr(df, value)), value
    for p in SHARES:
        assert t_quantile(df, p) == near(special.stdtrit(df, p)), p


@pytest.mark.parametrize("df", [1, 2, 3, 4, 7, 39, 100, 251, 400])
def test_chi_square(df):
    for value in (0.0, 0.01 * df, 0.5 * df, df, 1.3 * df, 2.0 * df, 5.0 * df):
        assert chi_square_tail(df, value) == pytest.approx(special.chdtrc(df, value), rel=1e-11, abs=1e-300)


def test_students_t_far_out():
    for p in (1e-12, 1e-100, 1e-150):
        assert t_quantile(1, p) == near(-1 / tan(pi * p))


@pytest.mark.parametrize("units", [1, 2, 5, 20, 100, 500])
def test_binomial_is_a_sum_of_whole_numbers(units):
    for share in (0.001, 0.1, 0.3, 0.5, 0.77, 0.999):
        part, whole = share.as_integer_ratio()
        terms = [comb(units, wins) * part**wins * (whole - part) ** (units - wins) for wins in range(units + 1)]
        for wins in sorted({0, 1, units // 7, units // 2, units - 1, units}):
            below, above = sum(terms[: wins + 1]), sum(terms[wins + 1 :])
            assert binomial_cdf(wins, units, share) == near(below / whole**units), (wins, share)
            assert binomial_sf(wins, units, share) == near(above / whole**units), (wins, share)


@pytest.mark.parametrize("units", [1, 2, 5, 20, 100, 1_000, 10_000, 100_000])
def test_beta_quantiles(units):
    for wins in sorted({0, units // 7, units // 2, units - 1}):
        for p in (0.005, 0.025, 0.05, 0.5, 0.95, 0.995):
            for a, b in ((wins + 1, units - wins), (wins + 0.5, units - wins + 0.5)):
                assert beta_quantile(a, b, p) == near(special.betaincinv(a, b, p)), (a, b, p)


@pytest.mark.parametrize("df", [1, 2.5, 10, 99, 998.4, 1e5])
@pytest.mark.parametrize("shift", [0.0, 1.3, 2.8, 4.5])
def test_power(df, shift):
    assert t_power(df, shift, 1.96) == pytest.approx(
        float(stats.nct.sf(1.96, df, shift)), rel=1e-11 if df >= 10 else 2e-9
    )


def test_ends():
    assert (normal_cdf(-inf), normal_cdf(inf)) == (0, 1)
    assert (t_cdf(3, -inf), t_cdf(3, 0), t_cdf(3, inf)) == (0, 0.5, 1)
    assert (t_quantile(3, 0), t_quantile(3, 0.5), t_quantile(3, 1)) == (-inf, 0, inf)
    assert (beta_quantile(2, 3, 0), beta_quantile(2, 3, 1)) == (0, 1)
    assert (binomial_cdf(-1, 5, 0.5), binomial_cdf(5, 5, 0.5), binomial_sf(-1, 5, 0.5)) == (0, 1, 1)
    assert all(map(isnan, (normal_cdf(nan), t_cdf(3, nan), t_quantile(3, nan), normal_quantile(nan))))


def test_infinite_degrees_of_freedom_are_normal():
    assert t_quantile(inf, 0.975) == normal_quantile(0.975)
    assert t_cdf(inf, -1.96) == normal_cdf(-1.96)
    assert t_cdf(1e12, -1.96) == pytest.approx(normal_cdf(-1.96), rel=1e-11)


@pytest.mark.parametrize("df", [0.9e7, 1.1e7, 1e9, 1e12, 1e30, 1e300])
def test_quantiles_of_endless_degrees_of_freedom(df):
    for p in (1e-12, 0.025, 0.8):
        expected = stats.t.ppf(p, df) if df < 1e13 else stats.norm.ppf(p)
        assert t_quantile(df, p) == pytest.approx(expected, rel=1e-14)
        assert t_quantiles(np.array([df, 3.0]), p) == pytest.approx([expected, stats.t.ppf(p, 3)], rel=1e-12)


def test_tails_and_quantiles_are_each_others_inverse():
    draw = np.random.default_rng(0)
    for df, p in zip(np.exp(draw.uniform(0, 14, 200)), draw.uniform(1e-4, 0.5, 200), strict=True):
        assert t_cdf(df, t_quantile(df, p)) == pytest.approx(p, rel=1e-12)


@pytest.mark.parametrize("p", [0.0005, 0.025, 0.5, 0.975])
@pytest.mark.parametrize("sizes", [(0.5, 5), (1, 200), (100, 1e4), (1e5, 1e6)])
def test_many_quantiles_at_once(sizes, p):
    draw = np.random.default_rng(0)
    a, b = draw.uniform(*sizes, 60), np.concatenate([draw.uniform(*other, 20) for other in ((0.5, 3), (1, 90), sizes)])
    assert beta_quantiles(a, b, p) == pytest.approx(special.betaincinv(a, b, p), rel=1e-12)
    df = np.concatenate([draw.uniform(*sizes, 60) + 0.5, [1.0, np.inf]])
    expected = np.append(stats.t.ppf(p, df[:-1]), stats.norm.ppf(p))
    assert t_quantiles(df, p) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert beta_quantiles(a[:0], b[:0], p).tolist() == t_quantiles(df[:0], p).tolist() == []
