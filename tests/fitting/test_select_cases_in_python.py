"""The cases of bad schemes, models and folders once more, by `referee.select` instead of the command line."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest

import referee as library
from referee.fitting import read_dataset, select
from referee.fitting.runner.database import FolderLock
from tests.case_record import COMMAND_LINE, PYTHON
from tests.faults.processes import MARK, marked, wait_until
from tests.faults.small_disk import mounted  # noqa: F401 (a fixture)
from tests.fitting.test_select_cases import HANGS, ODD, cases, marked_with, missing_words, model_of, models  # noqa: F401

# ruff: noqa: F811 (fixtures are asked for by the names that they are imported by)


@pytest.fixture
def data(shared):
    return read_dataset(shared / "cases" / "141_dataset40.csv", "y", positive="1")


def refused(case, call):
    with pytest.raises(library.RefereeError) as caught:
        call()
    assert (caught.value.code, caught.value.exit) == (case["code"], case["exit"])
    assert missing_words(case, caught.value.message) == []


@pytest.mark.case("144", PYTHON)
def test_two_folds_have_low_power(cases, shared):
    case = cases["144"]
    x = read_dataset(shared / "cases" / case["input"][0], "y", positive="1")
    verdict = select(case["args"]["models"], x, goal="roc_auc", scheme=case["args"]["scheme"])
    (notice,) = [notice for notice in verdict.warnings if notice.code == case["code"]]
    assert missing_words(case, notice.message) == []


@pytest.mark.case("150", PYTHON)
def test_a_time_without_its_zone(cases, shared):
    case = cases["150"]
    path = shared / "cases" / case["input"][0]
    refused(case, lambda: read_dataset(path, "y", positive="1", time=case["args"]["time"]))


@marked_with(tuple(number for number in ODD if number != "168"), PYTHON)
@pytest.mark.usefixtures("models")
def test_models_that_are_odd(cases, data):
    specs = [cases[number]["args"]["models"][0] for number in ODD]
    verdict = select([*specs, "bad:_Ok", "dummy"], data, goal="roc_auc", scheme="k_fold(k=5)", check=True)
    said = {(notice.code, notice.message.partition(" ")[0]): notice.message for notice in verdict.warnings}
    for number in ("156", "157", "169"):
        assert missing_words(cases[number], said[cases[number]["code"], model_of(cases[number])]) == []
    same = [model_of(cases[number]) for number in ("166", "167", "168", "170", "171")]
    assert {verdict.values[name] for name in same} == {verdict.values["_Ok"]}
    # Its columns are reversed after it has learnt, so by its `classes_` it is all wrong.
    reversed_value = 1 - verdict.values["_Ok"]
    assert verdict.values["ReversedClasses"] == pytest.approx(reversed_value, rel=cases["164"]["tol"])


class TestFolders:
    """The folder of `store=`."""

    @pytest.fixture
    def chosen(self, data):
        def run(folder, **other):
            asked = {"goal": "roc_auc", "scheme": "holdout", "store": folder, **other}
            return select(["naive_bayes", "dummy"], data, **asked)

        return run

    @marked_with(("173", "174"), PYTHON)
    def test_read_only_and_full(self, chosen, cases, mounted):
        disk = mounted("size=64k")
        with pytest.raises(library.RefereeError) as caught:
            chosen(disk / "run")
        assert (caught.value.code, caught.value.exit) == ("E_WRITE", cases["174"]["exit"])
        mounted("remount,size=4m")
        assert chosen(disk / "run").values.keys() == {"naive_bayes", "dummy"}
        mounted("remount,ro")
        for name in ("run", "new"):
            with pytest.raises(library.RefereeError, match="read-only") as caught:
                chosen(disk / name)
            assert (caught.value.code, caught.value.exit) == (cases["173"]["code"], cases["173"]["exit"])

    @marked_with(("178", "179"), PYTHON)
    def test_two_processes_and_a_dead_one(self, chosen, tmp_path):
        values = chosen(tmp_path / "run").values
        held = FolderLock(tmp_path / "run")
        with pytest.raises(library.RefereeError, match=f"in use by process {os.getpid()}") as caught:
            chosen(tmp_path / "run")
        assert (caught.value.code, caught.value.exit) == ("E_WRITE", 6)
        held.release()
        (tmp_path / "run" / "lock").write_text("999999")
        assert chosen(tmp_path / "run").values == values

    @marked_with(("180", "182", "183"), PYTHON)
    def test_another_run_a_newer_version_and_a_flipped_byte(self, chosen, cases, tmp_path, shared):
        folder = tmp_path / "run"
        chosen(folder)
        other = read_dataset(shared / "cases" / "141_dataset40.csv", "y", positive="1", id="x1")
        asked = {"goal": "roc_auc", "scheme": "holdout", "store": folder}
        refused(cases["182"], lambda: select(["naive_bayes", "dummy"], other, **asked))
        path = folder / "results.sqlite"
        whole = path.read_bytes()
        path.write_bytes(whole.replace(b'"fit_seconds"', b'"fit_sekonds"', 1))
        refused(cases["180"], lambda: chosen(folder))
        path.write_bytes(whole)
        with closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA user_version = 99")
        refused(cases["183"], lambda: chosen(folder))

    @pytest.mark.case("184", PYTHON)
    def test_any_number_of_processes_gives_the_same_bytes(self, chosen):
        said = [json.dumps(chosen(None, jobs=jobs, scheme="k_fold(k=4)").to_dict()["scores"]) for jobs in (1, 2, 4)]
        assert said[0] == said[1] == said[2]


GOES_ON = """
        while not Path("go on").exists():
            time.sleep(0.05)
        return super().fit(X, y)
"""
SCRIPT = """
import sys, referee, slow
from sklearn.dummy import DummyClassifier
x, y = [[float(row)] for row in range(40)], [0, 1] * 20
if __name__ == "__main__":
    referee.select({"dummy": DummyClassifier(), "slow": slow.Hangs()}, x, y, goal="accuracy", scheme="holdout",
                   store="run")
"""


IN_PYTHON = (sys.executable, "script.py")
BY_COMMAND = (
    sys.executable, "-m", "referee", "select", "rows.csv", "--target", "y", "--models", "dummy,slow:Hangs", "--goal",
    "accuracy", "--scheme", "holdout", "--out", "run",
)  # fmt: skip


@pytest.mark.parametrize(
    ("command", "ending"),
    [
        pytest.param(IN_PYTHON, signal.SIGINT, marks=pytest.mark.case("176", PYTHON), id="interrupted"),
        pytest.param(IN_PYTHON, signal.SIGTERM, marks=pytest.mark.case("177", PYTHON), id="terminated"),
        pytest.param(IN_PYTHON, signal.SIGKILL, marks=pytest.mark.case("175", PYTHON), id="killed"),
        pytest.param(BY_COMMAND, signal.SIGKILL, marks=pytest.mark.case("181", COMMAND_LINE), id="torn"),
    ],
)
def test_what_is_stopped_leaves_its_fits_and_no_worker(tmp_path, command, ending):
    (tmp_path / "slow.py").write_text(HANGS.replace("time.sleep(3600)", GOES_ON))
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "rows.csv").write_text("x,y\n" + "".join(f"{row}.5,{row % 2}\n" for row in range(40)))
    mark = str(tmp_path)
    with subprocess.Popen(
        command, cwd=tmp_path, env={**os.environ, MARK: mark}, stderr=subprocess.PIPE, text=True
    ) as process:
        assert wait_until((tmp_path / "hangs").exists, 60)
        process.send_signal(ending)
        said = process.communicate(timeout=60)[1]
    assert process.returncode == -ending, said
    assert wait_until(lambda: not marked(mark))
    log = tmp_path / "run" / "results.sqlite-wal"
    if command is BY_COMMAND:
        log.write_bytes(log.read_bytes()[:-1])
    (tmp_path / "go on").touch()
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with closing(sqlite3.connect(tmp_path / "run" / "results.sqlite")) as database:
        keys = [str(key) for (key,) in database.execute("SELECT key FROM records")]
    assert len(keys) == len(set(keys))
    assert [sum(name in key for key in keys) for name in ("dummy", "slow" if command is IN_PYTHON else "Hangs")] == [
        1,
        1,
    ]


@pytest.mark.case("185", PYTHON)
def test_neither_hashes_nor_the_place_change_an_answer(tmp_path):
    draw = np.random.default_rng(1)
    rows = [(n % 2, draw.random(), draw.random()) for n in range(60)]
    (tmp_path / "rows.csv").write_text("y,A,B\n" + "".join(f"{y},{a!r},{b!r}\n" for y, a, b in rows))
    script = "import referee; print(referee.compare('rows.csv', truth='y', goal='roc_auc').to_json())"
    places = [{"PYTHONHASHSEED": "0"}, {"PYTHONHASHSEED": "4", "TZ": "Asia/Tokyo", "LC_ALL": "de_DE.UTF-8"}]
    said = [
        subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=os.environ | place, capture_output=True,
                       check=True).stdout
        for place in places
    ]  # fmt: skip
    assert json.loads(said[0])["command"] == "compare"
    assert said[0] == said[1]
