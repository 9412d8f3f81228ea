"""Rows of a cursor, as Python's drivers of databases give them: columns of one kind, within the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.predictions.memory import refuse_beyond
from referee.predictions.table import column_of, kind_of, mixed_error, refuse_duplicate_columns

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_AT_ONCE = 50_000


def columns_of(cursor: Any, source: str, limit: int) -> pa.Table:
    """All rows of a query that was sent; E_TOOBIG as soon as they pass the limit."""
    names = [description[0] for description in cursor.description]
    refuse_duplicate_columns(source, names)
    parts: list[list[pa.Array]] = [[] for _ in names]
    kinds: dict[str, str] = {}
    rows = size = 0
    while block := cursor.fetchmany(ROWS_AT_ONCE):
        for name, part, values in zip(names, parts, zip(*block, strict=True), strict=True):
            _refuse_other_kind(source, name, values, rows + 1, kinds)
            part.append(column_of(values, source, name, rows + 1))
            size += part[-1].nbytes
        rows += len(block)
        refuse_beyond(limit, size, source, f"the first {rows:,} rows")
    return _joined(names, parts)


def _refuse_other_kind(source: str, column: str, values: tuple[Any, ...], row: int, kinds: dict[str, str]) -> None:
    """SQLite lets each row have its own type, so that a block may start with another kind than the blocks before."""
    present = ((place, value) for place, value in enumerate(values) if value is not None)
    place, value = next(present, (0, None))
    if value is not None and kinds.setdefault(column, kind_of(value)) != kind_of(value):
        raise mixed_error(source, column, row + place, value, kinds[column])


def _joined(names: list[str], parts: list[list[pa.Array]]) -> pa.Table:
    import pyarrow as pa

    columns = []
    for part in parts:
        kinds = {chunk.type for chunk in part if not pa.types.is_null(chunk.type)}
        kind = kinds.pop() if len(kinds) == 1 else pa.float64() if kinds else pa.null()
        columns.append(pa.chunked_array([chunk.cast(kind, safe=False) for chunk in part], kind))
    return pa.table(columns, names=names)
