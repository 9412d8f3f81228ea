"""Readers: a file, folder, glob, database or frame becomes a `Table`, with errors that name the place."""

from __future__ import annotations

import os
from dataclasses import replace

from referee.errors import InputError
from referee.readers.table import ReadOptions, Table

__all__ = ["ReadOptions", "Table", "read_table"]


def read_table(source: object, options: ReadOptions | None = None) -> Table:
    """Read the columns of one source.

    `source` is a path (CSV, Parquet, Arrow, JSON lines, SQLite, DuckDB; a folder or a glob of Parquet files),
    `sqlite:///f.db#table`, `duckdb:///f.duckdb#table`, or an object: a pandas or polars frame, a pyarrow table,
    reader or dataset, a DuckDB relation, a dict of arrays, a NumPy structured array.

    >>> table = read_table({"y": [0, 1], "A": [0.2, 0.9]})
    >>> table.rows, table.columns.column_names
    (2, ['y', 'A'])
    """
    options = options or ReadOptions()
    if isinstance(source, str | os.PathLike):
        from referee.readers.locations import read_location

        table = read_location(os.fspath(source), options)
    else:
        from referee.readers.frames import read_frame

        table = read_frame(source)
    return _with_rows(replace(table, decimal=options.decimal))


def _with_rows(table: Table) -> Table:
    if not table.columns.num_columns:
        raise InputError("E_EMPTY", f"{table.name} is empty: it has no columns", hint="is it the right file?")
    if not table.rows:
        raise InputError("E_NOROWS", f"{table.name} has no data rows", hint="it holds column names and nothing else")
    return table
