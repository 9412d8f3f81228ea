"""Spark frames, which Spark sums up where they are; they are read only where sums are not enough, and counted first."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from referee.errors import InputError, refuse_without
from referee.predictions import Answering, InPlace, ReadOptions, Source, Table, answered_table

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


def open_spark(frame: Any, _: ReadOptions) -> InPlace:
    """Leave a frame to its session, which knows it by a view as long as a query runs."""
    refuse_without("spark", "ibis", to="a frame of Spark")
    import ibis

    assert ibis.pyspark  # which makes Ibis know the options of its compiler
    session = frame.sparkSession

    def answer(sql: str, name: str, schema: pa.Schema) -> pa.Table:
        frame.createOrReplaceTempView(name)
        with in_words():
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
        said = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InputError("E_SPARK", f"Spark did not answer a query: {said}") from error


def over_parquet(source: str, files: list[Path], options: ReadOptions) -> InPlace:
    """Parquet files as a frame of the session that Spark's own settings ask for: a cluster, or this machine."""
    refuse_without("spark", "pyspark", "ibis", to="--engine spark")
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    try:
        session = SparkSession.builder.appName("referee").getOrCreate()
    except (PySparkException, RuntimeError, OSError) as error:
        hint = "it needs Java 17 or later (JAVA_HOME); SPARK_REMOTE or spark-defaults.conf name a cluster"
        raise InputError("E_SPARK", f"Spark does not start: {str(error).partition(chr(10))[0]}", hint=hint) from error
    with in_words():
        frame = session.read.parquet(*(str(file.resolve()) for file in files))
    size = sum(file.stat().st_size for file in files)
    return replace(open_spark(frame, options), name=source, size=size)


source = Source(
    "Spark frame",
    what="A Spark data frame, which stays in Spark and is summarised there. With `--engine spark`, also Parquet files.",
    shown="frame",
    given=read_spark,
    takes=is_spark,
    size=rows_and_bytes,
    in_place=open_spark,
    over_parquet=over_parquet,
)
