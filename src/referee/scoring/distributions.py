"""Tails and quantiles of the normal, t, chi-square, beta and binomial distributions.

To import SciPy's takes longer than a comparison. Small tails keep their relative accuracy, and so do large parameters
(Loader, 2000).
"""

from __future__ import annotations

from functools import cache, lru_cache
from math import comb, erf, erfc, exp, inf, isfinite, isnan, lgamma, log, nan, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from referee.arrays import Array

ROUNDING = 1e-16
FEW = 200
STEPS, LONGEST, FARTHEST = 1_000_000, 4.0, 700.0
NEAR = 1e-6
"""A step of Halley's after which its cube is left."""
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
LARGE_ENOUGH = 15
"""For Stirling's formula with so many terms."""
HALF_LOG_2_PI = log(2 * pi) / 2
LARGE_DF = 1e7
NODES, FARTHEST_ESTIMATE = 160, 10.0
"""How many estimates of a standard deviation are looked at, and how far off, in their own standard deviations."""


def normal_cdf(value: float) -> float:
    """The share below a value.

    >>> normal_cdf(0.0)
    0.5
    """
    return erfc(-value / sqrt(2)) / 2


@lru_cache(256)
def normal_quantile(p: float) -> float:
    """The value that a share p lies below.

    >>> round(normal_quantile(0.975), 12)
    1.95996398454
    """
    if not 0 < p < 1:
        return -inf if p == 0 else inf if p == 1 else nan
    if p >= 0.5:
        return -normal_quantile(1 - p) if p > 0.5 else 0.0
    # Abramowitz and Stegun (1964), 26.2.23, and Halley's steps, of which the last two are of the order of rounding.
    far = sqrt(-2 * log(p))
    z = (2.515517 + far * (0.802853 + far * 0.010328)) / (
        1 + far * (1.432788 + far * (0.189269 + far * 0.001308))
    ) - far
    for _ in range(3):
        beyond = erf(z / sqrt(2)) / 2 + (0.5 - p) if p > 0.25 else normal_cdf(z) - p
        newton = beyond * sqrt(2 * pi) / exp(-z * z / 2)
        z -= newton / (1 + z * newton / 2)
    return z


def chi_square_tail(df: int, value: float) -> float:
    """The share of chi-square above a value.

    >>> round(chi_square_tail(2, 3.0), 12) == round(exp(-1.5), 12)
    True
    """
    half, log_half = value / 2, log(value / 2) if value > 0 else -inf
    if value <= 0 or half == inf:
        return 1.0 if value <= 0 else 0.0
    first = 0.5 if df % 2 else 1.0
    tail = erfc(sqrt(half)) if df % 2 else exp(-half)
    orders = np.arange(first, df / 2)
    terms = [exp(order * log_half - half - lgamma(order + 1)) for order in orders.tolist()]
    return min(1.0, tail + sum(terms))


def t_cdf(df: float, value: float) -> float:
    """The share of Student's t below a value.

    >>> round(t_cdf(1, -1.0), 15)
    0.25
    """
    if df == inf or not isfinite(value):
        return normal_cdf(value)
    square = value * value
    outside, inside, _ = _beta_shares(df / 2, 0.5, df / (df + square), square / (df + square))
    return outside / 2 if value < 0 else 0.5 + inside / 2


@lru_cache(1024)
def t_quantile(df: float, p: float) -> float:
    """The value of Student's t that a share p lies below.

    >>> round(t_quantile(1, 0.75), 12), round(t_quantile(10, 0.025), 12)
    (1.0, -2.228138851986)
    """
    z = normal_quantile(p)
    if df == inf or not z or not isfinite(z):
        return z
    first = t_expansion(df, z)
    if not df <= LARGE_DF:
        return float(first)
    size = sqrt(df * exp(-_beta_logit(df / 2, 0.5, 2 * min(p, 1 - p), log(df / first**2))))
    return size if p > 0.5 else -size


def t_expansion(df: Any, z: float) -> Any:
    """A quantile of t near that of the normal distribution; of many degrees of freedom it has all digits."""
    return z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df) / df


@lru_cache(1024)
def t_power(df: float, shift: float, critical: float) -> float:
    """The share of the noncentral t with so much shift above a value: the power of a one-sided t-test.

    It is the mean of what the normal distribution has there over the estimates of its standard deviation.

    >>> round(t_power(10, 0.0, 1.812461122811676), 12), round(t_power(inf, 3.0, 2.0), 12)
    (0.05, 0.841344746069)
    """
    if df > LARGE_DF:
        return normal_cdf(shift - critical)
    nodes, weights = _nodes()
    mode, reach = sqrt(max(df - 1, 0.0) / df), FARTHEST_ESTIMATE / sqrt(2 * df)
    low, high = max(0.0, mode - reach), mode + reach + 1 / df
    estimates = low + (high - low) * (nodes + 1) / 2
    logs = (df - 1) * np.log(estimates) - df * estimates**2 / 2
    density = weights * np.exp(logs - logs.max())
    beyond = [normal_cdf(shift - critical * estimate) for estimate in estimates.tolist()]
    return float(density @ beyond / density.sum())


@cache
def _nodes() -> tuple[Array, Array]:
    """Gauss and Legendre's, by Newton's method; NumPy's eigenvalues take as long as reading a file."""
    nodes = -np.cos(pi * (np.arange(NODES) + 0.75) / (NODES + 0.5))
    slope = np.ones(NODES)
    for _ in range(4):
        before, value = np.ones(NODES), nodes
        for degree in range(2, NODES + 1):
            before, value = value, ((2 * degree - 1) * nodes * value - (degree - 1) * before) / degree
        slope = NODES * (nodes * value - before) / (nodes * nodes - 1)
        nodes = nodes - value / slope
    return nodes, 2 / ((1 - nodes * nodes) * slope**2)


@lru_cache(1024)
def beta_quantile(a: float, b: float, p: float) -> float:
    """The value that a share p of a beta distribution lies below.

    >>> round(beta_quantile(2, 2, 0.5), 12)
    0.5
    """
    if not (0 < p < 1 and a > 0 and b > 0):
        return p if p in (0, 1) else nan
    return 1 / (1 + exp(-_beta_logit(a, b, p, log(a / b) + normal_quantile(p) * sqrt(1 / a + 1 / b))))


def binomial_cdf(wins: int, units: int, share: float) -> float:
    """The probability of at most so many wins.

    >>> round(binomial_cdf(1, 2, 0.5), 12)
    0.75
    """
    return _binomial_shares(wins, units, share)[0]


def binomial_sf(wins: int, units: int, share: float) -> float:
    """The probability of more wins.

    >>> round(binomial_sf(1, 2, 0.5), 12)
    0.25
    """
    return _binomial_shares(wins, units, share)[1]


def _binomial_shares(wins: int, units: int, share: float) -> tuple[float, float]:
    if wins < 0 or wins >= units:
        return float(wins >= 0), float(wins < 0)
    if share == 0.5 and units <= FEW:  # as signs are counted: without rounding
        below = sum(comb(units, fewer) for fewer in range(wins + 1))
        return below / 2**units, (2**units - below) / 2**units
    return _beta_shares(units - wins, wins + 1, 1 - share, share)[:2]


def _beta_shares(a: float, b: float, x: float, y: float) -> tuple[float, float, float]:
    """What of a beta distribution is below x, and above it, and how fast the first grows with the logit of x.

    y is 1 - x, which may be known better.
    """
    if not (x > 0 and y > 0):
        below = nan if isnan(x) else float(x > y)
        return below, 1 - below, 0.0
    growth = _growth(a, b, x, y)
    if is_near_the_end(a, y):
        above = growth * _series(b, a, y)
    elif x * (a + b) <= a:
        below = growth / _fraction(a, b, x, y)
        return below, 1 - below, growth
    else:
        above = growth / _fraction(b, a, y, x)
    return 1 - above, above, growth


def is_near_the_end(a: Any, y: Any) -> Any:
    """Whether x is not far below the mean, of numbers or arrays: the other side's series takes fewer steps."""
    return (a * y < 3) & (y < 0.3)


def _beta_logit(a: float, b: float, p: float, start: float) -> float:
    """The logit of a quantile, by Halley's steps on the log of the share, which is concave in it."""
    if p > 0.5:
        return -_beta_logit(b, a, 1 - p, -start)
    logit = start
    for _ in range(STEPS):
        x, y = 1 / (1 + exp(-logit)), 1 / (1 + exp(logit))
        below, _, growth = _beta_shares(a, b, x, y)
        step = -LONGEST
        if below and growth:
            newton = log(below / p) * below / growth
            step = newton / max(1 - newton * (a * y - b * x - growth / below) / 2, 0.5)
        logit = min(max(logit - min(max(step, -LONGEST), LONGEST), -FARTHEST), FARTHEST)
        if abs(step) < NEAR:
            break
    return logit


def _growth(a: float, b: float, x: float, y: float) -> float:
    """x^a y^b / B(a, b), by the distance from the mean, so that the large parts of its logarithm do not round."""
    n, off = a + b, x * b - y * a
    distance = a * _log_less(x * n / a, off / a) + b * _log_less(y * n / b, -off / b)
    return sqrt(a * b / (2 * pi * n)) * exp(distance + stirling(n) - stirling(a) - stirling(b))


def _log_less(ratio: float, off: float) -> float:
    """log(ratio) - off, where off is ratio - 1."""
    if abs(off) > 0.1:
        return log(ratio) - off
    v = off / (2 + off)
    square, power, total = v * v, v, -off * v / 2
    for odd in range(3, 25, 2):
        power *= square
        total += power / odd
    return 2 * total


def stirling(x: float) -> float:
    """What Stirling's formula for log gamma leaves out."""
    if x < LARGE_ENOUGH:
        return lgamma(x) - (x - 0.5) * log(x) + x - HALF_LOG_2_PI
    x, total = float(x), 0.0  # whose square may be infinite, which NumPy's would warn of
    for factor in reversed(STIRLING):
        total = total / (x * x) + factor
    return total / x


def _series(a: float, b: float, x: float) -> float:
    """Of the incomplete beta function: all terms are positive."""
    term = total = 1 / a
    n = 0
    while term > ROUNDING * total:
        term *= (a + b + n) * x / (a + 1 + n)
        total += term
        n += 1
    return total


def _fraction(a: float, b: float, x: float, y: float) -> float:
    """The continued fraction of the incomplete beta function (Didonato and Morris, 1992), by Lentz's method."""
    beyond = a * y - b * x + 1
    c = result = a * beyond / (a + 1)
    d = 0.0
    for m in range(1, STEPS):
        place = a + 2 * m
        w = m * (b - m) * x / (place - 1)
        numerator = (a + m - 1) * (a + b + m - 1) * x / (place - 1) * w
        denominator = m + w + (a + m) * (beyond + m * (1 + y)) / (place + 1)
        d = 1 / (denominator + numerator * d)
        c = denominator + numerator / c
        result *= c * d
        if abs(c * d - 1) < 2 * ROUNDING:
            break
    return result
