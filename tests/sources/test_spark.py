"""A real Spark on this machine: frames and Parquet folders stay there, and the verdict is that of memory."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from benchmarks.engines import AMOUNTS, THREE, TWO, compared, table
from referee import Predictions, ReadOptions, compare
from referee.predictions import read_table
from tests.spark_session import spark_session, what_is_missing

from .refusals import refused

pytestmark = pytest.mark.filterwarnings("ignore")
ROWS = table(300)
KINDS = {
    "accuracy": TWO, "log_loss": TWO, "roc_auc": TWO | {"weight": "w"}, "ks": TWO, "f1_macro": THREE, "rmse": AMOUNTS,
    "brier": TWO | {"fold": "fold", "unit": "fold"},
}  # fmt: skip
"""Counts, row terms, rankings with weights, maxima, class averages, numbers, folds."""


@pytest.fixture(scope="module")
def frame():
    if reason := what_is_missing():
        pytest.skip(reason)
    with spark_session() as session:
        yield session.createDataFrame(ROWS).cache()


@pytest.mark.parametrize("goal", KINDS)
def test_every_kind_of_metric(frame, goal):
    memory, spark, largest = compared(ROWS, goal, frame, **KINDS[goal])
    assert spark.predictions.engine == "database"
    assert max(largest.values()) <= 1e-9, largest
    assert spark.sentence == memory.sentence
    assert (spark.outcome, spark.winners, spark.tiers) == (memory.outcome, memory.winners, memory.tiers)


def test_slices_are_tested_there(frame):
    _, spark, largest = compared(ROWS, "f1", frame, by="region", **TWO)
    assert len(spark.slices.tests) == 3 * 3 + 3 * 2
    assert max(largest.values()) <= 1e-9, largest


def test_rows_are_read_only_if_they_must_be_and_it_is_said(frame):
    roles = {"truth": "y", "models": ["a", "b"]}
    verdict = compare(frame, goal="accuracy", test="permutation", metrics="goal", **roles)
    assert "W_ROWSREAD" in {notice.code for notice in verdict.warnings}
    with refused("E_ENGINE", "Permutation test draws rows", exit_code=2):
        compare(frame, goal="accuracy", test="permutation", options=ReadOptions(engine="spark"), **roles)
    with refused("E_TOOBIG", "300 rows", exit_code=8):
        read_table(frame, ReadOptions(max_memory=1000))


@pytest.mark.usefixtures("frame")
def test_a_folder_of_parquet_files(referee, tmp_path):
    for part, start in enumerate((0, 100)):
        pa.parquet.write_table(ROWS.slice(start, 100 + 100 * part), tmp_path / f"part-{part}.parquet")
    asked = ("--truth", "y", "--models", "a,b", "--goal", "log_loss")
    found, expected = (referee("compare", tmp_path, *asked, "--engine", engine).json for engine in ("spark", "memory"))
    assert found["verdict"]["sentence"] == expected["verdict"]["sentence"]


@pytest.mark.usefixtures("frame")
def test_files_that_change_meanwhile(tmp_path):
    pa.parquet.write_table(ROWS, tmp_path / "part.parquet")
    predictions = Predictions.read(str(tmp_path), options=ReadOptions(engine="spark"), **TWO)
    pa.parquet.write_table(ROWS.slice(0, 200), tmp_path / "part.parquet")
    with refused("E_CHANGED", "part.parquet changed while it was being read"):
        compare(predictions, "accuracy")


def test_tables_of_a_cluster(frame, referee):
    """The session that runs here stands in for a cluster's: Spark gives it to everybody who asks."""
    frame.createOrReplaceTempView("preds")
    address, asked = "spark://127.0.0.1:7077", ("--truth", "y", "--models", "a,b", "--goal", "brier")
    query = ("--sql", "select * from preds where region = 'north'")
    north = ROWS.filter(np.array(ROWS["region"]) == "north")
    for rows, given in ((ROWS, (f"{address}#preds",)), (north, (address, *query))):
        found = referee("compare", *given, *asked, "--engine", "spark").json
        assert found["verdict"]["sentence"] == compare(rows, truth="y", models=["a", "b"], goal="brier").sentence
    assert referee("compare", f"{address}#prods", *asked).json["error"]["code"] == "E_TABLE"


@pytest.mark.usefixtures("frame")
def test_what_java_says_is_an_error_of_the_source(referee, monkeypatch):
    from py4j.protocol import Py4JError
    from pyspark.sql import SparkSession

    def fails(_):
        raise Py4JError("An error occurred while calling None.\n: org.apache.spark.SparkException: no master\n\tat a.b")

    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", fails)
    run = referee("compare", "spark://127.0.0.1:1#preds", "--truth", "y", "--goal", "f1")
    assert (run.code, run.json["error"]["code"]) == (3, "E_SPARK")
    assert run.json["error"]["message"] == "Spark does not start: org.apache.spark.SparkException: no master"


def test_no_score_is_named(frame):
    from pyspark.sql.functions import lit

    with refused("E_NONFINITE", "column 'a'", "nan (300 rows)"):
        Predictions.read(frame.withColumn("a", lit(float("nan"))), **TWO)
