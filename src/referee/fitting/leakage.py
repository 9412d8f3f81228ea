"""What may carry the answer from the test rows into training: a copy of the target, repeated rows, groups."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from referee.errors import Notice, listed
from referee.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.fitting.dataset import DataSet, Feature

GROUP_WORD = re.compile(
    r"(^|_)(grp|group|cluster|patient|subject|person|user|customer|client|account|member|household|family|session|"
    r"visit|site|hospital|clinic|school|batch|plate|device|sensor|machine|speaker|writer|author|animal|donor)"
    r"s?(_?(id|no|nr|num|number|code|key|name))?$|[a-z0-9]_?id$"
)

FEWEST_GROUPS = 5


def leakage_notices(data: DataSet) -> tuple[Notice, ...]:
    """Everything that is suspicious about the data themselves, whatever the scheme."""
    return (*copies_of_target(data), *duplicate_rows(data), *group_like_columns(data))


def copies_of_target(data: DataSet) -> Iterator[Notice]:
    """Features that say the same as the target, value by value."""
    copies = [one.name for one, column in zip(data.features, data.X.T, strict=True) if _says_the_same(data, column)]
    if copies:
        what, verb = ("column", "equals") if len(copies) == 1 else ("columns", "equal")
        yield Notice(
            "W_LEAK",
            f"{data.source}: {what} {listed(copies)} {verb} the target {data.target_column!r}: a model that may read "
            "the answer is always right; leave it out of the file, unless it is known before the target is",
        )


def _says_the_same(data: DataSet, column: Array) -> bool:
    if np.isnan(column).any():
        return False
    if data.task == "regression":
        return np.array_equal(column, data.target)
    values, codes = np.unique(column, return_inverse=True)
    if len(values) != len(np.unique(data.target)):
        return False
    pairs = np.unique(codes.reshape(-1) * len(data.classes) + data.target)
    return len(pairs) == len(values)


def duplicate_rows(data: DataSet) -> Iterator[Notice]:
    """Rows that repeat an earlier one in every feature and the target."""
    again, first = _repeated(np.column_stack([data.X, data.target]))
    if len(again):
        verb = "repeats" if len(again) == 1 else "repeat"
        yield Notice(
            "W_DUPROWS",
            f"{data.source}: {len(again):,} of {counted(data.rows, 'row')} {verb} an earlier one exactly "
            f"(row {again[0] + 1} is row {first + 1} again): if one is in training and the other in the test part, the "
            "model has seen the answer; remove them, or give equal rows one --group",
        )


def _repeated(rows: Array) -> tuple[Array, int]:
    """The places of rows that have occurred before, and where the first of them occurred first."""
    plain = np.where(np.isnan(rows), np.nan, rows + 0.0)
    keys = np.zeros(len(plain), np.uint64)
    for column in plain.T:
        keys = (keys ^ np.ascontiguousarray(column).view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(29)
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    earlier = first[which]
    suspects = np.flatnonzero(earlier < np.arange(len(plain)))
    same = plain[suspects].view(np.uint64) == plain[earlier[suspects]].view(np.uint64)
    again = suspects[same.all(axis=1)]
    return again, int(earlier[again[0]]) if len(again) else 0


def group_like_columns(data: DataSet) -> Iterator[Notice]:
    """Columns whose values stand for several rows that belong together, where no group was named."""
    if data.group is not None:
        return
    for feature, column in zip(data.features, data.X.T, strict=True):
        groups = _groups(feature, column)
        if groups:
            yield Notice(
                "W_GROUPLEAK",
                f"{data.source}: column {feature.name!r} repeats over rows ({groups:,} values in "
                f"{counted(data.rows, 'row')}) and looks like a group: rows of the same group would be in train and "
                f"test, and the scores too good; say --group {feature.name}, or leave the column out",
            )


def _groups(feature: Feature, column: Array) -> int:
    """How many groups a column has, 0 if it is none: by its name, or as names in blocks of a few rows."""
    if not feature.is_categorical and not bool((column == np.floor(column)).all()):
        return 0
    groups = len(np.unique(column))
    if not FEWEST_GROUPS <= groups <= len(column) // 2:
        return 0
    in_blocks = int(np.count_nonzero(np.diff(column))) + 1 == groups
    named = GROUP_WORD.search(feature.name.lower()) is not None
    return groups if named or (feature.is_categorical and in_blocks and groups**2 >= len(column)) else 0
