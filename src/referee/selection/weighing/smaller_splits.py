"""Smaller splits: the same test rows after fewer training rows, for learning curves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from referee.errors import UsageError
from referee.splitting.rows import Rows, Together
from referee.splitting.strata import evenly_ordered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.dataset import DataSet
    from referee.selection.resampling import Resampling
    from referee.splitting.split import Split

CELL = 2**31 + 1
"""Keeps these streams apart from those of the splits."""


def smaller_splits(resampling: Resampling, sizes: Sequence[float]) -> list[list[Split]]:
    """For each size the same splits with so many of the training rows: a smaller part lies inside each larger one.

    Rows of a group stay together. Of rows in time the latest are taken, as whoever trains on fewer would.
    """
    streams = Rows(0, seed=resampling.seed, cell=(CELL,))
    orders = [_ordered(resampling.data, split, streams.random(n)) for n, split in enumerate(resampling.splits)]
    return [
        [_cut(split, *ordered, size) for split, ordered in zip(resampling.splits, orders, strict=True)]
        for size in sizes
    ]


def _ordered(data: DataSet, split: Split, random: np.random.RandomState) -> tuple[Array, Array]:
    """The training rows in the order in which they are added, and after how many of them one may stop."""
    train = split.train
    strata = data.target[train] if data.classes else np.zeros(len(train), np.int64)
    if data.time is not None:
        moments = Together(data.time[train])
        return _by_pieces(train, moments, np.arange(len(moments))[::-1])
    if data.group is not None:
        groups = Together(data.group.codes[train])
        return _by_pieces(train, groups, evenly_ordered(groups.as_rows(Rows(len(train), labels=strata)).strata, random))
    return train[evenly_ordered(strata, random)], np.arange(1, len(train) + 1)


def _by_pieces(train: Array, pieces: Together, sequence: Array) -> tuple[Array, Array]:
    order = np.argsort(np.argsort(sequence)[pieces.piece], kind="stable")
    return train[order], np.cumsum(pieces.sizes[sequence])


def _cut(split: Split, order: Array, ends: Array, size: float) -> Split:
    """With whole pieces, of which there may be a few rows more."""
    rows = ends[np.searchsorted(ends, _count(size, len(order)))]
    return replace(split, train=np.sort(order[:rows]), seen=None, inner=())


def _count(size: float, rows: int) -> int:
    count = round(size * rows) if size <= 1 else int(size)
    if not 2 <= count <= rows:
        what = f"{size:g} of {rows:,} training rows is {count:,}" if size <= 1 else f"there are {rows:,} training rows"
        raise UsageError("E_PARAMETER", f"--learning-curve {size:g}: {what}", hint="at least 2 rows, at most all")
    return count
