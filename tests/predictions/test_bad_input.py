"""Damaged and extreme files: the value, the warning, or the error with its place and exit code."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from referee.comparing import compare, gate
from referee.errors import RefereeError
from referee.fitting import select
from referee.predictions import Predictions, ReadOptions
from referee.scoring import evaluate
from tests.case_record import COMMAND_LINE, PYTHON
from tests.conftest import SHARED

GROUPS = ("file", "labels", "scores", "weights", "alignment", "format", "security", "numeric")
CONFIGURATION = "118"
"""A file of options, which only the command line reads."""
ABOUT_TESTS = ("138", "140")
"""Cases whose subject is a significance test."""
METRIC = {
    "auc": "roc_auc", "brier": "brier", "logloss": "log_loss", "acc": "accuracy", "ap": "average_precision",
    "rmse": "rmse", "recall": "recall", "f1": "f_beta",
}  # fmt: skip


def file_cases(door=COMMAND_LINE):
    manifest = SHARED / "cases/manifest.json"
    if not manifest.exists():
        reason = "the folder of bad inputs is missing next to the checkout"
        return [pytest.param(None, marks=pytest.mark.skip(reason=reason), id="cases")]
    cases = json.loads(manifest.read_text())["cases"]
    chosen = [c for c in cases if c["kind"] == "file" and c["group"] in GROUPS and c["id"] not in ABOUT_TESTS]
    return [
        pytest.param(case, id=f"{case['id']} {case['case'][:40]}", marks=pytest.mark.case(case["id"], door))
        for case in chosen
        if door == COMMAND_LINE or case["id"] != CONFIGURATION
    ]


def as_csv_row(names):
    row = io.StringIO()
    csv.writer(row, lineterminator="", quoting=csv.QUOTE_ALL).writerow(names)
    return row.getvalue()


def arguments(case):
    """The case as a command line: the goal is the metric asked for, and so are those it gives values of."""
    given = {name: value for name, value in case["args"].items() if value is not None}
    files = [SHARED / "cases" / name for name in case["input"]]
    if files[0].suffix == ".toml":
        files = [SHARED / "cases/000_base.csv", "--config", files[0]]
    asked = [given.pop("goal"), *(METRIC[key.rpartition("_")[0]] for key in values_of(case))]
    given["models"] = as_csv_row(given["models"])
    options = [text for name, value in given.items() for text in (f"--{name}", value)]
    return ["evaluate", *files, *options, "--metrics", ",".join(dict.fromkeys(asked))]


def values_of(case):
    return {key: value for key, value in (case["value"] or {}).items() if key.rpartition("_")[0] in METRIC}


@pytest.mark.parametrize("case", file_cases())
def test_case(case, referee):
    run = referee(*arguments(case))
    assert run.code == case["exit"], run.out + run.err
    if case["expect"] == "error":
        error = run.json["error"]
        assert (error["code"], error["exit"]) == (case["code"], case["exit"])
        said = f"{error['message']} {error['hint']}"
    else:
        said = " ".join(f"{w['code']} {w['message']}" for w in run.json["warnings"])
        assert case["code"] is None or case["code"] in said
    for word in case["keywords"]:
        assert word in said
    for key, expected in values_of(case).items():
        metric, _, model = key.rpartition("_")
        assert run.value(model_name(case, model), METRIC[metric]) == pytest.approx(
            expected, rel=case["tol"], abs=case["tol"]
        )


@pytest.mark.parametrize("case", file_cases(PYTHON))
def test_case_in_python(case):
    """The same case by the other door: the same error, warning or value."""
    given = {name: value for name, value in case["args"].items() if value is not None}
    options = ReadOptions(table=given.pop("table", None))
    asked = ",".join(dict.fromkeys([given.pop("goal"), *(METRIC[key.rpartition("_")[0]] for key in values_of(case))]))
    files = [SHARED / "cases" / name for name in case["input"]]

    def scores():
        return evaluate(*files, **given, metrics=asked, options=options)

    if case["expect"] == "error":
        with pytest.raises(RefereeError) as caught:
            scores()
        assert (caught.value.code, caught.value.exit) == (case["code"], case["exit"])
        said = f"{caught.value.message} {caught.value.hint}"
    else:
        found = scores()
        said = " ".join(f"{notice.code} {notice.message}" for notice in found.notices)
        assert case["code"] is None or case["code"] in said
    words = [word.removeprefix("--").replace("max-memory", "max_memory") for word in case["keywords"]]
    assert [word for word in words if word not in said] == []  # options are keywords here
    for key, expected in values_of(case).items() if case["expect"] != "error" else ():
        metric, _, model = key.rpartition("_")
        value = found[model_name(case, model), METRIC[metric]].value
        assert value == pytest.approx(expected, rel=case["tol"], abs=case["tol"])


@pytest.mark.parametrize(
    "case", [param for param in file_cases() if param.values[0] is None or len(param.values[0]["args"]["models"]) > 1]
)
def test_case_as_a_comparison(case, referee):
    """`compare` reads as `evaluate` does: the same error, or the same warning and values, by both doors."""
    _, *given = arguments(case)
    place = given.index("--metrics")
    goal = case["args"]["goal"]
    run = referee("compare", *given[:place], "--goal", goal, "--metrics", given[place + 1])
    assert run.code == case["exit"], run.out + run.err
    if case["expect"] == "error":
        error = run.json["error"]
        said = f"{error['code']} {error['message']} {error['hint']}"
    else:
        said = " ".join(f"{w['code']} {w['message']}" for w in run.json["warnings"])
    assert [word for word in (case["code"] or "", *case["keywords"]) if word not in said] == []
    for key, expected in values_of(case).items():
        metric, _, model = key.rpartition("_")
        value = run.value(model_name(case, model), METRIC[metric])
        assert value == pytest.approx(expected, rel=case["tol"], abs=case["tol"])


def model_name(case, letter):
    """Cases call their models A and B, whatever odd name the file gives them."""
    names = case["args"]["models"]
    return names["AB".index(letter)] if letter not in names else letter


@pytest.mark.parametrize("case", file_cases())
def test_text_goes_where_it_belongs(case, referee):
    """An error is on standard error only, and says what to do; a result is on standard output."""
    run = referee(*arguments(case), form=None)
    assert run.code == case["exit"]
    if case["exit"]:
        assert run.out == ""
        assert f"error[{case['code']}]" in run.err
        assert "Traceback" not in run.err
    else:
        assert run.err == ""


def test_nothing_escapes_from_untrusted_files(referee, shared, tmp_path):
    canaries = [tmp_path.parent / name for name in ("referee_canary", "referee_canary2", "referee_pwned")]
    for name in ("112_evil.pkl", "114_zip_traversal.skops", "032_path_names.csv"):
        referee("evaluate", shared / "cases" / name, "--truth", "y")
    from pathlib import Path

    assert not any(Path("/tmp", canary.name).exists() for canary in canaries)


@pytest.fixture
def write(tmp_path):
    def write_file(text, name="preds.csv"):
        file = tmp_path / name
        file.write_text(text)
        return file

    return write_file


@pytest.mark.parametrize(
    ("text", "options", "code", "exit_code", "words"),
    [
        ("y,A\n1,0.5\n0,\n", [], "E_MISSING", 3, ["column 'A'", "row 2"]),
        ("y,A\n1,0.5\n0,x\n", ["--models", "A", "--metrics", "roc_auc"], "E_NOTNUM", 3, ["row 2", "'x'"]),
        ("y,A\n1,0.5\n0,nan\n", [], "E_NONFINITE", 3, ["row 2"]),
        ("y,A\n1,0.5\n0,1.5\n", ["--metrics", "brier"], "E_PROBRANGE", 3, ["column 'A'", "row 2", "[0, 1]"]),
        ("y,A,w\n1,0.5,1\n0,0.5,-2\n", ["--weight", "w", "--models", "A"], "E_WEIGHT", 3, ["row 2", "negative"]),
        ("y,A\n3,1\n2,2\n1,3\n", [], "E_TASK", 2, ["--task"]),
        ("y,A\na,0.5\nb,0.4\nc,0.3\n", ["--task", "binary"], "E_POSITIVE", 2, ["'a'", "'c'"]),
        ("y,A\na,0.5\nb,0.4\nc,0.3\n", [], "E_MODELKIND", 3, ["column 'A'", "A:CLASS"]),
        ("y,A\n1,0.5\n0,0.4\n", ["--metrics", "roc_acu"], "E_UNKNOWN", 2, ["did you mean 'roc_auc'"]),
        ("y,A\n1,0.5\n0,0.4\n", ["--metrics", "f_beta(gamma=2)"], "E_PARAMETER", 2, ["'gamma'"]),
        ("y,A\n1,0.5\n0,0.4\n", ["--metrics", "f_beta(beta=-1)"], "E_PARAMETER", 2, ["above 0"]),
        ("y,A\n1,0.5\n0,0.4\n", ["--metrics", "f_beta(beta=2"], "E_SYNTAX", 2, ["bracket"]),
        ("y,A\n1,0.5\n0,0.4\n", ["--metrics", "rmse"], None, 0, []),
        ("y,A\n1,0.5\n0,0.4\n", ["--models", "B"], "E_NOCOL", 2, ["'B'"]),
        ("y,A\n1,0.5\n0,0.4\n", ["--by", "region"], "E_NOCOL", 2, ["'region'"]),
        ("y,A:x,A:y\nx,0.5,0.5\ny,0.4,0.6\nz,0.3,0.7\n", [], "E_CLASSCOL", 3, ["'z'", "model 'A'"]),
        ("y,A\nx,x\ny,q\n", ["--models", "A", "--positive", "x"], "E_LABELS", 3, ["row 2", "'q'"]),
        ("y,A\n1,0.5\n0,0.4\n", ["--threshold", "nan"], "E_THRESHOLD", 2, ["threshold"]),
    ],
)  # fmt: skip
def test_more_damage(referee, write, text, options, code, exit_code, words):
    run = referee("evaluate", write(text), "--truth", "y", *options)
    assert run.code == exit_code, run.out
    if code:
        assert run.json["error"]["code"] == code
        said = f"{run.json['error']['message']} {run.json['error']['hint']}"
        assert all(word in said for word in words), said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["evalute", "x.csv"], ["did you mean 'evaluate'"]),
        (["evaluate", "x.csv", "--truht", "y"], ["did you mean '--truth'"]),
        (["evaluate", "no_such_file.csv", "--truth", "y"], ["no_such_file.csv"]),
        (["evaluate"], ["SOURCE"]),
    ],
)
def test_typing_errors(referee, arguments, words):
    run = referee(*arguments)
    assert run.code == 2
    assert all(word in run.json["error"]["message"] for word in words)


def test_truth_must_be_named(referee, write):
    run = referee("evaluate", write("y,A\n1,0.5\n"))
    assert (run.code, run.json["error"]["code"]) == (2, "E_NOTRUTH")


TRUTHS = {
    "binary": ("y,a,b\n" + "1,0.9,0.8\n0,0.2,0.4\n" * 5, ["roc_auc", "log_loss", "f1"]),
    "multiclass": ("y,a,b\n" + "x,x,z\nz,z,z\nw,x,w\n" * 5, ["accuracy", "log_loss", "f1_macro"]),
    "regression": ("y,a,b\n" + "1.5,1.9,0.8\n2.25,0.2,0.4\n3.5,3,4\n" * 5, ["rmse", "mae"]),
}


@pytest.mark.parametrize("task", TRUTHS)
@pytest.mark.parametrize("command", ["compare", "gate", "select"])
def test_a_forgotten_goal_names_the_usual_ones(referee, write, command, task):
    text, goals = TRUTHS[task]
    options = {
        "compare": ["--truth", "y", "--models", "a,b"],
        "gate": ["--truth", "y", "--models", "a,b", "--production", "a", "--candidate", "b", "--margin", "0.1"],
        "select": ["--target", "y", "--models", "tree,dummy"],
    }
    error = referee(command, write(text), *options[command]).json["error"]
    assert (error["code"], error["exit"]) == ("E_NOGOAL", 2)
    assert "referee advise" in error["hint"]
    words = set(re.findall(r"\w+", error["hint"]))
    assert set(goals) <= words
    assert not words & ({name for _, names in TRUTHS.values() for name in names} - set(goals))


def test_a_forgotten_goal_in_python():
    two = Predictions.from_arrays([0, 1] * 5, {"a": [0.1, 0.8] * 5, "b": [0.2, 0.6] * 5})
    numbers = Predictions.from_arrays([0.5, 1.5, 3] * 5, {"a": [0.1, 0.8, 2] * 5, "b": [0.2, 0.6, 3] * 5})
    for forget, usual in (
        (lambda: compare(two), "roc_auc"),
        (lambda: gate(two, production="a", candidate="b", margin=0.1), "roc_auc"),
        (lambda: compare(numbers), "rmse"),
        (lambda: select(["tree", "dummy"], [[0.0], [1.0]] * 10, [0, 1] * 10), "roc_auc"),
    ):
        with pytest.raises(TypeError) as caught:
            forget()
        assert isinstance(caught.value, RefereeError)
        assert usual in caught.value.hint and "referee advise" in caught.value.hint


@pytest.mark.parametrize("goal", ["accuracy", "f1", "roc_auc"])
@pytest.mark.parametrize("command", ["compare", "gate"])
def test_amounts_are_no_classes(referee, write, command, goal):
    """Whole numbers as truth, as the rings of abalones, with predictions that are none of them."""
    rows = "".join(f"{n % 24},{n % 24 + 0.3},{n % 24 - 0.4}\n" for n in range(96))
    gate = ["--production", "linear", "--candidate", "forest", "--margin", "1"] if command == "gate" else []
    read = [write(f"rings,linear,forest\n{rows}"), "--truth", "rings", *gate]
    hint = referee(command, *read, "--goal", goal).json["error"]["hint"]
    assert "rmse" in hint and "mae" in hint
    for right in ("rmse", "mae"):
        assert referee(command, *read, "--goal", right).code in (0, 1)


@pytest.mark.usefixtures("fits_here")
def test_amounts_are_no_target_of_classes(referee, write):
    rows = "".join(f"{n % 24},{n}\n" for n in range(96))
    read = [
        "select",
        write(f"rings,length\n{rows}"),
        "--target",
        "rings",
        "--models",
        "linear,tree",
        "--scheme",
        "holdout",
    ]
    hint = referee(*read, "--goal", "accuracy").json["error"]["hint"]
    assert "rmse" in hint and "mae" in hint
    assert referee(*read, "--goal", "mae").code == 0


def test_ids_that_one_source_lacks(referee, write):
    a, b = write("id,y,a\n1,1,0.9\n2,0,0.1\n3,1,0.4\n", "a.csv"), write("id,y,b\n3,1,0.8\n1,1,0.7\n", "b.csv")
    run = referee("evaluate", a, b, "--truth", "y", "--id", "id")
    assert (run.code, run.json["error"]["code"]) == (3, "E_ALIGN")
    assert "id 2" in run.json["error"]["message"]
    dropped = referee("evaluate", a, b, "--truth", "y", "--id", "id", "--on-missing", "drop", "--metrics", "accuracy")
    assert dropped.code == 0
    assert dropped.json["rows"] == 2
    assert "W_DROPPED" in {warning["code"] for warning in dropped.json["warnings"]}
    assert dropped.value("a", "accuracy") == 0.5


def test_a_row_in_a_second_file_is_named_as_it_stands_there(referee, write):
    a, b = write("id,y,a\n1,1,0.9\n2,0,0.1\n", "a.csv"), write("id,y,b\n2,0,oops\n1,1,0.7\n", "b.csv")
    run = referee("evaluate", a, b, "--truth", "y", "--id", "id", "--models", "a,b", "--metrics", "roc_auc")
    assert "b.csv" in run.json["error"]["message"]
    assert "row 1" in run.json["error"]["message"]
