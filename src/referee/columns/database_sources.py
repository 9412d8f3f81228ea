"""Which sources are database tables that can stay where they are, and the Ibis table for each."""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.columns.database_columns import table_of_relation
from referee.readers.detect import format_of
from referee.readers.files import head_of
from referee.readers.locations import ADDRESS, file_and_table

if TYPE_CHECKING:
    from referee.readers import ReadOptions


@dataclass(frozen=True)
class DatabaseSource:
    """An Ibis table, and how messages call it."""

    name: str
    table: Any
    notes: tuple[str, ...] = ()


def database_source(source: Any, options: ReadOptions) -> DatabaseSource | None:
    """The table of a source in a database; None for any other source."""
    if isinstance(source, str | os.PathLike):
        return _of_location(os.fspath(source), options)
    if _is(source, "ibis.expr.types", "Table"):
        return DatabaseSource(_shown(source), source)
    if _is(source, "duckdb", "DuckDBPyRelation"):
        return DatabaseSource("duckdb DuckDBPyRelation", table_of_relation(source))
    return None


def _is(source: Any, module: str, kind: str) -> bool:
    """Whether it is of a type of a package, which is not imported to find out."""
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(source, getattr(loaded, kind))


def _shown(table: Any) -> str:
    return f"table {table.get_name()!r}" if table.op().__class__.__name__ == "DatabaseTable" else "ibis Table"


def _of_location(source: str, options: ReadOptions) -> DatabaseSource | None:
    if address := ADDRESS.match(source):
        if address[1].lower() != "duckdb":
            return None
        return _opened(source, *file_and_table(source, "duckdb", options))
    try:
        is_duckdb = Path(source).is_file() and format_of(head_of(Path(source)), source) == "duckdb"
    except (OSError, ValueError):  # what is wrong with it, the reader of files will say
        return None
    return _opened(source, Path(source), options.table) if is_duckdb else None


def _opened(source: str, file: Path, wanted: str | None) -> DatabaseSource:
    import ibis

    from referee.readers.duckdb import find_table, readable

    with readable(source), warnings.catch_warnings():
        # Ibis calls DuckDB by names that newer versions of it have changed.
        warnings.simplefilter("ignore", DeprecationWarning)
        connection = ibis.duckdb.connect(file, read_only=True)
        schema, name, shown = find_table(connection.con, source, wanted)
        return DatabaseSource(source, connection.table(name, database=schema), (f"table {shown!r}",))
