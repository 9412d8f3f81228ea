"""DuckDB files under `--max-memory`: what it does not hold is sorted in a temporary folder, never beside the file."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from benchmarks.databases import made
from benchmarks.large_files import measured
from referee import Predictions, ReadOptions, compare

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="/proc tells how much memory is taken")
ASKED = ("--truth", "y", "--models", "a,b", "--goal", "roc_auc", "--metrics", "goal")


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """A million rows, whose AUC took 375 MB to compare when nothing was said to DuckDB."""
    path = tmp_path_factory.mktemp("duckdb") / "preds.duckdb"
    made(path, 1_000_000)
    return path


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    folder = tmp_path / "it's temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def test_memory_is_kept_within_a_fifth(database):
    limited = [sys.executable, "-m", "referee", "compare", str(database), *ASKED, "--format", "json"]
    said, _, peak = measured(*limited, "--max-memory", "250MB")
    assert said is not None
    assert 50 < peak < 1.2 * 250
    whole = compare(str(database), truth="y", models=["a", "b"], goal="roc_auc", metrics="goal")
    assert json.loads(said)["comparisons"][0]["p"] == pytest.approx(whole.comparisons[0].p, rel=1e-9)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_nothing_behind(database, temporary, number):
    limited = [sys.executable, "-m", "referee", "compare", str(database), *ASKED, "--max-memory", "250MB"]
    process = subprocess.Popen(limited, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not list(temporary.glob("referee-*/*/*")) and time.monotonic() < until and process.poll() is None:
        time.sleep(0.001)
    assert process.poll() is None, "it ended before it sorted anything"
    process.send_signal(number)
    assert process.wait(60) == 128 + number
    assert not list(temporary.iterdir())
    assert [file.name for file in database.parent.iterdir()] == [database.name]


def test_connections_of_the_same_process_go_on(database):
    """The user's own, and those of predictions that are kept."""
    with duckdb.connect(str(database), read_only=True) as own:
        kept = [
            Predictions.read(str(database), truth="y", models=["a", "b"], options=ReadOptions(max_memory=limit))
            for limit in (None, 400_000_000, 500_000_000)
        ]
        p = {compare(each, goal="accuracy", metrics="goal").comparisons[0].p for each in kept}
        assert len(p) == 1
        assert own.execute("SELECT count(*) FROM preds").fetchall() == [(1_000_000,)]
