"""`referee select` that is killed at random instants and resumed says what it says when nobody disturbs it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.case_record import COMMAND_LINE
from tests.faults.killing import killed_again_and_again, stored
from tests.faults.processes import MARK, wait_until

ROOT = Path(__file__).resolve().parents[2]
KILLS = {1: 9, 2: 8, 4: 8}
"""For each number of jobs; 25 in all."""
MODELS = "tests.faults.slow_models:SlowBayes,knn(k=3),knn(k=9),dummy"
SPLITS = 12
RECORDS = 1 + 4 * SPLITS
DEPENDS_ON_TIMES = ("fit_seconds", "predict_seconds", "efficient")
PLACES = [
    {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C"},
    {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "de_DE.UTF-8"},
    {"PYTHONHASHSEED": "4", "TZ": "America/St_Johns", "LC_ALL": "C.UTF-8"},
]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return written(tmp_path_factory.mktemp("data"))


def written(folder):
    random_numbers = np.random.default_rng(0)
    x = random_numbers.normal(size=(60, 3))
    target = np.where(x[:, 0] + random_numbers.normal(size=60) > 0, "ja", "nein")
    file = folder / "größe.csv"
    lines = [",".join([*map(repr, row.tolist()), name]) for row, name in zip(x, target, strict=True)]
    file.write_text("\n".join(["a,b,c,y", *lines]), encoding="utf-8")
    return file


def where_to_fit(jobs):
    """In so many processes, or on the cluster of an address."""
    return ("--cluster", jobs) if isinstance(jobs, str) else ("--jobs", str(jobs))


def start(folder, jobs, table, *, mark="", stderr=None, **environment):
    command = [sys.executable, "-m", "referee", "select", table, "--target", "y", "--positive", "ja", "--models",
               MODELS, "--goal", "accuracy", "--scheme", f"k_fold(k=3, repeats={SPLITS // 3})", *where_to_fit(jobs),
               "--out", folder, "--format", "json", "--encoding", "utf-8"]  # fmt: skip
    variables = {**os.environ, MARK: mark, **environment}
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )


def result_of(process):
    """All that the command says, but for times, what hangs on them, and where it was kept."""
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return without_times(output)


def without_times(output):
    said = json.loads(output)
    del said["selection"]["folder"], said["selection"]["tie_breakers"]
    for row in said["selection"]["tradeoffs"]:
        for field in DEPENDS_ON_TIMES:
            del row[field]
    return json.dumps(said, ensure_ascii=False)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, table):
    return result_of(start(tmp_path_factory.mktemp("undisturbed") / "run", 2, table, **PLACES[0]))


@pytest.mark.parametrize(
    ("jobs", "kills"), [(2, 2), *(pytest.param(*each, marks=pytest.mark.soak) for each in KILLS.items())]
)
@pytest.mark.case("175", COMMAND_LINE)
@pytest.mark.case("184", COMMAND_LINE)
@pytest.mark.case("185", COMMAND_LINE)
def test_kills_at_random_instants(tmp_path, undisturbed, table, jobs, kills):
    chance = random.Random(jobs)

    def begin(folder, mark):
        return start(folder, jobs, table, mark=mark, **chance.choice(PLACES))

    def check(folder):
        assert stored(folder) == RECORDS
        assert result_of(start(folder, jobs, table)) == undisturbed

    last = killed_again_and_again(
        tmp_path, kills, chance, begin=begin, reached=partial(one_more_fit, chance), check=check
    )
    assert result_of(start(last, jobs, table, **PLACES[jobs % 3])) == undisturbed
    assert stored(last) == RECORDS


def one_more_fit(chance, process, folder):
    """Mostly wait until it works, and sometimes not even until it has started."""
    before = stored(folder)
    if chance.random() < 0.8:
        wait_until(lambda: stored(folder) > before or process.poll() is not None, 120)
