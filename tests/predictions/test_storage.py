"""Missing marks and narrow types are said in JSON, in the header and on the page, whatever the columns came in."""

from __future__ import annotations

import json
from contextlib import closing

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import referee as library
from referee import ReadOptions

ROWS = 240
OPTIONS = ("--truth", "y", "--goal", "roc_auc", "--metrics", "goal", "--positive", "pos")


def columns():
    chance = np.random.default_rng(3)
    positive = chance.random(ROWS) < 0.5
    scores = (positive * 0.4 + chance.random(ROWS)) / 1.4
    return {
        "y": np.where(positive, "pos", "neg"),
        "half": scores.astype(np.float16),
        "single": scores.astype(np.float32),
        "whole": np.argsort(np.argsort(scores)) * 2**50 + 2**53,
        "full": scores,
        "w": np.linspace(1, 2, ROWS, dtype=np.float32),
    }


STORED = {"half": "float16", "single": "float32", "whole": "integers beyond 2^53", "w": "float32"}
MODELS = ["half", "single", "whole", "full"]


@pytest.fixture
def narrow(tmp_path):
    path = tmp_path / "narrow.parquet"
    pq.write_table(pa.table(columns()), path)
    return path


def types(read):
    return {name: entry["stored"] for name, entry in read["columns"].items() if "stored" in entry}


@pytest.mark.parametrize("command", ["compare", "evaluate", "curves", "threshold", "calibrate", "plan", "gate"])
def test_every_command_says_narrow_types(referee, narrow, command):
    goal = {"evaluate": "--metrics", "curves": None}.get(command, "--goal")
    metric = {"threshold": "f1", "calibrate": "brier"}.get(command, "roc_auc")
    asked = [*([goal, metric] if goal and command != "calibrate" else []), "--truth", "y", "--positive", "pos"]
    models = MODELS if command not in ("calibrate", "gate", "plan") else ["half", "single"]
    more = {"plan": ("--margin", "0.1", "--pilot", narrow), "gate": ("--margin", "0.1", "--production", "half")}
    sides = ("--candidate", "single") if command == "gate" else ()
    source = () if command == "plan" else (narrow,)
    answer = referee(command, *source, *asked, "--models", ",".join(models), *more.get(command, ()), *sides)
    assert answer.code in (0, 1), answer.err
    assert types(answer.json["read"]) == {name: STORED[name] for name in models if name in STORED}


def test_python_header_and_page_say_narrow_types(referee, narrow):
    verdict = library.compare(
        narrow, truth="y", goal="roc_auc", metrics="goal", positive="pos", models=MODELS, weight="w"
    )
    assert types(verdict.to_dict()["read"]) == STORED
    line = "stored narrowly: float32 'w' and 'single'; float16 'half'; integers beyond 2^53 'whole'"
    text = referee("compare", narrow, *OPTIONS, "--models", ",".join(MODELS), "--weight", "w", form="text")
    for shown in (text.out + text.err, verdict.to_html(), verdict.to_markdown()):
        assert line in " ".join(shown.replace("&#39;", "'").replace("\\^", "^").split())


@pytest.mark.parametrize("engine", ["memory", "stream", "database"])
def test_every_engine_says_narrow_types(narrow, engine):
    scores = library.evaluate(
        narrow, truth="y", positive="pos", models=MODELS[1:], weight="w", metrics="accuracy",
        options=ReadOptions(engine=engine),
    )  # fmt: skip
    known = dict(STORED)
    del known["half"]
    assert types(scores.to_dict()["read"]) == known


def test_arrays_and_texts():
    made = columns()
    arrays = {name: made[name] for name in MODELS}
    verdict = library.compare(made["y"], arrays, goal="roc_auc", metrics="goal", positive="pos")
    assert types(verdict.to_dict()["read"]) == {name: STORED[name] for name in MODELS if name in STORED}
    halves = [notice.message for notice in verdict.warnings if notice.code == "W_PRECISION"]
    distinct = len(np.unique(made["half"]))
    assert distinct < ROWS
    assert any("float16" in message and f"{distinct} distinct values" in message for message in halves)


def test_whole_numbers_written_in_a_file(referee, tmp_path):
    made, path = columns(), tmp_path / "rows.csv"
    lines = [f"{y},{a},{b}" for y, a, b in zip(made["y"], made["whole"], made["full"], strict=True)]
    path.write_text("y,A,B\n" + "\n".join(lines) + "\n")
    assert types(referee("compare", path, *OPTIONS).json["read"]) == {"A": "integers beyond 2^53"}
    large = [f"{y},{float(a) * 1e30!r},{b}" for y, a, b in zip(made["y"], made["full"], made["full"], strict=True)]
    path.write_text("y,A,B\n" + "\n".join(large) + "\n")
    assert types(referee("compare", path, *OPTIONS).json["read"]) == {}


def test_a_database_says_narrow_types(narrow, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    with closing(duckdb.connect(tmp_path / "p.duckdb")) as database:
        database.execute(f"CREATE TABLE preds AS SELECT * FROM '{narrow}'")
        relation = database.table("preds")
        verdict = library.compare(
            relation, truth="y", goal="accuracy", metrics="goal", positive="pos", models=["single", "full"]
        )
        assert types(verdict.to_dict()["read"]) == {"single": "float32"}


def marked(tmp_path, name="rows.csv"):
    """Three labels that may mean 'missing', and blanks."""
    made, path = columns(), tmp_path / name
    labels = made["y"].tolist()
    for place, mark in ((3, "?"), (9, "?"), (20, "NA"), (30, "")):
        labels[place] = mark
    if name.endswith("csv"):
        rows = (f"{y},{a},{b}\n" for y, a, b in zip(labels, made["full"], made["single"], strict=True))
        path.write_text("y,A,B\n" + "".join(rows))
    else:
        rows = ({"y": y or None, "A": a, "B": b} for y, a, b in zip(labels, made["full"], made["full"], strict=True))
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl"])
def test_marks_of_missing_labels_are_counted(referee, tmp_path, name):
    path = marked(tmp_path, name)
    assert referee("compare", path, *OPTIONS).json["error"]["code"] == "E_MISSING"
    answer = referee("compare", path, *OPTIONS, "--drop-label", ",?,NA")
    read = answer.json["read"]
    assert read["columns"]["y"] == {"as": "truth", "missing": {"": 1, "?": 2, "NA": 1}}
    assert read["left_out"]["rows"] == {"": 1, "?": 2, "NA": 1}
    own = library.compare(path, truth="y", goal="roc_auc", metrics="goal", positive="pos", drop_label=["", "?", "NA"])
    assert own.to_dict()["read"] == read
    assert "missing: 'y' (empty in 1 row, '?' in 2 rows, 'NA' in 1 row)" in " ".join(
        own.to_html().replace("&#39;", "'").split()
    )


def test_marks_that_are_classes_are_said(referee, tmp_path):
    path = tmp_path / "rows.csv"
    chance = np.random.default_rng(5)
    truth = chance.choice(["ant", "bee", "cat", "unknown"], 80)
    path.write_text("y,A,B\n" + "".join(f"{y},{y},{chance.choice(truth)}\n" for y in truth))
    answer = referee("compare", path, "--truth", "y", "--models", "A,B", "--goal", "accuracy", "--metrics", "goal")
    rows = int((truth == "unknown").sum())
    assert answer.json["read"]["columns"]["y"] == {"as": "truth", "kept_marks": {"unknown": rows}}
    text = referee(
        "compare", path, "--truth", "y", "--models", "A,B", "--goal", "accuracy", "--metrics", "goal", form="text"
    )
    assert f"read as classes, not as missing: 'y' ('unknown' in {rows} rows)" in text.out + text.err
    named = referee(
        "compare", path, "--truth", "y", "--models", "A,B", "--goal", "accuracy", "--classes", "ant,bee,cat,unknown"
    )
    assert named.json["read"]["columns"]["y"] == {"as": "truth"}


def test_scores_that_are_missing(referee, tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(
        "item,A,B\n" + "".join(f"i{n},{n % 7},{'' if n == 3 else 'NaN' if n == 5 else n % 5}\n" for n in range(40))
    )
    options = ("--task", "scores", "--id", "item", "--on-missing", "drop")
    read = referee("compare", path, *options).json["read"]
    assert read["columns"]["B"] == {"as": "score", "model": "B", "missing": {"": 1, "NaN": 1}}
    own = library.compare(path, task="scores", id="item", on_missing="drop")
    assert own.to_dict()["read"] == read


def test_features_that_are_missing(referee, tmp_path):
    path, chance = tmp_path / "data.csv", np.random.default_rng(7)
    rows = [(f"{n % 11}", chance.choice(["u", "v"]), "yes" if chance.random() < 0.5 else "no") for n in range(60)]
    cells = [("?" if n == 4 else "" if n in (6, 8) else a, "?" if n == 5 else b, y) for n, (a, b, y) in enumerate(rows)]
    path.write_text("age,job,y\n" + "".join(",".join(row) + "\n" for row in cells))
    options = ("--target", "y", "--positive", "yes", "--models", "dummy,tree", "--goal", "accuracy")
    answer = referee("select", path, *options, "--scheme", "k_fold(k=2)")
    read = answer.json["read"]["columns"]
    assert read["age"] == {"as": "numeric feature", "missing": {"": 2, "?": 1}}
    assert read["job"] == {"as": "categorical feature", "missing": {"?": 1}}
    text = referee("select", path, *options, "--scheme", "k_fold(k=2)", form="text")
    assert "missing: 'age' (empty in 2 rows, '?' in 1 row), 'job' ('?' in 1 row)" in " ".join(
        (text.out + text.err).split()
    )


def test_rows_without_a_partner(referee, tmp_path):
    made = columns()
    for name, skipped in (("a", 3), ("b", 7)):
        rows = (
            f"{n},{y},{s}\n" for n, (y, s) in enumerate(zip(made["y"], made["full"], strict=True)) if n % 50 != skipped
        )
        (tmp_path / f"{name}.csv").write_text(f"id,y,{name}\n" + "".join(rows))
    sources = (tmp_path / "a.csv", tmp_path / "b.csv")
    answer = referee("compare", *sources, *OPTIONS, "--id", "id", "--on-missing", "drop")
    assert answer.json["read"]["left_out"]["unmatched"] == {str(sources[0]): 5, str(sources[1]): 5}
