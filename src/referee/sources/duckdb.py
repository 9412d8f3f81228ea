"""DuckDB files, opened read-only and cut off from other files and the network."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from referee.errors import InputError
from referee.predictions import ReadOptions, Source, Table, chosen_table, memory_limit, quoted, refuse_beyond

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

# A view in a hostile file could otherwise read any file of the user. Set after opening, which may need a log file.
CLOSE = "SET enable_external_access = false"
TABLES = "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal"
VIEWS = "SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal"


def read_duckdb(source: str, path: Path, options: ReadOptions) -> Table:
    """Read one table (or view) of a DuckDB file."""
    import duckdb

    with readable(source), closing(duckdb.connect(str(path), read_only=True)) as connection:
        schema, name, shown = find_table(connection, source, options.table)
        columns = _columns(connection, source, f"{quoted(schema)}.{quoted(name)}", memory_limit(options))
    return Table(source, columns, notes=(f"table {shown!r}",))


@contextmanager
def readable(source: str) -> Iterator[None]:
    """Say of what DuckDB cannot read that it is the file."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise InputError(
            "E_DUCKDB",
            f"{source} cannot be read as a DuckDB database: {str(error).split(chr(10))[0]}",
            hint="it may be damaged, open in another program, or written by a newer DuckDB",
        ) from error


def find_table(connection: Any, source: str, wanted: str | None) -> tuple[str, str, str]:
    """Close the connection to all but its own file, and choose a table: its schema, its name, and as the user says."""
    connection.execute(CLOSE)
    rows = connection.execute(f"{TABLES} UNION ALL {VIEWS}").fetchall()
    known = {name if schema == "main" else f"{schema}.{name}": (schema, name) for schema, name in rows}
    shown = chosen_table(source, wanted, sorted(known))
    return *known[shown], shown


def _columns(connection: Any, source: str, table: str, limit: int) -> pa.Table:
    import pyarrow as pa

    # The stream protocol: its method names differ between versions of DuckDB.
    reader = pa.RecordBatchReader.from_stream(connection.sql(f"SELECT * FROM {table}"))
    batches, rows, size = [], 0, 0
    for batch in reader:
        batches.append(batch)
        rows, size = rows + len(batch), size + batch.nbytes
        refuse_beyond(limit, size, source, f"the first {rows:,} rows")
    return pa.Table.from_batches(batches, reader.schema)


source = Source("DuckDB", starts=((8, b"DUCK"),), suffixes=(".duckdb", ".ddb"), database=read_duckdb)
