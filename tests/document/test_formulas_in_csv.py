"""Texts that a spreadsheet would run are defused in every CSV, numbers never are, and --raw leaves all as it is."""

from __future__ import annotations

import csv
from io import StringIO

import pytest

import referee as library

TRICK = '=HYPERLINK("http://x","y")'
STARTS = ("=1+1", "+cmd", "-cmd", "@SUM(1)", "\t=1", "\r=1")


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "preds.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["y", TRICK, "B", "part"])
        for n in range(120):
            writer.writerow([n % 2, (n % 2 + n * 7 % 10 / 5) / 3, (n % 2 + n * 3 % 11 / 4) / 4, f"=part{n % 2}"])
    return path


COMMANDS = {
    "compare": ("--goal", "roc_auc", "--metrics", "goal"),
    "evaluate": ("--metrics", "roc_auc,brier", "--by", "part"),
    "gate": ("--goal", "roc_auc", "--production", "B", "--candidate", TRICK, "--margin", "0.3"),
    "calibrate": ("--method", "platt", "--metrics", "brier", "--folds", "3"),
    "threshold": ("--for", "f1"),
    "curves": ("--kind", "roc"),
}


def cells(text):
    return [cell for row in csv.reader(StringIO(text, newline="")) for cell in row]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command(referee, rows, command):
    asked = (command, rows, "--truth", "y", "--positive", "1", "--models", f'"{TRICK.replace(chr(34), chr(34) * 2)}",B')
    safe = referee(*asked, *COMMANDS[command], form="csv")
    raw = referee(*asked, *COMMANDS[command], "--raw", form="csv")
    assert (safe.code, raw.code) == (0, 0), safe.err + raw.err
    assert f"'{TRICK}" in cells(safe.out)
    assert TRICK in cells(raw.out)
    defused = [cell.removeprefix("'") if cell.startswith("'=") else cell for cell in cells(safe.out)]
    assert defused == cells(raw.out)  # so no number has changed


@pytest.mark.parametrize("name", STARTS)
def test_in_python(name):
    truth, good, fair = [0, 1] * 40, [0.2, 0.7, 0.3, 0.9] * 20, [0.4, 0.6, 0.7, 0.5] * 20
    verdict = library.compare(truth, {name: good, "B": fair}, goal="brier", metrics="goal")
    assert f"'{name}" in cells(verdict.to_csv())
    assert name in cells(verdict.to_csv(raw=True))


def test_raw_is_for_csv_alone_and_said_before_the_work(referee, tmp_path):
    for order in (("--raw", "--format", "json"), ("--format", "json", "--raw"), ("--raw",)):
        answer = referee("compare", tmp_path / "absent.csv", *order, form=None)
        assert answer.code == 2
        assert "--raw is for --format csv" in answer.err + answer.out
