"""DeLong's test: two areas under the ROC curve on the same rows."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from referee.comparing import SignificanceTest, compare_rows, refuse_weights_and_groups
from referee.errors import UndefinedError

if TYPE_CHECKING:
    from referee.comparing import Comparison, Contender, Design


def compare(a: Contender, b: Contender, design: Design) -> Comparison:
    refuse_weights_and_groups(a.predictions, "DeLong's test")
    if a.rarer_class and a.rarer_class[1] < 2:
        label, rows = a.rarer_class
        raise UndefinedError(
            "E_TOOFEW",
            f"DeLong's test needs at least 2 rows of each class, and there is {rows} row{'' if rows == 1 else 's'} of "
            f"class {label!r}",
        )
    # Before their values: the sort that places many rows gives the areas, too.
    a.spread_of_difference(b)
    return compare_rows(a, b, design, df=inf)


test = SignificanceTest(
    title="DeLong's test",
    question="Which model ranks the positives higher, by the area under the ROC curve?",
    hypothesis="both models have the same area under the ROC curve on the population",
    takes="rows",
    metrics=("roc_auc",),
    designs=("rows", "out_of_fold"),
    assumptions=(
        "the rows are independent of each other",
        "there are many rows of both classes: the statistic is compared with the normal distribution",
    ),
    compare=compare,
    statistic_formula="z = {difference} / {standard_error}",
    references=(
        "E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988). Comparing the areas under two or more correlated "
        "receiver operating characteristic curves: a nonparametric approach. Biometrics 44, 837-845",
        "X. Sun and W. Xu (2014). Fast implementation of DeLong's algorithm for comparing the areas under correlated "
        "receiver operating characteristic curves. IEEE Signal Processing Letters 21, 1389-1393",
    ),
)
