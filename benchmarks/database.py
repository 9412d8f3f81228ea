"""Twelve binary metrics of ten million rows in a DuckDB file, against SQL written by hand for just these."""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb

from benchmarks.binary_metrics import SHARED, examples
from benchmarks.measure import Workload
from referee.engines import engine_of
from referee.predictions import Predictions
from referee.scoring import metrics, values

ROWS = 10_000_000

SUMS = """
SELECT count(*) AS n, sum(y) AS p, sum(CASE WHEN s >= 0.5 THEN 1 ELSE 0 END) AS decided,
       sum(CASE WHEN s >= 0.5 AND y = 1 THEN 1 ELSE 0 END) AS tp, avg((s - y) * (s - y)) AS brier,
       -avg(ln(CASE WHEN y = 1 THEN s ELSE 1 - s END)) AS log_loss
FROM predictions"""
AREAS = """
WITH steps AS (SELECT s, sum(y)::BIGINT AS p, count(*) AS n FROM predictions GROUP BY s),
     above AS (SELECT p, n - p AS q, sum(p) OVER falling AS tp, sum(n) OVER falling AS n FROM steps
               WINDOW falling AS (ORDER BY s DESC))
SELECT sum(q * (tp - p / 2.0)) AS pairs, sum(p * (tp / n)) AS precision FROM above"""


def written(folder, kind, truth, scores):
    path = Path(folder, f"{kind}.duckdb")
    with duckdb.connect(path) as database:
        database.register("given", {"y": truth, "s": scores})
        database.execute("CREATE TABLE predictions AS SELECT * FROM given")
    return path


def with_referee(path):
    predictions = Predictions.read(path, truth="y", models=["s"], positive=["1"])
    summary = engine_of(predictions).summarise(predictions, predictions.models[0])
    chosen = [metrics[name] for name in SHARED]
    summary.prepare(chosen)
    return {metric.name: float(values(metric, summary, 2, 1)[0]) for metric in chosen}


def with_sql(path):
    with duckdb.connect(path, read_only=True) as database:
        sums = database.execute(SUMS).fetchdf().iloc[0]
        areas = database.execute(AREAS).fetchdf().iloc[0]
    n, p, tp = sums["n"], sums["p"], sums["tp"]
    fp, fn = sums["decided"] - tp, p - tp
    tn = n - p - fp
    return {
        "accuracy": (tp + tn) / n,
        "precision": tp / (tp + fp),
        "recall": tp / p,
        "f_beta": 2 * tp / (2 * tp + fp + fn),
        "brier": sums["brier"],
        "log_loss": sums["log_loss"],
        "roc_auc": areas["pairs"] / p / (n - p),
        "average_precision": areas["precision"] / p,
    }


def agree(answers):
    for name, value in answers["hand-written SQL"].items():
        assert abs(value / answers["referee"][name] - 1) < 1e-9, name


def workloads(rows=ROWS):
    with tempfile.TemporaryDirectory() as folder:
        for kind, (truth, scores) in examples(rows).items():
            path = written(folder, kind, truth, scores)
            yield Workload(
                f"{len(SHARED)} binary metrics of a DuckDB table, {rows:,} {kind} scores",
                {"referee": lambda p=path: with_referee(p), "hand-written SQL": lambda p=path: with_sql(p)},
                {"hand-written SQL": 1 / 2},
                rounds=2,
                agree=agree,
            )
