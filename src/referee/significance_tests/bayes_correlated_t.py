"""Bayesian correlated t-test: how likely each model is better, or both practically equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.catalogue import Parameter
from referee.comparing import (
    ROPE,
    SignificanceTest,
    TestExample,
    by_probabilities,
    differences,
    fold_correlation,
    without_variance,
)
from referee.errors import UsageError
from referee.scoring import quantile, tail

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing import Comparison, Design


def compare(a: Array, b: Array, design: Design, *, rope: float = 0.01, rho: float | None = None) -> Comparison:
    paired = differences(a, b, design)
    units, mean = len(paired.each), paired.mean
    correlation = _correlation(design) if rho is None else rho
    if correlation == 1:
        raise UsageError(
            "E_PARAMETER", "bayes_correlated_t(rho=1): splits that are copies of each other carry no information"
        )
    settings = {"rope": rope, "rho": correlation}
    if paired.vanish:
        return by_probabilities(
            0.0, 0.0, 0.0, design, units=units, low=0.0, high=0.0, standard_error=0.0, details=settings,
            warnings=paired.warnings,
        )  # fmt: skip
    if paired.are_constant:
        unknown = dict.fromkeys(("a_better", "practically_equal", "b_better"))
        return without_variance(paired, design, details=unknown | settings)
    scale, df = paired.deviation() * (1 / units + correlation / (1 - correlation)) ** 0.5, units - 1
    lower, higher = tail((rope + mean) / scale, df), tail((rope - mean) / scale, df)
    reach = quantile(1 - design.alpha / 2, df) * scale
    return by_probabilities(
        mean, lower, higher, design, df=df, low=mean - reach, high=mean + reach, standard_error=scale, units=units,
        details=settings, warnings=paired.warnings,
    )  # fmt: skip


def _correlation(design: Design) -> float:
    """The share of test rows, as Nadeau and Bengio estimate it; independent units have none."""
    return fold_correlation(design) if design.overlapping else 0.0


test = SignificanceTest(
    title="Bayesian correlated t-test",
    question="How likely is it that one model is better by more than what would not matter?",
    hypothesis="none: it gives probabilities of the mean difference, from a flat prior",
    takes="units",
    designs=("splits", "independent", "subsets", "data_sets"),
    assumptions=(
        "any two splits have the same correlation rho, which is known",
        "the differences are close to normal",
        "before the data, every mean difference is equally likely",
    ),
    compare=compare,
    statistic_formula="posterior of the difference = Student's t about {mean_difference} with scale {standard_error}",
    parameters={
        "rope": ROPE,
        "rho": Parameter(
            "correlation of two units; none: the share of test rows where training sets overlap, else 0", low=0, high=1
        ),
    },
    references=(
        "G. Corani and A. Benavoli (2015). A Bayesian approach for comparing cross-validated algorithms on multiple "
        "data sets. Machine Learning 100, 285-304",
        "A. Benavoli, G. Corani, J. Demšar and M. Zaffalon (2017). Time for a change: a tutorial for comparing "
        "multiple classifiers through Bayesian analysis. Journal of Machine Learning Research 18, 1-36",
    ),
    examples=(
        TestExample(
            ([1, 3], [0, 0]),
            {"a_better": 0.75, "b_better": 0.10241638234956672, "df": 1, "difference": 2.0},
            "by hand: a t with 1 degree of freedom about 2 with scale 1 is 1/2 + arctan / pi, of 1 and of 3",
            {"rope": 1},
        ),
    ),
)
