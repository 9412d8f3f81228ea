"""Nemenyi's test: which models' mean ranks differ by more than the critical difference."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from referee.comparing import Comparison, SignificanceTest, TestExample, rank_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.comparing import Design


def compare(names: Sequence[str], values: Array, design: Design) -> Comparison:
    table = rank_table(names, values, design)
    k, means = table.models, table.means
    unit = (k * (k + 1) / (6 * table.data_sets)) ** 0.5
    best_first = sorted(means, key=lambda name: means[name])
    apart = means[best_first[-1]] - means[best_first[0]]
    critical, p = _quantile(design.alpha, k), _beyond(apart / unit, k)
    pairs = combinations(best_first, 2)
    differ = [
        [first, other] for first, other in pairs if _beyond((means[other] - means[first]) / unit, k) < design.alpha
    ]
    return Comparison(
        None, p, "different" if differ else "tie", apart / unit, None, critical,
        units=table.data_sets, warnings=table.warnings,
        details={"mean_ranks": means, "critical_difference": critical * unit, "pairs_that_differ": differ},
    )  # fmt: skip


def _beyond(q: float, models: int) -> float:
    """How likely the range of so many standard normal numbers is above q times the root of 2."""
    from scipy.special import ndtr

    # The trapezoidal rule converges exponentially for such a bell.
    z, step = np.linspace(-9.0, 9.0, 2001), 18 / 2000
    width = 2**0.5 * q
    # From the largest number: each of the others is above it less the width.
    others = (ndtr(z) - ndtr(z - width)) ** (models - 1)
    largest = models * ndtr(z) ** (models - 1)
    return float((np.exp(-(z**2) / 2) * (largest - models * others)).sum() * step / (2 * np.pi) ** 0.5)


def _quantile(alpha: float, models: int) -> float:
    """Studentized range with infinitely many degrees of freedom, over the root of 2."""
    from scipy.optimize import brentq

    return float(brentq(lambda q: _beyond(q, models) - alpha, 0.0, 40.0, xtol=1e-13))


test = SignificanceTest(
    title="Nemenyi's test",
    question="Which of these models differ from each other, across data sets?",
    hypothesis="on a data set, every order of the models is equally likely",
    takes="many",
    designs=("data_sets",),
    assumptions=(
        "the data sets are independent of each other",
        "there are enough data sets for mean ranks to be close to normal",
        "all pairs are compared, and the probability of any false difference is controlled",
    ),
    compare=compare,
    statistic_formula="q = largest distance of two mean ranks / sqrt(k (k + 1) / (6 N))",
    references=(
        "P. B. Nemenyi (1963). Distribution-free multiple comparisons. PhD thesis, Princeton University",
        "J. Demšar (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine "
        "Learning Research 7, 1-30",
    ),
    examples=(
        TestExample(
            ({"a": [2, 2, 2, 2], "b": [1, 1, 1, 1]},),
            {"critical": 1.959963984540054, "statistic": 2.0, "p": 0.04550026389635842, "outcome": "different"},
            "two models: the normal distribution beyond 2, and critical difference 1.96 / 2",
        ),
    ),
)
