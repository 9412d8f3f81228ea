"""The rows of a repetition: what is trained on, and how all others are dealt out into subsets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from referee.errors import UndefinedError
from referee.splitting.strata import dealt, parted
from referee.wording import counted

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.dataset import DataSet
    from referee.splitting.rows import Rows
    from referee.study.outcomes import Approach, Role
    from referee.study.settings import Settings


@dataclass(frozen=True, eq=False)
class Deal:
    """The training rows, the others, and for every partition the unit that each of the others belongs to.

    Partitions 0 and 1 deal all other rows out, for the goal and again for the evaluation metric. Partition 2 deals
    the test rows out, and behind them the holdout rows. 3 and 4 are the same without subsets.
    """

    train: Array
    others: Array
    codes: Array
    """(partition, row)."""
    units: int
    places: dict[tuple[Approach, Role], tuple[int, slice]]
    """The partition and units of the subsets of an approach and role."""


WHOLE: dict[tuple[Approach, Role], tuple[int, int]] = {
    ("test_sets", "goal"): (3, 0),
    ("test_sets", "evaluation"): (3, 0),
    ("holdout", "goal"): (4, 0),
    ("holdout", "evaluation"): (4, 1),
}
"""The partition and unit that holds all rows of an approach and role."""


def deal(rows: Rows, settings: Settings, repetition: int) -> Deal:
    """Draw the training rows and deal the others out; each repetition, from 1, has its own stream of random numbers."""
    random = rows.random(repetition)
    others, train = parted(rows.strata, settings.train, random if settings.retrain else rows.random(1))
    strata = rows.strata[others]
    test, holdout = parted(strata, settings.holdout / (1 - settings.train), random)
    codes = np.zeros((5, len(others)), np.int64)
    everyone, subsets = np.arange(len(others)), settings.holdout_subsets
    for partition, part, count, first in (
        (0, everyone, settings.test_subsets, 0),
        (1, everyone, settings.test_subsets, 0),
        (2, test, subsets, 0),
        (2, holdout, subsets, subsets),
    ):
        for unit, places in enumerate(dealt(strata[part], count, random), first):
            codes[partition, part[places]] = unit
    codes[4, holdout] = 1
    return Deal(train, others, codes, max(settings.test_subsets, 2 * subsets), _places(settings))


def _places(settings: Settings) -> dict[tuple[Approach, Role], tuple[int, slice]]:
    subsets = settings.holdout_subsets
    return {
        ("test_sets", "goal"): (0, slice(0, settings.test_subsets)),
        ("test_sets", "evaluation"): (1, slice(0, settings.test_subsets)),
        ("holdout", "goal"): (2, slice(0, subsets)),
        ("holdout", "evaluation"): (2, slice(subsets, 2 * subsets)),
    }


def refuse_small(name: str, data: DataSet, settings: Settings) -> None:
    """Refuse data of which a subset would have no row of one of the classes."""
    rarest = int(np.bincount(data.target, minlength=2).min())
    if settings.train * rarest < 1:
        raise UndefinedError(
            "E_TOOFEW",
            f"{name}: {settings.train:g} of the rows leaves no training row of the rarer class",
            hint="a larger --train",
        )
    smallest = min(settings.train_holdout_test[1:])
    for share, subsets in ((1 - settings.train, settings.test_subsets), (smallest, settings.holdout_subsets)):
        rows = int(share * rarest)
        if rows < subsets:
            raise UndefinedError(
                "E_SUBSETS",
                f"{name}: {counted(rows, 'row')} of the rarer class cannot be dealt out into {subsets:,} subsets",
                hint="fewer subsets: --test-subsets and --holdout-subsets",
            )
