"""Group k-fold: cross-validation that never divides a group of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.catalogue import Parameter
from referee.fitting import Scheme, SchemeExample, group_folds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.fitting import Rows, Split


def draw(rows: Rows, *, k: int = 10, repeats: int = 1) -> Iterator[Split]:
    return group_folds(rows, k, repeats)


scheme = Scheme(
    title="Group k-fold cross-validation",
    question="How good is a learning procedure on groups (patients, customers, sites) that it has never seen?",
    draws="whole groups are divided into k folds with about the same number of rows of each class; each fold is the "
    "test set once, and the others are the training set",
    draw=draw,
    combine="pooled",
    overlapping=True,
    needs=("groups",),
    keeps_groups=True,
    tests_every_row=True,
    weak_at="few or very unequal groups: folds are then also unequal; every other scheme also keeps groups together "
    "if --group names them, and divides groups instead of rows",
    parameters={
        "k": Parameter("number of folds", low=2, high=1_000_000, whole=True),
        "repeats": Parameter("how often all groups are divided again", low=1, high=1_000_000, whole=True),
    },
    references=(
        "F. Pedregosa et al. (2011). Scikit-learn: machine learning in Python. Journal of Machine Learning Research "
        "12, 2825-2830. Its StratifiedGroupKFold",
    ),
    examples=(
        SchemeExample(
            {"groups": ["a"] * 4 + ["b"] * 3 + ["c"] * 2 + ["d"] * 1},
            {"splits": 2, "test_rows": [5, 5]},
            "by hand: 4 + 1 and 3 + 2 rows",
            settings={"k": 2},
        ),
    ),
)
