"""Where several tables are: lists, globs, folders, standard input; and frames that are not in memory."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys

import pandas as pd
import pyarrow as pa
import pytest

from referee import Predictions, ReadOptions, evaluate
from referee.predictions import read_table

from .refusals import refused

ROWS = [(0, 0.2, 0.4), (1, 0.9, 0.3), (1, 0.7, 0.6), (0, 0.4, 0.5)] * 10
FRAME = pd.DataFrame(ROWS, columns=["y", "a", "b"])
AREA = {"a": 1.0, "b": 0.5}
"""Of 4 pairs of a positive and a negative row: all in order, and 2 (0.6 above both)."""


def areas(predictions):
    return {row.model: row.value for row in evaluate(predictions, "roc_auc").rows if row.class_ is None}


@pytest.fixture
def folder(tmp_path):
    for name in "ab":
        FRAME[["y", name]].rename(columns={name: "score"}).to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


def test_a_list_a_glob_and_a_folder_are_a_source_for_each_file(folder):
    (folder / ".hidden.csv").write_text("x\n1\n")
    (folder / "notes.txt.bak").write_text("not a table")
    for given in ([folder / "a.csv", folder / "b.csv"], [str(folder / "*.csv")], [folder]):
        assert areas(Predictions.read(*given, truth="y")) == AREA


def test_so_they_are_on_the_command_line(referee, folder):
    for given in (folder, folder / "*.csv"):
        run = referee("compare", given, "--truth", "y", "--goal", "roc_auc")
        assert run.json["verdict"]["values"] == AREA


def test_parquet_files_are_parts_of_one_table(tmp_path):
    FRAME[:20].to_parquet(tmp_path / "1.parquet")
    FRAME[20:].to_parquet(tmp_path / "2.parquet")
    (tmp_path / "log.csv").write_text("x\n1\n")
    for given in (tmp_path, str(tmp_path / "*.parquet")):
        predictions = Predictions.read(given, truth="y")
        assert (predictions.rows, areas(predictions)) == (40, AREA)


def test_nothing_is_no_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "preds.csv").write_text("y,a\n0,0.1\n")
    with refused("E_ISDIR", exit_code=2):
        Predictions.read("", truth="y")
    with refused("E_NOFILE", "no file matches", exit_code=2):
        Predictions.read(str(tmp_path / "*.tsv"), truth="y")


def parquet(frame):
    file = io.BytesIO()
    frame.to_parquet(file)
    return file.getvalue()


FORMATS = {
    "csv": lambda: FRAME.to_csv(index=False).encode(),
    "gzip": lambda: gzip.compress(FRAME.to_csv(index=False).encode()),
    "jsonl": lambda: FRAME.to_json(orient="records", lines=True).encode(),
    "parquet": lambda: parquet(FRAME),
}


@pytest.mark.parametrize("form", FORMATS)
def test_standard_input_in_any_format(form):
    told = [sys.executable, "-m", "referee", "compare", "-", "--truth", "y", "--goal", "roc_auc", "--format", "json"]
    run = subprocess.run(told, input=FORMATS[form](), capture_output=True, check=True, env=dict(os.environ))
    assert json.loads(run.stdout)["verdict"]["values"] == AREA


def test_standard_input_that_is_empty_or_too_big(monkeypatch):
    for content, code, limit in ((b"", "E_EMPTY", None), (b"y,a\n" * 1000, "E_TOOBIG", 100)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        with refused(code, "standard input", exit_code=8 if limit else 3):
            read_table("-", ReadOptions(max_memory=limit))


class Keyboard(io.StringIO):
    def isatty(self):
        return True


def test_a_keyboard_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(sys, "stdin", Keyboard())
    with refused("E_NOFILE", "is a terminal", exit_code=2):
        read_table("-")


class DataFrame:
    """As Spark's: it counts and gives Arrow data, and nothing of it is here before."""

    __module__ = "pyspark.sql.classic.dataframe"
    columns = ("y", "a", "b")
    asked = 0

    def count(self):
        return len(FRAME)

    def toArrow(self):  # noqa: N802
        DataFrame.asked += 1
        return pa.Table.from_pandas(FRAME, preserve_index=False)


def test_a_spark_frame_is_read_with_its_rows_said():
    predictions = Predictions.read(DataFrame(), truth="y", options=ReadOptions(engine="memory"))
    assert areas(predictions) == AREA
    assert any("40 rows were read from Spark" in note for note in predictions.notes)


def test_a_spark_frame_beyond_the_memory_is_refused_unread():
    before = DataFrame.asked
    with refused("E_TOOBIG", "40 rows", exit_code=8):
        Predictions.read(DataFrame(), truth="y", options=ReadOptions(engine="memory", max_memory=500))
    assert DataFrame.asked == before
