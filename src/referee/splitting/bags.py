"""Bootstrap samples and what they leave out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from referee.entry import Parameter
from referee.errors import UndefinedError
from referee.splitting.split import Split
from referee.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.splitting.rows import Rows

MOST_ATTEMPTS = 1000


def bags(rows: Rows, repeats: int) -> Iterator[Split]:
    """Draw as many rows as there are, with replacement, and test on the others; one sample in each repeat.

    A sample that leaves no row to test on, or holds one class where there are several, cannot be used: it is drawn
    again, and counted.
    """
    for repeat in range(1, repeats + 1):
        yield _bag(rows, repeat)


def _bag(rows: Rows, repeat: int) -> Split:
    random = rows.random(repeat)
    several = len(np.unique(rows.strata)) > 1
    for redrawn in range(MOST_ATTEMPTS):
        train = np.sort(random.randint(rows.count, size=rows.count, dtype=np.int64))
        left_out = np.ones(rows.count, bool)
        left_out[train] = False
        if left_out.any() and not (several and len(np.unique(rows.strata[train])) == 1):
            return Split(train, np.flatnonzero(left_out), repeat, redrawn=redrawn)
    raise UndefinedError(
        "E_TOOFEW",
        f"no bootstrap sample of {counted(rows.count, rows.what)} holds several classes and leaves a row to test on",
    )


BAG_PARAMETERS = {
    "repeats": Parameter("number of bootstrap samples", low=1, high=1_000_000, whole=True),
    "training": Parameter(
        "the rows of the training score: sample (the bootstrap sample that was trained on, as the lecture has it) or "
        "all (every row of the table, as Han, Kamber and Pei and mlxtend have it)",
        choices=("sample", "all"),
    ),
}


def bags_with_training_rows(rows: Rows, repeats: int, training: str) -> Iterator[Split]:
    """The same, each with the rows that its training score is of."""
    for bag in bags(rows, repeats):
        yield replace(bag, seen=bag.train if training == "sample" else np.arange(rows.count))
