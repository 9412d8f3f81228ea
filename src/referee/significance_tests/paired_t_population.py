"""Paired t-test as the textbook prints it: the variance of the differences divided by their number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.comparing import SignificanceTest, TestExample, differences, student_t

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing import Comparison, Design


def compare(a: Array, b: Array, design: Design) -> Comparison:
    paired = differences(a, b, design)
    units = len(paired.each)
    return student_t(paired, paired.deviation(ddof=0) / units**0.5, units - 1, design)


test = SignificanceTest(
    title="Paired t-test, population variance",
    question="What does the textbook's formula say about the mean difference of the units?",
    hypothesis="the two models have the same mean over all units that could have been drawn",
    takes="units",
    # Its t is too large by sqrt(n / (n - 1)): it is here to reproduce what the textbook prints.
    designs=("independent", "subsets", "data_sets"),
    with_warning={
        "splits": "the training sets overlap, and the variance is divided by the number of folds instead of that "
                  "number minus one: "
        "between equal models it finds false winners even more often than paired_t (7 to 29% at 10-fold "
        "cross-validation, 57 to 76% at 10 x 10-fold, instead of 5%: docs/validity.md); corrected_resampled_t is "
        "valid",
    },
    assumptions=(
        "the units are independent of each other",
        "the mean of the differences is close to normal: differences without outliers, or many units",
        "there are many units: the variance is that of a whole population, which makes t too large by the root of "
        "n / (n - 1) in a sample",
    ),
    compare=compare,
    statistic_formula="t = {mean_difference} / ({standard_deviation:population standard deviation} / sqrt({units:n}))\n"
    "df = {units:n} - 1",
    references=(
        "J. Han, M. Kamber and J. Pei (2012). Data Mining: Concepts and Techniques, 3rd edition. Morgan Kaufmann, "
        "section 8.5.5",
    ),
    examples=(
        TestExample(
            ([0.12, 0.18, 0.14, 0.21, 0.21, 0.09, 0.18, 0.15, 0.16, 0.03],
             [0.03, 0.03, 0.02, 0.25, 0.18, 0.01, 0.07, 0.05, 0.17, 0.09]),
            {"statistic": 2.62335977744634, "df": 9, "difference": 0.057, "outcome": "b"},
            "the lecture's example with the textbook's variance: 0.057 / sqrt(0.004721 / 10), in exact fractions",
            {"better": "lower"},
        ),
    ),
)  # fmt: skip
