"""DataSet: features and target of rows that models are fitted on, and what in them may give the answer away."""

from __future__ import annotations

import re
from dataclasses import field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from referee.document import counted
from referee.errors import Notice, UsageError, listed
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.predictions import Account, ReadOptions, Units
    from referee.scoring import Metric, Task


@dataclass(frozen=True)
class Feature:
    """A column that models learn from.

    >>> Feature("housing", "categorical", ("own", "rent")).is_categorical
    True
    """

    name: str
    kind: Literal["numeric", "categorical"] = "numeric"
    categories: tuple[str, ...] = ()
    """What the codes of a categorical feature stand for."""
    missing: int = 0
    """Rows without a value."""

    @property
    def is_categorical(self) -> bool:
        return self.kind == "categorical"


@dataclass(frozen=True, eq=False)
class DataSet:
    """Features as a matrix, and a target.

    >>> data = DataSet.from_arrays({"age": [30, 40, None], "job": ["a", "b", "a"]}, ["no", "yes", "no"])
    >>> data.X.tolist()
    [[30.0, 0.0], [40.0, 1.0], [nan, 0.0]]
    >>> data.task, data.classes, data.notes[0]
    ('binary', ('no', 'yes'), '1 numeric, 1 categorical feature; 1 has missing values')
    """

    X: Array
    """One row for each example; categories as codes, a missing value as NaN."""
    features: tuple[Feature, ...]
    target: Array
    """Codes of the classes, or numbers."""
    task: Task
    classes: tuple[str, ...] = ()
    positive: int | None = None
    group: Units | None = None
    time: Array | None = None
    """Numbers in the order of time: microseconds since 1970 for dates, else as they are written."""
    weight: Array | None = None
    weight_scale: float = 1.0
    """The power of two by which extreme weights were multiplied."""
    ids: Array | None = None
    target_column: str = "target"
    source: str = ""
    notices: tuple[Notice, ...] = ()
    notes: tuple[str, ...] = field(default=())
    """What was understood."""
    account: Account | None = None
    """What was read, where it came from columns."""

    @staticmethod
    def from_arrays(X: Any, y: Any, **roles: Any) -> DataSet:  # noqa: N803
        """Take a matrix, a frame or a dict of columns, and the target as an array, or as the name of a column.

        `roles` are those of `read_dataset`; group, time, weight and id may be arrays or names of columns. The columns
        of a matrix are named x1, x2 ... unless `names` has others.

        >>> DataSet.from_arrays([[1.0, 2.0], [3.0, 5.0]], [0.5, 0.7]).features[1].name
        'x2'
        """
        from referee.fitting.dataset_columns import dataset_of_arrays

        return dataset_of_arrays(X, y, **roles)

    @property
    def rows(self) -> int:
        return len(self.target)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of content and names, the same whatever container it came in."""
        described = (self.task, self.classes, self.positive, self.target_column, self.weight_scale)
        schema = [(feature.name, feature.kind, feature.categories) for feature in self.features]
        groups = () if self.group is None else self.group.names
        digest = blake2b(repr((described, schema, groups)).encode(), digest_size=16)
        columns = (*self.X.T, self.target, self.group and self.group.codes, self.time, self.weight)
        for column in columns:
            digest.update(b"none" if column is None else _hash(column))
        return digest.hexdigest()


def _hash(column: Array) -> bytes:
    """The hash of a column as 64-bit numbers, of which zero and NaN have only one form."""
    exact = column.astype(np.int64) if column.dtype.kind in "iu" else np.asarray(column, np.float64) + 0.0
    plain = np.where(np.isnan(exact), np.nan, exact) if exact.dtype.kind == "f" else exact
    return blake2b(np.ascontiguousarray(plain).data, digest_size=16).digest()


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
    copies = [
        feature.name for feature, column in zip(data.features, data.X.T, strict=True) if _says_the_same(data, column)
    ]
    if copies:
        what, verb = ("column", "equals") if len(copies) == 1 else ("columns", "equal")
        yield Notice(
            "W_LEAK",
            f"{data.source}: {what} {listed(copies)} {verb} the target {data.target_column!r}: a model that can read "
            "the answer is always right; remove it, unless it is known before the target is",
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
            f"(row {again[0] + 1} is row {first + 1} again): if one is in the training part and the other in the "
            "test part, the model has seen the answer; remove them, or put equal rows in one --group",
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
                f"{counted(data.rows, 'row')}) and looks like a group: rows of the same group would be in both train "
                f"and test, and the scores too good; use --group '{feature.name}', or leave the column out",
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


def dataset_of(X: Any, y: Any, **said: Any) -> DataSet:  # noqa: N803
    """A `DataSet` as it is, or made of arrays; what is said of labels belongs to where it is made."""
    if not isinstance(X, DataSet):
        return DataSet.from_arrays(X, y, **said)
    given = [name for name in ("positive", "classes", "drop_label") if said.get(name) is not None]
    if given:
        raise UsageError("E_ROLE", f"{listed(given)} belongs to the DataSet: name it where that is made")
    return X


def read_dataset(
    source: Any,
    target: str,
    *,
    task: Task | None = None,
    positive: Any = None,
    classes: Sequence[Any] | None = None,
    drop_label: Any = None,
    id: str | None = None,  # noqa: A002
    group: str | None = None,
    time: str | None = None,
    weight: str | None = None,
    options: ReadOptions | None = None,
    metrics: Sequence[Metric] = (),
) -> DataSet:
    """Read a file, database table or frame with features and a target; all columns without a role are features.

    `metrics` are those that will be asked, where they settle whether whole numbers are classes or amounts.

    >>> data = read_dataset({"y": [0, 1, 0], "a": [1.5, 2, 3], "g": ["u", "u", "v"]}, "y", group="g")
    >>> data.features, data.group.names
    ((Feature(name='a', kind='numeric', categories=(), missing=0),), ('u', 'v'))
    """
    from referee.fitting.dataset_columns import RoleColumns, dataset_of_table
    from referee.predictions import ReadOptions, read_table

    roles = RoleColumns(target, id=id, group=group, time=time, weight=weight)
    table = read_table(source, options or ReadOptions())
    said = {"positive": positive, "classes": classes, "drop_label": drop_label}
    return dataset_of_table(table, roles, task=task, metrics=metrics, **said)
