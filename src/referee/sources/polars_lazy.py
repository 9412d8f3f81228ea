"""Lazy frames of polars: their batches pass through DuckDB, which sums them up; they are collected only if need be."""

from __future__ import annotations

import re
from contextlib import closing, contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from referee.errors import InputError
from referee.predictions import Answering, InPlace, ReadOptions, Source, Table, answered_table, quoted, readable

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

NAME = "polars LazyFrame"
BATCH = 1 << 17
EVERYTHING = re.compile(r"SELECT\s+\*")
BYTES = 8
"""Of a cell; text takes more, which is seen when it has come."""


def is_lazy(thing: Any) -> bool:
    """Whether it is a lazy frame; polars is not imported to find out."""
    return type(thing).__name__ == "LazyFrame" and type(thing).__module__.startswith("polars.")


def rows_and_bytes(frame: Any) -> tuple[int, int]:
    rows = _rows(frame)
    return rows, rows * len(frame.collect_schema()) * BYTES


def _rows(frame: Any) -> int:
    import polars

    with in_words():
        return int(frame.select(polars.len()).collect(engine="streaming").item())


@contextmanager
def in_words() -> Iterator[None]:
    """Say what polars says of a plan that fails."""
    import polars

    try:
        yield
    except (polars.exceptions.PolarsError, OSError) as error:
        said = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InputError("E_POLARS", f"{NAME}: its plan fails: {said}", hint="frame.collect() says the same") from error


def read_lazy(frame: Any) -> Table:
    """All rows in memory."""
    with in_words():
        columns = frame.collect(engine="streaming").to_arrow()
    return Table(NAME, columns, notes=(f"{columns.num_rows:,} rows were collected",))


class Batches:
    """The columns of a lazy frame as a stream of Arrow data, which begins anew for everybody who asks."""

    def __init__(self, frame: Any, schema: pa.Schema) -> None:
        self.frame, self.schema = frame.select(schema.names), schema
        self.failed: Exception | None = None
        """Why the plan fails, of which DuckDB says less."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        import pyarrow as pa

        return pa.RecordBatchReader.from_batches(self.schema, self._batches()).__arrow_c_stream__(requested_schema)

    def _batches(self) -> Iterator[Any]:
        try:
            for batch in self.frame.collect_batches(chunk_size=BATCH):
                yield from batch.to_arrow().cast(self.schema).to_batches()
        except Exception as error:
            self.failed = error
            raise


def open_lazy(frame: Any, _: ReadOptions) -> InPlace:
    """Leave a frame as it is: each query runs its plan, of the columns that the query names."""
    import ibis
    import pyarrow as pa

    with in_words():
        known = frame.head(0).collect().to_arrow().schema

    def answer(sql: str, name: str, schema: pa.Schema) -> pa.Table:
        import duckdb

        named = [field for field in known if quoted(field.name) in sql] or [known.field(0)]
        batches = Batches(frame, known if EVERYTHING.search(sql) else pa.schema(named))
        with readable(NAME), closing(duckdb.connect()) as connection:
            connection.register(name, batches)
            try:
                return pa.RecordBatchReader.from_stream(connection.sql(sql)).read_all().cast(schema)
            except (duckdb.Error, pa.ArrowException, OSError) as error:
                with in_words():
                    raise batches.failed or error from None

    table = answered_table(ibis.Schema.from_pyarrow(known), Answering("duckdb", answer))
    return InPlace(NAME, table, by="DuckDB")


CAN_STREAM = find_spec("ibis") is not None and find_spec("duckdb") is not None
source = Source(
    "polars LazyFrame",
    what="A lazy frame of polars, such as a scan of Parquet files, whose rows are summarised as they pass.",
    shown="polars.scan_parquet('preds/*.parquet')",
    given=read_lazy,
    takes=is_lazy,
    size=rows_and_bytes,
    in_place=open_lazy if CAN_STREAM else None,
)
