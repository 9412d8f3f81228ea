"""Leave-one-out: as many folds as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.fitting import Scheme, SchemeExample, Split, numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.fitting import Rows


def draw(rows: Rows) -> Iterator[Split]:
    from sklearn.model_selection import LeaveOneOut

    return numbered(LeaveOneOut().split(np.arange(rows.count)))


scheme = Scheme(
    title="Leave-one-out",
    question="How good is a learning procedure on small data, when all rows but one are used for training?",
    draws="each row is the test set once, and all others are the training set",
    draw=draw,
    combine="pooled",
    overlapping=True,
    tests_every_row=True,
    random=False,
    weak_at="large data (a fit for every row), metrics that rank (a fold has one row, and pooling mixes the scales of "
    "all fits), and differences between procedures (the fits are nearly identical)",
    references=(
        "J. Han, M. Kamber and J. Pei (2012). Data Mining: Concepts and Techniques, 3rd edition. Morgan Kaufmann, "
        "section 8.5.3",
    ),
    aliases=("loo",),
    examples=(
        SchemeExample(
            {"rows": 24},
            {"splits": 24, "train_rows": [23, 23], "test_rows": [1, 1]},
            "the lecture: k = number of tuples, each fold has one sample",
        ),
    ),
)
