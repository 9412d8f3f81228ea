"""What is written in any format reads back exactly, and as the same cells as the CSV."""

from __future__ import annotations

import csv
import json
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather

from referee.predictions import numbers, quoted, read_table, texts
from referee.predictions.cell_labels import labels

from ..strategies import FEW_EXAMPLES

NAME = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=6)
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=6)
CELLS = {
    "text": (TEXT, pa.string(), "TEXT"),
    "integer": (st.integers(-(2**63), 2**63 - 1), pa.int64(), "BIGINT"),
    "float": (st.floats(allow_nan=False, allow_infinity=False), pa.float64(), "DOUBLE"),
}


@st.composite
def tables(draw):
    kinds = draw(st.lists(st.sampled_from(list(CELLS)), min_size=1, max_size=3))
    names = draw(st.lists(NAME, min_size=len(kinds), max_size=len(kinds), unique_by=str.casefold))
    rows = draw(st.integers(1, 4))
    columns = [
        pa.array(draw(st.lists(CELLS[kind][0] | st.none(), min_size=rows, max_size=rows)), CELLS[kind][1])
        for kind in kinds
    ]
    return pa.table(columns, names=names)


def write_parquet(table, folder):
    pq.write_table(table, folder / "t.parquet", write_page_checksum=True)
    return folder / "t.parquet"


def write_feather(table, folder):
    feather.write_feather(table, folder / "t.feather")
    return folder / "t.feather"


def write_stream(table, folder):
    with pa.ipc.new_stream(folder / "t.arrows", table.schema) as writer:
        writer.write_table(table)
    return folder / "t.arrows"


def write_json_lines(table, folder):
    lines = [json.dumps(row, ensure_ascii=False) for row in table.to_pylist()]
    (folder / "t.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder / "t.jsonl"


def write_json_array(table, folder):
    (folder / "t.json").write_text(json.dumps(table.to_pylist(), indent=1))
    return folder / "t.json"


def _insert(connection, table):
    declared = {kind: name for _, kind, name in CELLS.values()}
    columns = ", ".join(f"{quoted(field.name)} {declared[field.type]}" for field in table.schema)
    connection.execute(f"CREATE TABLE t ({columns})")
    places = ", ".join("?" * table.num_columns)
    rows = list(zip(*table.to_pydict().values(), strict=True))
    connection.executemany(f"INSERT INTO t VALUES ({places})", rows)


def write_sqlite(table, folder):
    with closing(sqlite3.connect(folder / "t.sqlite")) as connection, connection:
        _insert(connection, table)
    return folder / "t.sqlite"


def write_duckdb(table, folder):
    with closing(duckdb.connect(str(folder / "t.duckdb"))) as connection:
        _insert(connection, table)
    return folder / "t.duckdb"


TYPED = {
    "parquet": write_parquet,
    "feather": write_feather,
    "stream": write_stream,
    "json lines": write_json_lines,
    "json array": write_json_array,
    "sqlite": write_sqlite,
    "duckdb": write_duckdb,
    "polars": lambda table, _: pl.from_arrow(table),
    "pyarrow": lambda table, _: table,
}


@pytest.mark.parametrize("kind", TYPED)
@given(table=tables())
@FEW_EXAMPLES
def test_a_written_table_reads_back_exactly(kind, table):
    with tempfile.TemporaryDirectory() as folder:
        read = read_table(TYPED[kind](table, Path(folder)))
    assert read.columns.column_names == table.column_names
    assert read.columns.to_pydict() == table.to_pydict()


@given(
    st.lists(
        st.tuples(
            st.integers(2**53, 2**63 - 1),
            st.sampled_from(["no", "yes", 'say "yes"', "y,n", "a\nb"]),
            st.floats(allow_nan=False, allow_infinity=False, width=32),
        ),
        min_size=1,
        max_size=6,
    )
)
@FEW_EXAMPLES
def test_every_format_gives_the_cells_of_the_csv(rows):
    table = pa.table([list(column) for column in zip(*rows, strict=True)], names=["id", "y", "A"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([table.column_names, *rows])
        expected = read_table(path)
        for kind, write in {**TYPED, "pandas": lambda table, _: table.to_pandas()}.items():
            read = read_table(write(table, Path(folder)))
            assert texts(read, "id").tolist() == texts(expected, "id").tolist(), kind
            assert numbers(read, "A").tolist() == numbers(expected, "A").tolist(), kind
            codes, names, _ = labels(read, "y")
            assert (codes.tolist(), names) == (labels(expected, "y")[0].tolist(), labels(expected, "y")[1]), kind


def test_reading_a_csv_needs_only_pyarrow_and_numpy(written):
    path = str(written("t.csv", "y,A\n1,0.5\n"))
    code = (
        "import sys; import referee.predictions\n"
        "heavy = {'pyarrow', 'duckdb', 'pandas', 'polars', 'narwhals', 'sqlite3'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        f"referee.predictions.read_table({path!r})\n"
        "assert not {'duckdb', 'polars', 'narwhals', 'sqlite3'} & set(sys.modules)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_a_frame_of_the_file_is_the_file(written):
    path = written("t.csv", "id,y\nr1,yes\nr2,no\n")
    assert read_table(pd.read_csv(path)).columns.to_pydict() == read_table(path).columns.to_pydict()
