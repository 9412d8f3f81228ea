"""A scheduler and workers of Dask's as processes of their own, on loopback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from tests.faults.processes import wait_until

ROOT = Path(__file__).resolve().parents[2]
STARTING = 120.0


def started(role, *options):
    command = [sys.executable, "-m", f"distributed.cli.dask_{role}", "--no-dashboard", *options]
    quiet = {**os.environ, "DASK_LOGGING__DISTRIBUTED": "error", "PYTHONWARNINGS": "ignore"}
    return subprocess.Popen(
        command, cwd=ROOT, env=quiet, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )


@contextmanager
def scheduler(folder):
    """The file from which workers and clients learn its address."""
    file = folder / "scheduler.json"
    process = started("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
    try:
        assert wait_until(file.exists, STARTING)
        yield file
    finally:
        killed(process)


@contextmanager
def workers(file, folder, number=2):
    """Worker processes without a nanny, which would start another in the place of one that dies."""
    options = ["--scheduler-file", str(file), "--nthreads", "1", "--no-nanny", "--local-directory", str(folder)]
    processes = [started("worker", *options) for _ in range(number)]
    try:
        yield processes
    finally:
        for process in processes:
            killed(process)


def killed(process):
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
