"""Quantiles of many beta and t distributions at once, by the same steps as those of one."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

import numpy as np

from referee.scoring.distributions import (
    FARTHEST,
    LARGE_DF,
    LARGE_ENOUGH,
    LONGEST,
    NEAR,
    ROUNDING,
    STEPS,
    STIRLING,
    is_near_the_end,
    normal_quantile,
    stirling,
    t_expansion,
)

if TYPE_CHECKING:
    from referee.arrays import Array


def beta_quantiles(a: Array, b: Array, p: float) -> Array:
    """The values that a share p of each beta distribution lies below.

    >>> beta_quantiles(np.array([2.0, 1.0]), np.array([2.0, 1.0]), 0.5).round(12)
    array([0.5, 0.5])
    """
    start = np.log(a / b) + normal_quantile(p) * np.sqrt(1 / a + 1 / b)
    return 1 / (1 + np.exp(-_beta_logits(a, b, p, start)))


def t_quantiles(df: Array, p: float) -> Array:
    """The values of Student's t that a share p lies below.

    >>> t_quantiles(np.array([1.0, 10.0]), 0.025).round(12).tolist()
    [-12.706204736175, -2.228138851986]
    """
    z = normal_quantile(p)
    if not z:
        return np.zeros(len(df))
    df = np.where(np.isnan(df), np.inf, df)  # unknown, as of equal numbers, which have no spread
    is_large = df > LARGE_DF
    few, first = np.where(is_large, 1.0, df), t_expansion(df, z)
    start = np.log(few / np.where(is_large, 1.0, first) ** 2)
    logits = _beta_logits(few / 2, np.full(len(df), 0.5), 2 * min(p, 1 - p), start)
    sizes = np.where(is_large, np.abs(first), np.sqrt(few * np.exp(-logits)))
    return sizes if p > 0.5 else -sizes


def _beta_logits(a: Array, b: Array, p: float, start: Array) -> Array:
    """The logits of quantiles, by Halley's steps on the log of the share, which is concave in them."""
    if p > 0.5:
        return -_beta_logits(b, a, 1 - p, -start)
    logit, left_out = start, [_stirlings(x) for x in (a + b, a, b)]
    for _ in range(STEPS):
        x, y = 1 / (1 + np.exp(-logit)), 1 / (1 + np.exp(logit))
        growth = _growths(a, b, x, y, left_out)
        below = _shares_below(a, b, x, y, growth)
        with np.errstate(all="ignore"):
            newton = np.log(below / p) * below / growth
            step = newton / np.maximum(1 - newton * (a * y - b * x - growth / below) / 2, 0.5)
        step = np.where((below > 0) & (growth > 0), step, -LONGEST).clip(-LONGEST, LONGEST)
        logit = (logit - step).clip(-FARTHEST, FARTHEST)
        if not np.abs(step).max(initial=0) >= NEAR:
            break
    return logit


def _shares_below(a: Array, b: Array, x: Array, y: Array, growth: Array) -> Array:
    """What of each distribution is below x, by the side that takes fewer steps."""
    near = is_near_the_end(a, y)
    over = ~near & (x * (a + b) > a)
    tail = np.empty(len(a))
    tail[near] = growth[near] * _series(b[near], a[near], y[near])
    for here, first, second, at, off in ((over, b, a, y, x), (~near & ~over, a, b, x, y)):
        tail[here] = growth[here] / _fractions(first[here], second[here], at[here], off[here])
    return np.where(near | over, 1 - tail, tail)


def _growths(a: Array, b: Array, x: Array, y: Array, left_out: list[Array]) -> Array:
    n, off = a + b, x * b - y * a
    distance = a * _logs_less(x * n / a, off / a) + b * _logs_less(y * n / b, -off / b)
    of_n, of_a, of_b = left_out
    return np.sqrt(a * b / (2 * pi * n)) * np.exp(distance + of_n - of_a - of_b)


def _logs_less(ratio: Array, off: Array) -> Array:
    """log(ratio) - off, where off is ratio - 1."""
    small = np.where(np.abs(off) > 0.1, 0.0, off)
    v = small / (2 + small)
    square, power, total = v * v, v, -small * v / 2
    for odd in range(3, 25, 2):
        power = power * square
        total = total + power / odd
    return np.where(np.abs(off) > 0.1, np.log(ratio) - off, 2 * total)


def _stirlings(x: Array) -> Array:
    total, few = np.zeros(len(x)), x < LARGE_ENOUGH
    for factor in reversed(STIRLING):
        total = total / (x * x) + factor
    total /= x
    total[few] = [stirling(each) for each in x[few].tolist()]
    return total


def _series(a: Array, b: Array, x: Array) -> Array:
    term = total = 1 / a
    for n in range(STEPS):
        if not (term > ROUNDING * total).any():
            break
        term = term * (a + b + n) * x / (a + 1 + n)
        total = total + term
    return total


def _fractions(a: Array, b: Array, x: Array, y: Array) -> Array:
    """Lentz's method, until the last has settled."""
    beyond = a * y - b * x + 1
    c = result = a * beyond / (a + 1)
    d, settled = np.zeros(len(a)), np.zeros(len(a), bool)
    for m in range(1, STEPS):
        if settled.all():
            break
        place = a + 2 * m
        w = m * (b - m) * x / (place - 1)
        numerator = (a + m - 1) * (a + b + m - 1) * x / (place - 1) * w
        denominator = m + w + (a + m) * (beyond + m * (1 + y)) / (place + 1)
        d = 1 / (denominator + numerator * d)
        c = denominator + numerator / c
        result = np.where(settled, result, result * (c * d))
        settled |= ~(np.abs(c * d - 1) >= 2 * ROUNDING)
    return result
