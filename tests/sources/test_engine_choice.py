"""`--engine` and `--sql`: who sums the rows up, what is read, and what is refused instead of replaced."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import get_args

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from sklearn.metrics import accuracy_score

from benchmarks.engines import table
from referee import Predictions, ReadOptions, compare, evaluate, summarise
from referee.predictions import database_source, engine_choice, read_table, stream_source
from referee.predictions.table import Engine

from .refusals import refused

ROWS = table(400).select(["y", "a", "b", "region"])
ROLES = {"truth": "y", "models": ["a", "b"]}
ASKED = ("--truth", "y", "--models", "a,b")
NORTH = "select * from preds where region = 'north'"
ENDING = {"duckdb": "duckdb", "sqlite": "db"}


@pytest.fixture
def folder(tmp_path):
    for part in range(2):
        pa.parquet.write_table(ROWS.slice(part * 150, 150 + 100 * part), tmp_path / f"part-{part}.parquet")
    return tmp_path


@pytest.fixture(params=ENDING)
def file(request, tmp_path):
    path = tmp_path / f"f.{ENDING[request.param]}"
    connect = {"duckdb": duckdb.connect, "sqlite": sqlite3.connect}[request.param]
    with closing(connect(str(path))) as connection:
        connection.execute("CREATE TABLE preds (y BIGINT, a DOUBLE, b DOUBLE, region TEXT)")
        connection.execute("CREATE TABLE other (x BIGINT)")
        connection.executemany(
            "INSERT INTO preds VALUES (?, ?, ?, ?)", [tuple(row.values()) for row in ROWS.to_pylist()]
        )
        connection.commit()
    return path


class TestEngines:
    @pytest.mark.parametrize(("engine", "used"), [("auto", "memory"), ("memory", "memory"), ("stream", "stream")])
    def test_of_files(self, folder, engine, used):
        assert Predictions.read(folder, **ROLES, options=ReadOptions(engine=engine)).engine == used

    def test_parquet_by_duckdb(self, folder, referee):
        assert Predictions.read(folder, **ROLES, options=ReadOptions(engine="database")).engine == "database"
        found, expected = (
            referee("compare", folder, *ASKED, "--goal", "roc_auc", "--engine", engine).json
            for engine in ("database", "memory")
        )
        assert found["verdict"]["sentence"] == expected["verdict"]["sentence"]
        assert found["rows"] == 400

    def test_what_cannot_be_had_is_refused(self, tmp_path):
        csv = tmp_path / "preds.csv"
        csv.write_text("y,a,b\n0,0.1,0.2\n1,0.9,0.8\n")
        for source, engine, why in (
            (csv, "spark", "takes Spark frames"),
            (ROWS, "stream", "takes CSV and Parquet"),
        ):
            with refused("E_ENGINE", engine, why, exit_code=2):
                Predictions.read(source, **ROLES, options=ReadOptions(engine=engine))
        with refused("E_ENGINE", "several sources", exit_code=2):
            Predictions.read(csv, csv, **ROLES, options=ReadOptions(engine="database"))

    def test_rows_are_not_read_behind_the_back_of_whoever_named_an_engine(self, folder, referee):
        asked = ("--goal", "accuracy", "--test", "permutation", "--engine", "database")
        error = referee("compare", folder, *ASKED, *asked).json["error"]
        assert error["code"] == "E_ENGINE" and "Permutation test draws rows" in error["message"]

    @pytest.mark.parametrize(
        ("asked", "why"),
        [
            ({"test": "bootstrap"}, "Paired bootstrap draws rows"),
            ({"subsets": 10}, "subsets are drawn row by row"),
        ],
    )
    @pytest.mark.parametrize("given", ["csv", "parquet"])
    def test_rows_that_memory_does_not_hold_are_not_looked_at_in_vain(self, tmp_path, monkeypatch, given, asked, why):
        rows = pa.concat_tables([ROWS] * 50)
        path = tmp_path / f"preds.{given}"
        {"csv": pa.csv.write_csv, "parquet": pa.parquet.write_table}[given](rows, path)
        for reader in (stream_source.Layout, database_source.Sketch):
            monkeypatch.setattr(reader, "__init__", None)
        with refused("E_ROWS", why, str(path), exit_code=2, hint="max_memory"):
            compare(path, **ROLES, **{"goal": "roc_auc", **asked}, options=ReadOptions(max_memory=200_000))

    def test_the_reason_for_reading_rows_is_true(self, file, referee):
        if file.suffix == ".db":
            pytest.skip("SQLite is always read")
        for more, why in (
            (("--engine", "memory"), "--engine memory asks for that"),
            (("--test", "bootstrap"), "Paired bootstrap draws rows"),
        ):
            found = referee("compare", file, *ASKED, "--table", "preds", "--goal", "accuracy", *more).json
            (told,) = [each["message"] for each in found["warnings"] if each["code"] == "W_ROWSREAD"]
            assert why in told

    def test_a_large_scan_is_said_before_it_begins(self, folder, referee, monkeypatch):
        asked = ("evaluate", folder, *ASKED, "--metrics", "accuracy", "--engine", "database")
        assert "processed" not in referee(*asked).err
        monkeypatch.setattr(engine_choice, "MANY_ROWS", 400)
        assert "about 400 rows" in referee(*asked).err and "processed by DuckDB" in referee(*asked).err
        assert "processed" not in referee(*asked, "--quiet").err

    def test_rows_of_a_database_that_are_read_are_said_too(self, file, referee, monkeypatch):
        asked = ("compare", file, *ASKED, "--table", "preds", "--goal", "accuracy", "--test", "bootstrap")
        assert "into memory" not in referee(*asked).err
        monkeypatch.setattr(engine_choice, "MANY_BYTES", 1)
        assert f"{file}: " in referee(*asked).err and ", read into memory" in referee(*asked).err


class TestArguments:
    """What the command line checks, Python checks too."""

    @pytest.mark.parametrize(
        ("options", "code", "word"),
        [
            ({"engine": "oracle"}, "E_ENGINE", "no engine 'oracle'"),
            ({"timeout": -1}, "E_PARAMETER", "timeout=-1"),
            ({"timeout": "soon"}, "E_KEYWORD", "timeout='soon'"),
            ({"max_memory": 0}, "E_PARAMETER", "max_memory=0"),
        ],
    )
    def test_of_reading(self, options, code, word):
        with refused(code, word, exit_code=2):
            ReadOptions(**options)

    def test_a_query_to_what_is_no_database(self, folder):
        relation = duckdb.sql("select 0 as y, 0.5 as a, 0.5 as b")
        for source, engine in ((relation, "auto"), (folder, "database")):
            with refused("E_SQL", "is not one", exit_code=2):
                Predictions.read(source, **ROLES, options=ReadOptions(sql=NORTH, engine=engine))

    def test_states(self, tmp_path, referee):
        state, pair = tmp_path / "day.state", ("--goal", "roc_auc")
        summarise(ROWS, truth="y", models=["a", "b"]).save(state)
        for command in ("compare", "evaluate"):
            error = referee(command, state, *(pair if command == "compare" else ()), "--engine", "memory").json["error"]
            assert (error["code"], error["exit"]) == ("E_ENGINE", 2) and "a state has no rows" in error["message"]
        with refused("E_ENGINE", "a state has no rows", exit_code=2):
            compare(state, goal="roc_auc", options=ReadOptions(engine="memory"))
        for option, hint in (("--by", "the rows that the state was made of"), ("--positive", "`referee summarise`")):
            error = referee("compare", state, *pair, option, "y").json["error"]
            assert error["code"] == "E_ROLE" and hint in error["hint"]

    def test_files_that_are_not_there(self, tmp_path, referee):
        nowhere = tmp_path / "nope.state"
        assert referee("compare", nowhere, "--goal", "roc_auc").json["error"]["code"] == "E_NOFILE"
        with refused("E_NOFILE", "no such file", exit_code=2):
            compare(nowhere, goal="roc_auc")


class TestQueries:
    def test_rows_of_a_query(self, file, referee):
        found = referee("evaluate", file, *ASKED, "--sql", NORTH, "--metrics", "accuracy")
        north = ROWS.filter(np.array(ROWS["region"]) == "north")
        expected = accuracy_score(north["y"].to_numpy(), north["a"].to_numpy() >= 0.5)
        assert found.value("a", "accuracy") == pytest.approx(expected, rel=1e-12)
        assert read_table(file, ReadOptions(sql=NORTH)).rows == north.num_rows

    @pytest.mark.parametrize(
        "sql", ["selekt", "select * from nowhere", "insert into other values (1)", "attach 'x.db' as y"]
    )
    def test_what_is_no_query(self, file, sql):
        with refused("E_SQL", str(file), exit_code=2):
            Predictions.read(file, **ROLES, options=ReadOptions(sql=sql))
        assert not (file.parent / "x.db").exists()

    def test_a_table_or_a_query(self, file):
        with refused("E_SQL", "both a table and", exit_code=2):
            read_table(file, ReadOptions(sql=NORTH, table="preds"))

    def test_only_of_databases(self, folder):
        for source in (folder, folder / "part-0.parquet", ROWS):
            with refused("E_SQL", "is not one", exit_code=2):
                Predictions.read(source, **ROLES, options=ReadOptions(sql=NORTH))

    @pytest.mark.parametrize(
        ("option", "value", "code"),
        [("sql", NORTH, "E_SQL"), ("table", "preds", "E_TABLE"), ("timeout", 9, "E_PARAMETER")],
    )
    @pytest.mark.parametrize("source", ["csv", "parquet", "state", "frame"])
    def test_what_only_databases_are_asked(self, tmp_path, referee, option, value, code, source):
        """Of a file, a state or a frame, on any engine, it would be lost."""
        name = tmp_path / f"rows.{source}"
        if source == "state":
            summarise(ROWS, truth="y", models=["a", "b"]).save(name)
        else:
            (pa.csv.write_csv if source == "csv" else pa.parquet.write_table)(ROWS, name)
        roles = {} if source == "state" else ROLES
        for engine in {"state": ("auto",), "frame": ("auto", "memory")}.get(source, get_args(Engine)[:4]):
            with refused(code, option, exit_code=2):
                options = ReadOptions(**{option: value}, engine=engine)
                evaluate(ROWS if source == "frame" else name, **roles, options=options)
            asked = () if source == "state" else (*ASKED, "--engine", engine)
            error = referee("evaluate", name, *asked, f"--{option}", value).json["error"]
            assert (error["code"], error["exit"]) == (code, 2) and error["message"].startswith(f"--{option} ")

    def test_a_time_limit_is_for_servers(self, file, referee):
        """The others would not keep it."""
        for address in (file, f"{'duckdb' if file.suffix == '.duckdb' else 'sqlite'}:///{file}"):
            error = referee("evaluate", address, *ASKED, "--table", "preds", "--timeout", 9).json["error"]
            assert error["code"] == "E_PARAMETER" and "is not on one" in error["message"]


def test_rows_that_were_predicted_in_several_splits_are_read_as_those_of_one_id(tmp_path, referee):
    """Rows of one id are no independent rows, which sums over rows do not know."""
    draw = np.random.default_rng(3)
    truth = draw.integers(0, 2, 90)
    scores = np.clip(0.5 + 0.2 * (truth - 0.5) + draw.normal(size=90) * 0.3, 0, 1)
    rows = pa.table({"id": np.tile(np.arange(90), 4), "y": np.tile(truth, 4), "a": np.tile(scores, 4)})
    rows = rows.append_column("repeat", pa.array(np.repeat(np.arange(4), 90)))
    pa.parquet.write_table(rows, path := tmp_path / "preds.parquet")
    asked = ("evaluate", path, "--truth", "y", "--id", "id", "--repeat", "repeat", "--models", "a")
    (found,) = [one for one in referee(*asked, "--metrics", "brier").json["scores"] if one["unit"] is None]
    losses = (scores - truth) ** 2
    assert found["standard_error"] == pytest.approx(losses.std(ddof=1) / 90**0.5, rel=0.01)
    for engine in ("stream", "database"):
        error = referee(*asked, "--engine", engine).json["error"]
        assert error["code"] == "E_ENGINE" and "the rows of each id are combined" in error["message"]
    assert referee(*asked, "--max-memory", "2kB").json["error"]["code"] == "E_ROWS"
