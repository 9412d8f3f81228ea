"""Killing a run at random instants, again and again, until it has been killed often enough."""

from __future__ import annotations

import os
import signal
import time
import uuid

from referee.fitting import Store
from tests.faults.processes import marked, wait_until


def killed_again_and_again(tmp_path, kills, chance, *, begin, reached, check):
    """Begin a run and kill it, then go on with it, and so on; the folder of the last one, which is not done.

    `begin(folder, mark=...)` starts a process in a session of its own, `reached(process, folder)` waits until it is
    worth killing, `check(folder)` looks at a run that was done before its kill.
    """
    mark, killed, runs, kept = uuid.uuid4().hex, 0, 0, 0
    while killed < kills:
        folder = tmp_path / str(runs)
        if was_killed(begin(folder, mark=mark), folder, chance, reached):
            killed += 1
            assert wait_until(lambda: not marked(mark)), "workers outlive a killed parent"
            before, kept = kept, stored(folder)
            assert kept >= before, "a result was lost"
        else:
            check(folder)
            runs, kept = runs + 1, 0
    return tmp_path / str(runs)


def was_killed(process, folder, chance, reached):
    """Kill the group of a process, unless it is done."""
    with process:
        reached(process, folder)
        time.sleep(chance.uniform(0, 0.2))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return process.returncode == -signal.SIGKILL


def stored(folder):
    """How many records a run has."""
    if not (folder / "results.sqlite").exists() or not (folder / "parts").exists():
        return 0
    with Store.read(folder) as store:
        return len(store.keys())
