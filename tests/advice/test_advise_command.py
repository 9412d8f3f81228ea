"""`referee advise` as it is typed: options, a file, an interview in a terminal, and the command that it prints."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from referee.advice import QUESTIONS, Answers
from referee.advice.answers import interview
from referee.errors import UsageError

GUIDE = Path(__file__).parents[2] / "docs/guide/advise.md"


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))


@pytest.fixture
def file(tmp_path):
    draw = np.random.default_rng(7)
    z = draw.normal(size=1200)
    p = 1 / (1 + np.exp(3 - 1.5 * z))
    truth = np.where(draw.random(1200) < p, "yes", "no")
    path = tmp_path / "my preds.csv"
    rows = [f"{y},{a:.5f},{b:.5f}" for y, a, b in zip(truth, p, p**1.5, strict=True)]
    path.write_text("y,a,b\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture
def classes(tmp_path):
    draw = np.random.default_rng(8)
    columns = draw.dirichlet([1, 1, 1], 300)
    truth = [draw.choice(["x", "y", "z"], p=row) for row in columns]
    lines = [f"{t},{','.join(f'{v:.6f}' for v in row)}" for t, row in zip(truth, columns, strict=True)]
    path = tmp_path / "classes.csv"
    path.write_text("truth,m:x,m:y,m:z\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def numbers(tmp_path):
    draw = np.random.default_rng(9)
    signal = draw.normal(size=200)
    rows = [
        f"{s + e},{s},{s + f}" for s, e, f in zip(signal, draw.normal(size=200), draw.normal(size=200), strict=True)
    ]
    path = tmp_path / "numbers.csv"
    path.write_text("y,m,n\n" + "\n".join(rows) + "\n")
    return path


def run_next(referee, line):
    program, *arguments = shlex.split(line)
    assert program == "referee"
    return referee(*arguments)


BINARY = [
    ["--purpose", "decision"],
    ["--fp", "1", "--fn", "5"],
    ["--purpose", "decision", "--costs", "misses", "--precision", "0.3"],
    ["--purpose", "decision", "--costs", "false_alarms", "--recall", "0.2"],
    ["--purpose", "decision", "--capacity", "0.1"],
    ["--purpose", "decision", "--focus", "both", "--tables", "lecture"],
    ["--purpose", "probabilities", "--quality", "ranking"],
    ["--purpose", "probabilities", "--quality", "both", "--sure-errors", "bounded", "--tables", "weka"],
    ["--purpose", "unknown"],
]


@pytest.mark.parametrize("answers", BINARY, ids=" ".join)
def test_the_next_command_runs_as_printed(referee, file, answers):
    where = [file, "--truth", "y", "--positive", "yes"]
    advice = referee("advise", *where, *answers).json
    done = run_next(referee, advice["command_line"])
    assert done.code == 0, done.out
    assert (done.json["command"], done.json["goal"]) == ("compare", advice["goal"])
    alone = referee("advise", *where, "--models", "a", *answers).json
    done = run_next(referee, alone["command_line"])
    assert done.code == 0, done.out
    assert done.json["command"] == "evaluate"
    assert "lint" in done.json


@pytest.mark.parametrize(
    "answers",
    [
        ["--purpose", "decision", "--average", "weighted"],
        ["--cost-matrix", "[[0, 1, 2], [1, 0, 2], [5, 5, 0]]"],
        ["--purpose", "probabilities", "--quality", "ranking"],
        ["--shortlist", "2.0"],
        ["--purpose", "unknown"],
    ],
    ids=" ".join,
)
def test_several_classes(referee, classes, answers):
    advice = referee("advise", classes, "--truth", "truth", *answers).json
    assert advice["facts"]["task"] == "multiclass"
    assert run_next(referee, advice["command_line"]).code == 0


@pytest.mark.parametrize(
    "answers", [["--penalty", p] for p in ("large", "alike", "percent", "typical")] + [["--level", "0.9"]]
)
def test_numbers(referee, numbers, answers):
    advice = referee("advise", numbers, "--truth", "y", *answers).json
    assert advice["facts"]["task"] == "regression"
    assert run_next(referee, advice["command_line"]).code == 0


def test_costs_set_the_threshold(referee, file):
    """fp / (fp + fn) = 1 / 6; a threshold of the user's own stays."""
    where = ["advise", file, "--truth", "y", "--positive", "yes", "--fp", "1", "--fn", "5"]
    advice = referee(*where).json
    assert advice["threshold"] == pytest.approx(1 / 6)
    assert "--threshold 0.1667" in advice["command_line"]
    own = referee(*where, "--threshold", "0.3").json["command_line"]
    assert own.count("--threshold") == 1
    assert "--threshold 0.3" in own


@pytest.mark.parametrize("form", ["text", "md", "csv", "json"])
def test_formats(referee, file, form):
    run = referee(
        "advise",
        file,
        "--truth",
        "y",
        "--positive",
        "yes",
        "--purpose",
        "probabilities",
        "--quality",
        "ranking",
        form=form,
    )
    assert run.code == 0
    assert "average_precision" in run.out
    if form == "text":
        *lines, command, _, goal, more = run.out.splitlines()
        assert max(map(len, [*lines, goal, more])) <= 80
        assert command.startswith("  referee compare")
        assert goal.startswith("Goal: average_precision. ")
    if form == "csv":
        assert run.out.splitlines()[0] == "role,metric,reason,source"


def test_quiet_is_the_goal_and_the_command(referee):
    run = referee("advise", "--task", "regression", "--penalty", "large", "--quiet", form="text")
    assert len(run.out.split("\n\n")) == 2
    assert "Goal: rmse" in run.out


def test_answers_from_a_file(referee, tmp_path):
    path = tmp_path / "goal.toml"
    path.write_text('task = "binary"\npurpose = "decision"\nfp = 1\nfn = 5\n')
    assert referee("advise", "--answers", path).json["goal"] == "expected_cost(fn=5)"
    assert referee("advise", "--answers", path, "--fn", "7").json["goal"] == "expected_cost(fn=7)"
    path.write_text("cost-matrix = [[0, 1, 2], [1, 0, 2], [5, 5, 0]]")
    assert referee("advise", "--answers", path).json["goal"].startswith("expected_cost(costs=[[0, 1, 2]")


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        ('purpos = "decision"', "E_ANSWERS", "did you mean 'purpose'?"),
        ('purpose = "decison"', "E_ANSWERS", "did you mean 'decision'?"),
        ("purpose = 3", "E_ANSWERS", "purpose = 3 is not an answer"),
        ('fn = "many"', "E_ANSWERS", "not a finite number"),
        ("fn = [1]", "E_ANSWERS", "not a finite number"),
        ("capacity = 7", "E_ANSWERS", "must be below 1"),
        ('costs = "misses"\nfp = 3', "E_CONTRADICTION", "fp = 3 contradicts costs = misses"),
        ("[task]\nx = 1", "E_ANSWERS", "is not an answer"),
        ("task = ", "E_ANSWERS", "not valid TOML"),
        ("", "E_ANSWERS", "--task is needed"),
    ],
)
def test_bad_files(referee, tmp_path, content, code, words):
    path = tmp_path / "goal.toml"
    path.write_text(content)
    run = referee("advise", "--answers", path)
    assert run.code == 2
    assert run.json["error"]["code"] == code
    assert words in run.json["error"]["message"]
    if "needed" not in words:
        assert str(path) in run.json["error"]["message"]


def test_no_answers_without_a_terminal(referee, file):
    error = referee("advise").json["error"]
    assert (error["code"], error["exit"]) == ("E_ANSWERS", 2)
    assert "--task binary|multiclass|regression" in error["hint"]
    assert "--purpose" in referee("advise", file, "--truth", "y", "--positive", "yes").json["error"]["message"]
    assert referee("advise", file, "--purpose", "decision").json["error"]["code"] == "E_NOTRUTH"
    assert referee("advise", "--answers", "nowhere.toml").json["error"]["code"] == "E_ANSWERS"
    assert referee("advise", "--purpose", "decison").json["error"]["code"] == "E_USAGE"


def asked(lines, answers=None):
    said, rest = [], iter(lines)
    found = interview(answers or Answers(), lambda prompt: said.append(prompt) or next(rest, ""), said.append)
    return found, "\n".join(said)


def test_interview():
    found, said = asked(["1\n", "1\n", "?\n", "\n", "4\n", "x\n", "1\n", "5\n", "\n"])
    assert found.given == {
        "task": "binary", "purpose": "decision", "balance": "imbalanced", "costs": "known", "fp": 1, "fn": 5,
    }  # fmt: skip
    assert "always predicting" in said  # the explanation that was asked for
    assert "fp = x is not a finite number" in said
    assert "(usual)" in said


def test_interview_asks_only_what_is_open():
    _, said = asked(["2\n", "\n"], Answers.of({"task": "binary", "purpose": "probabilities"}))
    assert "What is predicted?" not in said
    assert "ranking or calibration" in said
    assert "What do errors cost?" not in said


def test_interview_words_and_wrong_numbers():
    found, said = asked(["7\n", "\n", "regression\n", "\n", "large\n", "2\n"])
    assert found.given == {"task": "regression", "target": "value", "penalty": "large", "yardstick": "guessing"}
    assert "'7' is not an answer: 1-5" in said
    assert "'nothing' is not an answer" in said


def test_input_that_ends():
    with pytest.raises(UsageError, match="the input ended"):
        asked(["1\n"])


def in_terminal(arguments, keys):
    """Run the command with a terminal as its input."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "referee", "advise", *map(str, arguments)]
    process = subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    os.close(theirs)
    os.write(ours, keys.encode() + b"\x04")  # Ctrl-D: the input ends, whatever else would be asked
    try:
        out, err = process.communicate(timeout=120)
    finally:
        os.close(ours)
    return process.returncode, out, err


def test_in_a_terminal(file):
    where = [file, "--truth", "y", "--positive", "yes", "--format", "json"]
    code, out, err = in_terminal(where, "2\n1\n\n")
    assert code == 0, err
    assert json.loads(out)["goal"] == "average_precision"
    assert "ranking or calibration" in err
    assert "Are the classes" not in err  # the data say it
    code, out, err = in_terminal([*where, "--no-questions", "--purpose", "decision"], "")
    assert (code, json.loads(out)["assumed"]["costs"]) == (0, "unknown")


def test_an_interrupted_interview():
    """Ctrl-C while a question is open."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "referee", "advise"]
    with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while "What is predicted?" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    os.close(theirs)
    os.close(ours)
    assert (process.returncode, out) == (130, "")
    assert err.endswith("interrupted\n")
    assert "Traceback" not in err


def test_the_guide_names_every_option_and_answer():
    guide = GUIDE.read_text()
    for question in QUESTIONS:
        assert f"`--{question.key.replace('_', '-')}`" in guide, question.key
        for option in question.options:
            assert re.search(rf"`{option}`", guide), (question.key, option)
    assert "`E_ANSWERS`" in guide
    assert "`E_CONTRADICTION`" in guide
    assert "--no-questions" in guide
