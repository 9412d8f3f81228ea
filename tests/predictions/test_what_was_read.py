"""What was made of the columns is always said: in JSON, on the screen and on the page, by every command that reads."""

from __future__ import annotations

import re

import numpy as np
import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

import referee as library

ROWS = 120
DRAW = np.random.default_rng(0)
LABELS = DRAW.choice(["neg", "pos", "other"], ROWS, p=[0.45, 0.45, 0.1])
IS_POSITIVE = LABELS == "pos"
COLUMNS = {
    "id": np.arange(ROWS),
    "y": LABELS,
    "A": np.clip(0.3 + 0.4 * IS_POSITIVE + DRAW.normal(size=ROWS) * 0.2, 0.01, 0.99),
    "B": DRAW.random(ROWS),
    "note": ["text"] * ROWS,
}
ROLES = ("--truth", "y", "--positive", "pos", "--models", "A,B", "--id", "id")
COMMANDS = {
    "compare": ("compare", "FILE", *ROLES, "--goal", "roc_auc", "--metrics", "goal"),
    "evaluate": ("evaluate", "FILE", *ROLES, "--metrics", "roc_auc"),
    "gate": ("gate", "FILE", *ROLES, "--goal", "brier", "--production", "B", "--candidate", "A", "--margin", "0.1"),
    "curves": ("curves", "FILE", *ROLES),
    "threshold": ("threshold", "FILE", *ROLES, "--goal", "f1", "--folds", "2"),
    "calibrate": ("calibrate", "FILE", *ROLES, "--method", "platt", "--folds", "2", "--metrics", "brier"),
    "advise": ("advise", "FILE", *ROLES, "--no-questions", "--purpose", "decision", "--costs", "equal"),
    "lecture": ("lecture", "roc", "FILE", *ROLES),
    "plan": ("plan", "--goal", "roc_auc", "--margin", "0.05", "--pilot", "FILE", *ROLES),
}
SIDES = re.compile(r"positive 'pos' \(\d+\) against 'neg' \(\d+\) and 'other' \(\d+\); models: probabilities")
PAGES = set(COMMANDS) - {"advise"}


@pytest.fixture
def file(tmp_path):
    pq.write_table(pa.table(COLUMNS), tmp_path / "rows.parquet")
    return str(tmp_path / "rows.parquet")


@pytest.mark.parametrize("name", COMMANDS)
def test_in_json_on_the_screen_and_on_the_page(referee, file, name, tmp_path):
    arguments = [file if word == "FILE" else word for word in COMMANDS[name]]
    page = tmp_path / "page.html"
    answer = referee(*arguments)
    read = answer.json["read"]
    assert read["columns"]["y"] == {"as": "truth"}
    assert read["columns"]["A"] == {"as": "probabilities", "model": "A"}
    assert {read["models"][name]["as"] for name in "AB"} == {"probabilities"}
    assert read["positive"] == {"pos": int(IS_POSITIVE.sum())}
    assert read["rest"] == {label: int((label == LABELS).sum()) for label in ("neg", "other")}
    assert "note" in read["left_out"]["columns"]
    with_page = ("--html", page) if name in PAGES else ()
    assert SIDES.search(" ".join(referee(*arguments, *with_page, form="text").out.split()))
    if not with_page:
        return
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.read_text())).replace("&#39;", "'")
    assert SIDES.search(words), name


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_odd_about_the_columns_is_a_warning(referee, tmp_path, name):
    """Rows left out, and ones and zeros that are taken for scores because another column is."""
    is_first = LABELS == "neg"
    columns = COLUMNS | {"y": np.where(LABELS == "other", "?", np.where(is_first, "0", "1")), "B": is_first.astype(int)}
    pq.write_table(pa.table(columns), tmp_path / "rows.parquet")
    arguments = [tmp_path / "rows.parquet" if word == "FILE" else word for word in COMMANDS[name]]
    arguments = ["0" if word == "pos" else word for word in arguments]
    answer = referee(*arguments, "--drop-label", "?")
    assert {"W_DROPPED", "W_ZEROONE"} <= {notice["code"] for notice in answer.json["warnings"]}


def test_in_python():
    frame = pandas.DataFrame(COLUMNS)
    said = {"truth": "y", "positive": "pos", "models": ["A", "B"], "id": "id"}
    results = [
        library.evaluate(frame, metrics="roc_auc", **said),
        library.curves(frame, **said),
        library.threshold(frame, goal="f1", folds=2, **said),
        library.plan(frame, goal="roc_auc", margin=0.05, **said),
    ]
    for result in results:
        assert result.to_dict()["read"]["rest"] == {label: int((label == LABELS).sum()) for label in ("neg", "other")}


@pytest.mark.parametrize("way", ["memory", "stream", "database"])
def test_rounding_around_0_and_1_is_taken_with_a_warning(referee, tmp_path, way):
    scores = COLUMNS["A"].copy()
    scores[[3, 9]] = 1 + 4e-10, -2e-10
    pq.write_table(pa.table(COLUMNS | {"A": scores}), tmp_path / "rows.parquet")
    asked = (
        "--truth",
        "y",
        "--positive",
        "pos",
        "--models",
        "A",
        "--metrics",
        "log_loss,brier,calibration_error,roc_auc",
    )
    answer = referee("evaluate", tmp_path / "rows.parquet", *asked, "--engine", way)
    clipped = scores.clip(0, 1)
    assert answer.value("A", "brier") == pytest.approx(brier_score_loss(IS_POSITIVE, clipped), rel=1e-12)
    assert answer.value("A", "log_loss") == pytest.approx(log_loss(IS_POSITIVE, clipped), rel=1e-12)
    assert answer.value("A", "roc_auc") == pytest.approx(roc_auc_score(IS_POSITIVE, clipped), rel=1e-12)
    (notice,) = [notice for notice in answer.json["warnings"] if notice["code"] == "W_ROUNDING"]
    assert "by rounding" in notice["message"]


def test_more_than_rounding_is_refused():
    scores = COLUMNS["A"].copy()
    scores[3] = 1 + 1e-8
    with pytest.raises(library.RefereeError, match=r"1\.00000001"):
        library.evaluate(LABELS, {"A": scores}, positive="pos", metrics="log_loss")
    assert library.metrics["roc_auc"](IS_POSITIVE, scores) == roc_auc_score(IS_POSITIVE, scores)


@pytest.mark.parametrize("kind", ["float16", "float32"])
def test_ties_of_narrow_types_are_named(kind, tmp_path, referee):
    rows = 4000
    fine = np.clip(np.random.default_rng(1).normal(0.5, 1e-3 if kind == "float16" else 1e-6, rows), 0, 1)
    truth = np.arange(rows) % 2
    pq.write_table(pa.table({"y": truth, "A": fine.astype(kind)}), tmp_path / "narrow.parquet")
    answer = referee("evaluate", tmp_path / "narrow.parquet", "--truth", "y", "--metrics", "roc_auc")
    scores = library.evaluate(truth, {"A": fine.astype(kind)}, metrics="roc_auc")
    for messages in ([notice["message"] for notice in answer.json["warnings"]], [n.message for n in scores.notices]):
        assert any(f"stored as {kind}" in message for message in messages)
    plain = library.evaluate(truth, {"A": fine}, metrics="roc_auc")
    assert "W_PRECISION" not in [notice.code for notice in plain.notices]
    counts = np.random.default_rng(2).integers(1024, 2048, rows).astype(float)
    assert "W_PRECISION" not in [n.code for n in library.evaluate(truth, {"A": counts}, metrics="roc_auc").notices]


def test_permuted_indexes_are_an_error():
    truth, scores = pandas.Series(LABELS), pandas.Series(COLUMNS["A"])
    for weight in (None, pandas.Series(np.ones(ROWS))[::-1]):
        with pytest.raises(library.RefereeError, match="another order"):
            models = {"A": scores[::-1] if weight is None else scores, "B": COLUMNS["B"]}
            library.compare(truth, models, goal="roc_auc", positive="pos", weight=weight)


KINDS = {
    "scores that are no probabilities": (
        {"A": {"as": "scores", "because": "1.00000005 in row 17 is not a probability"}, "B": {"as": "probabilities"}},
        "models: probabilities, but 'A' scores (1.00000005 in row 17 is not a probability)",
    ),
    "dust": (
        {
            "A": {"as": "probabilities", "because": "1.0000000004 in row 17 was taken for 0 or 1"},
            "B": {"as": "probabilities"},
        },
        "models: probabilities",
    ),
    "decisions": (
        {"A": {"as": "labels"}, "B": {"as": "probabilities"}},
        "models: probabilities, but 'A' labels",
    ),
    "both": ({"A": {"as": "labels"}, "B": {"as": "labels"}}, "models: labels"),
}


def with_kind(kind):
    """The columns with two labels, and a model that is not what the other is."""
    two = np.where(IS_POSITIVE, "pos", "neg")
    decided = {name: np.where(COLUMNS[name] > 0.5, "pos", "neg") for name in "AB"}
    scores = COLUMNS["A"].copy()
    scores[16] = {"dust": 1 + 4e-10}.get(kind, 1.00000005)
    changed = {"decisions": {"A": decided["A"]}, "both": decided}.get(kind, {"A": scores})
    return COLUMNS | {"y": two} | changed


def engines(kind):
    """A database has no order of rows, so that it cannot say which row it was."""
    return [pytest.param(kind, way, id=f"{kind}-{way}") for way in ("memory", "stream", "database")]


@pytest.mark.parametrize(("kind", "way"), [case for kind in KINDS for case in engines(kind)])
def test_what_models_give_is_said(referee, tmp_path, kind, way):
    """Labels, scores or probabilities: in JSON of each model, in the header once, with what is different."""
    pq.write_table(pa.table(with_kind(kind)), tmp_path / "rows.parquet")
    expected, header = KINDS[kind]
    asked = ("evaluate", tmp_path / "rows.parquet", *ROLES, "--metrics", "accuracy", "--engine", way)
    read = referee(*asked).json["read"]
    said = " ".join(referee(*asked, form="text").out.split())
    if way == "database" and "row" in str(expected):
        place = re.compile(r" in row \d+")
        expected = {name: {key: place.sub("", text) for key, text in said.items()} for name, said in expected.items()}
        read["models"] = {
            name: {key: place.sub("", text) for key, text in said.items()} for name, said in read["models"].items()
        }
        header, said = place.sub("", header), place.sub("", said)
    assert read["models"] == expected
    assert {name: read["columns"][name]["as"] for name in "AB"} == {name: kind["as"] for name, kind in expected.items()}
    assert f"positive 'pos' against 'neg'; {header}" in said
    assert ("not a probability" in said) == ("scores" in header)


def test_class_columns_that_do_not_add_up_to_1_are_scores(referee, tmp_path):
    three = np.array(["a", "b", "c"])[np.arange(ROWS) % 3]
    columns = {f"m:{label}": np.full(ROWS, 1 / 3) for label in "abc"}
    columns["m:a"][4] = 0.5
    pq.write_table(pa.table({"y": three} | columns), tmp_path / "rows.parquet")
    asked = ("evaluate", tmp_path / "rows.parquet", "--truth", "y", "--metrics", "accuracy")
    read = referee(*asked).json["read"]
    assert read["models"] == {"m": {"as": "scores", "because": "the classes of row 5 add up to 1.16667"}}
    assert read["columns"]["m:a"]["as"] == "scores of class 'a'"
    said = " ".join(referee(*asked, form="text").out.split())
    assert "3 classes; model: scores (the classes of row 5 add up to 1.16667)" in said


def test_numbers_have_values_or_quantiles(referee, tmp_path):
    columns = {"y": np.arange(20.0), "m": np.arange(20.0), "q:0.1": np.arange(20.0) - 1, "q:0.9": np.arange(20.0) + 1}
    pq.write_table(pa.table(columns), tmp_path / "rows.parquet")
    asked = ("evaluate", tmp_path / "rows.parquet", "--truth", "y", "--task", "regression")
    assert referee(*asked).json["read"]["models"] == {"q": {"as": "quantiles"}, "m": {"as": "values"}}
    assert "regression truth 'y'; model" in " ".join(referee(*asked, form="text").out.split())
    alone = (*asked, "--models", "m")
    assert "regression truth 'y'" in referee(*alone, form="text").out
    assert "values" not in referee(*alone, form="text").out.split("Scores")[0]


def test_summarise_says_what_it_read(referee, file, tmp_path):
    answer = referee("summarise", file, *ROLES, "--out", tmp_path / "rows.state", form=None)
    assert SIDES.search(" ".join(answer.out.split()))
