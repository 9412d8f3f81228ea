"""Files that memory does not hold are compared in a copy: the numbers, words and errors are those of rows in memory."""

from __future__ import annotations

import errno
import gc
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import referee as package
from benchmarks.large_files import measured
from referee import Predictions, ReadOptions
from referee.predictions import parquet_copies, temporary_folders
from referee.predictions.parquet_copies import predictions_of_copy
from tests.engines.test_stream_engine import binary_columns, in_pieces, written
from tests.sources.refusals import refused

SMALL = ReadOptions(max_memory=20_000)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where temporary files are written, in this process and in those that it starts."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr("tempfile.tempdir", str(place))
    return place


def both(source, options=None, **roles):
    """The predictions of rows in memory, and of a copy of the rows in pieces."""
    options = options or ReadOptions()
    copied = predictions_of_copy(in_pieces(source, 37, options=options, **roles), options)
    return Predictions.read(source, options=options, **roles), copied


def assert_same_verdict(here, copied, goal, **asked):
    assert copied.engine == "database"
    mine, theirs = (package.compare(each, goal=goal, metrics=["goal"], **asked) for each in (here, copied))
    assert theirs.sentence == mine.sentence
    for a, b in zip(mine.comparisons, theirs.comparisons, strict=True):
        assert (a.a, a.b) == (b.a, b.b)
        assert a.df == (None if b.df is None else pytest.approx(b.df, rel=1e-9))
        found, expected = ((each.difference, each.standard_error, each.p) for each in (b, a))
        assert found == pytest.approx(expected, rel=1e-9), (goal, a)


@pytest.mark.parametrize("kind", ["csv", "gzip", "parquet"])
@pytest.mark.parametrize("goal", ["accuracy", "log_loss", "roc_auc"])
def test_two_classes(tmp_path, kind, goal):
    source = written(tmp_path / f"preds.{kind}", binary_columns(400), kind)
    assert_same_verdict(*both(source, truth="y", models=["a", "b"]), goal)


@pytest.mark.parametrize("roles", [{"weight": "w"}, {"group": "region"}, {"by": ("region", "sex")}, {"positive": "0"}])
def test_roles_of_columns(tmp_path, roles):
    columns = binary_columns(400) | {"region": np.random.default_rng(5).integers(0, 40, 400)}
    source = written(tmp_path / "preds.csv", columns, "csv")
    assert_same_verdict(*both(source, truth="y", models=["a", "b"], **roles), "brier")


def test_several_classes_and_decisions(tmp_path):
    draw = np.random.default_rng(1)
    labels = draw.choice(["cat", "dog", "eel"], 300)
    probabilities = draw.dirichlet(np.ones(3), 300)
    columns = {f"m:{name}": probabilities[:, place] for place, name in enumerate(("cat", "dog", "eel"))}
    columns |= {"y": labels, "said": np.where(draw.random(300) < 0.5, labels, "dog")}
    source = written(tmp_path / "preds.csv", columns, "csv")
    assert_same_verdict(*both(source, truth="y", models=["m"], labels={"other": "said"}), "accuracy")


def test_numbers_and_quantiles(tmp_path):
    draw = np.random.default_rng(2)
    truth = draw.normal(10, 3, 300)
    columns = {"y": truth, "p": truth + draw.normal(0, 1, 300), "o": truth + draw.normal(0, 2, 300)}
    columns |= {f"{name}:{level}": truth + level - 0.5 for name in "qr" for level in (0.1, 0.5, 0.9)}
    source = written(tmp_path / "preds.csv", columns, "csv")
    assert_same_verdict(*both(source, truth="y", models=["p", "o"]), "rmse")
    assert_same_verdict(*both(source, truth="y", models=["q", "r"]), "crps")


def test_decimal_comma_delimiter_and_encoding(tmp_path):
    draw = np.random.default_rng(4)
    scores = [(f"{a:.3f}".replace(".", ","), f"{b:.3f}".replace(".", ",")) for a, b in draw.random((300, 2))]
    lines = [f"{draw.choice(['süd', 'nord'])};{a};{b}" for a, b in scores]
    source = tmp_path / "preds.csv"
    source.write_bytes("\n".join(["y;a;b", *lines]).encode("cp1252"))
    options = ReadOptions(decimal=",", encoding="cp1252")
    assert_same_verdict(*both(source, options, truth="y", positive="süd"), "roc_auc")


class TestByItself:
    """What the user sees."""

    @pytest.fixture
    def source(self, tmp_path):
        return written(tmp_path / "preds.csv", binary_columns(3000), "csv")

    @pytest.mark.parametrize("command", ["compare", "gate"])
    def test_on_the_command_line(self, source, referee, command):
        asked = [command, source, "--truth", "y", "--models", "a,b", "--goal", "roc_auc"]
        asked += ["--production", "b", "--candidate", "a", "--margin", "0.01"] if command == "gate" else []
        whole, small = referee(*asked), referee(*asked, "--max-memory", "100kB")
        assert small.code == whole.code
        assert "copied as Parquet and processed by DuckDB" in small.err and "about 3,0" in small.err
        assert small.json["verdict"]["sentence"] == whole.json["verdict"]["sentence"]

    def test_in_python_and_nothing_is_left_behind(self, source, folder):
        asked = {"truth": "y", "models": ["a", "b"], "goal": "brier"}
        verdict = package.compare(str(source), **asked, options=ReadOptions(max_memory=100_000))
        assert verdict.sentence == package.compare(str(source), **asked).sentence
        del verdict
        gc.collect()
        assert not list(folder.iterdir())

    def test_errors_of_named_metrics(self, source, referee):
        asked = ["evaluate", source, "--truth", "y", "--models", "a,b", "--metrics", "roc_auc", "--weight", "w"]
        whole, small = referee(*asked), referee(*asked, "--max-memory", "100kB")
        errors = [[row["standard_error"] for row in run.json["scores"]] for run in (whole, small)]
        assert errors[1] == pytest.approx(errors[0], rel=1e-9)

    def test_an_engine_that_was_named(self, source, referee):
        asked = ("compare", source, "--truth", "y", "--models", "a,b", "--goal", "accuracy")
        here, copied = (referee(*asked, "--engine", engine).json["verdict"] for engine in ("memory", "database"))
        assert copied["sentence"] == here["sentence"]


def damaged(folder, row=2900, cell="x", rows=3000):
    lines = [f"{n % 2},{cell if n == row else n / 5000},{(n * 7 % 1000) / 1000}" for n in range(1, rows + 1)]
    file = folder / "preds.csv"
    file.write_text("\n".join(["y,a,b", *lines]))
    return file


ASKED = {"truth": "y", "models": ["a", "b"], "goal": "roc_auc", "options": SMALL}


@pytest.mark.parametrize(("cell", "code"), [("x", "E_NOTNUM"), ("", "E_MISSING"), ("inf", "E_NONFINITE")])
def test_a_broken_cell_is_named_with_its_row(tmp_path, folder, cell, code):
    file = damaged(tmp_path, cell=cell)
    with refused(code, str(file), "column 'a', row 2900"):
        package.compare(str(file), **ASKED)
    assert not list(folder.iterdir())


def test_a_broken_cell_of_parquet_is_named_with_its_row(tmp_path):
    columns = binary_columns(3000)
    columns["b"][2899] = np.inf
    file = written(tmp_path / "preds.parquet", columns)
    with refused("E_NONFINITE", "column 'b', row 2900"):
        package.compare(str(file), **ASKED)


def test_a_file_that_changes_while_it_is_copied(tmp_path, folder, monkeypatch):
    file, write = damaged(tmp_path, cell="0.5"), parquet_copies._Copy.write

    def cut_first(copy):
        os.truncate(file, file.stat().st_size // 2)
        write(copy)

    monkeypatch.setattr(parquet_copies._Copy, "write", cut_first)
    with refused("E_CHANGED", str(file)):
        package.compare(str(file), **ASKED)
    assert not list(folder.iterdir())


def test_a_parquet_file_that_changes_while_it_is_compared(tmp_path):
    file = written(tmp_path / "preds.parquet", binary_columns(3000))
    predictions = Predictions.read(file, truth="y", models=["a", "b"], options=ReadOptions(engine="database"))
    written(file, binary_columns(3000, seed=9))
    os.utime(file, ns=(1, 1))
    with refused("E_CHANGED", str(file)):
        package.compare(predictions, goal="accuracy")


def test_too_little_room_is_seen_before_anything_is_written(tmp_path, folder, monkeypatch):
    monkeypatch.setattr(temporary_folders.shutil, "disk_usage", lambda _: _Usage(free=1000))
    with refused("E_WRITE", "has 1000 bytes left", exit_code=6, hint="TMPDIR"):
        package.compare(str(damaged(tmp_path, cell="0.5")), **ASKED)
    assert not list(folder.iterdir())


class _Usage:
    def __init__(self, free):
        self.free = free


def test_a_disk_that_fills_up(tmp_path, folder, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(parquet.ParquetWriter, "write_table", full)
    with refused("E_WRITE", "No space left on device", exit_code=6):
        package.compare(str(damaged(tmp_path, cell="0.5")), **ASKED)
    assert not list(folder.iterdir())


def test_only_the_owner_may_look(tmp_path, folder):
    predictions = Predictions.read(
        damaged(tmp_path, cell="0.5"), truth="y", models=["a", "b"], options=ReadOptions(engine="database")
    )
    (made,) = folder.iterdir()
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    del predictions


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_leaves_nothing_behind(tmp_path, folder, number):
    file = damaged(tmp_path, cell="0.5", rows=400_000)
    asked = ("--truth", "y", "--models", "a,b", "--goal", "roc_auc", "--max-memory", "1MB")
    process = subprocess.Popen(
        [sys.executable, "-m", "referee", "compare", file, *asked],
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # noqa: PLW1509 (under nohup SIGHUP is ignored)
    )
    until = time.monotonic() + 60
    while not list(folder.glob("referee-*/*")) and time.monotonic() < until and process.poll() is None:
        time.sleep(0.01)
    assert process.poll() is None, "it ended before it wrote a copy"
    process.send_signal(number)
    assert process.wait(60) == 128 + number
    assert not list(folder.iterdir())


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells how much memory is anonymous")
@pytest.mark.parametrize("kind", ["csv", "gzip", "parquet"])
@pytest.mark.parametrize("command", ["evaluate", "compare", "gate"])
def test_memory_is_kept_within_a_fifth(tmp_path, kind, command):
    """A million rows, read at once, were evaluated in 397 MB."""
    draw = np.random.default_rng(6)
    truth = np.arange(1_000_000) % 5 == 0
    columns = {"y": truth.astype(np.int8), "a": draw.random(len(truth)), "b": draw.random(len(truth))}
    source = tmp_path / f"preds.{kind}"
    if kind == "parquet":  # in row groups of the usual size
        parquet.write_table(pa.table(columns), source)
    else:
        written(source, columns, kind)
    asked = {
        "evaluate": ["--metrics", "log_loss,roc_auc"],
        "compare": ["--goal", "log_loss", "--metrics", "goal"],
        "gate": ["--goal", "log_loss", "--production", "a", "--candidate", "b", "--margin", "0.5"],
    }
    about = [str(source), "--truth", "y", "--models", "a,b", "--max-memory", "250MB"]
    said, _, peak = measured(sys.executable, "-m", "referee", command, *about, *asked[command])
    assert said is not None
    assert 50 < peak < 1.2 * 250


def test_scores_that_do_not_fit_into_memory_are_ranked_on_the_disk(tmp_path):
    from sklearn.metrics import roc_auc_score

    draw = np.random.default_rng(0)
    truth = draw.integers(0, 2, 100_000)
    scores = (truth + draw.normal(size=100_000)).round(4)
    written(tmp_path / "preds.csv", {"y": truth, "a": scores}, "csv")
    asked = {"truth": "y", "models": ["a"], "options": ReadOptions(max_memory=1_000_000)}
    ranked = package.evaluate(tmp_path / "preds.csv", metrics="roc_auc", **asked)
    assert ranked.predictions.engine == "database"
    assert ranked["a", "roc_auc"].value == pytest.approx(roc_auc_score(truth, scores), rel=1e-12)
    assert package.evaluate(tmp_path / "preds.csv", metrics="accuracy", **asked).predictions.engine == "stream"
    batches = ReadOptions(max_memory=1_000_000, engine="stream")
    with refused("E_TOOBIG", "100,000 rows", exit_code=8, hint="sorts them on the disk"):
        package.evaluate(tmp_path / "preds.csv", metrics="roc_auc", **asked | {"options": batches})
