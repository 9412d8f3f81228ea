"""Paired t-test on influence values (infinitesimal jackknife), for every metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.comparing import SignificanceTest, TestExample, compare_rows

if TYPE_CHECKING:
    from referee.comparing import Comparison, Contender, Design


def compare(a: Contender, b: Contender, design: Design) -> Comparison:
    return compare_rows(a, b, design)


test = SignificanceTest(
    title="Paired t-test on influence values",
    question="Which of these fitted models is better on the population that the rows come from?",
    hypothesis="both models have the same value of the metric on the population",
    takes="rows",
    designs=("rows", "out_of_fold", "time"),
    assumptions=(
        "the rows are independent of each other; if rows belong together, --group names them, and the groups are "
        "independent: groups of similar size are compared by t with delete-a-group errors, unequal ones by flipping "
        "the "
        "signs of their differences (both must agree where the metric is not a mean), and at least 4 groups (6 unequal "
        "ones) must hold rows that count for the metric",
        "rows in time order (--time) may depend on each other, in a way that does not change over time",
        "there are enough rows for the metric to be close to linear in them: at least 20 of the rarer class",
    ),
    compare=compare,
    statistic_formula="t = {difference} / {standard_error}\n"
    "df = 1 / (1 / {pieces:independent pieces in time} + {excess_kurtosis} / (2 x {moments:rows in time}))\n"
    "df = 2 n / (kurtosis - 1) of what the rows, or groups, add to the difference",
    references=(
        "F. R. Hampel (1974). The influence curve and its role in robust estimation. Journal of the American "
        "Statistical Association 69, 383-393",
        "E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988). Comparing the areas under two or more correlated "
        "receiver operating characteristic curves: a nonparametric approach. Biometrics 44, 837-845. The case of AUC",
    ),
    examples=(
        TestExample(
            ([1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0, 0], [1, 0, 0, 1, 0, 0, 1, 0]),
            {"difference": 0.25, "statistic": 1.0},
            "paired t of right minus wrong, row by row: mean 1/4, variance 1/2 of 8 rows, by hand",
            {"metric": "accuracy"},
        ),
    ),
)
