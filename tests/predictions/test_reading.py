"""What columns and labels are taken for: the same in files, pieces, databases and arrays, and nothing in silence."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from sklearn.metrics import accuracy_score, roc_auc_score

from referee import metrics
from referee.comparing import compare
from referee.errors import RefereeError
from referee.predictions import Predictions, ReadOptions, Roles
from referee.predictions.batches import open_batches
from referee.predictions.stream_source import stream_predictions
from referee.scoring import evaluate
from referee.scoring.shown_scores import described

READERS = ["memory", "stream", "database", "arrays"]


def some(spellings):
    """All of them in arrays, which take no time, and two by each other reader."""
    return [("arrays", one) for one in spellings] + [(reader, one) for reader in READERS[:3] for one in spellings[:2]]


def read_by(reader, folder, frame, **roles):
    """The same columns by any way of reading; arrays have no other columns than those of the models."""
    if reader == "arrays":
        models = {name: frame[name].to_numpy() for name in roles.pop("models")}
        return Predictions.from_arrays(frame[roles.pop("truth")].to_numpy(), models, **roles)
    if reader == "database":
        path = folder / f"{len(list(folder.iterdir()))}.duckdb"
        with duckdb.connect(path) as connection:
            connection.register("given", pa.Table.from_pandas(frame, preserve_index=False))
            connection.execute("CREATE TABLE preds AS SELECT * FROM given")
        return Predictions.read(path, **roles)
    path = folder / "preds.csv"
    csv.write_csv(pa.Table.from_pandas(frame, preserve_index=False), path)
    if reader == "memory":
        return Predictions.read(path, **roles)
    batches = open_batches(path, ReadOptions(), 37)
    return stream_predictions(Predictions, batches, Roles.of(**roles), 10**8)


def refused(*given, **roles):
    with pytest.raises(RefereeError) as caught:
        read_by(*given, **roles)
    return caught.value


def auc(predictions, model="a"):
    return evaluate(predictions, ["roc_auc"])[model, "roc_auc"].value


def labelled(rows=300, seed=7):
    draw = np.random.default_rng(seed)
    truth = draw.random(rows) < 0.4
    scores = {name: np.round(truth * shift + draw.normal(size=rows), 6) for name, shift in (("a", 1.6), ("b", 1.2))}
    return pd.DataFrame({"y": np.where(truth, "pos", "neg"), **scores})


def with_slips(slip, rows=10):
    """The first positives written in another way."""
    frame = labelled()
    frame.loc[np.flatnonzero(frame.y == "pos")[:rows], "y"] = slip
    return frame


def in_doubt(mark, rows=30):
    frame = labelled()
    frame.loc[: rows - 1, "y"] = mark
    return frame


SLIPS = ["pos ", "pos\u00a0", "Pos", "POS", " pos", "ｐos", "p\u043es", "po\u200bs", "\u202epos", "pos \u2060"]


@pytest.mark.parametrize(("reader", "slip"), some(SLIPS))
@pytest.mark.parametrize("positive", ["pos", None])
def test_a_label_in_two_spellings_is_asked_about(tmp_path, reader, slip, positive):
    error = refused(reader, tmp_path, with_slips(slip), truth="y", models=["a", "b"], positive=positive)
    assert (error.code, error.exit) == ("E_LABELS", 3)
    positives = int((labelled().y == "pos").sum())
    assert f"'pos' ({positives - 10:,} rows)" in error.message
    assert f"{slip!r} (10 rows)" in error.message
    assert "positive=[" in error.hint


@pytest.mark.parametrize(("reader", "slip"), some(SLIPS))
def test_both_spellings_named_are_one_class(tmp_path, reader, slip):
    frame = with_slips(slip)
    expected = roc_auc_score(labelled().y == "pos", frame.a)
    assert roc_auc_score(frame.y == "pos", frame.a) < expected - 0.005, "the slip must matter"
    found = read_by(reader, tmp_path, frame, truth="y", models=["a", "b"], positive=["pos", slip])
    assert auc(found) == pytest.approx(expected, abs=1e-12)
    positives = int((labelled().y == "pos").sum())
    assert found.account.positive == {"pos": positives - 10, slip: 10}
    assert found.account.rest == {"neg": 300 - positives}


@pytest.mark.parametrize("slip", ["pos ", "Pos", "pos\u00a0", "po\u200bs"])
@pytest.mark.parametrize("command", ["compare", "evaluate"])
def test_the_hint_can_be_pasted(referee, tmp_path, slip, command):
    frame = with_slips(slip)
    path = tmp_path / "preds.csv"
    frame.to_csv(path, index=False)
    asked = [command, str(path), "--truth", "y", *(["--goal", "roc_auc"] if command == "compare" else [])]
    run = referee(*asked, "--positive", "pos")
    assert run.code == 3
    hint = run.json["error"]["hint"]
    option = re.search(r"--positive (\$?'[^']*'|\S+?);", hint)[0].rstrip(";")
    line = " ".join([sys.executable, "-m", "referee", *asked, option, "--format", "json"])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "LC_ALL": "C.UTF-8"}
    pasted = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=environment, check=True)
    (value,) = [
        row["value"]
        for row in json.loads(pasted.stdout)["scores"]
        if (row["model"], row["metric"], row["class"]) == ("a", "roc_auc", None)
    ]
    assert value == pytest.approx(roc_auc_score(labelled().y == "pos", frame.a), abs=1e-12)


def test_spellings_of_classes_are_asked_about():
    """Also where several classes are equals, unless the models' columns or the user name both."""
    truth, decided = ["cat", "cat ", "dog", "cow"] * 5, ["cat", "cat", "dog", "cow"] * 5
    with pytest.raises(RefereeError, match=r"'cat' \(5 rows\) and 'cat ' \(5 rows\)"):
        metrics["accuracy"](truth, decided)
    assert metrics["accuracy"](truth, decided, classes=["cat", "cat ", "cow", "dog"]) == 0.75
    letters = np.array(list("aAb"))[np.arange(30) % 3]
    shares = pd.DataFrame(np.eye(3)[np.arange(30) % 3], columns=["a", "A", "b"])
    assert metrics["accuracy"](letters, shares) == 1.0
    with pytest.raises(RefereeError, match="different ways"):
        metrics["accuracy"](letters, letters)


def test_spellings_in_the_rest_are_one():
    """The positive class settles that they are on the same side."""
    frame = labelled()
    truth = frame.y.where(frame.index > 20, frame.y.replace("neg", "Neg "))
    found = Predictions.from_arrays(truth, {"a": frame.a}, positive="pos")
    assert auc(found) == pytest.approx(roc_auc_score(frame.y == "pos", frame.a), abs=1e-12)
    assert set(found.account.rest) == {"neg", "Neg "}


MARKS = ["?", "NA", "N/A", "nan", "null", "None", "unknown", "-"]


@pytest.mark.parametrize(("reader", "mark"), some(MARKS))
@pytest.mark.parametrize("positive", ["pos", None])
def test_marks_of_missing_labels_are_asked_about(tmp_path, reader, mark, positive):
    error = refused(reader, tmp_path, in_doubt(mark), truth="y", models=["a"], positive=positive)
    assert (error.code, error.exit) == ("E_MISSING", 3)
    assert f"{mark!r} (30 rows)" in error.message
    assert "drop_label=" in error.hint
    assert "classes=[" in error.hint


@pytest.mark.parametrize(("reader", "mark"), some(MARKS))
def test_rows_of_dropped_labels_are_left_out(tmp_path, reader, mark):
    frame = in_doubt(mark)
    expected = roc_auc_score(frame.y[30:] == "pos", frame.a[30:])
    assert roc_auc_score(frame.y == "pos", frame.a) < expected - 0.005, "the mark must matter"
    found = read_by(reader, tmp_path, frame, truth="y", models=["a", "b"], positive="pos", drop_label=mark)
    assert (found.rows, found.account.rows_left_out) == (270, {mark: 30})
    assert auc(found) == pytest.approx(expected, abs=1e-12)
    assert [notice.code for notice in found.notices] == ["W_DROPPED"]
    assert "30 rows" in found.notices[0].message
    verdict = compare(read_by("memory", tmp_path, frame, truth="y", positive="pos", drop_label=mark), "roc_auc")
    assert verdict.to_dict()["read"]["left_out"]["rows"] == {mark: 30}


@pytest.mark.parametrize("reader", READERS)
def test_a_mark_that_is_named_is_a_class(tmp_path, reader):
    frame = in_doubt("unknown")
    roles = {"truth": "y", "models": ["a"], "positive": "pos"}
    found = read_by(reader, tmp_path, frame, **roles, classes=("neg", "pos", "unknown"))
    assert auc(found) == pytest.approx(roc_auc_score(frame.y == "pos", frame.a), abs=1e-12)
    assert found.account.rest["unknown"] == 30
    assert "'neg'" in described(found)
    assert "'unknown' (30)" in described(found)


def test_words_that_are_classes_are_left_alone():
    none = ["none", "some"] * 10
    assert metrics["accuracy"](none, none) == 1.0
    several = ["none", "mild", "severe", "deadly"] * 5
    assert metrics["accuracy"](several, several) == 1.0
    three = ["none", "mild", "severe"] * 5
    assert Predictions.from_arrays(three, {"m": three}, task="multiclass").classes == ("mild", "none", "severe")
    shares = {label: [float(label == one) for one in three] for label in ("none", "mild", "severe")}
    assert Predictions.from_arrays(three, {"m": shares}).task == "multiclass"


def test_labels_to_drop_are_labels(referee, tmp_path):
    in_doubt("?").to_csv(tmp_path / "preds.csv", index=False)
    common = ["evaluate", tmp_path / "preds.csv", "--truth", "y", "--positive", "pos", "--metrics", "roc_auc"]
    run = referee(*common, "--drop-label", "?,NA")
    assert (run.code, run.json["error"]["code"]) == (2, "E_LABELS")
    assert "'NA'" in run.json["error"]["message"]
    run = referee(*common, "--drop-label", "?")
    frame = in_doubt("?")
    assert run.value("a", "roc_auc") == pytest.approx(roc_auc_score(frame.y[30:] == "pos", frame.a[30:]), abs=1e-12)


@pytest.mark.parametrize("reader", ["memory", "stream"])
def test_rows_keep_their_numbers_without_dropped_labels(tmp_path, reader):
    frame = in_doubt("?")
    frame["a"] = frame.a.astype(object)
    frame.loc[200, "a"] = "inf"
    error = refused(reader, tmp_path, frame.astype(str), truth="y", models=["a"], positive="pos", drop_label="?")
    assert "row 201" in error.message


def test_metrics_on_arrays_drop_labels_too():
    frame = in_doubt("?")
    with pytest.raises(RefereeError, match="missing, or a class"):
        metrics["roc_auc"](frame.y, frame.a, positive="pos")
    found = metrics["roc_auc"](frame.y, frame.a, positive="pos", drop_label="?")
    assert found == pytest.approx(roc_auc_score(frame.y[30:] == "pos", frame.a[30:]), abs=1e-12)


def test_labels_are_dropped_from_sources_joined_by_id(tmp_path):
    frame = in_doubt("?").assign(id=np.arange(300) + 1)
    frame[["id", "y", "a"]].to_csv(tmp_path / "first.csv", index=False)
    frame[["id", "b"]].sample(frac=1, random_state=1).to_csv(tmp_path / "second.csv", index=False)
    roles = {"truth": "y", "id": "id", "positive": "pos", "drop_label": "?"}
    found = Predictions.read(tmp_path / "first.csv", tmp_path / "second.csv", **roles)
    for name in ("a", "b"):
        assert auc(found, name) == pytest.approx(roc_auc_score(frame.y[30:] == "pos", frame[name][30:]), abs=1e-12)


@pytest.mark.parametrize("reader", READERS)
def test_the_rest_is_named(tmp_path, reader):
    """A real third class joins the negatives, and header and result say so."""
    frame = in_doubt("maybe")
    found = read_by(reader, tmp_path, frame, truth="y", models=["a", "b"], positive="pos")
    rows = frame.y.value_counts()
    assert f"positive 'pos' ({rows['pos']}) against 'maybe' (30) and 'neg' ({rows['neg']})" in described(found)
    read = evaluate(found, ["roc_auc"]).to_dict()["read"]
    assert read["positive"] == {"pos": rows["pos"]}
    assert read["rest"] == {"maybe": 30, "neg": rows["neg"]}
    assert read["columns"]["a"] == {"as": "scores", "model": "a"}  # beyond 0 to 1


def test_the_rest_is_named_on_screen_and_page(referee, tmp_path):
    frame = in_doubt("maybe")
    frame.to_csv(tmp_path / "preds.csv", index=False)
    asked = [tmp_path / "preds.csv", "--truth", "y", "--positive", "pos", "--goal", "roc_auc"]
    run = referee("compare", *asked, "--html", tmp_path / "page.html", form="text")
    words = " ".join(run.out.split())
    rows = frame.y.value_counts()
    assert f"positive 'pos' ({rows['pos']}) against 'maybe' (30) and 'neg' ({rows['neg']})" in words
    assert "against &#39;maybe&#39; (30)" in (tmp_path / "page.html").read_text()
    assert referee("compare", *asked).json["read"]["rest"] == {"maybe": 30, "neg": int(rows["neg"])}


def hard_and_soft(rows=200, seed=3, truth=(0, 1)):
    """A model that is nearly always sure, as trees are: P(class 0) of 0 and 1, and the same with one softer cell."""
    draw = np.random.default_rng(seed)
    codes = (draw.random(rows) < 0.5).astype(int)
    hard = np.where(draw.random(rows) < 0.2, codes, 1 - codes).astype(float)
    soft = hard.copy()
    soft[np.flatnonzero(hard == 1)[0]] = 0.999
    return pd.DataFrame({"y": np.array(truth)[codes], "hard": hard, "soft": soft})


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("labels", "positive"), [((0, 1), 0), ((False, True), False), ((0, 2), 0), (("no", "yes"), "no")]
)
def test_zero_and_one_mean_the_same_in_all_models(tmp_path, reader, labels, positive):
    """The same model, hard and nearly so, cannot beat itself."""
    frame = hard_and_soft(truth=labels)
    found = read_by(reader, tmp_path, frame, truth="y", models=["hard", "soft"], positive=positive)
    for name in ("hard", "soft"):
        assert auc(found, name) == pytest.approx(roc_auc_score(frame.y == positive, frame[name]), abs=1e-12)
    assert auc(found, "hard") > 0.7
    accuracy = evaluate(found, ["accuracy"])["hard", "accuracy"].value
    assert accuracy == pytest.approx(accuracy_score(frame.y == positive, frame.hard == 1), abs=1e-12)
    if reader in ("memory", "arrays"):
        assert compare(found, "roc_auc").outcome == "tie"
        assert compare(found, "accuracy").outcome == "tie"


def test_zero_and_one_of_three_labels():
    """Also where the positive one is against several others."""
    frame = hard_and_soft()
    frame.loc[:9, "y"] = 2
    found = Predictions.from_arrays(frame.y, {"hard": frame.hard, "soft": frame.soft}, positive=0)
    assert auc(found, "hard") == pytest.approx(roc_auc_score(frame.y == 0, frame.hard), abs=1e-12)


@pytest.mark.parametrize("reader", READERS)
def test_zero_and_one_alone_are_labels(tmp_path, reader):
    """What predict() gives: 1 is the label '1', whichever is the positive one."""
    frame = hard_and_soft()
    frame["labels"] = (1 - frame.hard).astype(int)
    frame["others"] = np.where(np.arange(len(frame)) % 9, frame.labels, 1 - frame.labels)
    for positive in (0, 1):
        found = read_by(reader, tmp_path, frame, truth="y", models=["labels", "others"], positive=positive)
        expected = roc_auc_score(frame.y == positive, frame.labels == positive)
        assert auc(found, "labels") == pytest.approx(expected, abs=1e-12)
        codes = {notice.code for notice in found.notices}
        assert ("W_ZEROONE" in codes) == (positive == 0)
        assert found.account.columns.get("labels", found.account.columns.get("labels_"))["as"] == "labels"


def test_labels_beside_scores_are_named(referee, tmp_path):
    frame = hard_and_soft()
    frame["labels"] = (1 - frame.hard).astype(int)
    frame[["y", "labels", "soft"]].to_csv(tmp_path / "preds.csv", index=False)
    asked = ["evaluate", tmp_path / "preds.csv", "--truth", "y", "--positive", "0", "--metrics", "accuracy"]
    run = referee(*asked)
    (notice,) = [one for one in run.json["warnings"] if one["code"] == "W_ZEROONE"]
    assert "'labels'" in notice["message"]
    assert "read as scores of '0'" in notice["message"]
    option = re.search(r"--models \S+ --label \S+", notice["message"])[0]
    named = referee(*asked, *shlex.split(option))
    expected = accuracy_score(frame.y, frame.labels)
    assert named.value("labels", "accuracy") == pytest.approx(expected)
    assert run.value("labels", "accuracy") == pytest.approx(1 - expected)
    assert not [one for one in named.json["warnings"] if one["code"] == "W_ZEROONE"]


def test_decisions_say_that_a_column_holds_labels():
    frame = hard_and_soft()
    labels = (1 - frame.hard).astype(int)
    found = Predictions.from_arrays(frame.y, {"m": labels, "soft": frame.soft}, decisions={"m": labels}, positive=0)
    assert auc(found, "m") == pytest.approx(roc_auc_score(frame.y == 0, labels == 0), abs=1e-12)
    assert "W_ZEROONE" not in {notice.code for notice in found.notices}


@pytest.mark.parametrize(("labels", "positive"), [((0, 1), "0"), ((False, True), "False"), (("no", "yes"), "no")])
def test_a_model_does_not_beat_itself(referee, tmp_path, labels, positive):
    frame = hard_and_soft(truth=labels)
    frame.to_csv(tmp_path / "preds.csv", index=False)
    run = referee("compare", tmp_path / "preds.csv", "--truth", "y", "--positive", positive, "--goal", "roc_auc")
    assert run.json["verdict"]["outcome"] == "tie"
    for name in ("hard", "soft"):
        expected = roc_auc_score(frame.y.astype(str) == positive, frame[name])
        assert run.value(name, "roc_auc") == pytest.approx(expected, abs=1e-12)
        assert run.json["read"]["columns"][name]["as"] == "probabilities"


def with_ids(name, ids, rows=60):
    frame = labelled(rows)
    frame.insert(0, name, ids(rows))
    return frame.assign(sex=np.where(np.arange(rows) % 2, "f", "m"))


def shuffled(rows):
    return np.random.default_rng(5).permutation(rows) + 1000


ID_COLUMNS = [
    ("n", np.arange), ("count", lambda rows: np.arange(rows) + 1), ("id", shuffled), ("customer_id", shuffled),
    ("index", shuffled), ("Unnamed: 0", shuffled), ("row", shuffled), ("PassengerId", shuffled),
    ("n", lambda rows: np.arange(rows) + 100), ("order_id", lambda rows: np.arange(rows) // 2 + 7),
    ("PatientId", lambda rows: np.arange(rows) % 9 + 500),
]  # fmt: skip


@pytest.mark.parametrize("reader", ["memory", "stream", "database"])
@pytest.mark.parametrize(("name", "ids"), ID_COLUMNS, ids=[name for name, _ in ID_COLUMNS])
def test_ids_are_no_models(tmp_path, reader, name, ids):
    frame = with_ids(name, ids)
    found = read_by(reader, tmp_path, frame, truth="y", positive="pos")
    assert found.names == ("a", "b")
    (notice,) = found.notices
    assert notice.code == "W_IDLIKE"
    assert repr(name) in notice.message
    assert set(found.account.columns_left_out) == {name, "sex"}
    assert "id" in found.account.columns_left_out[name]
    assert found.notes[-1] == "columns not used: 'sex'"


@pytest.mark.parametrize("reader", ["memory", "stream", "database"])
def test_a_column_that_is_named_is_a_model(tmp_path, reader):
    frame = with_ids("id", np.arange)
    found = read_by(reader, tmp_path, frame, truth="y", positive="pos", models=["id", "a"])
    assert found.names == ("id", "a")
    assert auc(found, "id") == pytest.approx(roc_auc_score(frame.y == "pos", frame.id), abs=1e-12)
    assert "W_IDLIKE" not in {notice.code for notice in found.notices}
    found = read_by(reader, tmp_path, frame, truth="y", positive="pos", id="id")
    assert (found.names, found.notices) == (("a", "b"), ())


@pytest.mark.parametrize("name", ["customer_number", "k"])
def test_shuffled_ids_are_no_models(tmp_path, name):
    """A permutation of the rows, or any numbers of which each is another; ranks that a model gave are none."""
    frame = labelled(200)
    draw = np.random.default_rng(1)
    frame[name] = draw.permutation(200) if name == "k" else draw.choice(900_000, 200, replace=False) + 100_000
    frame["ranks"] = np.argsort(np.argsort(frame.a)) + 1
    found = read_by("memory", tmp_path, frame, truth="y", positive="pos")
    assert found.names == ("a", "b", "ranks")
    assert [notice.code for notice in found.notices] == ["W_IDLIKE"]


@pytest.mark.parametrize("reader", ["memory", "stream", "database"])
def test_whole_numbers_may_be_predictions(tmp_path, reader):
    """Ranks, points and numbers that repeat are no ids."""
    frame = labelled(60)
    frame["points"] = np.arange(60) % 7
    frame["ranks"] = np.argsort(np.argsort(frame.a)) + 1
    frame["model_no"] = (frame.a > 1).astype(int)
    frame["time"] = (frame.b - frame.b.min()) / np.ptp(frame.b)
    frame["week"] = frame.b
    found = read_by(reader, tmp_path, frame, truth="y", positive="pos")
    assert found.names == ("a", "b", "points", "ranks", "model_no", "time", "week")


EMPTY = {
    "text": ("", "pos"), "blank": ("  ", "pos"), "null": (None, "pos"), "number": (np.nan, 1),
}  # fmt: skip


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", EMPTY)
def test_rows_without_a_label_are_dropped_if_that_is_asked_and_never_else(tmp_path, reader, kind):
    """As if they were not in the file."""
    empty, positive = EMPTY[kind]
    frame = labelled(120)
    if kind == "number":
        frame["y"] = (frame.y == "pos").astype(float)
    frame.loc[[4, 50], "y"] = empty
    asked = {"truth": "y", "positive": positive, "models": ["a", "b"]}
    if kind == "null" and reader == "arrays":
        frame["y"] = frame.y.astype(object).where(frame.y.notna(), None)
    error = refused(reader, tmp_path, frame, **asked)
    assert error.exit == 3 and (error.code == "E_NONFINITE" or "drop_label=''" in error.hint)
    found = read_by(reader, tmp_path, frame, drop_label="", **asked)
    assert found.rows == 118 and found.account.rows_left_out == {"": 2}
    kept = frame.drop(index=[4, 50])
    assert auc(found, "a") == pytest.approx(roc_auc_score(kept.y.astype(str) == str(kept.y.max()), kept.a), abs=1e-12)


def test_empty_labels_on_the_command_line(referee, tmp_path):
    frame = labelled(80)
    frame.loc[[4, 50], "y"] = ["", "?"]
    frame.to_csv(tmp_path / "preds.csv", index=False)
    asked = ("compare", tmp_path / "preds.csv", "--truth", "y", "--positive", "pos", "--goal", "roc_auc")
    refused_run = referee(*asked)
    assert refused_run.code == 3 and "--drop-label ''" in refused_run.json["error"]["hint"]
    assert referee(*asked, "--drop-label", "").json["error"]["hint"].startswith("--drop-label '?'")
    assert referee(*asked, "--drop-label", "?,").json["read"]["left_out"]["rows"] == {"": 1, "?": 1}
    assert referee(*asked, "--drop-label", '"",?').json["rows"] == 78
    mended = labelled(80)
    mended.to_csv(tmp_path / "preds.csv", index=False)
    assert referee(*asked, "--drop-label", "").json["error"]["code"] == "E_LABELS"


def seconds(rows):
    return 1_700_000_000 + np.random.default_rng(5).integers(0, 10**7, rows)


TIME_COLUMNS = {
    "seen": seconds, "ms": lambda rows: 1000 * seconds(rows), "written": lambda rows: 20240101 + np.arange(rows) % 28,
    "age": lambda rows: np.random.default_rng(5).uniform(18, 90, rows), "year": lambda rows: 1990 + np.arange(rows) % 9,
    "signup_year": lambda rows: 1990 + np.arange(rows) % 30, "hour": lambda rows: np.arange(rows) * 7 % 24,
    "time": lambda rows: np.random.default_rng(5).uniform(0, 400, rows),
    "BirthYear": lambda rows: 1950 + np.arange(rows) % 40,
}  # fmt: skip


@pytest.mark.parametrize("reader", ["memory", "stream", "database"])
@pytest.mark.parametrize("name", TIME_COLUMNS)
def test_times_and_ages_are_no_models(tmp_path, reader, name):
    found = read_by(reader, tmp_path, with_ids(name, TIME_COLUMNS[name]), truth="y", positive="pos")
    assert found.names == ("a", "b")
    (notice,) = found.notices
    assert notice.code == "W_IDLIKE" and repr(name) in notice.message and "name it in models=" in notice.message
    assert found.account.columns_left_out[name] == "it looks like a time or an age"
    named = read_by(reader, tmp_path, with_ids(name, TIME_COLUMNS[name]), truth="y", positive="pos", models=[name, "a"])
    assert named.names == (name, "a")


@pytest.mark.parametrize("scale", [1, 40, 10**7, 10**9])
def test_predictions_of_whole_numbers_are_kept(scale):
    """Of ages, years, sorted counts and large amounts: what follows the truth on its scale is no time."""
    draw = np.random.default_rng(3)
    truth = np.sort(draw.integers(18, 90, 200)) * scale
    near, far = ((truth + draw.normal(0, spread * scale, 200)).round() for spread in (3, 25))
    frame = pd.DataFrame(
        {"y": truth, "age": near, "pred_year": far, "model": near + 1, "mean_age": truth.mean().round()}
    )
    assert Predictions.read(frame, truth="y", task="regression").names == ("age", "pred_year", "model", "mean_age")
    counted = pd.DataFrame({"y": np.arange(100, 300), "up": np.arange(101, 301), "flat": 199.5})
    assert Predictions.read(counted, truth="y", task="regression").names == ("up", "flat")


def test_an_age_beside_numbers_is_no_model():
    draw = np.random.default_rng(3)
    price = draw.normal(300, 80, 200)
    frame = pd.DataFrame({"y": price, "a": price + draw.normal(0, 20, 200), "age": draw.integers(18, 90, 200)})
    assert Predictions.read(frame, truth="y", task="regression").names == ("a",)


def test_too_few_models_name_the_columns_that_were_left_out(referee, tmp_path):
    path = tmp_path / "preds.csv"
    pd.DataFrame({"y": [0, 1] * 10, "a": [0.2, 0.7] * 10, "age": range(30, 50)}).to_csv(path, index=False)
    error = referee("compare", path, "--truth", "y", "--goal", "roc_auc").json["error"]
    assert error["code"] == "E_ONEMODEL" and "'age' was left out, as it counts the rows" in error["message"]


def test_a_column_without_a_name_is_no_model(referee, tmp_path):
    """As pandas writes its index."""
    frame = labelled(60).assign(sex="f").sample(frac=1, random_state=2)
    frame.to_csv(tmp_path / "preds.csv")
    asked = ["compare", tmp_path / "preds.csv", "--truth", "y", "--positive", "pos", "--goal", "roc_auc"]
    run = referee(*asked)
    assert [one["code"] for one in run.json["warnings"]].count("W_IDLIKE") == 1
    assert {(one["a"], one["b"]) for one in run.json["comparisons"]} == {("a", "b")}
    assert run.json["read"]["left_out"]["columns"].keys() == {"", "sex"}
    shown = referee(*asked, form="text")
    assert "columns not used: 'sex'" in shown.out
    assert "W_IDLIKE" in shown.out + shown.err


@pytest.mark.parametrize("reader", ["memory", "stream", "database"])
def test_every_reader_gives_the_same_account(tmp_path, reader):
    frame = in_doubt("maybe").assign(
        key=np.arange(300), w=1.5, part=np.arange(300) % 3, sex="f", labels=lambda one: one.y
    )
    roles = {"id": "key", "weight": "w", "fold": "part", "by": ("sex",), "labels": {"a": "labels"}}
    found = read_by(reader, tmp_path, frame.assign(word="x"), truth="y", models=["a"], positive="pos", **roles)
    rows = frame.y.value_counts()
    assert found.account.to_dict() == {
        "columns": {
            "y": {"as": "truth"}, "key": {"as": "id"}, "w": {"as": "weight"}, "part": {"as": "fold"},
            "sex": {"as": "slice"}, "a": {"as": "scores", "model": "a"}, "labels": {"as": "labels", "model": "a"},
        },
        "positive": {"pos": rows["pos"]},
        "rest": {"maybe": 30, "neg": rows["neg"]},
        "left_out": {
            "columns": {"b": "it has no role and was not named", "word": "it has no role and holds no numbers"},
            "rows": {},
        },
    }  # fmt: skip


def test_parquet_and_csv_say_the_same(referee, tmp_path):
    frame = in_doubt("maybe").assign(n=np.arange(300))
    frame.to_csv(tmp_path / "preds.csv", index=False)
    parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / "preds.parquet")
    asked = ["--truth", "y", "--positive", "pos", "--metrics", "roc_auc"]
    first, second = (referee("evaluate", tmp_path / name, *asked) for name in ("preds.csv", "preds.parquet"))
    assert first.json["read"] == second.json["read"]
