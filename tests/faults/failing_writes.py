"""Every write of a store, or of a table of verdicts, fails once, and the work is then resumed.

Run as `python -m tests.faults.failing_writes KIND LIBRARY FOLDER` with the library loaded before all others, it prints
what happened as JSON. Each attempt is a fork, so that a hundred of them take seconds.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import subprocess
import sys
import traceback
from pathlib import Path

FAULTS = {
    "no space left": (errno.ENOSPC, True),
    "input/output error": (errno.EIO, False),
    "kill": (0, False),
}
"""What goes wrong, and whether it stays wrong."""
ROOT = Path(__file__).resolve().parents[2]


def built(folder):
    """The library, if there is a compiler."""
    compiler, library = shutil.which("cc"), Path(folder) / "failing_writes.so"
    if compiler is None:
        return None
    source = Path(__file__).with_suffix(".c")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def all_attempts(kind, library, folder, every=1):
    """What became of each write that failed, in a process that can make them fail."""
    command = [sys.executable, "-m", "tests.faults.failing_writes", kind, library, folder, str(every)]
    environment = {**os.environ, "LD_PRELOAD": str(library), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def same(loaded, expected):
    if hasattr(expected, "tobytes"):
        return loaded.tobytes() == expected.tobytes()
    return json.dumps(loaded, sort_keys=True) == json.dumps(expected, sort_keys=True)


class StoreWork:
    """Some records, one of them with a part of its own."""

    def __init__(self):
        import pyarrow.parquet  # noqa: F401 (so that no fork has to load it)

        from referee.fitting import Store
        from tests.faults import samples

        self.samples, self.store = samples, Store
        self.names = [f"unit {number}" for number in range(3)]

    def record(self, name):
        import numpy as np

        number = int(name.split()[1])
        large = {"large": np.arange(140_000, dtype=float) / 7} if number == 1 else {}
        return self.samples.record(number) | large

    def go_on(self, folder, done):
        """Save what is missing; `done` hears of each record that is safe."""
        with self.store(folder, self.samples.IDENTITY) as store:
            there = store.keys()
            for name in self.names:
                if name not in there:
                    store.save(name, self.record(name))
                    done(name)

    def check(self, folder, safe):
        """Nothing that was safe is lost, nothing is half there, and the rest can be added."""
        if (Path(folder) / "results.sqlite").exists():
            with self.store(folder, self.samples.IDENTITY) as store:
                assert set(safe) <= set(store.keys()) <= set(self.names), (safe, store.keys())
        self.go_on(folder, list)
        with self.store.read(folder) as store:
            assert store.keys() == self.names
            for name in self.names:
                loaded, expected = store.load(name), self.record(name)
                assert loaded.keys() == expected.keys()
                assert all(same(loaded[key], expected[key]) for key in expected), name


class VerdictWork:
    """Two verdicts, each kept in a table of SQLite."""

    def __init__(self):
        import referee

        truth, good, fair = [0, 1] * 40, [0.2, 0.7, 0.3, 0.9] * 20, [0.4, 0.6, 0.7, 0.5] * 20
        self.verdicts = {
            goal: referee.compare(truth, {"good": good, "fair": fair}, goal=goal, metrics="goal")
            for goal in ("brier", "log_loss")
        }

    def url(self, folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
        return f"sqlite:///{folder}/kept.db#verdicts"

    def go_on(self, folder, done):
        for goal, verdict in self.verdicts.items():
            verdict.save_to(self.url(folder))
            done(goal)

    def check(self, folder, safe):
        import sqlite3
        from contextlib import closing

        def kept():
            with closing(sqlite3.connect(f"{folder}/kept.db")) as database:
                return [goal for (goal,) in database.execute("SELECT goal FROM verdicts")]

        if safe:
            assert set(safe) <= set(kept()), (safe, kept())
        self.go_on(folder, list)
        assert sorted(kept()) == sorted(self.verdicts), kept()


class StudyWork:
    """Repetitions of the paper's experiment; what workers would answer is known, so that only the writes are new."""

    def __init__(self):
        from referee.paper import experiment
        from tests.made_up_study import SMALL, made_up_data

        self.experiment, self.answers = experiment, {}
        self.asked = {"data": {"numbers": made_up_data(300)["numbers"]}, "repetitions": 3, **SMALL}
        experiment.run_units = lambda units, work, **_: ((unit, self.answer(unit, work)) for unit in units)
        self.expected = self.tables(None)

    def answer(self, unit, work):
        if unit not in self.answers:
            self.answers[unit] = work(unit)
        return self.answers[unit]

    def tables(self, folder):
        return json.dumps(self.experiment.run(**self.asked, store=folder).to_dict()["tables"], sort_keys=True)

    def go_on(self, folder, done):
        def saving(store, key, record, save=self.experiment.Store.save):
            save(store, key, record)
            done(key)

        before = self.experiment.Store.save
        self.experiment.Store.save = saving
        try:
            assert self.tables(folder) == self.expected
        finally:
            self.experiment.Store.save = before

    def check(self, folder, safe):
        """What was safe is not done again, and the study ends as it would have."""
        again = []
        self.go_on(folder, again.append)
        assert not set(again) & set(safe), (again, safe)


KINDS = {"store": StoreWork, "verdicts": VerdictWork, "study": StudyWork}


def attempt(work, folder, arm=None):
    """Work in a fork until it ends or a write fails: its exit code, what was safe, and how many writes there were."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 70
        try:
            counted = arm() if arm else int
            work.go_on(str(folder), lambda name: os.write(writing, f"{name}\n".encode()))
            code = 0
            os.write(writing, f"#{counted()}\n".encode())
        except BaseException as error:
            code = getattr(error, "exit", 70)
            if code != 6:
                traceback.print_exc()
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        lines = pipe.read().split("\n")[:-1]
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status, [line for line in lines if line[:1] != "#"], [int(line[1:]) for line in lines if line[:1] == "#"]


def checked(work, folder, safe):
    """Check it in a fork; whether all is well."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work.check(str(folder), safe)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def main(kind, library, folder, every):
    work, faults = KINDS[kind](), ctypes.CDLL(library)
    faults.writes_so_far.restype = ctypes.c_long

    def armed(place, which, error, stays):
        def arm():
            faults.arm(str(place).encode(), ctypes.c_long(which), error, int(stays))
            return faults.writes_so_far

        return arm

    _, _, (writes,) = attempt(work, f"{folder}/whole", armed(f"{folder}/whole", 0, 0, False))
    told = {"kind": kind, "writes": writes, "attempts": 0, "codes": {}, "wrong": []}
    for name, (error, stays) in FAULTS.items():
        for which in range(1, writes + 1, every):
            place = f"{folder}/{name.replace('/', ' ')} {which}"
            code, safe, _ = attempt(work, place, armed(place, which, error, stays))
            told["attempts"] += 1
            codes = told["codes"].setdefault(name, {})
            codes[str(code)] = codes.get(str(code), 0) + 1
            if code not in ((-9,) if name == "kill" else (0, 6)) or not checked(work, place, safe):
                told["wrong"].append([name, which, code])
            shutil.rmtree(place, ignore_errors=True)
    print(json.dumps(told))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:4], int(sys.argv[4]))
