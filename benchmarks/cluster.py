"""What a Dask cluster costs beside the fits: CPU seconds of all processes, by turns with `jobs=2` on the same machine.

`python -m benchmarks.cluster [ROUNDS]` starts a scheduler and two workers on loopback; docs/scale.md has its line.
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
PAGE, LINE = Path(__file__).parents[1] / "docs/scale.md", r"\d+ fits: `jobs=2`.*\n"
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
                for _ in range(rounds):
                    for name, where in places.items():
                        before = spent(processes)
                        referee.select(MODELS, x, y, goal="roc_auc", scheme=SCHEME, **where)  # type: ignore[arg-type]
                        seconds[name].append(spent(processes) - before)
        finally:
            for process in processes:
                process.kill()
                process.wait()
    local, remote = (float(np.median(seconds[name])) for name in places)
    fits = len(MODELS) * 5
    line = (
        f"{fits} fits: `jobs=2` {local:.1f} CPU s, a cluster of two workers {remote:.1f} CPU s, "
        f"{100 * (remote / local - 1):+.1f}% (medians of {rounds} rounds).\n"
    )
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(LINE, lambda _: line, text), encoding="utf-8")
    print(line, end="")  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
