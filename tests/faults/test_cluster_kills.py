"""A run on a Dask cluster of which the client, the scheduler or a worker is killed loses nothing that was kept."""

from __future__ import annotations

import json
import random
import re
import subprocess
import time
import uuid

import pytest

from tests.faults.dask_processes import STARTING, cluster, killed
from tests.faults.killing import stored
from tests.faults.processes import marked, wait_until
from tests.faults.test_select_kills import RECORDS, result_of, start, without_times, written

ENDS = {"client": -9, "scheduler": 5, "worker": 0}
"""How the command ends when a process of that kind is killed; one that is done by then has ended well."""
FOREIGN = re.compile("Traceback| - (ERROR|WARNING) - ")
"""What Dask and Tornado log of it."""


def killed_parts(folder, kills, chance, expected):
    """Kill one process of a run after the other, each time with a new cluster; how many runs came through."""
    table, kept, runs = written(folder), 0, 0
    for number in range(kills):
        run, victim, mark = folder / f"run {runs}", list(ENDS)[number % len(ENDS)], uuid.uuid4().hex
        place = folder / f"cluster {number}"
        place.mkdir()
        with cluster(place, 2, mark) as (file, scheduler, workers):
            process = start(run, json.loads(file.read_text())["address"], table, mark=mark, stderr=subprocess.PIPE)
            wait_until(lambda: stored(run) > kept or process.poll() is not None, STARTING)  # noqa: B023
            time.sleep(chance.uniform(0, 0.3))
            killed({"client": process, "scheduler": scheduler, "worker": workers[0]}[victim])
            output, errors = process.communicate(timeout=600)
        assert process.returncode in (ENDS[victim], 0), victim
        assert not FOREIGN.search(errors), errors
        assert wait_until(lambda: not marked(mark), 30), "workers outlive their cluster"  # noqa: B023
        before, kept = kept, stored(run)
        assert kept >= before, "a result was lost"
        if process.returncode == 0:
            assert (kept, without_times(output)) == (RECORDS, expected)
            runs, kept = runs + 1, 0
    assert result_of(start(folder / f"run {runs}", 2, table)) == expected
    return runs + 1


@pytest.mark.parametrize("kills", [3, pytest.param(12, marks=pytest.mark.soak)])
def test_kills_at_random_instants(tmp_path, kills):
    pytest.importorskip("distributed")
    expected = result_of(start(tmp_path / "undisturbed", 2, written(tmp_path)))
    assert killed_parts(tmp_path, kills, random.Random(kills), expected) >= 1 + kills // 3
