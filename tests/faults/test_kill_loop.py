"""A run that is killed at random instants and resumed until it is done ends like one that nobody disturbed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from referee.runner import Store
from tests.faults.processes import MARK, marked, wait_until
from tests.faults.workload import IDENTITY, UNITS

ROOT = Path(__file__).resolve().parents[2]
KILLS = {1: 10, 2: 25, 4: 10}
"""For each number of jobs."""


def start(folder, jobs, mark="", **environment):
    command = [sys.executable, "-m", "tests.faults.workload", folder, str(jobs)]
    variables = {**os.environ, MARK: mark, **environment}
    return subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True)


def result_of(process):
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return output.split()[-1]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return result_of(start(tmp_path_factory.mktemp("undisturbed"), 2))


@pytest.mark.parametrize("jobs", KILLS)
def test_a_run_survives_kills_at_random_instants(tmp_path, undisturbed, jobs):
    chance, mark = random.Random(jobs), uuid.uuid4().hex
    kills = runs = kept = 0
    while kills < KILLS[jobs]:
        folder = tmp_path / str(runs)
        if was_killed(start(folder, jobs, mark), chance):
            kills += 1
            assert wait_until(lambda: not marked(mark)), "workers outlive a killed parent"
            before, kept = kept, stored(folder)
            assert kept >= before, "a result was lost"
        else:
            # Done before its kill: begin another run.
            with Store.read(folder) as store:
                assert store.digest() == undisturbed
            runs, kept = runs + 1, 0
    assert result_of(start(tmp_path / str(runs), jobs)) == undisturbed
    with Store(tmp_path / str(runs), IDENTITY) as store:
        assert len(store.keys()) == UNITS


def was_killed(process, chance):
    """Kill a process while it starts, while its workers start or, more often, while it works; unless it is done."""
    with process:
        for _ in range(chance.choices([0, 1, 2], [0.2, 0.2, 0.6])[0]):
            process.stdout.readline()
        time.sleep(chance.uniform(0, 0.2))
        process.kill()
    return process.returncode == -signal.SIGKILL


def stored(folder):
    if not (folder / "results.sqlite").exists() or not (folder / "parts").exists():
        return 0
    with Store.read(folder) as store:
        return len(store.keys())


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
