"""A process that may not have much memory: tables are read in batches, or refused; nothing is called a bug."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from referee.cli import process
from referee.predictions import ReadOptions, memory_limit

LITTLE = 1_200_000_000
ROWS = 20_000_000


def test_the_limit_of_the_process_counts(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (10**8, resource.RLIM_INFINITY))
    assert memory_limit(ReadOptions()) == 10**8 // 2


def test_a_table_that_fits_only_in_batches(tmp_path):
    path = tmp_path / "rows.parquet"
    y, a = np.arange(ROWS) % 2, np.arange(ROWS) % 1000 / 1000
    pq.write_table(pa.table({"y": y, "a": a}), path, compression="zstd")
    command = [sys.executable, "-m", "referee", "evaluate", path, "--truth", "y", "--positive", "1"]
    done = subprocess.run(
        [*command, "--metrics", "brier", "--format", "json"],
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LITTLE, LITTLE)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["scores"][0]["value"] == pytest.approx(float(np.mean((a - y) ** 2)), rel=1e-12)


@pytest.mark.parametrize("error", [MemoryError(), pa.ArrowMemoryError("malloc of size 160000000 failed")])
def test_memory_that_runs_out(referee, monkeypatch, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(process.referee, "invoke", fail)
    answer = referee("metrics")
    assert (answer.code, answer.json["error"]["code"]) == (8, "E_TOOBIG")
    assert "Traceback" not in answer.err
