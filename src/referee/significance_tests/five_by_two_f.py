"""5x2cv F-test: all ten differences over what the two folds of five repeats vary by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.comparing import FOLDS, REPEATS, Comparison, SignificanceTest, TestExample, five_by_two

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing import Design


def compare(a: Array, b: Array, design: Design) -> Comparison:
    from scipy.special import fdtrc, fdtri

    ten = five_by_two(a, b, design)
    if (settled := ten.without_variance(design)) is not None:
        return settled
    mean, df = ten.differences.mean, (REPEATS * FOLDS, REPEATS)
    p = float(fdtrc(*df, ten.f))
    return Comparison(
        mean, p, design.outcome(mean, p), ten.f, df[0], float(fdtri(*df, 1 - design.alpha)),
        units=len(ten.differences.each), details={"df_denominator": df[1]}, warnings=ten.differences.warnings,
    )  # fmt: skip


test = SignificanceTest(
    title="5x2cv F-test",
    question="Which learning procedure is better when it is trained on half of the rows?",
    hypothesis="both procedures have the same mean over all training sets of half the size",
    takes="units",
    designs=("splits",),
    assumptions=(
        "the ten values are five repeats of two-fold cross-validation, both folds of a repeat next to each other",
        "the differences are close to normal, and independent of the variances within the repeats",
        "the statistic has no sign: the mean of the ten differences says which is better",
    ),
    compare=compare,
    statistic_formula="F = sum of the squared differences / (2 x sum of the variances within the repeats)\n"
    "df = 10 and 5: the differences and the repeats",
    references=(
        "E. Alpaydın (1999). Combined 5 × 2 cv F test for comparing supervised classification learning algorithms. "
        "Neural Computation 11, 1885-1892",
    ),
    examples=(
        TestExample(
            ([3, 1, 2, 2, 4, 2, 1, 1, 5, 3], [0] * 10),
            {"statistic": 74 / 12, "df": 10, "df_denominator": 5, "difference": 2.4},
            "by hand: squares sum to 74, the variances 2, 0, 2, 0, 2 to 6, and F is 74 / (2 x 6)",
        ),
    ),
)
