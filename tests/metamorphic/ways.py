"""Ways by which the same columns reach referee: engines and formats of files."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

import referee
from referee import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from tests.metamorphic.cases import Case


def table_of(case: Case) -> pa.Table:
    return pa.table({name: pa.array(np.asarray(values).tolist()) for name, values in case.columns.items()})


def in_memory(case: Case, _folder: Path) -> tuple[Any, dict[str, Any]]:
    return table_of(case), {}


def as_csv(case: Case, folder: Path) -> tuple[Any, dict[str, Any]]:
    pa.csv.write_csv(table_of(case), folder / "rows.csv")
    return folder / "rows.csv", {}


def as_parquet(case: Case, folder: Path) -> tuple[Any, dict[str, Any]]:
    pa.parquet.write_table(table_of(case), folder / "rows.parquet", row_group_size=40)
    return folder / "rows.parquet", {}


def as_json_lines(case: Case, folder: Path) -> tuple[Any, dict[str, Any]]:
    lines = "".join(json.dumps(row) + "\n" for row in table_of(case).to_pylist())
    (folder / "rows.jsonl").write_text(lines)
    return folder / "rows.jsonl", {}


def as_arrow(case: Case, folder: Path) -> tuple[Any, dict[str, Any]]:
    pa.feather.write_feather(table_of(case), folder / "rows.arrow", compression="uncompressed")
    return folder / "rows.arrow", {}


def as_sqlite(case: Case, folder: Path) -> tuple[Any, dict[str, Any]]:
    (folder / "rows.sqlite").unlink(missing_ok=True)
    columns, rows = list(case.columns), zip(*table_of(case).to_pydict().values(), strict=True)
    with closing(sqlite3.connect(folder / "rows.sqlite")) as base:
        base.execute(f"CREATE TABLE rows ({', '.join(map(_quoted, columns))})")
        base.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * len(columns))})", rows)
        base.commit()
    return f"sqlite:///{folder / 'rows.sqlite'}#rows", {}


def _quoted(name: str) -> str:
    return f'"{name}"'


def streamed(case: Case, folder: Path) -> tuple[Any, dict[str, Any]]:
    source, _ = as_parquet(case, folder)
    return source, {"options": ReadOptions(engine="stream")}


def from_database(case: Case, _folder: Path) -> tuple[Any, dict[str, Any]]:
    """As people give a table of DuckDB: `evaluate` reads one that is small, `compare` leaves it there."""
    import ibis

    return ibis.memtable(table_of(case)), {}


def in_database(case: Case, folder: Path) -> tuple[Any, dict[str, Any]]:
    """All that is summed is summed by DuckDB."""
    source, _ = from_database(case, folder)
    return source, {"options": ReadOptions(engine="database")}


def summed(case: Case, _folder: Path) -> tuple[Any, dict[str, Any]]:
    """The sum of the states of both halves; its roles are its own."""
    pieces = np.arange(len(case.pieces))
    halves = [case.take(pieces[pieces % 2 == half]) for half in (0, 1)]
    first, second = (referee.summarise(table_of(half), **half.roles) for half in halves)
    return first + second, {"roles": {}}


FORMATS = {"CSV": as_csv, "Parquet": as_parquet, "JSON lines": as_json_lines, "Arrow": as_arrow, "SQLite": as_sqlite}
ENGINES = {"memory": in_memory, "stream": streamed, "database": in_database, "DuckDB": from_database}


def asked(call: Any, case: Case, way: Any, folder: Path, **more: Any) -> Any:
    """The answer of `evaluate` or `compare` by one way."""
    source, given = way(case, folder)
    return call(source, **given.pop("roles", case.roles), **given, **more)
