"""McNemar's test: the rows that only one of two models decides rightly."""

from __future__ import annotations

from dataclasses import replace
from math import inf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import Parameter
from referee.comparing import Comparison, SignificanceTest, TestExample
from referee.scoring import clopper_pearson, mid_p_interval, quantile, sign_p, tail, wilson

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing import Design


BESIDE = 1e-12


def compare(
    right_of_a: Array, wrong_of_a: Array, design: Design, *, method: str = "exact", correction: bool = False
) -> Comparison:
    (only_a, both), (neither, only_b) = right_of_a.tolist(), wrong_of_a.tolist()
    rows = only_a + both + neither + only_b
    discordant = only_a + only_b
    # Of error rates the difference has the other sign.
    sign = 1 if design.better == "higher" else -1
    difference = sign * (only_a - only_b) / rows
    score = sorted(sign * end for end in tango(only_a, only_b, rows, design.alpha))
    counts = {"only_a": only_a, "only_b": only_b, "both_right": both, "rows": rows}
    details = {**counts, "score_interval": score}
    if not discordant:
        return Comparison(0.0, 1.0, "tie", units=0, low=0.0, high=0.0, details=details)
    if method == "asymptotic":
        tested = _asymptotic(only_a, only_b, design, correction=correction)
    else:
        p = sign_p(only_a, only_b, mid=method == "mid_p")
        ends = (mid_p_interval if method == "mid_p" else clopper_pearson)(only_a, discordant, design.alpha)
        tested = Comparison(0.0, p, None, statistic=float(only_a), low=ends[0], high=ends[1])
    assert tested.p is not None and tested.low is not None and tested.high is not None
    low, high = sorted(sign * (2 * share - 1) * discordant / rows for share in (tested.low, tested.high))
    if method == "asymptotic" and not correction:
        low, high = score
    return replace(
        tested, difference=difference, outcome=design.outcome(difference, tested.p), low=low, high=high,
        units=discordant, details=details,
    )  # fmt: skip


def tango(only_a: int, only_b: int, rows: int, alpha: float) -> tuple[float, float]:
    """The differences of two shares of the same rows that the score test would not reject; at 0 it is McNemar's.

    Unlike the other intervals it knows that the number of rows which only one decides rightly is random, too.

    >>> [round(end, 4) for end in tango(6, 16, 161, 0.05)]
    [-0.124, -0.0054]
    """
    from scipy.optimize import brentq

    critical, seen = quantile(1 - alpha / 2, inf), (only_a - only_b) / rows

    def beyond(difference: float, side: int) -> float:
        """The statistic times its error, which may be nothing, less what is critical; Tango (1998), section 3."""
        linear = (2 * rows - only_a + only_b) * difference - only_a - only_b
        free = sqrt(max(0.0, linear**2 + 8 * rows * only_b * difference * (1 - difference)))
        share = (free - linear) / (4 * rows)
        error = sqrt(max(0.0, rows * (2 * share + difference * (1 - difference))))
        return rows * (seen - difference) * side - critical * error

    # Just beside what was seen, where the error of a table without such rows would be nothing.
    low = -1.0 if seen == -1 else float(brentq(beyond, -1.0, seen - BESIDE, args=(1,), xtol=1e-14))
    high = 1.0 if seen == 1 else float(brentq(beyond, seen + BESIDE, 1.0, args=(-1,), xtol=1e-14))
    return low, high


def _asymptotic(only_a: int, only_b: int, design: Design, *, correction: bool) -> Comparison:
    gap = max(0, abs(only_a - only_b) - correction)
    statistic = gap**2 / (only_a + only_b)
    low, high = wilson(only_a, only_a + only_b, design.alpha, correction=correction)
    critical = quantile(1 - design.alpha / 2, inf) ** 2
    return Comparison(0.0, 2 * tail(float(np.sqrt(statistic)), inf), None, statistic, 1, critical, low, high)


test = SignificanceTest(
    title="McNemar's test",
    question="Do the two models err equally often on the same rows?",
    hypothesis="a row that only one model classifies correctly is equally likely to be either model's",
    takes="decisions",
    metrics=("accuracy", "error_rate"),
    designs=("rows", "out_of_fold"),
    assumptions=("the rows are independent of each other",),
    compare=compare,
    statistic_formula="method=asymptotic: chi-squared = (|{only_a} - {only_b}| - {correction})^2 / "
    "({only_a} + {only_b})\n"
    "method=asymptotic: df = 1: of the two counts one is free, as their sum is given\n"
    "method=exact: p = 2 x the probability of at most min({only_a}, {only_b}) heads in {units:n} tosses "
    "of a fair coin (at most 1)\n"
    "method=mid_p: p = 2 x the probability of fewer than min({only_a}, {only_b}) heads in {units:n} tosses "
    "of a fair coin, plus that of exactly as many",
    parameters={
        "method": Parameter(
            "exact (binomial, never above alpha), mid_p (closer to alpha) or asymptotic (chi-squared)",
            choices=("exact", "mid_p", "asymptotic"),
        ),
        "correction": Parameter("Edwards' continuity correction of the asymptotic method", choices=(True, False)),
    },
    references=(
        "Q. McNemar (1947). Note on the sampling error of the difference between correlated proportions or "
        "percentages. Psychometrika 12, 153-157",
        "M. W. Fagerland, S. Lydersen and P. Laake (2013). The McNemar test for binary matched-pairs data: mid-p and "
        "asymptotic are better than exact conditional. BMC Medical Research Methodology 13, 91",
        "T. Tango (1998). Equivalence test and confidence interval for the difference in proportions for the "
        "paired-sample design. Statistics in Medicine 17, 891-908. The score interval",
    ),
    examples=(
        TestExample(
            ([1] * 11 + [0] + [1] * 8, [0] * 11 + [1] + [1] * 8),
            {"p": 0.00634765625, "difference": 0.5},
            "exact binomial: 2 (1 + 12) / 2^12",
        ),
    ),
)
