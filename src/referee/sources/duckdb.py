"""DuckDB files, opened read-only and cut off from other files and the network."""

from __future__ import annotations

import os
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from referee.errors import UsageError, WriteError, refuse_without
from referee.predictions import (
    CLOSE,
    READ,
    InPlace,
    ReadOptions,
    Source,
    Stamps,
    Table,
    TemporaryFolder,
    file_and_table,
    find_table,
    heeding_signals,
    memory_limit,
    quoted,
    readable,
    refuse_beyond,
    say_scan,
    table_of_relation,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from pathlib import Path

    import pyarrow as pa

    from referee.predictions import Run, WrittenTable


OWN, SMALLEST, OF_THREAD = 200_000_000, 100_000_000, 500_000_000
"""Bytes: what Python and the libraries take beside a database, the least that is left to it, and what a thread may."""


def read_duckdb(source: str, path: Path, options: ReadOptions) -> Table:
    """Read one table (or view) of a DuckDB file, or what a query gives."""
    refuse_without("sql", "duckdb", to=f"reading {source}")
    with readable(source), closing(_opened(path, options)) as connection:
        relation, note = _relation(connection, source, options)
        columns = _columns(relation, source, options)
    return Table(source, columns, notes=(note, f"{columns.num_rows:,} rows were read"))


def open_duckdb(source: str | PathLike[str], options: ReadOptions) -> InPlace:
    """Open a table, view or query, which stays where it is; the file is closed when nobody asks any more."""
    name = os.fspath(source)
    file, table = file_and_table(name, options)
    refuse_without("sql", "duckdb", "ibis", to=f"reading {name}")
    with readable(name):
        relation, note = _relation(_opened(file, options), name, replace(options, table=table))
        rows = None if options.sql is not None else relation.aggregate("count(*)").fetchall()[0][0]
    return InPlace(
        name, table_of_relation(relation, name, room=options.max_memory), (note,), "DuckDB", rows, file.stat().st_size
    )


@contextmanager
def write_duckdb(place: WrittenTable) -> Iterator[Run]:
    """One transaction; the file is made if it is not there."""
    refuse_without("sql", "duckdb", to=f"writing {place.shown}")
    import duckdb

    try:
        with heeding_signals(), closing(duckdb.connect(str(place.file))) as connection:
            connection.execute(CLOSE)
            connection.execute("BEGIN")
            yield lambda sql, *values: connection.execute(sql, values).fetchall()
            connection.execute("COMMIT")
    except duckdb.Error as error:
        raise WriteError("E_WRITE", f"{place.shown}: {str(error).partition(chr(10))[0]}") from error


def over_parquet(
    source: str, files: list[Path], options: ReadOptions, folder: TemporaryFolder | None = None
) -> InPlace:
    """Parquet files as a table of a database that is nowhere else, and takes no more memory than it may.

    The folder is where it sorts what memory does not hold, and may be that of the files.
    """
    refuse_without("sql", "duckdb", "ibis", to="DuckDB over Parquet files")
    import duckdb
    from pyarrow import parquet

    folder = folder or TemporaryFolder()
    settings = {"temp_directory": str(folder.path / "sorted"), **_within(options)}
    stamps = Stamps(files)
    with readable(source), stamps.unchanged():
        relation = duckdb.connect(config=settings).read_parquet([str(file) for file in files])
    rows = sum(parquet.read_metadata(file).num_rows for file in files)
    notes = (f"{len(files)} files",) if len(files) > 1 else ()
    return InPlace(
        source,
        table_of_relation(relation, source, stamps, folder, options.max_memory),
        notes,
        "DuckDB",
        rows,
        stamps.size,
    )


def _opened(file: Path, options: ReadOptions) -> Any:
    """A connection that only reads; one that the process already has to the file keeps where it sorts."""
    import duckdb

    connection = duckdb.connect(str(file), read_only=True)
    with suppress(duckdb.Error, OSError, WriteError):
        connection.execute("SET temp_directory = '{}'".format(str(_sorted().path / uuid4().hex).replace("'", "''")))
    for name, value in _within(options).items():
        connection.execute(f"SET {name} = '{value}'")
    return connection


@cache
def _sorted() -> TemporaryFolder:
    """Where all files of this process are sorted, and not beside them: connections to one file share it."""
    return TemporaryFolder()


def _within(options: ReadOptions) -> dict[str, Any]:
    """What DuckDB is told of a limit that was said."""
    if options.max_memory is None:
        return {}
    limit = max(options.max_memory - OWN, SMALLEST)
    # Every thread sorts by itself, and the order of rows is of no interest.
    threads = max(1, min(os.cpu_count() or 1, limit // OF_THREAD))
    return {"memory_limit": f"{limit}B", "threads": threads, "preserve_insertion_order": False}


def _relation(connection: Any, source: str, options: ReadOptions) -> tuple[Any, str]:
    import duckdb

    if options.sql is None:
        schema, name, shown = find_table(connection, source, options.table)
        return connection.sql(f"FROM {quoted(schema)}.{quoted(name)}"), f"table {shown!r}"
    connection.execute(CLOSE)
    try:
        relation = connection.sql(options.sql)
    except duckdb.Error as error:
        raise UsageError("E_SQL", f"{source} does not answer --sql: {str(error).partition(chr(10))[0]}") from error
    if relation is None:
        raise UsageError("E_SQL", f"{source}: --sql is not a SELECT, so there are no rows")
    return relation, "a query"


def _columns(relation: Any, source: str, options: ReadOptions) -> pa.Table:
    import pyarrow as pa

    limit = memory_limit(options)
    _look_before_reading(relation, source, options)
    # The stream protocol: its method names differ between versions of DuckDB.
    reader = pa.RecordBatchReader.from_stream(relation)
    batches, rows, size = [], 0, 0
    for batch in reader:
        batches.append(batch)
        rows, size = rows + len(batch), size + batch.nbytes
        refuse_beyond(limit, size, source, f"the first {rows:,} rows")
    return pa.Table.from_batches(batches, reader.schema)


def _look_before_reading(relation: Any, source: str, options: ReadOptions) -> None:
    """Columns of one width tell how large the table is at least; how long texts are is seen when they are read."""
    import pyarrow as pa

    ((rows,),) = relation.aggregate("count(*)").fetchall()
    schema = pa.RecordBatchReader.from_stream(relation.limit(0)).read_all().schema
    width = sum(field.type.bit_width for field in schema if pa.types.is_primitive(field.type)) / 8
    refuse_beyond(memory_limit(options), rows * width, source, f"its {rows:,} rows")
    say_scan(options, source, rows, round(rows * width), READ)


source = Source(
    "DuckDB",
    what="A table of a DuckDB file, summarised by the database where possible.",
    shown="duckdb:///preds.duckdb#table",
    starts=((8, b"DUCK"),),
    suffixes=(".duckdb", ".ddb"),
    database=read_duckdb,
    in_place=open_duckdb,
    over_parquet=over_parquet,
    writes=write_duckdb,
)
