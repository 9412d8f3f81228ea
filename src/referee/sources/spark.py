"""Spark frames and tables, which Spark sums up where they are; they are read only where sums are not enough."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from referee.errors import InputError, refuse_without
from referee.predictions import (
    READ,
    Answering,
    InPlace,
    ReadOptions,
    Source,
    Stamps,
    Table,
    answered_table,
    chosen_table,
    memory_limit,
    named_table,
    refuse_beyond,
    refuse_password,
    refuse_query,
    say_scan,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

NAME = "Spark DataFrame"
BYTES = 8
"""Of a cell; text takes more, which is seen when it has come."""


def is_spark(thing: Any) -> bool:
    """Whether it is a frame of Spark, classic or Connect; Spark is not imported to find out."""
    kind = type(thing)
    return kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.")


def rows_and_bytes(frame: Any) -> tuple[int, int]:
    rows = int(frame.count())
    return rows, rows * len(frame.columns) * BYTES


def read_spark(frame: Any) -> Table:
    """All rows in memory here, where they are scored."""
    columns = _arrow(frame)
    return Table(NAME, columns, notes=(f"{columns.num_rows:,} rows were read from Spark into memory",))


def _arrow(frame: Any) -> pa.Table:
    import pyarrow as pa

    return frame.toArrow() if hasattr(frame, "toArrow") else pa.Table.from_pandas(frame.toPandas())


def read_address(source: str, options: ReadOptions) -> Table:
    """All rows of a table of a cluster, counted first."""
    frame, note = _of_address(source, options)
    rows, size = rows_and_bytes(frame)
    refuse_beyond(memory_limit(options), size, source, f"{rows:,} rows")
    say_scan(options, source, rows, size, READ)
    return replace(read_spark(frame), name=source, notes=(note,))


def open_spark(given: Any, options: ReadOptions) -> InPlace:
    """Leave a frame, or a table of `spark://host:port#table`, to its session."""
    refuse_without("spark", "ibis", to="a frame of Spark")
    if not isinstance(given, str):
        return _of_frame(given)
    frame, note = _of_address(given, options)
    return replace(_of_frame(frame), name=given, notes=(note,))


def _of_address(source: str, options: ReadOptions) -> tuple[Any, str]:
    """A table of a cluster's catalogue, or a query; the address is that of its master."""
    refuse_password(source)
    refuse_query(source, options, "timeout")
    master, _, table = source.partition("#")
    wanted = named_table(source, table, options)
    session = _session(master)
    with in_words():
        if options.sql is not None:
            return session.sql(options.sql.strip().rstrip(";")), "a query"
        chosen = wanted
        if wanted is None or not session.catalog.tableExists(wanted):
            chosen = chosen_table(source, wanted, [row.tableName for row in session.sql("SHOW TABLES").collect()])
        return session.table(chosen), f"table {chosen!r}"


def _session(master: str | None = None) -> Any:
    """That of a cluster, or of what Spark's own settings ask for."""
    refuse_without("spark", "pyspark", "ibis", to="Spark")
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    builder = builder.appName("referee")
    try:
        return (builder if master is None else builder.master(master)).getOrCreate()
    except (PySparkException, Py4JError, RuntimeError, OSError) as error:
        hint = "it needs Java 17 or later (JAVA_HOME) and, with spark://, a cluster that answers"
        raise InputError("E_SPARK", f"Spark does not start: {_said(error)}", hint=hint) from error


def _of_frame(frame: Any, stamps: Stamps | None = None) -> InPlace:
    """A frame that its session knows by a view as long as a query runs, of files that nobody may change."""
    import ibis

    assert ibis.pyspark  # which makes Ibis know the options of its compiler
    session, stamps = frame.sparkSession, stamps or Stamps(())

    def answer(sql: str, name: str, schema: pa.Schema) -> pa.Table:
        frame.createOrReplaceTempView(name)
        with stamps.unchanged(), in_words():
            try:
                return _arrow(session.sql(sql)).cast(schema)
            finally:
                session.catalog.dropTempView(name)

    with in_words():
        kinds = _arrow(frame.limit(0)).schema
    return InPlace(NAME, answered_table(ibis.Schema.from_pyarrow(kinds), Answering("pyspark", answer)), by="Spark")


@contextmanager
def in_words() -> Iterator[None]:
    """Say what Spark says."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, OSError) as error:
        raise InputError("E_SPARK", f"Spark did not answer a query: {_said(error)}") from error


def _said(error: Exception) -> str:
    """The first line; of an error in Java the second, as the first only tells which call it was."""
    first, _, more = str(error).strip().partition("\n")
    return more.partition("\n")[0].removeprefix(": ") if more.startswith(": ") else first or type(error).__name__


def over_parquet(source: str, files: list[Path], options: ReadOptions) -> InPlace:
    """Parquet files as a frame of the session that Spark's own settings ask for: a cluster, or this machine."""
    del options  # memory is a matter of the cluster's settings
    session = _session()
    stamps = Stamps(files)
    with in_words():
        frame = session.read.parquet(*(str(file.resolve()) for file in files))
    return replace(_of_frame(frame, stamps), name=source, size=stamps.size)


source = Source(
    "Spark frame",
    what="A Spark data frame, which stays in Spark and is summarised there; on the command line, a table of a cluster "
    "(`spark://host:7077#table`) or, with `--engine spark`, Parquet files.",
    shown="frame",
    given=read_spark,
    takes=is_spark,
    address=read_address,
    size=rows_and_bytes,
    in_place=open_spark,
    over_parquet=over_parquet,
)
