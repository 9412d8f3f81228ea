"""Tables of Ibis, which their database sums up; what runs in this process and knows no windows over ranks is read."""

from __future__ import annotations

import sys
from typing import Any

from referee.errors import UsageError
from referee.predictions import InPlace, ReadOptions, Source, Table, fetch_row, fetch_table

READ = ("sqlite", "polars", "datafusion")
"""Backends in this process: SQLite takes minutes for ranks of a thousand rows, polars and DataFusion lack windows."""
BYTES = 8
"""Of a cell; text takes more, which is seen when it has come."""


def is_ibis(thing: Any) -> bool:
    """Whether it is a table of Ibis, which is not imported to find out."""
    loaded = sys.modules.get("ibis.expr.types")
    return loaded is not None and isinstance(thing, loaded.Table)


def rows_and_bytes(table: Any) -> tuple[int, int]:
    _backend(table)
    rows = int(fetch_row(table.aggregate(rows=table.count()))["rows"])
    return rows, rows * len(table.columns) * BYTES


def read_ibis(table: Any) -> Table:
    """All rows in memory."""
    columns = fetch_table(table)
    return Table(_shown(table), columns, notes=(f"{columns.num_rows:,} rows were read",))


def open_ibis(table: Any, options: ReadOptions) -> InPlace | None:
    """Leave a table to its database, if that is one which sums up."""
    backend = _backend(table)
    if backend not in READ:
        return InPlace(_shown(table), table)
    if options.engine == "database":
        what = f"--engine database cannot be used here: the rows of Ibis's {backend} backend are read"
        raise UsageError("E_ENGINE", what, hint="omit --engine")
    return None


def _backend(table: Any) -> str:
    """Who answers queries; what is only a name for a table has nobody, and what joins two databases has two."""
    from ibis.common.exceptions import IbisError

    try:
        return str(table.get_backend().name)
    except IbisError as error:
        said = str(error).partition(".")[0]
        hint = "give a table of a connection, such as ibis.duckdb.connect('preds.duckdb').table('preds')"
        raise UsageError("E_DATABASE", f"{_shown(table)} belongs to no single database: {said}", hint=hint) from error


def _shown(table: Any) -> str:
    is_named = type(table.op()).__name__ in ("DatabaseTable", "UnboundTable")
    return f"table {table.get_name()!r}" if is_named else "ibis Table"


source = Source(
    "Ibis table",
    what="A table or query of Ibis, summarised by its database (DuckDB, PostgreSQL, Spark) where possible.",
    shown='ibis.duckdb.connect("preds.duckdb").table("preds")',
    given=read_ibis,
    takes=is_ibis,
    size=rows_and_bytes,
    in_place=open_ibis,
)
