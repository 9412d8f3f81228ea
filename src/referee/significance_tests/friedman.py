"""Friedman's test: the ranks of many models on several data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.comparing import Comparison, SignificanceTest, TestExample, f_details, rank_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.comparing import Design


def compare(names: Sequence[str], values: Array, design: Design) -> Comparison:
    from scipy.special import chdtrc, chdtri

    table = rank_table(names, values, design)
    statistic, df = table.chi_squared, table.models - 1
    p = float(chdtrc(df, statistic))
    return Comparison(
        None, p, "different" if p < design.alpha else "tie", statistic, df, float(chdtri(df, design.alpha)),
        units=table.data_sets, warnings=table.warnings,
        details={"mean_ranks": table.means, "iman_davenport": f_details(table, *table.iman_davenport())},
    )  # fmt: skip


test = SignificanceTest(
    title="Friedman's test",
    question="Do any of these models differ, across data sets?",
    hypothesis="on a data set, every order of the models is equally likely",
    takes="many",
    designs=("data_sets",),
    assumptions=(
        "the data sets are independent of each other",
        "the chi-squared approximation needs more than 10 data sets and 5 models; iman_davenport is closer",
    ),
    compare=compare,
    statistic_formula="chi-squared = 12 / (N k (k + 1)) x sum of the squared distances of the k rank sums from "
    "N (k + 1) / 2, corrected for ties\n"
    "df = {df:models - 1}",
    references=(
        "M. Friedman (1937). The use of ranks to avoid the assumption of normality implicit in the analysis of "
        "variance. Journal of the American Statistical Association 32, 675-701",
        "J. Demšar (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine "
        "Learning Research 7, 1-30",
    ),
    examples=(
        TestExample(
            ({"a": [3, 3, 3, 1], "b": [2, 2, 2, 2], "c": [1, 1, 1, 3]},),
            {"statistic": 2.0, "df": 2, "p": 0.36787944117144233, "outcome": "tie"},
            "by hand: rank sums 6, 8, 10, so 12 / (4 x 3 x 4) x 8; chi-squared with 2 degrees is exponential",
        ),
    ),
)
