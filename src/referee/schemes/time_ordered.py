"""Time-ordered: forward chaining, which trains on the past and tests on what came next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import Parameter
from referee.document import counted
from referee.errors import UndefinedError
from referee.fitting import Scheme, SchemeExample, Split, Together, numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.fitting import Rows


def draw(rows: Rows, *, k: int = 5, gap: int = 0) -> Iterator[Split]:
    from sklearn.model_selection import TimeSeriesSplit

    assert rows.moments is not None
    moments = Together(rows.moments)
    _refuse(len(moments), k, gap)
    for split in numbered(TimeSeriesSplit(k, gap=gap).split(np.arange(len(moments)))):
        yield _without_tested_groups(moments.expanded(split), rows)


def _refuse(moments: int, k: int, gap: int) -> None:
    tested = max(1, moments // (k + 1)) * k
    if moments - tested - gap < 1:
        without = f" and a gap of {counted(gap, 'moment')}" if gap else ""
        raise UndefinedError(
            "E_FOLDS",
            f"{counted(k, 'fold')}{without} cannot be made of {counted(moments, 'moment')}: nothing is left to "
            "train on before the first",
            hint="fewer folds" + (" or a smaller gap" if gap else ""),
        )


def _without_tested_groups(split: Split, rows: Rows) -> Split:
    if rows.groups is None:
        return split
    train = split.train[~np.isin(rows.groups[split.train], rows.groups[split.test])]
    if not len(train):
        raise UndefinedError(
            "E_FOLDS", f"every group in the training rows of fold {split.fold} is also in its test rows"
        )
    return Split(train, split.test, split.repeat, split.fold)


scheme = Scheme(
    title="Time-ordered splits",
    question="How good would a learning procedure have been, had it been used at the time?",
    draws="the moments are divided into k + 1 consecutive parts; each part except the first is the test set once, "
    "and all rows before it are the training set; rows of the same moment stay together; the test rows of all parts "
    "are compared together, as rows in time order",
    draw=draw,
    combine="pooled",
    overlapping=True,
    needs=("time",),
    keeps_groups=True,
    random=False,
    weak_at="the first folds have few training rows, so the score mixes different training sizes",
    aliases=("forward_chaining", "time_series_split"),
    parameters={
        "k": Parameter("number of test parts", low=2, high=1_000_000, whole=True),
        "gap": Parameter(
            "moments (distinct times) before each test part that are left out of training",
            low=0,
            high=1_000_000,
            whole=True,
        ),
    },
    references=(
        "R. J. Hyndman and G. Athanasopoulos (2021). Forecasting: Principles and Practice, 3rd edition. OTexts, "
        "section 5.10",
    ),
    examples=(
        SchemeExample(
            {"time": [2016, 2017, 2018, 2019, 2020, 2021]},
            {"splits": 2, "train_rows": [2, 4], "test_rows": [2, 2]},
            "by hand: 2016 and 2017 before 2018 and 2019, all four before 2020 and 2021",
            settings={"k": 2},
        ),
    ),
)
