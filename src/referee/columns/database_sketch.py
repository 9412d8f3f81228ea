"""A small table that stands for one in a database: every distinct cell of a column once, or enough of them.

What the rules of reading find in the sketch holds for the whole table: its labels, kinds, largest numbers, and the
cells that are missing, not finite or no number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from referee.columns.database_columns import FLOAT, fetch_row, fetch_table
from referee.readers.cell_numbers import NUMBER
from referee.readers.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from referee.arrays import Column
    from referee.columns.database_sources import DatabaseSource
    from referee.errors import InputError

HEAD = 1000
"""Rows that tell which columns of text hold numbers."""
MOST_CELLS = 10_000
"""Columns with more distinct cells hold numbers, unless their role says otherwise."""
ROW = re.compile(r", row [0-9]+")
MISSING = re.compile(r": missing( \(|$)")
ROWS = re.compile(r" \([0-9,]+ rows?( so far)?\)")


@dataclass(frozen=True)
class Sketch:
    source: DatabaseSource
    table: Table

    def numbers(self, column: str) -> Column:
        """The column as numbers: 32-bit floats if stored so, else 64-bit ones."""
        cells = self.source.table[column]
        kind = cells.type()
        if kind.is_float32() or kind.is_float64():
            return cells
        if kind.is_boolean():
            return cells.cast("int8").cast(FLOAT)
        if kind.is_decimal():  # by way of text, as the nearest float may be missed
            return cells.cast("string").cast(FLOAT)
        return (cells.strip() if kind.is_string() else cells).cast(FLOAT)

    def cells(self, column: str) -> list[Any]:
        return list(self.table.column(column).to_pylist())

    def in_words(self, error: InputError) -> InputError:
        """The error about a cell of the sketch as one about the database, which has values but no rows."""
        message = ROW.sub("", error.message)
        column = next((name for name in self.source.table.columns if f"column {name!r}" in message), None)
        if column and (rows := self._rows_like(column, message)):
            message = ROWS.sub("", message)
            message = re.sub(r": missing$", f": missing ({rows})", message)
            message = message.replace(" is not a finite number", f" ({rows}) is not a finite number")
        return type(error)(error.code, message, hint=error.hint)

    def _rows_like(self, column: str, message: str) -> str | None:
        cells = self.source.table[column]
        if message.endswith("is not a finite number"):
            count = _not_finite(cells).sum()
        elif MISSING.search(message):
            count = (cells.isnull() | (cells.strip() == "") if cells.type().is_string() else cells.isnull()).sum()
        else:
            return None
        rows = int(fetch_row(self.source.table.aggregate(rows=count))["rows"])
        return "1 row" if rows == 1 else f"{rows:,} rows"


def head_of_table(source: DatabaseSource) -> Table:
    """The first rows, for what the types of the columns do not tell."""
    table = source.table
    plain = [name for name in table.columns if _is_plain(table[name].type())]
    cells = fetch_table(table.select(plain).limit(HEAD)) if plain else None
    rows = cells.num_rows if cells is not None else 0
    return Table(
        source.name, _table({name: _head_cells(cells, name, rows) for name in table.columns}), notes=source.notes
    )


def _is_plain(kind: Any) -> bool:
    return bool(kind.is_numeric() or kind.is_string() or kind.is_boolean() or kind.is_temporal())


def _head_cells(cells: Any, name: str, rows: int) -> Any:
    import pyarrow as pa

    return cells.column(name) if cells is not None and name in cells.column_names else pa.nulls(rows)


def sketch_of_column(source: DatabaseSource, name: str) -> Sketch:
    """All distinct cells of one column."""
    return Sketch(source, Table(source.name, _table({name: _distinct(source.table, name, all_=True)})))


def sketch(source: DatabaseSource, head: Table, used: Iterable[str], complete: set[str], ids: str | None) -> Sketch:
    """Bring the distinct cells of the used columns; of those in `complete` all, however many there are."""
    import pyarrow as pa

    columns = {name: _distinct(source.table, name, all_=name in complete) for name in used}
    rows = max([1, *map(len, columns.values())])
    filled = {name: _filled(columns.get(name, head.columns.column(name)), rows) for name in source.table.columns}
    if ids in filled:
        filled[ids] = pa.array(range(rows))
    return Sketch(source, Table(source.name, _table(filled), notes=source.notes))


def _table(columns: dict[str, Any]) -> pa.Table:
    import pyarrow as pa

    return pa.table(list(columns.values()), names=list(columns))


def _distinct(table: Any, name: str, *, all_: bool) -> pa.ChunkedArray:
    import pyarrow as pa

    cells = table.select(cell=table[name]).distinct()
    found = fetch_table(cells if all_ else cells.limit(MOST_CELLS + 1)).column("cell")
    if all_ or len(found) <= MOST_CELLS:
        return found
    telling = fetch_table(_telling_cells(table.select(cell=table[name]))).column("cell")
    return pa.chunked_array([*found.chunks, *telling.cast(found.type).chunks])


def _telling_cells(rows: Any) -> Any:
    """Of many cells those that a rule may ask for: the extremes, a fraction, and what must not be there."""
    import ibis

    kind = rows.cell.type()
    parts = [rows.filter(rows.cell.isnull()).limit(1)]
    if kind.is_string():
        parts += [rows.filter(~rows.cell.strip().re_search(NUMBER)).limit(1)]
    else:
        parts += [rows.aggregate(cell=rows.cell.min()), rows.aggregate(cell=rows.cell.max())]
    if kind.is_floating():
        parts += [rows.filter(_not_finite(rows.cell)).limit(1)]
    if kind.is_floating() or kind.is_decimal():
        parts += [rows.filter(rows.cell != rows.cell.floor()).limit(1)]
    return ibis.union(parts[0], *(part.cast({"cell": kind}) for part in parts[1:]))


def _not_finite(cells: Any) -> Any:
    return (cells.isnan() | cells.isinf()).fill_null(False)


def _filled(cells: Any, rows: int) -> Any:
    """The cells once, and one of them again until there are enough."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(cells):
        return pa.nulls(rows, cells.type)
    place = max(pc.index(pc.is_valid(cells), True).as_py(), 0)
    return cells.take(pa.array([*range(min(len(cells), rows)), *[place] * (rows - len(cells))]))
