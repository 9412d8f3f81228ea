"""A Parquet file larger than memory: referee's stream beside DuckDB, by CPU seconds, peak memory and the values.

`nice python -m benchmarks.large_files 100000000` writes a file of that many rows (17 bytes each) into a temporary
folder; words after the number choose the steps whose names have one of them. benchmarks/large_files.json keeps what was
measured, and docs/scale.md its table. A step that takes more than MOST_SECONDS of CPU or MOST_MEMORY is stopped.
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
from typing import Any

import numpy as np

RESULTS = Path(__file__).with_suffix(".json")
PAGE = Path(__file__).parents[1] / "docs/scale.md"
TABLE = r"[0-9,]+ rows, [0-9.]+ GB of Parquet.*?\n\n.*?\n\n"
IN_BATCHES = "evaluate, in batches"
LIMIT, CHUNK = "1GB", 1_000_000
METRICS = "accuracy,log_loss,roc_auc"
MOST_SECONDS, MOST_MEMORY = 900, 4000
"""CPU seconds and megabytes after which a step is stopped."""
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


def measured(*command: str) -> tuple[str | None, float, float]:
    """Standard output (None if it did not end well), CPU seconds, and the peak of anonymous memory in MB."""
    before = sum(os.times()[2:4])
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak, stopped = 0.0, False
    while process.poll() is None and not stopped:
        peak = max(peak, anonymous_memory(process.pid))
        if stopped := peak > MOST_MEMORY or cpu_seconds(process.pid) > MOST_SECONDS:
            process.kill()
        time.sleep(0.02)
    output, _ = process.communicate()
    return None if stopped or process.returncode else output, sum(os.times()[2:4]) - before, peak


def anonymous_memory(pid: int) -> float:
    """Megabytes; 0 of a process that has just ended."""
    try:
        said = re.search(r"RssAnon:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0.0
    return int(said[1]) / 1000 if said else 0.0


def cpu_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


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


def commands(file: Path, folder: str) -> dict[str, list[str]]:
    about = [str(file), "--truth", "y", "--models", "a,b", "--max-memory", LIMIT, "--format", "json"]
    referee, in_duckdb = [sys.executable, "-m", "referee"], ["--engine", "database"]
    evaluated = [*referee, "evaluate", *about, "--metrics", METRICS]
    compared = [*referee, "compare", *about, "--metrics", "goal", "--goal"]
    return {
        IN_BATCHES: evaluated,
        "evaluate, by DuckDB (`--engine database`)": [*evaluated, *in_duckdb],
        "SQL by hand in DuckDB, values only": [sys.executable, "-c", SQL, str(file), folder],
        "compare on accuracy, by DuckDB": [*compared, "accuracy"],
        "compare on log loss, by DuckDB": [*compared, "log_loss"],
        "compare on AUC, by DuckDB": [*compared, "roc_auc"],
    }


def steps_measured(rows: int, words: list[str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.parquet"
        written(file, rows)
        found: dict[str, Any] = {"rows": rows, "bytes": file.stat().st_size, "steps": {}}
        values: dict[str, dict[str, float]] = {}
        for name, command in commands(file, folder).items():
            if words and not any(word in name for word in words):
                continue
            output, seconds, peak = measured(*command)
            step = {"seconds": seconds, "peak": peak, "stopped": output is None}
            if output and name == IN_BATCHES:
                values = values_of(output)
            elif output and values and not name.startswith("compare"):
                others = values_of(output) if name.startswith("evaluate") else json.loads(output.splitlines()[-1])
                step["deviation"] = deviation(values, others)
            found["steps"][name] = step
            print(line(name, step), flush=True)  # noqa: T201
    return found


def line(name: str, step: dict[str, Any]) -> str:
    said = f"differ by {step['deviation']:.0e} at most" if "deviation" in step else ""
    sizes = [f"{step['seconds']:.0f}", f"{step['peak']:,.0f}"]
    if step["stopped"]:
        said, sizes = "did not end", [f"more than {size}" for size in sizes]
    return f"| {name} | {' | '.join(sizes)} | {said} |"


def main(rows: int, words: list[str]) -> None:
    found = steps_measured(rows, words)
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    lines = [
        f"{found['rows']:,} rows, {found['bytes'] / 1e9:.2f} GB of Parquet, `--max-memory {LIMIT}`:\n",
        "| | CPU s | peak MB | values |",
        "|---|--:|--:|---|",
        *(line(name, step) for name, step in found["steps"].items()),
    ]
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(TABLE, lambda _: "\n".join(lines) + "\n\n", text, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main(int(float(sys.argv[1].replace("_", ""))), sys.argv[2:])
