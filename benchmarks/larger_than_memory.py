"""Eight metrics with standard errors of 100 million rows of Parquet, in 1 GB, against scikit-learn on arrays."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.streaming import write_predictions

ROWS = 100_000_000
PART = 10_000_000
"""What scikit-learn is given; its time grows at least in proportion."""
METRICS = ("accuracy", "precision", "recall", "f_beta", "roc_auc", "average_precision", "log_loss", "brier")

CHILD = """
import json, resource, sys, time
from referee.cli.process import run
asked = ["--truth", "y", "--metrics", sys.argv[2], "--max-memory", "1GB", "--format", "json"]
code = run(["evaluate", sys.argv[1], *asked])
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"cpu": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss * 1024, "exit": code}), file=sys.stderr)
"""


def with_referee(path):
    command = [sys.executable, "-c", CHILD, str(path), ",".join(METRICS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    scores = {(s["model"], s["metric"]): s["value"] for s in json.loads(done.stdout)["scores"] if s["class"] is None}
    return scores, json.loads(done.stderr.splitlines()[-1])


def with_sklearn(path):
    """The values, and the CPU seconds that they took."""
    from pyarrow import parquet
    from sklearn import metrics as sk

    table = parquet.read_table(path)
    truth = table["y"].to_numpy()
    found, started = {}, time.process_time()
    for model in ("a", "b"):
        scores = table[model].to_numpy().astype(np.float64)
        decided = (scores >= 0.5).astype(np.int8)
        for name, score in (("accuracy", sk.accuracy_score), ("precision", sk.precision_score),
                            ("recall", sk.recall_score), ("f_beta", sk.f1_score)):  # fmt: skip
            found[model, name] = score(truth, decided)
        for name, score in (("roc_auc", sk.roc_auc_score), ("average_precision", sk.average_precision_score),
                            ("log_loss", sk.log_loss), ("brier", sk.brier_score_loss)):  # fmt: skip
            found[model, name] = score(truth, scores)
    return found, time.process_time() - started


def results(rows=ROWS):
    with tempfile.TemporaryDirectory() as folder:
        path = write_predictions(Path(folder, "large.parquet"), rows)
        part = write_predictions(Path(folder, "part.parquet"), min(PART, rows))
        expected, seconds = with_sklearn(part)
        agreed, _ = with_referee(part)
        for key, value in expected.items():
            np.testing.assert_allclose(agreed[key], value, rtol=1e-9, err_msg=str(key))
        _, used = with_referee(path)
    scaled = seconds * rows / min(PART, rows)
    yield {
        "title": f"{len(METRICS)} metrics with standard errors, {rows:,} rows of Parquet, --max-memory 1GB",
        "cpu_seconds": {"referee": used["cpu"], "scikit-learn, scaled from 10 million rows": scaled},
        "peak_memory_bytes": used["peak"],
        "times_less_cpu": {"scikit-learn": scaled / used["cpu"]},
        "goals": {"scikit-learn": 6},
        "met": {"scikit-learn": scaled / used["cpu"] >= 6, "memory below 1.5 GB": used["peak"] < 1.5e9},
    }
