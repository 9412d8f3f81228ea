"""Every command prints on a terminal without Unicode, with a home that cannot be written and without a network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import referee
from referee.cli.overview import COMMANDS
from referee.errors import RefereeError
from tests.golden.commands import COMMANDS as FROZEN

INPUTS = Path(__file__).parents[1] / "golden" / "inputs"
NAMES = [
    "evaluate_slices", "evaluate_explained_classes", "compare_margin", "compare_folds", "gate", "plan_gate",
    "select_632", "curves", "threshold", "calibrate", "advise", "metric_card", "metrics", "schemes", "tests",
    "learners", "sources", "lecture", "own_study",
]  # fmt: skip
LINES = [
    *(FROZEN[name][0] for name in NAMES),
    "summarise binary.csv --truth y --models good --out {out}/rows.state",
    "gate binary.csv --truth y --models good,fair --id id --goal roc_auc --production fair --candidate good "
    "--margin 0.1 --inconclusive pass --ledger {out}/looks.json --looks 2 --until 500",
    "history {out}/looks.json",
    "schema gate",
    "demo --out {out}/demo",
]
ALONE = """import socket, sys
def refused(*_): raise OSError("there is no network")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refused
from referee.cli.process import run
for line in {lines!r}:
    code = run(line)
    print(f"exit {{code}}", flush=True)
    print(f"exit {{code}}", flush=True, file=sys.stderr)
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What all of them print, in one process."""
    out = tmp_path_factory.mktemp("poor")
    home = Path("/proc/no-home") if sys.platform == "linux" else out / "no-home"
    poor = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    there = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "LANG"))}
    told = [sys.executable, "-c", ALONE.format(lines=[line.format(out=out).split() for line in LINES])]
    run = subprocess.run(
        told, capture_output=True, check=True, cwd=INPUTS, env=there | poor | {"HOME": str(home), "TERM": "dumb"}
    )
    return run.stdout.decode("ascii").split("\nexit "), run.stderr.decode("ascii").split("exit ")


def test_every_command_ends_with_a_result(printed):
    answers, complaints = printed
    codes = [answer.split("\n", 1)[0] for answer in answers[1:]]
    assert dict(zip(LINES, codes, strict=True)) == dict.fromkeys(LINES, "0")
    assert "Traceback" not in "".join(complaints)


def test_nothing_is_written_in_escapes(printed):
    answers, _ = printed
    assert [line for answer in answers for line in answer.splitlines() if "\\u" in line or "\\x" in line] == []


def test_every_command_is_among_them():
    assert {line.split()[0] for line in LINES} == set(COMMANDS) - {"serve"}


@pytest.mark.parametrize("console", ["cp1252", "cp437"])
def test_consoles_of_windows_are_given_what_they_can_show(console):
    """Umlauts as they are, bars in ASCII."""
    told = [sys.executable, "-m", "referee", "compare", "-", "--truth", "y", "--goal", "accuracy"]
    rows = "y,größer,b\r\n" + "1,1,0\r\n0,0,0\r\n" * 40
    run = subprocess.run(
        told, input=rows.encode(), capture_output=True, check=True, env=os.environ | {"PYTHONIOENCODING": console}
    )
    shown = run.stdout.decode(console)
    assert "größer wins on accuracy: 1.0000 vs 0.5000 for b" in " ".join(shown.split())
    assert "|" in shown and not set(shown) & set("├─●┤")


@pytest.mark.parametrize("path", [r"C:\data\preds.csv", "C:/data/preds.csv", r"\\server\share\preds.csv"])
def test_a_drive_is_no_service(path):
    with pytest.raises(RefereeError, match="no such file") as told:
        referee.compare(path, truth="y", goal="accuracy")
    assert told.value.code == "E_NOFILE" and path in str(told.value)
