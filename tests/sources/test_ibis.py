"""Tables of Ibis: what its backends sum up stays there, what they cannot is read, and what is no table is refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import duckdb
import ibis
import polars as pl
import pytest

from benchmarks.engines import TWO, compared, table
from referee import ReadOptions, compare
from referee.predictions import read_table

from .refusals import refused

pytestmark = pytest.mark.filterwarnings("ignore")  # of what Ibis calls
ROWS = table(300)
MODELS = {"truth": "y", "models": ["a", "b"]}


@pytest.fixture(params=["duckdb", "sqlite", "polars"])
def preds(request, tmp_path):
    """A table of a connection, and whether it is summarised there."""
    path = tmp_path / f"preds.{request.param}"
    if request.param == "polars":
        connection = ibis.polars.connect()
        connection.create_table("preds", pl.from_arrow(ROWS))
    elif request.param == "duckdb":
        with duckdb.connect(path) as made:
            made.register("given", ROWS)
            made.execute("CREATE TABLE preds AS FROM given")
        connection = ibis.duckdb.connect(path, read_only=True)
    else:
        with closing(sqlite3.connect(path)) as made:
            made.execute(f"CREATE TABLE preds ({', '.join(map(repr, ROWS.column_names))})")
            marks = ", ".join("?" * ROWS.num_columns)
            made.executemany(f"INSERT INTO preds VALUES ({marks})", [tuple(row.values()) for row in ROWS.to_pylist()])
            made.commit()
        connection = ibis.sqlite.connect(path)
    kinds = dict(connection.table("preds").schema())
    unknown = {name: "float64" for name in ("y", "a", "b", "c") if not kinds[name].is_numeric()}
    yield connection.table("preds").cast(unknown), request.param == "duckdb"
    connection.disconnect()


@pytest.mark.parametrize("goal", ["accuracy", "roc_auc"])
def test_the_verdict_is_that_of_memory(preds, goal):
    """Ranks are windows over windows, for which SQLite takes minutes and which polars does not know."""
    source, is_summarised = preds
    memory, found, largest = compared(ROWS, goal, source, **TWO)
    assert max(largest.values()) <= 1e-9 and found.sentence == memory.sentence
    assert found.predictions.has_rows != is_summarised
    told = [notice.message for notice in found.warnings if notice.code == "W_ROWSREAD"]
    assert told == (
        [] if is_summarised else ["all 300 rows were read from the database: they cannot be summarised there"]
    )


def test_whoever_names_the_database_is_told(preds):
    source, is_summarised = preds
    if is_summarised:
        assert (
            compare(source, goal="brier", options=ReadOptions(engine="database"), **MODELS).predictions.engine
            == "database"
        )
    else:
        with refused("E_ENGINE", "backend are read", exit_code=2):
            compare(source, goal="brier", options=ReadOptions(engine="database"), **MODELS)
    with refused("E_TOOBIG", "300 rows", exit_code=8):
        read_table(source, ReadOptions(max_memory=1000))


@pytest.mark.parametrize("engine", ["auto", "memory", "database"])
def test_what_belongs_to_no_database(engine):
    unbound = ibis.table({"y": "int64", "a": "float64", "b": "float64"}, name="preds")
    with refused(
        "E_DATABASE", "table 'preds' belongs to no single database", exit_code=2, hint="table of a connection"
    ):
        compare(unbound, goal="brier", options=ReadOptions(engine=engine), **MODELS)


def test_what_a_backend_has_no_words_for(monkeypatch):
    """polars stands in for the many backends that nobody has tried."""
    from referee.sources import ibis as ibis_tables

    monkeypatch.setattr(ibis_tables, "READ", ())
    connection = ibis.polars.connect()
    source = connection.create_table("preds", pl.from_arrow(ROWS))
    with refused("E_DATABASE", "no words", exit_code=2, hint="engine='memory'"):
        compare(source, goal="roc_auc", **MODELS)
