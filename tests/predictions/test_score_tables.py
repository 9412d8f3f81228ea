"""Tables of scores that cannot be read as they are: every error names file, column and row, and what to do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from referee import Predictions, RefereeError, compare

LONG = ("--id", "id", "--model-column", "model", "--score-column", "score")


@pytest.fixture
def asked(tmp_path, referee):
    """What the command line says of a table of scores."""

    def ask(text, *options, command="compare"):
        file = tmp_path / "scores.csv"
        file.write_text(text)
        return referee(command, file, "--task", "scores", *options)

    return ask


BAD = [
    ("id,a,b\n1,0.5,0.4\n2,,0.3\n3,0.1,0.2\n", (), "E_MISSING", 3, ["column 'a', row 2", "--on-missing drop"]),
    ("id,a,b\n1,0.5,0.4\n2,x,0.3\n3,0.1,0.2\n", ("--models", "a,b"), "E_NOTNUM", 3, ["column 'a', row 2", "'x'"]),
    ("id,a,b\n1,0.5,0.4\n2,inf,0.3\n3,0.1,0.2\n", (), "E_NONFINITE", 3, ["column 'a', row 2", "inf"]),
    (
        "id,a,b\n1,0.5,0.4\n2,nan,0.3\n3,0.1,0.2\n",
        (),
        "E_NONFINITE",
        3,
        ["column 'a', row 2", "nan", "--on-missing drop"],
    ),
    ("id,a\nq,0.5\nr,0.3\n", (), "E_ONEMODEL", 2, ["there is only 'a'"]),
    ("id,model,score\nq,a,1\nr,a,0\nq,b,1\n", LONG, "E_ALIGN", 3, ["'b' has no score for item r", "--on-missing drop"]),
    ("id,model,score\nq,a,1\nr,a,0\n", LONG, "E_ONEMODEL", 2, ["'a'"]),
    ("id,model,score\nq,a,1\nr,b,0\n", ("--id", "id"), "E_ONEMODEL", 2, ["only 'score'", "--model-column COL"]),
    ("id,model,score\nq,a,\nr,a,0\nq,b,1\nr,b,1\n", LONG, "E_MISSING", 3, ["column 'score', row 1"]),
    ("model,score\na,1\nb,0\n", LONG[2:], "E_NOID", 2, ["--id COL"]),
    ("id,model,score\nq,a,1\nq,b,0\n", (*LONG, "--models", "a,c"), "E_NOMODEL", 2, ["no model 'c'"]),
    ("id,model,score\nq,a,1\nq,b,0\n", LONG[:4], "E_ROLE", 2, ["--score-column"]),
    ("fold,a,b\n1,0.5,0.4\n1,0.2,0.3\n", ("--fold", "fold"), "E_DUPID", 3, ["two scores of fold 1", "rows 1 and 2"]),
    ("set,a,b\nx,0.5,0.4\nx,0.2,0.3\n", ("--dataset", "set"), "E_DUPID", 3, ["data set x", "rows 1 and 2"]),
    ("id,a,b\nq,0,1\nr,1,1\nq,0,1\n", ("--id", "id"), "E_DUPID", 3, ["2 scores of item q", "rows 1 and 3", "equal"]),
    ("id,a,b\nq,0,1\nq,1,1\n", ("--id", "id", "--on-repeated", "error"), "E_DUPID", 3, ["item q", "rows 1 and 2"]),
    ("fold,a,b\n1,0,1\n", ("--fold", "fold", "--on-repeated", "average"), "E_ROLE", 2, ["is for items"]),
    ("id,run,a,b\nq,1,0,1\nq,1,1,1\n", ("--id", "id", "--repeat", "run"), "E_DUPID", 3, ["item q", "rows 1 and 2"]),
    ("id,g,a,b\nq,x,0,1\nq,y,1,1\n", ("--id", "id", "--group", "g"), "E_GROUPS", 3, ["item q", "'x' and 'y'"]),
    ("a,b\n1,2\n3,4\n", ("--group", "nowhere"), "E_NOCOL", 2, ["nowhere"]),
    ("a,b\n1,2\n3,4\n", ("--rows", "folds", "--group", "a"), "E_ROLE", 2, ["--group is for items"]),
    ("a,b\n1,2\n3,4\n", ("--rows", "folds", "--test-fraction", "1.5"), "E_DESIGN", 2, ["between 0 and 1"]),
    ("a,b\n1,2\n3,4\n", ("--rows", "folds", "--train-size", "90"), "E_DESIGN", 2, ["the share of test rows"]),
    ("a,b\n1,2\n3,4\n", ("--goal", "accuracy"), "E_TASK", 2, ["has neither", "mean, median"]),
    ("a,b\n1,2\n3,4\n", ("--rows", "datasets", "--goal", "median"), "E_GOAL", 2, ["compared by their mean"]),
    ("a,b\n1,2\n3,4\n", ("--truth", "a"), "E_ROLE", 2, ["--truth"]),
    ("a,b\n1,2\n3,4\n", ("--weight", "a"), "E_ROLE", 2, ["--weight"]),
    ("a,b\n1,2\n3,4\n", ("--rows", "datasets", "--unit", "row"), "E_UNIT", 2, ["data sets", "--unit row"]),
    ("a,b\n1,2\n3,4\n", ("--subsets", "2"), "E_UNIT", 2, ["--subsets", "truth"]),
]


@pytest.mark.parametrize(("text", "options", "code", "exit_code", "parts"), BAD, ids=[str(n) for n in range(len(BAD))])
def test_what_cannot_be_read_is_named(asked, text, options, code, exit_code, parts):
    found = asked(text, *options)
    error = found.json["error"]
    assert (error["code"], found.code) == (code, exit_code)
    said = f"{error['message']} {error['hint']}"
    assert all(part in said for part in parts), said
    if exit_code == 3:
        assert "scores.csv" in error["message"]


@pytest.mark.parametrize("cell", ["", "nan", " NaN "])
def test_missing_scores_can_be_left_out(asked, cell):
    rows = [f"{place},{place % 3},{place % 2}" for place in range(20)]
    rows[4] = f"4,{cell},1"
    found = asked("\n".join(["id,a,b", *rows]) + "\n", "--id", "id", "--on-missing", "drop").json
    assert found["rows"] == 19
    assert "1 item that some model has no score for was left out" in found["warnings"][0]["message"]


def test_scores_are_offered_where_a_truth_is_missing(tmp_path, referee):
    file = tmp_path / "scores.csv"
    file.write_text("id,a,b\nq,0.5,0.4\nr,0.2,0.3\n")
    assert "--task scores" in referee("compare", file, "--goal", "accuracy").json["error"]["hint"]


def test_other_commands_say_that_they_need_a_truth(asked):
    for command in ("curves", "threshold", "calibrate"):
        error = asked("a,b\n1,2\n3,4\n", *(("--for", "f1") if command == "threshold" else ()), command=command).json
        assert error["error"]["code"] == "E_TASK"


def test_metrics_of_scores_are_not_offered_with_a_truth(tmp_path, referee):
    file = tmp_path / "preds.csv"
    file.write_text("y,a,b\n0,0.5,0.4\n1,0.2,0.3\n")
    found = referee("compare", file, "--truth", "y", "--goal", "mean").json["error"]
    assert found["code"] == "E_TASK"
    assert "--task scores" in found["hint"]
    assert "mean" not in {row["metric"] for row in referee("evaluate", file, "--truth", "y").json["scores"]}


def test_options_of_scores_are_refused_elsewhere(tmp_path, referee):
    file = tmp_path / "preds.csv"
    file.write_text("y,a,b\n0,0.5,0.4\n1,0.2,0.3\n")
    for option in (("--better", "lower"), ("--rows", "items"), ("--dataset", "y"), ("--test-fraction", "0.1")):
        found = referee("compare", file, "--truth", "y", "--goal", "accuracy", *option).json["error"]
        assert (found["code"], found["hint"]) == ("E_ROLE", "also use --task scores")


def test_evaluate_has_only_their_own_metrics(asked):
    found = asked("a,b\n1,2\n3,4\n5,6\n", "--better", "lower", command="evaluate").json
    assert {row["metric"] for row in found["scores"]} == {"mean", "median"}
    assert (found["task"], found["baseline"], found["confusion"]) == ("scores", [], [])


def test_several_files_are_joined_by_id(tmp_path):
    (tmp_path / "first.csv").write_text("id,a\nx,1\ny,2\nz,4\n")
    (tmp_path / "second.csv").write_text("id,b\nz,3\nx,0\ny,5\n")
    read = Predictions.read(tmp_path / "first.csv", tmp_path / "second.csv", task="scores", id="id")
    assert {model.name: model.values.tolist() for model in read.models} == {"a": [1, 2, 4], "b": [0, 5, 3]}


def test_what_the_rows_are_follows_from_the_columns_that_are_named():
    table = {"set": [*"xxyy"], "fold": [1, 2, 1, 2], "a": [1.0, 2, 3, 4], "b": [2.0, 1, 4, 3]}
    read = {
        "items": {}, "folds": {"fold": "n", "rows": None}, "datasets": {"dataset": "set", "fold": "fold"},
    }  # fmt: skip
    for kind, columns in read.items():
        given = {**table, "n": np.arange(4)}
        found = Predictions.read(given, task="scores", models=["a", "b"], **columns)
        assert found.scored.kind == kind


def test_wrong_words_are_refused_in_python():
    table = {"a": [1.0, 2, 3], "b": [2.0, 1, 4]}
    with pytest.raises(RefereeError, match="better='sideways': the choices are 'higher' and 'lower'"):
        compare(table, task="scores", better="sideways")
    with pytest.raises(RefereeError, match="no keyword 'truthh'"):
        Predictions.read(table, task="scores", truthh="a")
    with pytest.raises(RefereeError) as caught:
        compare(table, task="scores", better={"a": "higher", "b": "lower"})
    assert "the same direction" in caught.value.hint


def as_keywords(options):
    """What the options of the command line are in Python."""
    said = dict(zip(options[::2], options[1::2], strict=True))
    keywords = {name.removeprefix("--").replace("-", "_"): value for name, value in said.items()}
    numbers = ("test_fraction", "train_size", "test_size")
    keywords |= {name: float(keywords[name]) for name in numbers if name in keywords}
    keywords |= {"subsets": int(keywords["subsets"])} if "subsets" in keywords else {}
    return keywords | ({"models": keywords["models"].split(",")} if "models" in keywords else {})


@pytest.mark.parametrize(("text", "options", "code", "exit_code", "parts"), BAD, ids=[str(n) for n in range(len(BAD))])
def test_python_says_the_same(tmp_path, text, options, code, exit_code, parts):
    file = tmp_path / "scores.csv"
    file.write_text(text)
    with pytest.raises(RefereeError) as caught:
        compare(file, task="scores", **as_keywords(options))
    assert (caught.value.code, caught.value.exit) == (code, exit_code)
    assert [part for part in parts if part.removeprefix("--") not in as_on_the_command_line(caught.value)] == []


def as_on_the_command_line(error):
    """Its message and its hint, in which keywords of Python are written as options."""
    said = f"{error} {' '.join(getattr(error, '__notes__', []))}"
    return " ".join(said.replace("='", " ").replace("=", " ").replace("_", "-").split())


def test_a_table_of_scores_without_its_task_is_told_how():
    table = {"id": [1, 2, 3], "a": [0.1, 0.2, 0.3], "b": [0.3, 0.1, 0.2]}
    with pytest.raises(RefereeError, match=r'referee\.compare\(scores, task="scores"\)'):
        compare(pd.DataFrame(table), goal="mean")
