"""Iman and Davenport's test: Friedman's ranks, compared with an F distribution."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from referee.comparing import Comparison, SignificanceTest, TestExample, rank_table
from referee.errors import Notice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.comparing import Design


def compare(names: Sequence[str], values: Array, design: Design) -> Comparison:
    from scipy.special import fdtri

    table = rank_table(names, values, design)
    statistic, p = table.iman_davenport()
    warnings, df = table.warnings, (table.models - 1, (table.models - 1) * (table.data_sets - 1))
    if statistic == inf:
        what = f"all {table.data_sets:,} {design.unit}s rank the models in the same way, so that F is infinite"
        warnings = (*warnings, Notice("W_ZEROVAR", f"{what}: p = {p:.3g} is the exact probability of that"))
    return Comparison(
        None, p, "different" if p < design.alpha else "tie", statistic, df[0], float(fdtri(*df, 1 - design.alpha)),
        units=table.data_sets, details={"mean_ranks": table.means, "df_denominator": df[1]}, warnings=warnings,
    )  # fmt: skip


test = SignificanceTest(
    title="Iman and Davenport's test",
    question="Do any of these models differ, across data sets?",
    hypothesis="on a data set, every order of the models is equally likely",
    takes="many",
    designs=("data_sets",),
    assumptions=(
        "the data sets are independent of each other",
        "the statistic is compared with an F distribution, which is closer than Friedman's chi-squared",
    ),
    compare=compare,
    statistic_formula="F = (N - 1) x chi-squared / (N (k - 1) - chi-squared), of Friedman's chi-squared\n"
    "df = {df:models - 1} and {df_denominator:(models - 1) (data sets - 1)}",
    references=(
        "R. L. Iman and J. M. Davenport (1980). Approximations of the critical region of the Friedman statistic. "
        "Communications in Statistics: Theory and Methods 9, 571-595",
        "J. Demšar (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine "
        "Learning Research 7, 1-30",
    ),
    examples=(
        TestExample(
            ({"a": [3, 3, 3, 1], "b": [2, 2, 2, 2], "c": [1, 1, 1, 3]},),
            {"statistic": 1.0, "df": 2, "df_denominator": 6, "p": 0.421875},
            "by hand: Friedman's statistic is 2, so 3 x 2 / (4 x 2 - 2); F with 2 and 6 degrees is (1 + F / 3)^-3",
        ),
    ),
)
