"""Wilcoxon's signed-rank test: the differences of the units, ranked by size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.catalogue import Parameter
from referee.comparing import (
    Comparison,
    SignificanceTest,
    TestExample,
    differences,
    midranks,
    no_difference,
    out_of_reach,
    pseudo_median,
    signed_ranks,
    walsh_averages,
)
from referee.errors import Notice
from referee.scoring import sign_p

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing import Design, Differences

MOST_EXACT = 50


def compare(
    a: Array,
    b: Array,
    design: Design,
    *,
    zeros: str = "drop",
    ties: str = "rounded",
    method: str = "auto",
    correction: bool = True,
) -> Comparison:
    paired = differences(a, b, design, least=1)
    details: dict[str, Any] = {"zeros": int((paired.each == 0).sum()), "estimate": "Hodges-Lehmann median"}
    if paired.vanish:
        return no_difference(design, units=0, details=details, warnings=paired.warnings)
    ranked = signed_ranks(paired.each, paired.rounding if ties == "rounded" else 0.0, zeros=zeros)
    units = len(ranked.ranks)
    exact = method == "exact" or (method == "auto" and units <= MOST_EXACT)
    p, beyond = ranked.exact(design.alpha) if exact else ranked.normal(design.alpha, 0.5 if correction else 0.0)
    averages = walsh_averages(paired.each if zeros == "pratt" else ranked.differences, paired.rounding)
    low, high = (float(averages[beyond - 1]), float(averages[-beyond])) if beyond else (None, None)
    few = out_of_reach(units, sign_p(units, 0), design) if exact else ()
    return Comparison(
        pseudo_median(averages), p, design.outcome(ranked.positive - ranked.negative, p), ranked.positive,
        low=low, high=high, units=units, warnings=(*paired.warnings, *_noise(paired, ties), *few),
        details={"positive_ranks": ranked.positive, "negative_ranks": ranked.negative, **details,
                 "method": "exact" if exact else "normal"},
    )  # fmt: skip


def _noise(paired: Differences, ties: str) -> tuple[Notice, ...]:
    """Say where ranks depend on the last digits of the values."""
    sizes = np.abs(paired.each[paired.each != 0])
    if np.array_equal(midranks(sizes, paired.rounding), midranks(sizes)):
        return ()
    how = "ranked as ties (R and SciPy do not)" if ties == "rounded" else "ranked by their rounding errors"
    return (
        Notice("W_DUST", f"some differences have the same size except for rounding: {how}; see the parameter ties"),
    )


test = SignificanceTest(
    title="Wilcoxon signed-rank test",
    question="Are the differences in favour of one model larger or more frequent than those against it?",
    hypothesis="the differences of the units are symmetric about 0",
    takes="units",
    designs=("independent", "subsets", "data_sets"),
    assumptions=(
        "the units are independent of each other",
        "differences are comparable in size across units, and symmetric about their centre; the difference that is "
        "reported is their pseudo-median (Hodges and Lehmann)",
    ),
    compare=compare,
    statistic_formula="W = {positive_ranks:the sum of the ranks of the positive differences}\n"
    "method=exact: p = the share of all 2^{units:n} ways to sign the ranks with a rank sum of either sign of at most "
    "the smaller of {positive_ranks} and {negative_ranks}\n"
    "method=normal: p = 2 x the normal tail beyond the distance of W from its mean, in standard deviations",
    parameters={
        "zeros": Parameter(
            "units without a difference: drop, or pratt (they take part in the ranking)", choices=("drop", "pratt")
        ),
        "ties": Parameter(
            "sizes are tied where they are equal except for rounding (rounded), or to the last bit (bitwise: R, SciPy)",
            choices=("rounded", "bitwise"),
        ),
        "method": Parameter(
            f"exact (over all signs, also with ties), normal, or auto: exact up to {MOST_EXACT} units",
            choices=("auto", "exact", "normal"),
        ),
        "correction": Parameter("continuity correction of the normal method", choices=(True, False)),
    },
    references=(
        "F. Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1, 80-83",
        "J. W. Pratt (1959). Remarks on zeros and ties in the Wilcoxon signed rank procedures. Journal of the "
        "American Statistical Association 54, 655-667",
        "J. Demšar (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine "
        "Learning Research 7, 1-30",
    ),
    examples=(
        TestExample(
            ([1, 2, 3, 4, -5], [0] * 5),
            {"statistic": 10, "p": 0.625, "difference": 2.0},
            "by hand: 10 of the 32 signings have a rank sum of at most 5; median of 15 pairwise averages",
        ),
    ),
)
