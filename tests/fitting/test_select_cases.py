"""`referee select` on the cases of the shared manifest: what it says of bad schemes, bad models and bad folders."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from referee.errors import RefereeError, UsageError
from referee.fitting import read_dataset, select
from referee.fitting.runner.database import FolderLock
from tests.case_record import COMMAND_LINE, PYTHON
from tests.conftest import SHARED
from tests.faults.processes import MARK, marked, wait_until
from tests.faults.small_disk import mounted  # noqa: F401 (a fixture)

RAISING = ("152", "153", "160", "163")
ENDING = ("158", "159", "161", "162")
HANGING = ("154", "155")
"""Models that fail in a fit, those of a kind in one run next to two that do not."""
ODD = ("156", "157", "164", "166", "167", "168", "169", "170", "171")
"""Models that are odd, but can be judged: all in one run with `--check`."""
ON_THEIR_OWN = ("142", "144", "146", "148", "150", "152", "165", "172")
ELSEWHERE = {
    "175": "faults/test_select_kills.py",
    "181": "faults/test_store_damage.py",
    "184": "faults/test_select_kills.py",
    "185": "faults/test_select_kills.py",
}


def of(numbers, *doors):
    return [pytest.mark.case(number, *(doors or (COMMAND_LINE,))) for number in numbers]


def marked_with(numbers, *doors):
    """A test that is about several cases."""

    def marked_test(test):
        for mark in of(numbers, *doors):
            test = mark(test)
        return test

    return marked_test


@pytest.fixture(scope="module")
def cases(shared):
    manifest = json.loads((shared / "cases" / "manifest.json").read_text())
    return {case["id"]: case for case in manifest["cases"]}


@pytest.fixture
def models(shared, monkeypatch):
    """Run in the folder of the models, which an import path is looked for in."""
    monkeypatch.chdir(shared / "cases" / "models")


def command(case):
    """The case as the command line has it; its files have no column `id`, so that `--id id` is left out."""
    args = case["args"]
    given = {name: value for name, value in args.items() if name not in ("data", "models", "id", "truth")}
    options = {"goal": "roc_auc", "positive": "1", "target": "y"} | given
    flags = [part for name, value in options.items() for part in (f"--{name}", value)]
    data = SHARED / "cases" / (args.get("data") or case["input"][0])
    return ["select", data, "--models", ",".join(args["models"]), *flags]


def model_of(case):
    return case["args"]["models"][0].partition(":")[2]


def missing_words(case, message):
    return [word for word in case["keywords"] if word not in message]


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize("number", [pytest.param(n, marks=pytest.mark.case(n, COMMAND_LINE)) for n in ON_THEIR_OWN])
def test_on_its_own(cases, referee, number):
    case = cases[number]
    run = referee(*command(case))
    assert run.code == case["exit"]
    if case["expect"] == "error":
        assert run.json["error"]["code"] == case["code"]
        assert missing_words(case, run.json["error"]["message"]) == []
    else:
        found = [one["message"] for one in run.json["warnings"] if one["code"] == case["code"]]
        assert missing_words(case, " ".join(found)) == []


@pytest.fixture
def together(cases, referee, models):  # noqa: ARG001 (it acts by being there)
    """Run the models of several cases at once, on the data and splits that they have in common."""

    def run(numbers, *more):
        specs = [cases[number]["args"]["models"][0] for number in numbers]
        shared_by_all = {"models": [*specs, "bad:_Ok", "dummy"]}
        return referee(*command(cases[numbers[0]] | {"args": cases[numbers[0]]["args"] | shared_by_all}), *more)

    return run


@pytest.mark.parametrize(
    ("numbers", "options"),
    [
        pytest.param(RAISING, (), marks=of(RAISING)),
        # One split is enough for those that need a new worker each time.
        pytest.param(ENDING, ("--scheme", "holdout", "--max-memory", "1GB"), marks=of(ENDING)),
        pytest.param(HANGING, ("--scheme", "holdout", "--timeout", "2"), marks=of(HANGING)),
    ],
    ids=["raising", "ending", "hanging"],
)
def test_models_that_fail_are_named_and_the_others_are_kept(cases, together, numbers, options):
    run = together(numbers, *options)
    assert run.code == 5
    failures = {one["message"].partition(" ")[0]: one for one in run.json["selection"]["failures"]}
    assert set(failures) == {model_of(cases[number]) for number in numbers}
    for number in numbers:
        found = failures[model_of(cases[number])]
        assert (number, found["code"]) == (number, cases[number]["code"])
        assert missing_words(cases[number], found["message"]) == []
    assert set(run.json["verdict"]["values"]) == {"_Ok", "dummy"}


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize(
    ("numbers", "limits"),
    [
        pytest.param(RAISING, {"scheme": "k_fold(k=5)"}, marks=of(RAISING, PYTHON)),
        pytest.param(ENDING, {"max_memory": 10**9}, marks=of(ENDING, PYTHON)),
        pytest.param(HANGING, {"timeout": 2}, marks=of(HANGING, PYTHON)),
    ],
    ids=["raising", "ending", "hanging"],
)
def test_models_that_fail_are_named_in_python(cases, shared, numbers, limits):
    data = read_dataset(shared / "cases" / "141_dataset40.csv", "y", positive="1")
    specs = [cases[number]["args"]["models"][0] for number in numbers]
    verdict = select([*specs, "bad:_Ok", "dummy"], data, goal="roc_auc", **({"scheme": "holdout"} | limits))
    failures = {error.message.partition(" ")[0]: error.code for error in verdict.selection.failures}
    assert failures == {model_of(cases[number]): cases[number]["code"] for number in numbers}
    assert set(verdict.values) == {"_Ok", "dummy"}


@marked_with(("165", "168", "172"), PYTHON)
@pytest.mark.usefixtures("models")
def test_models_that_are_refused_in_python(cases, shared):
    data = read_dataset(shared / "cases" / "141_dataset40.csv", "y", positive="1")
    with pytest.raises(UsageError) as caught:
        select(["bad:NoProba", "dummy"], data, goal="roc_auc", scheme="holdout")
    assert caught.value.code == cases["165"]["code"]
    verdict = select(["bad:ProbaOutOfRange", "bad:Unpicklable", "dummy"], data, goal="log_loss", scheme="holdout")
    assert [error.code for error in verdict.selection.failures] == [cases["172"]["code"]]


@marked_with(("142", "146", "148"), PYTHON)
def test_schemes_in_python(cases, shared):
    for number, code in (("142", "E_FOLDS"), ("148", "E_TIME")):
        args = cases[number]["args"]
        data = read_dataset(shared / "cases" / cases[number]["input"][0], "y", positive="1", time=args.get("time"))
        with pytest.raises(RefereeError) as caught:
            select(args["models"], data, goal="roc_auc", scheme=args["scheme"])
        assert caught.value.code == cases[number]["code"] == code
    data = read_dataset(shared / "cases" / cases["146"]["input"][0], "y", positive="1")
    verdict = select(["dummy", "naive_bayes"], data, goal="roc_auc", scheme="k_fold(k=5)")
    assert "W_GROUPLEAK" in [notice.code for notice in verdict.warnings]


@marked_with(ODD)
def test_models_that_are_odd(cases, together):
    run = together(ODD, "--check")
    assert run.code == 0
    told = {(one["code"], one["message"].partition(" ")[0]): one["message"] for one in run.json["warnings"]}
    for number in ("156", "157", "169"):
        assert missing_words(cases[number], told[cases[number]["code"], model_of(cases[number])]) == []
    assert {name for code, name in told if code in ("W_MUTATES", "W_NONDET", "W_BATCH")} == {
        model_of(cases[number]) for number in ("156", "157", "169")
    }
    values = run.json["verdict"]["values"]
    same = [model_of(cases[number]) for number in ("166", "167", "168", "170", "171")]
    assert {values[name] for name in same} == {values["_Ok"]}
    # That model reverses its classes before it learns them and its columns afterwards: by `classes_` it is all wrong.
    assert values["ReversedClasses"] == pytest.approx(1 - values["_Ok"], rel=cases["164"]["tol"])
    alone = together(["171"]).json["verdict"]["values"]
    assert {name: values[name] for name in alone} == alone


@pytest.mark.usefixtures("in_process")
def test_columns_belong_to_the_classes_that_the_model_names():
    class Reversed(GaussianNB):
        def fit(self, X, y):  # noqa: N803
            super().fit(X, y)
            self.kept_, self.classes_ = self.classes_, self.classes_[::-1]
            return self

        def predict_proba(self, X):  # noqa: N803
            return GaussianNB.predict_proba(self, X)[:, ::-1]

    x = np.random.default_rng(0).normal(size=(60, 2))
    values = select(
        {"as is": GaussianNB(), "reversed": Reversed()}, x, x[:, 0] > 0, goal="roc_auc", scheme="holdout"
    ).values
    assert values["reversed"] == values["as is"]


@pytest.mark.usefixtures("models")
@pytest.mark.usefixtures("in_process")
def test_what_a_model_says_is_not_obeyed_by_the_terminal(cases, referee):
    run = referee(*command(cases["152"]), form=None)
    assert run.code == 5
    assert "boom <script>" in run.err
    assert "\\x1b[31m" in run.err
    assert "\x1b" not in run.err.partition("boom")[2]


def test_a_model_that_cannot_be_sent_is_named():
    class Locked(GaussianNB):
        def __init__(self, var_smoothing=1e-9):
            super().__init__(var_smoothing=var_smoothing)
            self.lock = threading.Lock()

    x = [[0.0], [1.0], [2.0], [3.0]] * 5
    models = {"plain": GaussianNB(), "locked": Locked()}
    with pytest.raises(UsageError, match="locked cannot be sent to a worker process by pickle: TypeError") as caught:
        select(models, x, [0, 1, 0, 1] * 5, goal="accuracy", scheme="k_fold(k=2)")
    assert caught.value.code == "E_PICKLE"


class TestFolders:
    """Cases 173 to 183: the folder of `--out`."""

    @pytest.fixture
    def chosen(self, shared):
        return ["select", shared / "cases" / "141_dataset40.csv", "--target", "y", "--positive", "1", "--models",
                "naive_bayes,dummy", "--goal", "roc_auc", "--scheme", "holdout", "--out"]  # fmt: skip

    @pytest.fixture
    def done(self, chosen, referee, tmp_path):
        """A run that is finished: to go on with it needs no fit."""
        assert referee(*chosen, tmp_path / "run").code == 0
        return tmp_path / "run"

    def assert_refused(self, run, case):
        assert (run.code, run.json["error"]["code"]) == (case["exit"], case["code"])
        assert missing_words(case, run.json["error"]["message"]) == []

    @marked_with(("173", "174"))
    def test_read_only_and_full(self, chosen, referee, cases, mounted):  # noqa: F811
        disk = mounted("size=64k")
        self.assert_refused(referee(*chosen, disk / "run"), cases["174"])
        mounted("remount,size=4m")
        assert referee(*chosen, disk / "run").code == 0
        mounted("remount,ro")
        self.assert_refused(referee(*chosen, disk / "run"), cases["173"])
        self.assert_refused(referee(*chosen, disk / "new"), cases["173"])

    @marked_with(("178", "179"))
    def test_two_processes_and_a_dead_one(self, chosen, referee, done, cases):
        assert cases["178"]["value"] == {"each_fit_stored_once": True}
        held = FolderLock(done)
        run = referee(*chosen, done)
        assert (run.code, run.json["error"]["code"]) == (6, "E_WRITE")
        assert f"in use by process {os.getpid()}" in run.json["error"]["message"]
        held.release()
        (done / "lock").write_text("999999")
        assert referee(*chosen, done).code == cases["179"]["exit"]

    @marked_with(("180", "182", "183"))
    def test_another_run_a_newer_version_and_a_flipped_byte(self, chosen, referee, done, cases):
        self.assert_refused(referee(*chosen, done, "--id", "x1"), cases["182"])
        run = referee(*chosen, done, "--seed", "1")
        assert (run.code, "seed" in run.json["error"]["message"]) == (7, True)
        path = done / "results.sqlite"
        whole = path.read_bytes()
        path.write_bytes(whole.replace(b'"fit_seconds"', b'"fit_sekonds"', 1))
        self.assert_refused(referee(*chosen, done), cases["180"])
        path.write_bytes(whole)
        with closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA user_version = 99")
        self.assert_refused(referee(*chosen, done), cases["183"])


@pytest.mark.parametrize(
    ("ending", "number", "how", "out"),
    [
        pytest.param(signal.SIGINT, "176", "interrupted", ["--out", "run"], marks=of(["176"])),
        pytest.param(signal.SIGTERM, "177", "terminated", [], marks=of(["177"])),
    ],
)
def test_stopping_says_how_to_resume(cases, shared, tmp_path, ending, number, how, out):
    (tmp_path / "slow.py").write_text(HANGS)
    data, mark = shared / "cases" / "141_dataset40.csv", str(tmp_path)
    arguments = ["select", data, "--target", "y", "--positive", "1", "--models", "dummy,slow:Hangs",
                 "--goal", "roc_auc", "--scheme", "holdout", *out]  # fmt: skip
    command_line = [sys.executable, "-m", "referee", *arguments]
    environment = {**os.environ, MARK: mark}
    with subprocess.Popen(command_line, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert wait_until((tmp_path / "hangs").exists, 60)
        process.send_signal(ending)
        said = process.communicate(timeout=60)[1]
    assert process.returncode == cases[number]["exit"]
    assert said.startswith(how)
    assert missing_words(cases[number], said) == []
    assert ("the same command" in said, "1 fit is kept in run" in said) == (True, bool(out))
    assert "Traceback" not in said
    assert wait_until(lambda: not marked(mark))


HANGS = """
import time
from pathlib import Path
from sklearn.dummy import DummyClassifier

class Hangs(DummyClassifier):
    def fit(self, X, y):
        time.sleep(0.5)  # the fit before is stored meanwhile
        Path("hangs").touch()
        time.sleep(3600)
"""


def test_every_case_is_somewhere(cases):
    here = Path(__file__).read_text()
    for number in (number for number in cases if number.isdigit() and 141 <= int(number) <= 185):
        place = ELSEWHERE.get(number)
        assert f'"{number}"' in here, number
        assert place is None or (Path(__file__).parents[1] / place).exists()
