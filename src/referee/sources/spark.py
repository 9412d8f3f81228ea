"""Spark frames: counted first, refused if they do not fit into memory, and read with the count said."""

from __future__ import annotations

from typing import Any

from referee.predictions import Source, Table

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
    import pyarrow as pa

    columns = frame.toArrow() if hasattr(frame, "toArrow") else pa.Table.from_pandas(frame.toPandas())
    return Table("Spark DataFrame", columns, notes=(f"{columns.num_rows:,} rows were read from Spark into memory",))


source = Source(
    "Spark frame",
    what="A frame of Spark: counted, refused if it does not fit into memory, and read.",
    shown="frame",
    given=read_spark,
    takes=is_spark,
    size=rows_and_bytes,
)
