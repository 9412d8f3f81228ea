"""5x2cv paired t-test: the first difference over what the two folds of five repeats vary by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.comparing import REPEATS, SignificanceTest, TestExample, by_student_t, five_by_two

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing import Comparison, Design


def compare(a: Array, b: Array, design: Design) -> Comparison:
    ten = five_by_two(a, b, design)
    paired = ten.differences
    return ten.without_variance(design) or by_student_t(
        float(paired.each[0]), ten.deviation, REPEATS, design,
        units=len(paired.each), details={"mean_difference": paired.mean}, warnings=paired.warnings,
    )  # fmt: skip


test = SignificanceTest(
    title="5x2cv paired t-test",
    question="Which learning procedure is better when it is trained on half of the rows?",
    hypothesis="both procedures have the same mean over all training sets of half the size",
    takes="units",
    designs=("splits",),
    assumptions=(
        "the ten values are five repeats of two-fold cross-validation, both folds of a repeat next to each other",
        "the numerator is the difference of the very first fold, and so is the difference that is reported: the order "
        "of the folds matters; five_by_two_f uses all ten alike",
        "the differences are close to normal, and the five variances are independent of each other",
    ),
    compare=compare,
    statistic_formula="t = {difference:first difference} / {standard_error:root of the mean variance within repeats}\n"
    "df = 5: the repeats",
    references=(
        "T. G. Dietterich (1998). Approximate statistical tests for comparing supervised classification learning "
        "algorithms. Neural Computation 10, 1895-1923",
    ),
    examples=(
        TestExample(
            ([3, 1, 2, 2, 4, 2, 1, 1, 5, 3], [0] * 10),
            {"statistic": 3 / 1.2**0.5, "df": 5, "difference": 3.0},
            "by hand: variances 2, 0, 2, 0, 2 with mean 6/5, first difference 3",
        ),
    ),
)
