"""Verdicts that are being kept in a table while the process is killed: each is there once and whole, or not at all.

Run as `python -m tests.faults.test_save_to_kills URL` it keeps them, and says of each that it is kept.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

import referee
from tests.faults.dask_processes import killed
from tests.faults.processes import wait_until

ROOT = Path(__file__).resolve().parents[2]
VERDICTS = 24
URLS = {"SQLite": "sqlite:///{}/kept.sqlite#verdicts", "DuckDB": "duckdb:///{}/kept.duckdb#verdicts"}
ALPHAS = [round(0.001 * number, 3) for number in range(1, VERDICTS + 1)]


def verdict(alpha):
    return referee.compare([0, 1] * 50, {"a": [0.2, 0.7] * 50, "b": [0.1, 0.9] * 50}, goal="brier", alpha=alpha)


def keep_all(url):
    for alpha in ALPHAS:
        verdict(alpha).save_to(url)
        print(alpha, flush=True)  # noqa: T201


def killed_again_and_again(url, kills, chance, folder):
    """Kill it at random instants, and look at the table each time; how often it was at work."""
    safe, at_work = [], 0
    for number in range(kills):
        said = folder / f"said {number}"
        with said.open("w") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.test_save_to_kills", url], cwd=ROOT, stdout=out,
                env=dict(os.environ), start_new_session=True,
            )  # fmt: skip
        wanted = chance.randrange(VERDICTS)
        wait_until(lambda: len(told(said)) >= wanted or process.poll() is not None, 120)  # noqa: B023
        time.sleep(chance.uniform(0, 0.05))
        at_work += process.poll() is None
        killed(process)
        safe = max(safe, told(said), key=len)
        assert_whole(url, safe)
    keep_all(url)
    assert_whole(url, ALPHAS)
    return at_work


def told(said):
    """Alphas of the verdicts that were said to be kept; a line that was cut off says nothing."""
    return [float(line) for line in said.read_text().split("\n")[:-1]]


def assert_whole(url, safe):
    kept = referee.history(url).verdicts if safe else []
    alphas = [row["alpha"] for row in kept]
    assert not set(safe) - set(alphas), "a verdict was lost"
    assert len(alphas) == len(set(alphas)), "a verdict is there twice"
    for row in kept:
        assert json.loads(json.dumps(row["result"]))["alpha"] == row["alpha"]


@pytest.mark.parametrize("kind", URLS)
@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.soak)])
def test_kills_at_random_instants(tmp_path, kind, kills):
    assert killed_again_and_again(URLS[kind].format(tmp_path), kills, random.Random(kills), tmp_path) > 0


if __name__ == "__main__":
    keep_all(sys.argv[1])
