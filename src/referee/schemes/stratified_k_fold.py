"""Stratified cross-validation: k-fold with the same share of each class in every fold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import Parameter
from referee.fitting import Scheme, SchemeExample, Split, group_folds, numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.fitting import Rows


def draw(rows: Rows, *, k: int = 10, repeats: int = 1) -> Iterator[Split]:
    from sklearn.model_selection import StratifiedKFold

    assert rows.labels is not None
    rows.refuse_folds_of_classes(k)
    if rows.groups is not None:
        yield from group_folds(rows, k, repeats)
        return
    for repeat in range(1, repeats + 1):
        folds = StratifiedKFold(k, shuffle=True, random_state=rows.random(repeat))
        yield from numbered(folds.split(np.arange(rows.count), rows.strata), repeat)


scheme = Scheme(
    title="Stratified cross-validation",
    question="How good is a learning procedure when nearly all rows are used for training, and every fold has every "
    "class?",
    draws="the rows of each class are shuffled and divided into k folds in turn, so that two folds differ by at most "
    "one row of a class; each fold is the test set once, and the others are the training set",
    draw=draw,
    combine="pooled",
    overlapping=True,
    needs=("classes",),
    keeps_groups=True,
    stratified=True,
    tests_every_row=True,
    weak_at="a class with fewer rows than folds, which is refused",
    aliases=("stratified_cross_validation",),
    parameters={
        "k": Parameter("number of folds", low=2, high=1_000_000, whole=True),
        "repeats": Parameter("how often all rows are divided again", low=1, high=1_000_000, whole=True),
    },
    references=(
        "J. Han, M. Kamber and J. Pei (2012). Data Mining: Concepts and Techniques, 3rd edition. Morgan Kaufmann, "
        "section 8.5.3",
        "R. Kohavi (1995). A study of cross-validation and bootstrap for accuracy estimation and model selection. In "
        "IJCAI",
    ),
    examples=(
        SchemeExample(
            {"y": ["bad"] * 300 + ["good"] * 700},
            {"splits": 10, "test_rows": [100, 100], "test_rows_of_class": {"bad": [30, 30], "good": [70, 70]}},
            "by hand: the German credit data, 300 bad and 700 good",
        ),
    ),
)
