"""Times: cells of dates, instants and numbers as numbers that rise with time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import InputError, UsageError
from referee.predictions.cell_errors import shown_cell
from referee.predictions.cells import is_numeric, is_text, numbers, refuse_missing
from referee.predictions.locations import read_table
from referee.predictions.units import Instants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.predictions.alignment import AlignedTable
    from referee.predictions.predictions import Predictions
    from referee.predictions.table import Table

ZONE = r"(?i:[0-9:.]\s*(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)$)"
"""A zone stands after a time of day; the last part of a date is none."""
CLOCK = r"^\S+[T ]\s*[0-9]{1,2}"


def times(table: Table, column: str) -> Array:
    """Give microseconds since 1970 for dates and times, and numbers as they are.

    >>> times(read_table({"t": ["1970-01-01T00:00:01Z", "1970-01-01T01:00:00+01:00"]}), "t").tolist()
    [1000000, 0]
    """
    import pyarrow as pa

    refuse_missing(table, column)
    cells = table.column(column)
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if is_text(cells.type) and not is_numeric(table, column):
        cells = _instants(table, column, cells.cast(pa.string()))
    if pa.types.is_date(cells.type):
        cells = cells.cast(pa.timestamp("us"))
    if pa.types.is_integer(cells.type):
        return np.asarray(cells.to_numpy())
    if not pa.types.is_temporal(cells.type):
        return numbers(table, column).astype(float)
    if pa.types.is_timestamp(cells.type):
        cells = cells.cast(pa.timestamp("us", cells.type.tz), safe=False)
    width = pa.int32() if pa.types.is_time32(cells.type) else pa.int64()
    return np.asarray(cells.cast(width).to_numpy(), np.int64)


def _instants(table: Table, column: str, cells: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(cells)
    timed = pc.match_substring_regex(trimmed, CLOCK)
    zoned = np.asarray(pc.and_(timed, pc.match_substring_regex(trimmed, ZONE)).to_numpy())
    if zoned.any() and not zoned.all():
        raise _mixed_zones(table, column, zoned)
    kind = pa.timestamp("us", "UTC" if zoned.all() else None)
    try:
        return trimmed.cast(kind)
    except pa.ArrowInvalid:
        return pa.chunked_array([[_instant(table, column, row, cell) for row, cell in enumerate(trimmed)]], kind)


def _instant(table: Table, column: str, row: int, cell: Any) -> Any:
    """Read one time by Python's rules for ISO 8601, which know more forms than Arrow's."""
    from datetime import datetime

    written = cell.as_py()
    try:
        return datetime.fromisoformat(f"{written}-01" if len(written) == len("2024-10") else written)
    except ValueError:
        place = f"{table.name}: column {column!r}, row {table.row_number(row + 1)}"
        raise InputError(
            "E_TIME",
            f"{place}: {shown_cell(cell.as_py())} is not a time",
            hint="write times as 2024-10-27T02:30:00Z, dates as 2024-10-27, months as 2024-10, or as numbers",
        ) from None


def _mixed_zones(table: Table, column: str, zoned: Array) -> InputError:
    rare = zoned if 2 * zoned.sum() < len(zoned) else ~zoned
    row = table.row_number(int(np.argmax(rare)) + 1)
    which = "has a time zone, most others have none" if rare is zoned else "has no time zone, the others do"
    more = f" ({table.counted(int(rare.sum()))} like it)" if rare.sum() > 1 else ""
    return InputError(
        "E_TIME",
        f"{table.name}: column {column!r}, row {row} {which}{more}: their order is unknown",
        hint="write all times with a time zone, or all without",
    )


def with_time(predictions: Predictions, time: Any) -> Predictions:
    """The same predictions in the order of time: a column of the source that they were read from, or an array."""
    sources: Sequence[AlignedTable] = getattr(predictions.slices, "sources", ())
    if not isinstance(time, str):
        return replace(predictions, time=Instants.of(_given_times(time, predictions.rows)))
    for source in sources:
        if time in source.table.columns.column_names:
            return replace(predictions, time=Instants.of(source.align(times(source.table, time))))
    raise UsageError(
        "E_NOCOL",
        f"the predictions were not read from a table with a column {time!r}",
        hint="give the times of the rows as an array: time=values",
    )


def _given_times(time: Any, rows: int) -> Array:
    values = times(replace(read_table({"time": time}), name="the arrays"), "time")
    if len(values) != rows:
        raise UsageError("E_LENGTH", f"'time' has {len(values):,} values, the predictions have {rows:,} rows")
    return values
