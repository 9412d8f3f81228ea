"""SQLite files, opened read-only; identifiers come from the catalogue."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from referee.errors import InputError
from referee.predictions import (
    ReadOptions,
    Source,
    Table,
    chosen_table,
    column_of,
    kind_of,
    memory_limit,
    mixed_error,
    quoted,
    refuse_beyond,
    refuse_duplicate_columns,
)

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    import pyarrow as pa

ROWS_AT_ONCE = 50_000
TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"


def read_sqlite(source: str, path: Path, options: ReadOptions) -> Table:
    """Read one table (or view) of an SQLite file."""
    import sqlite3

    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            # A hostile file cannot run functions from its schema.
            connection.execute("PRAGMA trusted_schema = OFF")
            known = sorted(name for (name,) in connection.execute(TABLES))
            name = chosen_table(source, options.table, known)
            columns = _columns(connection, source, name, memory_limit(options))
    except sqlite3.Error as error:
        raise _sqlite_error(source, error) from error
    return Table(source, columns, notes=(f"table {name!r}",))


def _sqlite_error(source: str, error: sqlite3.Error) -> InputError:
    text = str(error)
    if "decode to UTF-8" in text:
        return InputError("E_ENCODING", f"{source}: {text[:200]}", hint="the text in the database is not UTF-8")
    if "locked" in text:
        return InputError("E_SQLITE", f"{source} is locked by another program", hint="run again when it is done")
    return InputError(
        "E_SQLITE",
        f"{source} is damaged, or not an SQLite database: {text}",
        hint="'PRAGMA integrity_check' in sqlite3 tells more",
    )


def _columns(connection: sqlite3.Connection, source: str, table: str, limit: int) -> pa.Table:
    cursor = connection.execute(f"SELECT * FROM {quoted(table)}")
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
    """SQLite lets each row have its own type: a block may start with another kind than the blocks before."""
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


source = Source(
    "SQLite",
    what="A table or view of an SQLite file, opened read-only.",
    shown="sqlite:///preds.db#table",
    starts=((0, b"SQLite format 3\x00"),),
    suffixes=(".sqlite", ".sqlite3", ".db"),
    database=read_sqlite,
)
