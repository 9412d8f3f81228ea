"""A scheduler and workers of Dask's as processes of their own, on loopback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from tests.faults.processes import MARK, wait_until

ROOT = Path(__file__).resolve().parents[2]
STARTING = 120.0


def started(role, *options, mark=""):
    command = [sys.executable, "-m", f"distributed.cli.dask_{role}", "--no-dashboard", *options]
    quiet = {**os.environ, "DASK_LOGGING__DISTRIBUTED": "error", "PYTHONWARNINGS": "ignore", MARK: mark}
    return subprocess.Popen(
        command, cwd=ROOT, env=quiet, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )


@contextmanager
def scheduler(folder):
    """The file from which workers and clients learn its address."""
    with cluster(folder, 0) as (file, _, _):
        yield file


@contextmanager
def cluster(folder, number, mark=""):
    """The file of a scheduler, its process and those of its workers."""
    file = folder / "scheduler.json"
    options = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
    process = started("scheduler", *options, mark=mark)
    try:
        assert wait_until(lambda: file.exists() and file.read_text().rstrip().endswith("}"), STARTING)
        with workers(file, folder, number, mark) as others:
            yield file, process, others
    finally:
        killed(process)


@contextmanager
def workers(file, folder, number=2, mark=""):
    """Worker processes without a nanny, which would start another in the place of one that dies."""
    options = ["--scheduler-file", str(file), "--nthreads", "1", "--no-nanny", "--local-directory", str(folder)]
    processes = [started("worker", *options, mark=mark) for _ in range(number)]
    try:
        yield processes
    finally:
        for process in processes:
            killed(process)


def killed(process):
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
