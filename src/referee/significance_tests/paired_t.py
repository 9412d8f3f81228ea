"""Paired t-test: the mean difference of the units over its standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.comparing import SignificanceTest, TestExample, differences, student_t

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing import Comparison, Design


def compare(a: Array, b: Array, design: Design) -> Comparison:
    paired = differences(a, b, design)
    units = len(paired.each)
    return student_t(paired, paired.deviation() / units**0.5, units - 1, design)


test = SignificanceTest(
    title="Paired t-test",
    question="Is the mean difference of the units larger than chance would explain?",
    hypothesis="the two models have the same mean over all units that could have been drawn",
    takes="units",
    designs=("independent", "subsets", "data_sets"),
    with_warning={
        "splits": "the training sets overlap, so the paired t-test treats the folds as more independent than they "
        "are: between equal models it found a false winner 6 to 24% of the time at 10-fold "
        "cross-validation, 52 to 74% at 10 x 10-fold and 34 to 75% at 30 random splits, instead of 5% "
        "(docs/validity.md); corrected_resampled_t is valid",
    },
    assumptions=(
        "the units are independent of each other",
        "the mean of the differences is close to normal: differences without outliers, or many units",
    ),
    compare=compare,
    statistic_formula="t = {mean_difference} / ({standard_deviation} / sqrt({units:n}))\ndf = {units:n} - 1",
    references=(
        "J. Han, M. Kamber and J. Pei (2012). Data Mining: Concepts and Techniques, 3rd edition. Morgan Kaufmann, "
        "section 8.5.5",
        "Student (1908). The probable error of a mean. Biometrika 6, 1-25",
    ),
    examples=(
        TestExample(
            ([0.09, 0.15, 0.12, -0.04, 0.03, 0.08, 0.11, 0.1, -0.01, -0.06], [0.0] * 10),
            {"statistic": 2.488737606, "df": 9, "critical": 2.262157163, "outcome": "b"},
            "the lecture's example: error rates of M1 minus those of M2 in 10 folds",
            {"better": "lower"},
        ),
    ),
)
