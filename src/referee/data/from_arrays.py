"""Matrices, frames and arrays in memory as a DataSet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from referee.columns.from_arrays import refuse_other_order
from referee.data.reading import RoleColumns, dataset_of_table
from referee.dataset import DataSet
from referee.errors import UsageError, did_you_mean
from referee.readers import read_table
from referee.readers.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

SomeDataSet = TypeVar("SomeDataSet", bound=DataSet)
COLUMN_ROLES = ("id", "group", "time", "weight")
SETTINGS = ("task", "positive", "classes", "drop_label", "metrics")


def dataset_of_arrays(
    kind: type[SomeDataSet], features: Any, target: Any, *, names: Sequence[str] | None = None, **given: Any
) -> SomeDataSet:
    """Put the arrays beside each other as the columns of one table, and read that."""
    for role in given:
        if role not in (*COLUMN_ROLES, *SETTINGS):
            raise UsageError("E_ROLE", f"there is no role {role!r}; {did_you_mean(role, (*COLUMN_ROLES, *SETTINGS))}")
    for role, values in {"y": target, **given}.items():
        refuse_other_order(role, values, "X", features)
    table = _table_of(features, names)
    columns = {name: table.columns.column(name) for name in table.columns.column_names}
    target_name = _add(columns, "target", target, table)
    roles = {role: _add(columns, role, given[role], table) for role in COLUMN_ROLES if given.get(role) is not None}
    settings = {name: given[name] for name in SETTINGS if given.get(name) is not None}
    whole = Table(table.name, read_table(columns).columns)
    return dataset_of_table(kind, whole, RoleColumns(target_name, **roles), **settings)


def _table_of(features: Any, names: Sequence[str] | None) -> Table:
    if isinstance(features, Mapping) or not _is_matrix(features):
        return read_table(features)
    matrix = np.asarray(features)
    if matrix.ndim != 2:
        raise UsageError("E_SHAPE", f"X has {matrix.ndim} dimensions, expected rows and columns")
    wanted = [f"x{place + 1}" for place in range(matrix.shape[1])] if names is None else [str(name) for name in names]
    if len(wanted) != matrix.shape[1]:
        raise UsageError("E_SHAPE", f"{len(wanted)} names were given for the {matrix.shape[1]} columns of X")
    return Table("the arrays", read_table(dict(zip(wanted, matrix.T, strict=True))).columns)


def _is_matrix(features: Any) -> bool:
    is_plain_array = isinstance(features, np.ndarray) and features.dtype.names is None
    return is_plain_array or isinstance(features, list | tuple)


def _add(columns: dict[str, Any], role: str, values: Any, table: Table) -> str:
    """Add a column for a role and give its name; a text names a column that is there."""
    if isinstance(values, str):
        table.column(values)
        return values
    own_name = getattr(values, "name", None)
    name = own_name if isinstance(own_name, str) and own_name else role
    if name in columns:
        if role == "target":
            raise UsageError(
                "E_TARGET",
                f"the target {name!r} is also among the features of {table.name}: a model would read the answer",
                hint=f"drop the column, or give y={name!r} if it is the target",
            )
        name = next(
            f"{name}{'_' * times}" for times in range(1, len(columns) + 2) if f"{name}{'_' * times}" not in columns
        )
    length = len(values) if hasattr(values, "__len__") else None
    if length != table.rows:
        shown = "no length" if length is None else f"{length:,} values"
        raise UsageError("E_LENGTH", f"the {role} has {shown}, X has {table.rows:,} rows")
    columns[name] = values
    return name
