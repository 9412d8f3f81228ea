"""Where rows and results are: a DuckDB table beside SQL by hand, Parquet in little memory, curves, the page."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

import referee
from benchmarks.examples import two_classes
from benchmarks.measure import Workload, children_clock, command, least_by_turns, measured, rows_of
from benchmarks.peers import agreed, twelve_of

EIGHT = ("accuracy", "precision", "recall", "f1", "roc_auc", "average_precision", "log_loss", "brier")
SUMS = """
SELECT sum(1 - y) FILTER (s < 0.5), sum(1 - y) FILTER (s >= 0.5), sum(y) FILTER (s < 0.5), sum(y) FILTER (s >= 0.5),
       sum((s - y) * (s - y)), -sum(ln(CASE WHEN y = 1 THEN s ELSE 1 - s END))
FROM predictions"""
AREAS = """
WITH steps AS (SELECT s, sum(y)::BIGINT AS p, count(*) AS n FROM predictions GROUP BY s),
     above AS (SELECT p, n - p AS q, sum(p) OVER falling AS tp, sum(n) OVER falling AS n FROM steps
               WINDOW falling AS (ORDER BY s DESC))
SELECT sum(q * (tp - p / 2.0)), sum(p * (tp / n)) FROM above"""


def in_duckdb(folder, rows=1_000_000):
    import duckdb

    truth, models = two_classes(rows)
    path = str(Path(folder) / "predictions.duckdb")
    with duckdb.connect(path) as database:
        database.register("given", {"y": truth, "s": models["m1"]})
        database.execute("CREATE TABLE predictions AS SELECT * FROM given")
    return Workload(
        'evaluate("predictions.duckdb", truth="y", models=["s"], metrics=[8 metrics])',
        f"{rows:,} rows",
        lambda: referee.evaluate(path, truth="y", models=["s"], positive=["1"], metrics=EIGHT),
        {"SQL by hand": lambda: by_sql(path)},
        {"SQL by hand": 1 / 2},
        agree=agreed,
    )


def by_sql(path):
    import duckdb

    with duckdb.connect(path, read_only=True) as database:
        tn, fp, fn, tp, squares, surprise = database.execute(SUMS).fetchone()
        pairs, precision = database.execute(AREAS).fetchone()
    return twelve_of(((tn, fp), (fn, tp)), float(pairs), float(precision), squares, surprise)


def streamed(folder, rows=3_000_000):
    """A file that is read in batches, and the same file read whole."""
    from pyarrow import parquet, table

    truth, models = two_classes(rows)
    path = str(Path(folder) / "predictions.parquet")
    parquet.write_table(table({"y": truth, **models}), path)
    asked = (sys.executable, "-m", "referee", "evaluate", path, "--truth", "y", "--metrics", ",".join(EIGHT))
    workload = Workload(
        "referee evaluate predictions.parquet --truth y --metrics [8 metrics] --max-memory 100MB",
        f"{rows:,} rows",
        command(*asked, "--max-memory", "100MB"),
        {"the same in memory": command(*asked)},
    )
    contestants = {"referee": workload.referee} | workload.peers
    return rows_of(workload, least_by_turns(contestants, 1, children_clock))


def curves(rows=1_000_000):
    truth, models = two_classes(rows)
    return Workload(
        'curves(y, {"m1": p}, kind=["roc", "precision_recall"])',
        f"{rows:,} rows",
        lambda: referee.curves(truth, models, kind=["roc", "precision_recall"]),
        {"scikit-learn": lambda: curves_by_sklearn(truth, models["m1"])},
    )


def curves_by_sklearn(truth, scores):
    from sklearn.metrics import precision_recall_curve, roc_curve

    return roc_curve(truth, scores), precision_recall_curve(truth, scores)


def page(rows=100_000, models=5):
    truth, each = two_classes(rows, models)
    verdict = referee.compare(truth, each, goal="roc_auc")
    np.testing.assert_(len(verdict.to_html()) > 0)
    return Workload(
        "verdict.to_html()",
        f"{models} models x {rows:,} rows",
        verdict.to_html,
        {"the compare before": lambda: referee.compare(truth, each, goal="roc_auc")},
    )


def results():
    with tempfile.TemporaryDirectory() as folder:
        yield from measured(in_duckdb(folder))
        yield from streamed(folder)
    yield from measured(curves())
    yield from measured(page())
