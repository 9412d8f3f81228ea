"""Rows that have a value in a column: COL=VALUE."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.predictions.predictions import Predictions


def column_and_value(option: str, given: str) -> tuple[str, str]:
    """Read COL=VALUE.

    >>> column_and_value("--choose-on", "part=validation")
    ('part', 'validation')
    """
    column, equals, value = given.partition("=")
    if not equals or not column or not value:
        raise UsageError("E_SYNTAX", f"{option} {given!r} is not of the form COL=VALUE")
    return column, value


def marked_rows(predictions: Predictions, column: str, value: str) -> Array:
    """Whether each row has the value; some must have it, and some not."""
    if column not in predictions.slices:
        raise UsageError("E_NOCOL", f"there is no column {column!r}; {did_you_mean(column, predictions.slices)}")
    units = predictions.slices[column]
    if str(value) not in units.names:
        raise UsageError("E_NOVALUE", f"column {column!r} has no {value!r}; {did_you_mean(str(value), units.names)}")
    rows = np.asarray(units.codes == units.names.index(str(value)))
    if rows.all():
        raise UsageError("E_NOVALUE", f"all rows have {value!r} in column {column!r}: none is left to judge on")
    return rows
