"""A Parquet file larger than memory: referee's stream beside DuckDB, by CPU seconds, peak memory and the values.

`nice python -m benchmarks.large_files 100000000` writes a file of that many rows (17 bytes each) into a temporary
folder, and prints a table for docs/scale.md.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

LIMIT, CHUNK = "1GB", 1_000_000
METRICS = "accuracy,log_loss,roc_auc"
SQL = """
import json, sys, duckdb
connection = duckdb.connect(config={"memory_limit": "1GB", "temp_directory": sys.argv[2], "threads": 2})
values = {}
for model in ("a", "b"):
    rows = f"(SELECT y, {model} AS p FROM read_parquet('{sys.argv[1]}'))"
    loss = "-ln(greatest(CASE WHEN y = 1 THEN p ELSE 1 - p END, 2.220446049250313e-16))"
    accuracy, log_loss = connection.execute(
        f"SELECT avg(((p >= 0.5) = (y = 1))::INT), avg({loss}) FROM {rows}").fetchone()
    (area,) = connection.execute(f'''
        WITH steps AS (SELECT p, sum(y) AS up, count(*) - sum(y) AS flat FROM {rows} GROUP BY p),
             places AS (SELECT up, flat, sum(flat) OVER (ORDER BY p) - flat AS below FROM steps)
        SELECT sum(up::DOUBLE * (below + flat / 2.0)) / (sum(up)::DOUBLE * sum(flat)::DOUBLE) FROM places''').fetchone()
    values[model] = {"accuracy": float(accuracy), "log_loss": float(log_loss), "roc_auc": float(area)}
print(json.dumps(values))
"""
"""Values only, by hand: no checks, no standard errors."""


def written(path: Path, rows: int) -> None:
    """A label, and two models whose scores are all different."""
    import pyarrow as pa
    from pyarrow import parquet

    draw = np.random.default_rng(0)
    schema = pa.schema({"y": pa.int8(), "a": pa.float64(), "b": pa.float64()})
    with parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, CHUNK):
            size = min(CHUNK, rows - start)
            truth = (draw.random(size) < 0.2).astype(np.int8)
            scores = [1 / (1 + np.exp(1.4 - 1.6 * truth - draw.normal(size=size) * noise)) for noise in (1.0, 1.1)]
            writer.write_table(pa.table([truth, *scores], schema=schema))


def measured(*command: str) -> tuple[str, float, float]:
    """Standard output, CPU seconds, and the peak of anonymous memory in MB, looked at every 20 ms."""
    before = sum(os.times()[2:4])
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak = 0
    while process.poll() is None:
        try:
            status = Path(f"/proc/{process.pid}/status").read_text()
        except OSError:
            break
        if said := re.search(r"RssAnon:\s+(\d+)", status):
            peak = max(peak, int(said[1]))
        time.sleep(0.02)
    output, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"{command[:4]} ended with {process.returncode}")
    return output, sum(os.times()[2:4]) - before, peak / 1000


def values_of(document: str) -> dict[str, dict[str, float]]:
    values: dict[str, dict[str, float]] = {}
    for row in json.loads(document)["scores"]:
        if row.get("unit", "all") in ("all", "overall", None) and row.get("class") is None:
            values.setdefault(row["model"], {})[row["metric"]] = row["value"]
    return values


def deviation(values: dict[str, dict[str, float]], others: dict[str, dict[str, float]]) -> float:
    return max(
        abs(values[model][metric] - others[model][metric]) / abs(others[model][metric])
        for model in others
        for metric in METRICS.split(",")
    )


def main(rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.parquet"
        written(file, rows)
        size = file.stat().st_size / 1e9
        referee = [sys.executable, "-m", "referee"]
        about = [str(file), "--truth", "y", "--models", "a,b", "--max-memory", LIMIT, "--format", "json"]
        runs = {
            f"evaluate --metrics {METRICS}": [*referee, "evaluate", *about, "--metrics", METRICS],
            "DuckDB, SQL by hand, values only": [sys.executable, "-c", SQL, str(file), folder],
            "compare --goal accuracy": [*referee, "compare", *about, "--goal", "accuracy"],
            "compare --goal roc_auc": [*referee, "compare", *about, "--goal", "roc_auc"],
        }
        print(f"{rows:,} rows, {size:.2f} GB of Parquet, --max-memory {LIMIT}\n")  # noqa: T201
        print("| | CPU s | peak MB | values |\n|---|---|---|---|")  # noqa: T201
        values: dict[str, dict[str, float]] = {}
        for name, command in runs.items():
            output, seconds, peak = measured(*command)
            said = ""
            if name.startswith("evaluate"):
                values = values_of(output)
            elif name.startswith("DuckDB"):
                said = f"differ by {deviation(values, json.loads(output.splitlines()[-1])):.0e} at most"
            print(f"| {name} | {seconds:.0f} | {peak:,.0f} | {said} |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1].replace("_", "")))
