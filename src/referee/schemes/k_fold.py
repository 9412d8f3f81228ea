"""K-fold cross-validation: every row is tested once, by a model that did not see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import Parameter
from referee.fitting import Scheme, SchemeExample, Split, numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.fitting import Rows


def draw(rows: Rows, *, k: int = 10, repeats: int = 1) -> Iterator[Split]:
    from sklearn.model_selection import KFold

    rows.refuse_folds(k)
    for repeat in range(1, repeats + 1):
        folds = KFold(k, shuffle=True, random_state=rows.random(repeat))
        yield from numbered(folds.split(np.arange(rows.count)), repeat)


scheme = Scheme(
    title="K-fold cross-validation",
    question="How good is a learning procedure when nearly all rows are used for training?",
    draws="the rows are shuffled and divided into k folds of equal size, give or take a row; each fold is the test "
    "set once, and the others are the training set",
    draw=draw,
    combine="pooled",
    overlapping=True,
    tests_every_row=True,
    weak_at="rare classes: a fold may have no row of one; stratified_k_fold spreads them evenly",
    aliases=("cross_validation", "repeated_k_fold"),
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
            {"rows": 286},
            {"splits": 10, "folds": 10, "train_rows": [257, 258], "test_rows": [28, 29]},
            "Weka's breast-cancer data: 257 training and 29 test rows in most of 10 folds",
        ),
    ),
)
