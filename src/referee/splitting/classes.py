"""The classes of a target, and the numbers of things that have names."""

from __future__ import annotations

from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import InputError, UsageError

if TYPE_CHECKING:
    from referee.arrays import Array


def column_of(values: Any, name: str, kind: str = "E_MISSING") -> Array:
    """One value of each row; a missing one is refused with its row."""
    column = np.asarray(values)
    if column.ndim == 2 and column.shape[1] == 1:
        column = column[:, 0]
    if column.ndim != 1:
        raise UsageError("E_LENGTH", f"{name} has the shape {column.shape}; one value for each row is needed")
    missing = _missing(column)
    if missing.any():
        raise InputError(kind, f"{name} is missing in row {int(missing.argmax()) + 1}")
    return column


def _missing(column: Array) -> Array:
    if column.dtype.kind == "O":
        # Of all values only NaN, NaT and the like differ from themselves; pandas' NA refuses to say.
        return np.array([value is None or type(value).__name__ == "NAType" or value != value for value in column], bool)  # noqa: PLR0124
    if column.dtype.kind in "fcM":
        return np.asarray(column != column)  # noqa: PLR0124
    return np.zeros(len(column), bool)


def codes_of(values: Any, name: str) -> tuple[Array, tuple[str, ...]]:
    """The number of each value from 0 in the order of the values, and the values as they are shown."""
    column = column_of(values, name)
    if column.dtype.kind == "O":
        column = np.array([_shown(value) for value in column])
    distinct, codes = np.unique(column, return_inverse=True)
    return codes, tuple(_shown(value) for value in distinct)


def classes_of(y: Any) -> tuple[Array, tuple[str, ...]] | None:
    """The class of each row and their names; None where y holds numbers with fractions."""
    column = column_of(y, "y")
    if column.dtype.kind == "O" and all(isinstance(value, Number) for value in column):
        column = column.astype(float)
    if column.dtype.kind == "f" and (column % 1 != 0).any():
        return None
    return codes_of(column, "y")


def _shown(value: Any) -> str:
    whole = isinstance(value, float | np.floating) and value.is_integer()
    return str(int(value)) if whole else str(value)
