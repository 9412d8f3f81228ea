"""`referee study --on DATA --out` that is killed at random instants and resumed says what it says undisturbed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.faults.killing import killed_again_and_again, stored
from tests.faults.processes import MARK
from tests.faults.test_select_kills import one_more_fit

ROOT = Path(__file__).resolve().parents[2]
KILLS = {1: 10, 2: 10}
"""For each number of jobs."""
REPETITIONS = 8
RECORDS = 1 + 2 * REPETITIONS


def written(folder):
    """A table of numbers with two classes."""
    draw, path = np.random.default_rng(1), folder / "data.csv"
    x = draw.normal(size=(120, 3))
    target = np.where(x[:, 0] + draw.normal(size=120) > 0, "yes", "no")
    lines = [",".join([*map(repr, row.tolist()), name]) for row, name in zip(x, target, strict=True)]
    path.write_text("\n".join(["a,b,c,y", *lines]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return written(tmp_path_factory.mktemp("data"))


def start(folder, jobs, table, *, mark=""):
    command = [sys.executable, "-m", "referee", "study", "--on", table, "--target", "y", "--positive", "yes",
               "--models", "tests.faults.slow_models:SlowBayes,dummy", "--metrics", "accuracy,roc_auc",
               "--repetitions", str(REPETITIONS), "--jobs", str(jobs), "--out", folder, "--format", "json"]  # fmt: skip
    return subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, MARK: mark}, stdout=subprocess.PIPE, text=True, start_new_session=True
    )


def result_of(process):
    """All that the command says, byte for byte."""
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return output


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, table):
    return result_of(start(tmp_path_factory.mktemp("undisturbed") / "run", 2, table))


@pytest.mark.parametrize(
    ("jobs", "kills"), [(2, 2), *(pytest.param(*each, marks=pytest.mark.soak) for each in KILLS.items())]
)
def test_kills_at_random_instants(tmp_path, undisturbed, table, jobs, kills):
    chance = random.Random(jobs)

    def check(folder):
        assert result_of(start(folder, jobs, table)) == undisturbed

    last = killed_again_and_again(
        tmp_path,
        kills,
        chance,
        begin=partial(start, jobs=jobs, table=table),
        reached=partial(one_more_fit, chance),
        check=check,
    )
    assert result_of(start(last, jobs, table)) == undisturbed
    assert stored(last) == RECORDS
