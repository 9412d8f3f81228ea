"""A run that is killed at random instants and resumed until it is done ends like one that nobody disturbed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from referee.fitting import Store
from tests.faults.failing_writes import built
from tests.faults.killing import killed_again_and_again
from tests.faults.processes import MARK
from tests.faults.workload import IDENTITY, UNITS
from tests.stored_digest import digest_of

ROOT = Path(__file__).resolve().parents[2]
KILLS = {1: 10, 2: 25, 4: 10}
"""For each number of jobs."""


def start(folder, jobs, *, mark="", **environment):
    command = [sys.executable, "-m", "tests.faults.workload", folder, str(jobs)]
    variables = {**os.environ, MARK: mark, **environment}
    return subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True, start_new_session=True)


def result_of(process):
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return output.split()[-1]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return result_of(start(tmp_path_factory.mktemp("undisturbed"), 2))


@pytest.mark.parametrize(
    ("jobs", "kills"), [(2, 3), *(pytest.param(*each, marks=pytest.mark.soak) for each in KILLS.items())]
)
def test_a_run_survives_kills_at_random_instants(tmp_path, undisturbed, jobs, kills):
    def check(folder):
        with Store.read(folder) as store:
            assert digest_of(store) == undisturbed

    chance = random.Random(jobs)
    last = killed_again_and_again(
        tmp_path, kills, chance, begin=partial(start, jobs=jobs), reached=lines_of(chance), check=check
    )
    assert result_of(start(last, jobs)) == undisturbed
    with Store(last, IDENTITY) as store:
        assert len(store.keys()) == UNITS


def lines_of(chance):
    """Wait until the process starts, its workers start or, more often, it works."""

    def reached(process, folder):  # noqa: ARG001 (what the loop gives)
        for _ in range(chance.choices([0, 1, 2], [0.2, 0.2, 0.6])[0]):
            process.stdout.readline()

    return reached


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "de_DE.UTF-8"},
        {"PYTHONHASHSEED": "4", "TZ": "America/St_Johns", "LC_ALL": "C"},
    ],
    ids=lambda environment: environment["TZ"],
)
def test_hash_seed_time_zone_and_locale_do_not_matter(tmp_path, undisturbed, environment):
    assert result_of(start(tmp_path, 2, **environment)) == undisturbed


@pytest.mark.parametrize("seconds", [-3600, 36_000], ids=["back", "forth"])
def test_a_clock_that_jumps(tmp_path, undisturbed, seconds):
    library = built(tmp_path) or pytest.skip("there is no C compiler")
    environment = {"LD_PRELOAD": str(library), "CLOCK_JUMPS": str(seconds)}
    command = [sys.executable, "-c", "import time; before = time.time(); print(time.time() - before)"]
    jumped = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    assert float(jumped.stdout) == pytest.approx(seconds, abs=60)
    assert result_of(start(tmp_path / "run", 2, **environment)) == undisturbed
