"""Bayesian hierarchical correlated t-test: which model is better on the next data set, from folds of several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.comparing import ROPE, DataSetEffects, SignificanceTest, TestExample, by_probabilities, fold_correlation
from referee.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.comparing import Comparison, Design

FEWEST_SETS, FEWEST_FOLDS = 3, 3


def compare(a: Sequence[Array], b: Sequence[Array], design: Design, *, rope: float = 0.01) -> Comparison:
    each = [x - y for x, y in zip(a, b, strict=True)]
    _refuse_too_few(each)
    correlation = fold_correlation(design)
    settings = {"rope": rope, "rho": correlation, "folds": sum(map(len, each))}
    if not any(differences.any() for differences in each):
        return by_probabilities(
            0.0, 0.0, 0.0, design, units=len(each), low=0.0, high=0.0, standard_error=0.0, details=settings
        )
    if not any(np.ptp(differences) > 0 for differences in each):
        raise UsageError(
            "E_TEST", "on every data set all folds differ by the same, so nothing is known about their spread"
        )
    # The sign is taken out, so that exchanged models have the same grid.
    sign = 1 if sum(float(differences.mean()) for differences in each) >= 0 else -1
    effects = DataSetEffects.of_folds([sign * differences for differences in each], correlation)
    lower, equal, higher = effects.most_likely(rope)[::sign]
    low, high = sorted(sign * end for end in effects.interval(design.alpha))
    more = settings | {"practically_equal": equal, "estimate": "posterior mean"}
    return by_probabilities(
        sign * effects.mean, lower, higher, design, units=len(each), low=low, high=high, details=more
    )


def _refuse_too_few(each: Sequence[Array]) -> None:
    if len(each) < FEWEST_SETS or min(map(len, each)) < FEWEST_FOLDS:
        raise UsageError(
            "E_TEST",
            f"the hierarchical test needs {FEWEST_SETS} data sets with {FEWEST_FOLDS} folds each; there are "
            f"{len(each)} with {min(map(len, each), default=0)} at least",
            hint="bayes_signed_rank takes one value for each data set",
        )


test = SignificanceTest(
    title="Bayesian hierarchical correlated t-test",
    question="On the next data set like these, how likely is one model better by more than what would not matter?",
    hypothesis="none: it gives probabilities, from a hierarchical model of data sets and their folds",
    takes="folds",
    designs=("data_sets",),
    assumptions=(
        "any two folds of a data set have the same correlation: the share of test rows",
        "differences of folds are close to normal about the effect of their data set",
        "effects of data sets are Student's t about a common mean, the data sets being a sample of those of interest",
    ),
    compare=compare,
    statistic_formula="posterior of the data sets' effects, on a grid of their mean, spread and tails",
    parameters={"rope": ROPE},
    references=(
        "G. Corani, A. Benavoli, J. Demšar, F. Mangili and M. Zaffalon (2017). Statistical comparison of classifiers "
        "through Bayesian hierarchical modelling. Machine Learning 106, 1817-1837",
        "A. Benavoli, G. Corani, J. Demšar and M. Zaffalon (2017). Time for a change: a tutorial for comparing "
        "multiple classifiers through Bayesian analysis. Journal of Machine Learning Research 18, 1-36",
    ),
    examples=(
        TestExample(
            ([[1, 2, 3], [1, 2, 3], [3, 1, 2]], [[1, 2, 3], [1, 2, 3], [3, 1, 2]]),
            {"a_better": 0.0, "practically_equal": 1.0, "b_better": 0.0, "difference": 0.0},
            "models that are the same are practically equal; tests/reference/bayes_hierarchical.json has others",
            {"test_fraction": 0.25},
        ),
    ),
)
