"""DuckDB files, opened read-only and cut off from other files and the network."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from referee.errors import InputError
from referee.readers.database_tables import chosen_table, quoted
from referee.readers.memory import refuse_beyond
from referee.readers.table import Table

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

# A view in a hostile file could otherwise read any file of the user. Set after opening, which may need a log file.
CLOSE = "SET enable_external_access = false"
TABLES = "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal"
VIEWS = "SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal"


def read_duckdb(source: str, path: Path, table: str | None, limit: int) -> Table:
    """Read one table (or view) of a DuckDB file."""
    import duckdb

    try:
        with closing(duckdb.connect(str(path), read_only=True)) as connection:
            connection.execute(CLOSE)
            known = _tables(connection)
            name = chosen_table(source, table, sorted(known))
            columns = _columns(connection, source, known[name], limit)
    except duckdb.Error as error:
        raise InputError(
            "E_DUCKDB",
            f"{source} cannot be read as a DuckDB database: {str(error).split(chr(10))[0]}",
            hint="it may be damaged, open in another program, or written by a newer DuckDB",
        ) from error
    return Table(source, columns, notes=(f"table {name!r}",))


def _tables(connection: Any) -> dict[str, str]:
    """Names as the user writes them ('preds', or 'schema.preds' outside the main schema), and as SQL."""
    rows = connection.execute(f"{TABLES} UNION ALL {VIEWS}").fetchall()
    return {
        name if schema == "main" else f"{schema}.{name}": f"{quoted(schema)}.{quoted(name)}" for schema, name in rows
    }


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
