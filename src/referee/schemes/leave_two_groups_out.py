"""Leave two groups out: rows are dealt out into groups, and every two of these are predicted by a fit of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import Parameter
from referee.document import counted
from referee.errors import UndefinedError, UsageError
from referee.fitting import Scheme, SchemeExample, Split, dealt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.fitting import Rows

ROWS_OF_A_GROUP = 2


def draw(rows: Rows, *, groups: int = 6, deals: int = 3) -> Iterator[Split]:
    _refuse_small(rows, groups)
    everything = np.arange(rows.count)
    for deal in range(deals):
        parts = dealt(rows.strata, groups, rows.random(deal + 1))
        for number, pairs in enumerate(_rounds(groups), start=1 + deal * (groups - 1)):
            for fold, (u, v) in enumerate(pairs, start=1):
                test = np.sort(np.concatenate([parts[u], parts[v]]))
                yield Split(np.setdiff1d(everything, test, assume_unique=True), test, number, fold)


def _rounds(groups: int) -> Iterator[list[tuple[int, int]]]:
    """All pairs of groups, in rounds that have each group once: as a tournament is planned, one stays and others turn.

    >>> next(_rounds(4))
    [(3, 0), (1, 2)]
    """
    turning = groups - 1
    for first in range(turning):
        others = [((first + step) % turning, (first - step) % turning) for step in range(1, groups // 2)]
        yield [(turning, first), *others]


def _refuse_small(rows: Rows, groups: int) -> None:
    if groups % 2:
        raise UsageError("E_PARAMETER", f"groups={groups}: pairs of groups need an even number of them")
    if rows.count < ROWS_OF_A_GROUP * groups:
        raise UndefinedError(
            "E_TOOFEW",
            f"{counted(rows.count, rows.what)} cannot be divided into {groups} groups of {ROWS_OF_A_GROUP} or more, "
            "which are needed to see how much rows of a group vary",
            hint="leave_one_out works with few rows",
        )
    name, rarest = rows.rarest()
    if rarest < groups and rows.what == "row":
        raise UndefinedError(
            "E_FOLDS",
            f"{groups} groups, but only {counted(rarest, 'row')} of class {name!r}: a group would have none",
            hint="random_subsampling does not need a row of every class in every group",
        )


scheme = Scheme(
    title="Leave two groups out",
    question="Which learning procedure is better at this training size, for new training sets and new rows?",
    draws="the rows of each class are shuffled and divided into groups in turn; every pair of groups is the test set "
    "once, and all others are the training set; then all rows are divided again. A repeat is a round of pairs "
    "that has each group once",
    draw=draw,
    combine="mean",
    overlapping=True,
    tests_every_row=True,
    weak_at="weights and rows in groups, which are refused where models are compared; fewer than 100 rows; F1 and its "
    "kin, on which its test names up to 14% false winners (docs/simulations/procedure_tests.md)",
    aliases=("leave_two_out",),
    parameters={
        "groups": Parameter(
            "number of groups, which must be even; its test was validated with 6",
            low=4,
            high=1000,
            whole=True,
        ),
        "deals": Parameter("how often all rows are divided again", low=1, high=1000, whole=True),
    },
    references=(
        "B. Efron and C. Stein (1981). The jackknife estimate of variance. Annals of Statistics 9, 586-596",
        "Y. Bengio and Y. Grandvalet (2004). No unbiased estimator of the variance of k-fold cross-validation. Journal "
        "of Machine Learning Research 5, 1089-1105. Why one cross-validation is not enough",
    ),
    examples=(
        SchemeExample(
            {"y": ["bad"] * 60 + ["good"] * 120},
            {
                "splits": 45,
                "folds": 3,
                "train_rows": [120, 120],
                "test_rows": [60, 60],
                "test_rows_of_class": {"bad": [20, 20], "good": [40, 40]},
            },
            "by hand: 3 x 15 pairs of 6 groups of 10 bad and 20 good rows",
        ),
    ),
)
