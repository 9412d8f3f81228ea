"""Columns of dates that no role uses, and whether they may say when rows were observed."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from referee.errors import Notice
from referee.predictions.cells import is_numeric, is_text, numbers
from referee.predictions.roles import option_row
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from referee.arrays import Array
    from referee.predictions.alignment import AlignedTable
    from referee.predictions.predictions import Predictions
    from referee.predictions.table import Table

FIRST_ROWS = 1000
ISO = r"^\s*[0-9]{4}-?[0-9]{2}(-?[0-9]{2}([T ].*)?)?\s*$"
OTHER = r"^\s*[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{4}([T ].*)?$"
"""With the year at the end: whether the day or the month comes first, nobody knows."""
OF_ROWS = re.compile(
    r"(?:^|[_ .-])(?i:dates?|datetime|times?|time_?stamp|days?|months?|weeks?|years?|yr|hours?|quarter|period|epoch|ts|"
    r"created|when)(?:$|[_ .-])|[a-z](?:Date|Time|Day|Month|Week|Year|Stamp)$"
)
OF_PERSONS = re.compile(r"birth|born|\bdob", re.IGNORECASE)
"""Words of a name that say when a row was observed, and when somebody was born."""
NUMBERS = {"years": (1800, 2200), "days": (18000101, 22001231), "seconds": (1e8, 5e9), "milliseconds": (1e11, 5e12)}
"""What numbers in a column with such a name are."""


@dataclass(frozen=True)
class DateColumn:
    name: str
    can_be_read: bool
    """By --time, as it is written."""
    is_of_rows: bool
    """Rows stand in its order, or its name says that it is the time of rows."""


def unused_dates(predictions: Predictions) -> list[DateColumn]:
    """The columns without a role that hold dates or instants which are not all the same; those of rows first."""
    if predictions.account is None:
        return []
    sources: Sequence[AlignedTable] = getattr(predictions.slices, "sources", ())
    head, unused = predictions.account.head, predictions.account.columns_left_out
    tables = [source.table for source in sources] or ([] if head is None else [head])
    holders = {name: table for table in tables for name in table.columns.column_names if name in unused}
    columns = [dates for name, table in holders.items() if (dates := _date_column(table, name)) is not None]
    return sorted(columns, key=lambda dates: not dates.is_of_rows)


def date_notices(predictions: Predictions) -> Iterator[Notice]:
    """What to say of such columns where rows are taken for independent."""
    for dates in unused_dates(predictions):
        option = f"--time {option_row([dates.name])}"
        use = f"use {option}" if dates.can_be_read else f"write them as 2024-01-31 and use {option}"
        if dates.is_of_rows:
            yield Notice(
                "W_DATES",
                f"column {dates.name!r} holds dates or times, and rows are treated as independent: if neighbours in "
                f"time may be similar, {use}",
            )


def _date_column(table: Table, name: str) -> DateColumn | None:
    import pyarrow as pa

    cells = table.columns.column(name).slice(0, FIRST_ROWS)
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    named = bool(OF_ROWS.search(name)) and not OF_PERSONS.search(name)
    if cells.null_count or len(cells.unique()) < 2:
        return None
    if pa.types.is_date(cells.type) or pa.types.is_timestamp(cells.type):
        return DateColumn(name, can_be_read=True, is_of_rows=named or _is_sorted(cells.to_pylist()))
    if is_text(cells.type) and (written := _written(cells.cast(pa.string()))):
        orders, can_be_read = written
        return DateColumn(name, can_be_read, is_of_rows=named or any(map(_is_sorted, orders)))
    are_dates = named and is_numeric(table, name) and _count_time(numbers(table, name)[:FIRST_ROWS])
    return DateColumn(name, can_be_read=True, is_of_rows=True) if are_dates else None


def _written(cells: pa.ChunkedArray) -> tuple[list[list[Any]], bool] | None:
    """Dates in each order that they may have, and whether there is only one."""
    import pyarrow.compute as pc

    if pc.all(pc.match_substring_regex(cells, ISO)).as_py():
        return [cells.to_pylist()], True
    if not pc.all(pc.match_substring_regex(cells, OTHER)).as_py():
        return None
    parts = [[int(part) for part in re.findall("[0-9]+", cell)] for cell in cells.to_pylist()]
    return [[(year, month, day) for day, month, year, *_ in parts], [(y, m, d) for m, d, y, *_ in parts]], False


def _is_sorted(cells: Sequence[Any]) -> bool:
    """Whether they rise or fall from row to row."""
    pairs = list(pairwise(cells))
    return all(a <= b for a, b in pairs) or all(a >= b for a, b in pairs)


def _count_time(values: Array) -> bool:
    return any(low <= values.min() and values.max() <= high for low, high in NUMBERS.values())
