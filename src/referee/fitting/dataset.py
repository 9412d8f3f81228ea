"""DataSet: features and target of rows that models are fitted on, and the roles of the other columns."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from referee.errors import UsageError, listed
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from referee.arrays import Array
    from referee.errors import Notice
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

    @classmethod
    def from_arrays(cls, X: Any, y: Any, **roles: Any) -> Self:  # noqa: N803
        """Take a matrix, a frame or a dict of columns, and the target as an array, or as the name of a column.

        `roles` are those of `read_dataset`; group, time, weight and id may be arrays or names of columns. The columns
        of a matrix are named x1, x2 ... unless `names` has others.

        >>> DataSet.from_arrays([[1.0, 2.0], [3.0, 5.0]], [0.5, 0.7]).features[1].name
        'x2'
        """
        from referee.fitting.dataset_columns import dataset_of_arrays

        return dataset_of_arrays(cls, X, y, **roles)

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
    return dataset_of_table(DataSet, table, roles, task=task, metrics=metrics, **said)
