"""Who is better on the subsets of a partition: the paper's two significance tests on many partitions in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from referee.arrays import Array

TESTS = ("t", "sign")
ALIKE = 1e-12
"""Differences that vary by less than this share of their size are all the same, but for rounding."""


def decided(gains: Array, test: str = "t", alpha: float = 0.05) -> Array:
    """The outcome of each row of gains (..., subset): 1 if the gains are significantly positive, -1 negative, else 0.

    As `tests["paired_t"]` and `tests["sign"]` decide: no difference at all is a tie, and where all subsets differ by
    the same amount the sign test decides.

    >>> decided(np.array([[0.1, 0.2, 0.3, 0.2], [0.1, -0.1, 0.2, -0.2], [0.0, 0.0, 0.0, 0.0]])).tolist()
    [1, 0, 0]
    """
    p = {"t": _t_p, "sign": _sign_p}[test](gains)
    leaning = _surplus(gains) if test == "sign" else gains.mean(axis=-1)
    return np.where(p < alpha, np.sign(leaning), 0).astype(np.int8)


def _t_p(gains: Array) -> Array:
    from scipy.special import stdtr

    subsets = gains.shape[-1]
    alike = np.ptp(gains, axis=-1) <= ALIKE * np.abs(gains).max(axis=-1)
    with np.errstate(all="ignore"):
        statistic = gains.mean(axis=-1) / (gains.std(axis=-1, ddof=1) / subsets**0.5)
        p = 2 * stdtr(subsets - 1, -np.abs(statistic))
    return np.where(alike, _sign_p(gains), p)


def _sign_p(gains: Array) -> Array:
    from scipy.special import bdtr

    wins, losses = (gains > 0).sum(axis=-1), (gains < 0).sum(axis=-1)
    return np.minimum(1.0, 2 * bdtr(np.minimum(wins, losses), np.maximum(wins + losses, 1), 0.5))


def _surplus(gains: Array) -> Array:
    return (gains > 0).sum(axis=-1) - (gains < 0).sum(axis=-1)
