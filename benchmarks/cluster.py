"""What a Dask cluster costs beside the fits: CPU seconds of all processes, by turns with `jobs=2` on the same machine.

`python -m benchmarks.cluster [ROUNDS]` starts a scheduler and two workers on loopback, and writes a line of
docs/scale.md.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import referee

ROWS, COLUMNS = 20_000, 16
MODELS = ["forest(trees=20)", "logistic", "boosting"]
SCHEME = "k_fold(k=5)"
PAGE = Path(__file__).parents[1] / "docs/scale.md"
LINE = re.compile(r"^Measured: `jobs=2`.*\n", re.MULTILINE)
TICKS = os.sysconf("SC_CLK_TCK")


def started(role, *options):
    command = [sys.executable, "-m", f"distributed.cli.dask_{role}", "--no-dashboard", *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def spent(processes):
    """CPU seconds of processes and of all that they have waited for, this one included."""
    ticks = 0
    for process in processes:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / TICKS + sum(os.times()[:4])


def main(rounds: int) -> None:
    from distributed import Client

    draw = np.random.default_rng(0)
    x = draw.normal(size=(ROWS, COLUMNS))
    y = (x[:, :4].sum(axis=1) + 2 * draw.normal(size=ROWS) > 0).astype(int)
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "scheduler.json")
        processes = [started("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", file)]
        worker = ("--scheduler-file", file, "--nthreads", "1", "--no-nanny", "--local-directory", folder)
        processes += [started("worker", *worker) for _ in range(2)]
        try:
            with Client(scheduler_file=file, set_as_default=False) as client:
                client.wait_for_workers(2, timeout=300)
                places = {"jobs=2": {"jobs": 2}, "cluster": {"cluster": client}}
                seconds: dict[str, list[float]] = {name: [] for name in places}
                for _ in range(rounds + 1):
                    for name, where in places.items():
                        before = spent(processes)
                        referee.select(MODELS, x, y, goal="roc_auc", scheme=SCHEME, **where)  # type: ignore[arg-type]
                        seconds[name].append(spent(processes) - before)
        finally:
            for process in processes:
                process.kill()
                process.wait()
    # The first round also imports and compiles.
    local, remote = (float(np.median(seconds[name][1:])) for name in places)
    PAGE.write_text(LINE.sub(line(local, remote, rounds), PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def line(local: float, remote: float, rounds: int) -> str:
    times = "once" if rounds == 1 else f"median of {rounds}"
    return (
        f"Measured: `jobs=2` {local:.1f} CPU s, cluster {remote:.1f}: {100 * (remote / local - 1):+.1f}% ({times}).\n"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
