"""`python -m benchmarks.servers [PostgreSQL] [Spark]`: a million rows on servers, the seconds and what leaves them.

Writes benchmarks/servers.json and its table in docs/scale.md; what is not named keeps its numbers.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import referee
from benchmarks.relay import Relay
from referee.predictions import database_queries
from tests.postgres_server import PASSWORDS, READER, postgres_server

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[1] / "docs/scale.md"
RESULTS = Path(__file__).with_suffix(".json")
TABLE = r"\| 1,000,000 rows \|.*?\n\n"
ROWS = 1_000_000
MOST = 1_000_000
"""Bytes that may leave a server for one call."""
ROLES = {"truth": "y", "models": ["a", "b"]}
NAMED = ["accuracy", "log_loss", "brier", "roc_auc", "average_precision"]
READ = referee.ReadOptions(engine="memory")
READING, ALL = "reading the rows", "`evaluate`, all metrics"
CALLS = {
    READING: lambda source: referee.Predictions.read(source, **ROLES, options=READ),
    "`compare` on accuracy": lambda source: compared(source, "accuracy"),
    "`compare` on log loss": lambda source: compared(source, "log_loss"),
    "`compare` on AUC": lambda source: compared(source, "roc_auc"),
    "`evaluate`, five metrics by name": lambda source: referee.evaluate(
        source, **ROLES, metrics=NAMED, options=in_place(source)
    ),
    ALL: lambda source: referee.evaluate(source, **ROLES, options=in_place(source)),
}


def in_place(source):
    return referee.ReadOptions(engine="database" if isinstance(source, str) else "spark")


def compared(source, goal):
    return referee.compare(source, goal=goal, **ROLES, metrics="goal", options=in_place(source))


def made() -> pa.Table:
    """Two models with continuous scores."""
    draw = np.random.default_rng(7)
    truth = (draw.random(ROWS) < 0.2).astype(int)
    noise = draw.normal(size=(2, ROWS)) * [[1.0], [1.1]]
    scores = 1 / (1 + np.exp(1.4 - 1.6 * truth - noise))
    return pa.table({"y": truth, "a": scores[0], "b": scores[1]})


@contextmanager
def in_postgresql(rows):
    """A source, and a function of the bytes that have come from the server, as a relay before it has counted them."""
    with postgres_server() as server:
        server.store("preds", rows)
        os.environ["PGPASSWORD"] = PASSWORDS[READER]
        with Relay(server.port) as relay:
            yield server.address("preds").replace(f":{server.port}/", f":{relay.port}/"), lambda: relay.received


@contextmanager
def in_spark(rows):
    """Answers are counted as Arrow has them: executors, driver and Python are one machine."""
    from pyspark.sql import SparkSession

    received, fetch_table = [0], database_queries.fetch_table

    def counted(expression):
        answer = fetch_table(expression)
        received[0] += answer.nbytes
        return answer

    with tempfile.TemporaryDirectory() as folder:
        parquet.write_table(rows, f"{folder}/rows.parquet", row_group_size=ROWS // 4)
        builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "3g")
        settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.driver.host": "127.0.0.1"}
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        database_queries.fetch_table = counted
        try:
            yield session.read.parquet(folder).cache(), lambda: received[0]
        finally:
            database_queries.fetch_table = fetch_table
            session.stop()


SERVERS = {"PostgreSQL": in_postgresql, "Spark": in_spark}


def measure(name: str, rows: pa.Table) -> Iterator[tuple[str, dict[str, float]]]:
    """Seconds and bytes of each call, as soon as it has ended."""
    with SERVERS[name](rows) as (source, received):
        for call, run in CALLS.items():
            before, started = received(), time.perf_counter()
            run(source)
            seconds, size = time.perf_counter() - started, received() - before
            assert call == READING or size <= MOST, (name, call, size)
            # Spark hands rows over without our counting them.
            yield call, {"seconds": seconds, "bytes": rows.nbytes if call == READING and not size else size}


def table(kept: dict[str, dict[str, dict[str, float]]]) -> str:
    heads = [f"{name}: {what}" for name in kept for what in ("seconds", "MB that leave it")]
    lines = [f"| {ROWS:,} rows | {' | '.join(heads)} |", "|---|" + "--:|" * len(heads)]
    for call in CALLS:
        each = [kept[name].get(call) for name in kept]
        cells = [cell for one in each for cell in cells_of(one)]
        lines.append(f"| {call} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n\n"


def cells_of(found: dict[str, float] | None) -> tuple[str, str]:
    return ("not run", "") if found is None else (f"{found['seconds']:.1f}", f"{found['bytes'] / 1e6:.3f}")


def main(names: list[str]) -> None:
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    rows = made()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            kept[name] = {}
            for call, found in measure(name, rows):
                kept[name][call] = found
                RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(TABLE, lambda _: table(kept), text, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:] or [*SERVERS])
