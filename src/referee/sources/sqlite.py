"""SQLite files, opened read-only; identifiers come from the catalogue."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from referee.errors import InputError, UsageError, WriteError
from referee.predictions import (
    READ,
    ReadOptions,
    Source,
    Table,
    chosen_table,
    columns_of,
    memory_limit,
    quoted,
    say_scan,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

    from referee.predictions import Run, WrittenTable

TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"


def read_sqlite(source: str, path: Path, options: ReadOptions) -> Table:
    """Read one table (or view) of an SQLite file."""
    import sqlite3

    say_scan(options, source, None, path.stat().st_size, READ)
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            # A hostile file cannot run functions from its schema.
            connection.execute("PRAGMA trusted_schema = OFF")
            cursor, note = _asked(connection, source, options)
            columns = columns_of(cursor, source, memory_limit(options))
    except sqlite3.Error as error:
        raise _sqlite_error(source, error) from error
    return Table(source, columns, notes=(note,))


def _asked(connection: sqlite3.Connection, source: str, options: ReadOptions) -> tuple[sqlite3.Cursor, str]:
    """The rows of the table or query, and what is noted of it."""
    if options.sql is None:
        known = sorted(name for (name,) in connection.execute(TABLES))
        name = chosen_table(source, options.table, known)
        return connection.execute(f"SELECT * FROM {quoted(name)}"), f"table {name!r}"
    import sqlite3

    connection.set_authorizer(_reads_only)
    try:
        cursor = connection.execute(options.sql)
    except sqlite3.Error as error:
        raise UsageError("E_SQL", f"{source} does not answer --sql: {error}") from error
    if cursor.description is None:
        raise UsageError("E_SQL", f"{source}: --sql is not a SELECT, so there are no rows")
    return cursor, "a query"


def _reads_only(action: int, *_: Any) -> int:
    import sqlite3

    reading = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
    return sqlite3.SQLITE_OK if action in reading else sqlite3.SQLITE_DENY


@contextmanager
def write_sqlite(place: WrittenTable) -> Iterator[Run]:
    """One transaction; the file is made if it is not there."""
    import sqlite3

    try:
        with closing(sqlite3.connect(place.file, isolation_level=None)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("BEGIN IMMEDIATE")
            yield lambda sql, *values: connection.execute(sql, values).fetchall()
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise WriteError("E_WRITE", f"{place.shown}: {error}") from error


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


source = Source(
    "SQLite",
    what="A table or view of an SQLite file, opened read-only.",
    shown="sqlite:///preds.db#table",
    starts=((0, b"SQLite format 3\x00"),),
    suffixes=(".sqlite", ".sqlite3", ".db"),
    database=read_sqlite,
    writes=write_sqlite,
)
