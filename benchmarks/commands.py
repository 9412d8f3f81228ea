"""The command line: what a command costs beyond its start, and the least that a start can cost."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.examples import csv_file
from benchmarks.measure import Workload, children_clock, command, figure, least_by_turns, rows_of

ROUNDS = 5
PASS, ARRAYS = "python -c pass", "import numpy, pyarrow"
MOST_BEYOND = 1.5
"""CPU seconds of 100,000 rows beyond those of a start."""


def timed(workload):
    """Children's CPU, by turns."""
    contestants = {"referee": workload.referee} | workload.peers
    return rows_of(workload, least_by_turns(contestants, ROUNDS, children_clock))


def results():
    python, referee = sys.executable, (sys.executable, "-m", "referee")
    arrays = {ARRAYS: command(python, "-c", ARRAYS)}
    yield from timed(Workload("referee --help", "", command(*referee, "--help"),
                              {PASS: command(python, "-c", "pass")}, {PASS: 1 / 4}))  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        small, large = (csv_file(Path(folder) / f"{rows}.csv", rows) for rows in (1_000, 100_000))
        for words in (("compare", "--goal", "roc_auc"), ("evaluate",)):
            name, *options = words
            asked = ("--truth", "y", *options)
            call = " ".join(["referee", name, "preds.csv", *asked])
            (start,) = timed(
                Workload(call, "2 models x 1,000 rows", command(*referee, name, small, *asked), arrays,
                         {ARRAYS: 1 / 1.6} if name == "compare" else {})
            )  # fmt: skip
            yield start
            size = "2 models x 100,000 rows"
            (whole,) = timed(Workload(call, size, command(*referee, name, large, *asked)))
            beyond = whole["referee"] - start["referee"]
            yield whole
            yield figure(call, f"{size}, beyond those of 1,000 rows", "s", beyond, MOST_BEYOND)
