"""Folds of whole groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.splitting.split import Split, numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.splitting.rows import Rows


def group_folds(rows: Rows, k: int, repeats: int) -> Iterator[Split]:
    """Deal out whole groups, so that folds have about the same number of rows of each class."""
    from sklearn.model_selection import StratifiedGroupKFold

    assert rows.groups is not None
    rows.refuse_folds(k, len(np.unique(rows.groups)), "group")
    # With fewer rows of a class than folds it warns and goes on: then rows are balanced, not classes.
    strata = rows.strata if rows.rarest()[1] >= k else np.zeros(rows.count, int)
    for repeat in range(1, repeats + 1):
        folds = StratifiedGroupKFold(k, shuffle=True, random_state=rows.random(repeat))
        yield from numbered(folds.split(np.arange(rows.count), strata, rows.groups), repeat)
