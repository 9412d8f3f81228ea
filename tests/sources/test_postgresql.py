"""A real server: every kind of metric as in memory, a reader without other rights, and everything that goes wrong."""

from __future__ import annotations

import gc
import os
from urllib.parse import quote

import ibis
import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import ttest_rel
from sklearn.metrics import roc_auc_score

from benchmarks.engines import AMOUNTS, QUANTILES, THREE, TWO, compared, table
from referee import Predictions, ReadOptions, compare, evaluate, gate
from referee.errors import RefereeError
from referee.predictions import read_table
from tests.postgres_server import PASSWORDS, READER, STRANGER, postgres_server, programs

from .refusals import refused

ROWS = table(600)
HOSTILE = """t"; DROP TABLE "preds'; --"""
KINDS = {
    "accuracy": TWO, "f1": TWO, "roc_auc": TWO, "log_loss": TWO, "ks": TWO, "calibration_error": TWO,
    "f1_macro": THREE, "rmse": AMOUNTS, "crps": QUANTILES,
    "brier": TWO | {"fold": "fold", "unit": "fold"},
}  # fmt: skip
"""Counts, rankings, row terms, maxima, bins, class averages, numbers, quantiles, folds."""
SCORES = {"y": [0, 1, 1, 0], "a": [0.1, 0.9, 0.8, 0.4], "b": [0.2, 0.7, 0.6, 0.9]}


@pytest.fixture(scope="module")
def running():
    if programs() is None:
        pytest.skip("there is no PostgreSQL server here: install Debian's package postgresql")
    with postgres_server() as server:
        server.store("preds", ROWS)
        server.store("wide", ROWS.select(["y", "a", "b"]).append_column("id", pa.array(2**53 + np.arange(600))))
        yield server


@pytest.fixture
def server(running, monkeypatch):
    for name in [name for name in os.environ if name.startswith("PG")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PGPASSWORD", PASSWORDS[READER])
    return running


@pytest.mark.parametrize("goal", KINDS)
def test_every_kind_of_metric(server, goal):
    memory, database, largest = compared(ROWS, goal, server.address("preds"), **KINDS[goal])
    assert database.predictions.engine == "database"
    assert max(largest.values()) <= 1e-9, largest
    assert database.sentence == memory.sentence
    assert (database.outcome, database.winners, database.tiers) == (memory.outcome, memory.winners, memory.tiers)


def test_what_scikit_learn_and_scipy_say(server, referee):
    asked = ("--truth", "y", "--models", "a,b")
    found = referee("evaluate", server.address("preds"), *asked, "--metrics", "roc_auc,brier")
    truth, a, b = (ROWS[name].to_numpy() for name in ("y", "a", "b"))
    assert found.value("a", "roc_auc") == pytest.approx(roc_auc_score(truth, a), rel=1e-12)
    (pair,) = referee("compare", server.address("preds"), *asked, "--goal", "brier").json["comparisons"]
    assert pair["statistic"] == pytest.approx(ttest_rel((a - truth) ** 2, (b - truth) ** 2).statistic, rel=1e-9)


@pytest.mark.parametrize("goal", ["f1", "log_loss"])
def test_slices_are_tested_there(server, goal):
    _, database, largest = compared(ROWS, goal, server.address("preds"), by="region", **TWO)
    assert len(database.slices.tests) == 3 * 3 + 3 * 2
    assert max(largest.values()) <= 1e-9, largest


def test_tiny_probabilities(server):
    """Of their squares the server makes an error, where others make 0."""
    draw = np.random.default_rng(4)
    truth, tiny = draw.integers(0, 2, 60), 10.0 ** -draw.integers(1, 300, (2, 60))
    rows = pa.table({"y": truth, **{name: np.where(truth, 1 - tiny[k], tiny[k]) for k, name in enumerate("ab")}})
    with server.connection() as owner:
        owner.execute("DROP TABLE IF EXISTS tiny")
    source = server.address(server.store("tiny", rows))
    memory, database, largest = compared(rows, "brier", source, truth="y", models=["a", "b"])
    assert memory.sentence == database.sentence and max(largest.values()) <= 1e-9


def test_gate_and_a_query(server, referee):
    sql = "select y, a, b from preds where region = 'north' -- as psql takes it\n;"
    asked = ("--truth", "y", "--models", "a,b", "--goal", "log_loss", "--production", "b", "--candidate", "a")
    found = referee("gate", server.address(), "--sql", sql, *asked, "--margin", "0.02")
    north = ROWS.filter(np.array(ROWS["region"]) == "north")
    expected = gate(north, truth="y", models=["a", "b"], goal="log_loss", production="b", candidate="a", margin=0.02)
    assert found.json["gate"]["sentence"] == expected.sentence
    assert found.code == (0 if expected.passed else 1)


def test_a_table_of_ibis(server):
    connection = ibis.postgres.connect(
        host="127.0.0.1", port=server.port, user=READER, password=PASSWORDS[READER], database="preds"
    )
    try:
        memory, database, largest = compared(ROWS, "roc_auc", connection.table("preds"), **TWO)
        assert database.predictions.engine == "database" and max(largest.values()) <= 1e-9
        assert memory.sentence == database.sentence
        connection.con.close()
        with refused("E_DATABASE", "psycopg"):
            compare(database.predictions, "log_loss(clip=0.01)")  # of which nothing was asked yet
    finally:
        connection.disconnect()


def test_rows_are_read_where_sums_are_not_enough(server, referee):
    asked = (server.address("preds"), "--truth", "y", "--models", "a,b", "--goal", "accuracy", "--test", "permutation")
    told = {one["code"] for one in referee("compare", *asked).json["warnings"]}
    assert "W_ROWSREAD" in told
    assert referee("compare", *asked, "--max-memory", "10kB").json["error"]["code"] == "E_TOOBIG"
    whole = read_table(server.address("preds")).columns
    assert whole.select(["y", "a", "class", "region", "w"]).equals(ROWS.select(["y", "a", "class", "region", "w"]))


def test_small_tables_are_read_by_evaluate_which_says_so(server):
    for engine, told in (("auto", True), ("database", False)):
        asked = {"metrics": "accuracy", "options": ReadOptions(engine=engine)}
        scores = evaluate(server.address("preds"), **TWO, **asked)
        assert scores.predictions.has_rows == ("600 rows were read" in " ".join(scores.predictions.notes)) == told


def test_limits_that_a_server_does_not_know(server):
    """Of 0 ms, which would be none, and of years, which it does not take."""
    slow = "select *, pg_sleep(0.05)::text as s from preds"
    with refused("E_TIMEOUT", "statement timeout"):
        Predictions.read(server.address(), **TWO, options=ReadOptions(timeout=1e-9, sql=slow))
    assert Predictions.read(server.address("preds"), **TWO, options=ReadOptions(timeout=1e12)).rows == 600


def test_a_reader_makes_nothing(server):
    """Neither a temporary table, which it may not make, nor a change of anything else."""
    with server.connection() as owner:
        (before,) = owner.execute("select count(*), max(xmin::text) from pg_class").fetchall()
        evaluate(server.address("preds"), metrics=["roc_auc", "log_loss"], by="region", fold="fold", **TWO)
        (after,) = owner.execute("select count(*), max(xmin::text) from pg_class").fetchall()
    assert before == after


def test_the_connection_is_closed_with_the_predictions(server):
    with server.connection() as owner:

        def sessions():
            return owner.execute("select count(*) from pg_stat_activity where application_name = 'referee'").fetchone()[
                0
            ]

        gc.collect()
        before = sessions()
        predictions = Predictions.read(server.address("preds"), **TWO)
        assert sessions() == before + 1
        del predictions
        gc.collect()
        assert sessions() == before


def test_one_state_of_the_table(server):
    """Rows that others add while a comparison runs are not seen."""
    server.store("growing", ROWS)
    predictions = Predictions.read(server.address("growing"), **TWO)
    with server.connection() as owner:
        owner.execute("INSERT INTO growing SELECT * FROM growing")
    assert compare(predictions, "accuracy").values == compare(ROWS, goal="accuracy", metrics="goal", **TWO).values
    assert Predictions.read(server.address("growing"), **TWO).rows == 1200


class TestCells:
    def stored(self, server, name, **columns):
        return server.address(server.store(name, pa.table(SCORES | columns)))

    @pytest.mark.parametrize(
        ("cell", "code", "words"),
        [
            (None, "E_MISSING", "column 'a', id 9007199254740995: missing"),
            (float("nan"), "E_NONFINITE", "column 'a', id 9007199254740995: nan (1 row) is not a finite number"),
            (float("-inf"), "E_NONFINITE", "column 'a', id 9007199254740995: -inf (1 row) is not a finite number"),
        ],
    )
    def test_what_is_no_score_names_the_id(self, server, cell, code, words):
        address = self.stored(server, f"bad {cell}", a=[0.1, 0.9, cell, 0.4], key=pa.array(2**53 + 1 + np.arange(4)))
        for engine in ("auto", "memory"):
            with refused(code, words):
                Predictions.read(address, truth="y", models=["a", "b"], id="key", options=ReadOptions(engine=engine))

    def test_ids_above_two_to_the_53(self, server):
        """Floats would have called them equal."""
        assert Predictions.read(server.address("wide"), truth="y", id="id").rows == 600
        same = self.stored(server, "same", key=pa.array([2**53, 2**53 + 1, 2**53 + 2, 2**53 + 1]))
        with refused("E_DUPID", "duplicate id 9007199254740993 (2 rows)"):
            Predictions.read(same, truth="y", id="key")

    def test_narrow_floats_and_booleans(self, server):
        """A score of 0.7 in 32 bits is not below a threshold of 0.7, and true is 1."""
        rows = {"y": [True, False, True, False], "a": pa.array([0.7, 0.69, 0.71, 0.6], pa.float32())}
        rows |= {"b": [True, False, False, False], "day": pa.array([0, 1, 2, 3], pa.date32())}
        address = server.address(server.store("narrow", pa.table(rows)))
        asked = {"truth": "y", "positive": True, "models": ["a", "b"], "threshold": 0.7}
        found, expected = (evaluate(source, metrics="accuracy", **asked) for source in (address, pa.table(rows)))
        assert [[score.value for score in scores if score.overall] for scores in (found, expected)] == [[1.0, 0.75]] * 2

    def test_types_of_its_own(self, server):
        """Enumerations and identifiers are text, exact numbers are the nearest floats."""
        with server.connection() as owner:
            owner.execute("CREATE TYPE mood AS ENUM ('sad', 'glad')")
            owner.execute(
                "CREATE TABLE own AS SELECT y, a::numeric AS a, b, gen_random_uuid() AS key, "
                "CASE y WHEN 1 THEN 'glad' ELSE 'sad' END::mood AS m FROM preds"
            )
            owner.execute("GRANT SELECT ON own TO reader")
        found = compare(server.address("own"), truth="m", positive="glad", models=["a", "b"], id="key", goal="roc_auc")
        expected = compare(ROWS, truth="y", models=["a", "b"], goal="roc_auc", metrics="goal")
        assert found.values == pytest.approx(expected.values, rel=1e-12)

    def test_hostile_names(self, server):
        names = ['y"', "a'; DROP TABLE preds; --", "%s", "{class}", "$1", "sélect"]
        rows = pa.table([ROWS[name] for name in ("y", "a", "b", "c", "w", "region")], names)
        server.store(HOSTILE, rows)
        roles = {"truth": 'y"', "models": names[1:4], "weight": "$1", "by": "sélect"}
        for address in (server.address(HOSTILE), server.address(quote(HOSTILE))):
            memory, database, largest = compared(rows, "roc_auc", address, **roles)
            assert database.sentence == memory.sentence and max(largest.values()) <= 1e-9
        assert Predictions.read(server.address("preds"), **TWO).rows == 600


class TestRefusals:
    def test_which_table(self, server):
        with refused("E_TABLE", "no table 'predz'", "did you mean 'preds'", exit_code=2):
            read_table(server.address("predz"))
        with refused("E_TABLE", "choose one with", exit_code=2):
            read_table(server.address())
        with refused("E_SQL", "both a table and", exit_code=2):
            read_table(server.address("preds"), ReadOptions(sql="select 1"))

    def test_a_role_without_rights(self, server, monkeypatch):
        monkeypatch.setenv("PGPASSWORD", PASSWORDS[STRANGER])
        with refused("E_RIGHTS", "permission denied", "preds", exit_code=3):
            Predictions.read(server.address("preds", user=STRANGER), **TWO)

    @pytest.mark.parametrize(
        "sql",
        [
            "select y from nowhere",
            "selekt",
            "delete from preds returning *",
            "select y, a from preds) as x; drop table preds; --",
            "select y from preds; drop table preds",
        ],
    )
    def test_what_is_no_query(self, server, sql):
        with refused("E_SQL", exit_code=2):
            Predictions.read(server.address(), truth="y", options=ReadOptions(sql=sql))
        assert read_table(server.address("preds")).rows == 600

    def test_a_query_that_takes_too_long(self, server, referee):
        asked = ("--sql", "select *, pg_sleep(30)::text as s from preds", "--timeout", "0.5", "--truth", "y")
        error = referee("compare", server.address(), *asked, "--goal", "roc_auc").json["error"]
        assert (error["code"], error["exit"]) == ("E_TIMEOUT", 3)
        assert "--timeout 5" in error["hint"]

    def test_wrong_password(self, server, referee, monkeypatch):
        monkeypatch.setenv("PGPASSWORD", "s3cret-word")
        run = referee("compare", server.address("preds"), "--truth", "y", "--goal", "roc_auc", form="text")
        assert run.code == 3 and "E_SERVER" in run.err and "password authentication failed" in run.err
        assert "s3cret-word" not in run.out + run.err

    @pytest.mark.parametrize(
        "address",
        [
            "postgresql://reader:s3cret-word@127.0.0.1/preds#preds",
            "postgresql://127.0.0.1/preds?password=s3cret-word#preds",
            "postgresql://reader:s3cret-word#x@127.0.0.1/preds",
            "postgresql://reader:s3cret-word/@127.0.0.1:port/preds",
            "postgres://reader:s3cret-word@127.0.0.1/preds",
            "mysql://reader:s3cret-word@127.0.0.1/preds#preds",
            "postgresql:/reader:s3cret-word@127.0.0.1/preds",
            "host=127.0.0.1 password=s3cret-word dbname=preds",
            "password='s3cret-word' host=127.0.0.1",
            "duckdb://reader:s3cret-word@127.0.0.1/preds#preds",
            "sqlite://reader:s3cret-word@127.0.0.1/preds?password=s3cret-word",
            "spark://reader:s3cret-word@127.0.0.1:7077#preds",
        ],
    )
    @pytest.mark.parametrize("command", [("compare", "--goal", "roc_auc"), ("evaluate",), ("curves",)])
    def test_a_password_in_the_address_is_refused_and_never_echoed(self, referee, address, command):
        name, *more = command
        run = referee(name, address, "--truth", "y", *more, form="text")
        assert run.code == 2 and "E_ADDRESS" in run.err
        assert "s3cret" not in run.out + run.err

    def test_no_server(self, referee):
        run = referee("compare", "postgresql://127.0.0.1:1/preds#preds", "--truth", "y", "--goal", "roc_auc")
        assert (run.json["error"]["code"], run.code) == ("E_SERVER", 3)

    @pytest.mark.usefixtures("server")
    def test_a_server_that_stops_in_the_middle(self):
        with postgres_server() as other:
            other.store("preds", ROWS)
            predictions = Predictions.read(other.address("preds"), **TWO)
            other.stop()
            with refused("E_SERVER", other.address("preds"), exit_code=3):
                compare(predictions, "roc_auc")
        with pytest.raises(RefereeError, match="no connection"):
            Predictions.read(other.address("preds"), **TWO)
