"""DuckDB files, opened read-only and cut off from other files and the network."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from referee.errors import refuse_without
from referee.predictions import ReadOptions, Source, Table, find_table, memory_limit, quoted, readable, refuse_beyond

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa


def read_duckdb(source: str, path: Path, options: ReadOptions) -> Table:
    """Read one table (or view) of a DuckDB file."""
    refuse_without("sql", "duckdb", to=f"reading {source}")
    import duckdb

    with readable(source), closing(duckdb.connect(str(path), read_only=True)) as connection:
        schema, name, shown = find_table(connection, source, options.table)
        columns = _columns(connection, source, f"{quoted(schema)}.{quoted(name)}", memory_limit(options))
    return Table(source, columns, notes=(f"table {shown!r}",))


def _columns(connection: Any, source: str, table: str, limit: int) -> pa.Table:
    import pyarrow as pa

    _refuse_before_reading(connection, source, table, limit)
    # The stream protocol: its method names differ between versions of DuckDB.
    reader = pa.RecordBatchReader.from_stream(connection.sql(f"SELECT * FROM {table}"))
    batches, rows, size = [], 0, 0
    for batch in reader:
        batches.append(batch)
        rows, size = rows + len(batch), size + batch.nbytes
        refuse_beyond(limit, size, source, f"the first {rows:,} rows")
    return pa.Table.from_batches(batches, reader.schema)


def _refuse_before_reading(connection: Any, source: str, table: str, limit: int) -> None:
    """Columns of one width tell how large the table is at least; how long texts are is seen when they are read."""
    import pyarrow as pa

    ((rows,),) = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
    schema = pa.RecordBatchReader.from_stream(connection.sql(f"SELECT * FROM {table} LIMIT 0")).read_all().schema
    width = sum(field.type.bit_width for field in schema if pa.types.is_primitive(field.type)) / 8
    refuse_beyond(limit, rows * width, source, f"its {rows:,} rows")


source = Source(
    "DuckDB",
    what="A table of a DuckDB file, summarised by the database where that is possible.",
    shown="duckdb:///preds.duckdb#table",
    starts=((8, b"DUCK"),),
    suffixes=(".duckdb", ".ddb"),
    database=read_duckdb,
)
