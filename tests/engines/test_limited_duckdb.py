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
from pyarrow import parquet

from benchmarks.databases import made
from benchmarks.large_files import measured
from referee import Predictions, ReadOptions, compare, evaluate
from referee.engines import engine_of

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


@pytest.mark.parametrize("roles", [{"fold": "fold"}, {"by": ["fold"]}])
def test_steps_stay_in_the_database_where_they_would_not_fit(database, tmp_path, roles):
    """A million scores of two models were fetched, as for a database of this process without a limit."""
    with duckdb.connect(str(database), read_only=True) as connection:
        rows = connection.sql("SELECT *, rowid % 3 AS fold FROM preds LIMIT 30000").to_arrow_table()
    parquet.write_table(rows, tmp_path / "rows.parquet")
    asked = {"truth": "y", "models": ["a", "b"], "metrics": ["roc_auc"], **roles}
    limited = ReadOptions(max_memory=2_000_000, engine="database")
    here, there = (evaluate(f"{tmp_path}/rows.parquet", options=o, **asked) for o in (ReadOptions(), limited))
    assert there.predictions.engine == "database"
    assert not any(
        engine_of(there.predictions).summarise(there.predictions, each).bytes_fetched
        for each in there.predictions.models
    )
    assert len(there.to_dict()["scores"]) == len(here.to_dict()["scores"]) > 2
    for one, other in zip(here.to_dict()["scores"], there.to_dict()["scores"], strict=True):
        for name in ("value", "standard_error"):
            assert other[name] == (None if one[name] is None else pytest.approx(one[name], rel=1e-9))
