"""Work in a forked process that finds everything loaded, may use so much CPU and memory, and leaves nothing behind."""

from __future__ import annotations

import os
import resource
import signal
import tempfile
import time
from contextlib import suppress
from shutil import rmtree
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

MEMORY = 8 * 2**30
WALL_PER_CPU = 30
"""Seconds to wait for a second of CPU on a busy machine."""
LOST = 77
CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE)


class Ended(NamedTuple):
    code: int | None
    """None if the process did not come to an end by itself; below 0 if it crashed."""
    seconds: float
    """Of CPU."""


def in_fork(work: Callable[[], int], seconds: float) -> Ended:
    scratch = tempfile.mkdtemp(prefix="referee-mutant-")
    before = _children_seconds()
    child = os.fork()
    if child == 0:
        code = LOST
        try:
            _settle(scratch, seconds)
            code = work()
        finally:
            os._exit(code)
    status = _waited(child, time.monotonic() + WALL_PER_CPU * (seconds + 2))
    rmtree(scratch, ignore_errors=True)
    return Ended(None if status is None else _code(status), _children_seconds() - before)


def _code(status: int) -> int | None:
    """That of a process that ended, or crashed; none was given by one that had used up its time."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 or -code in CRASHES else None


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _settle(scratch: str, seconds: float) -> None:
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    most = int(time.process_time() + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.environ["PYTEST_DEBUG_TEMPROOT"] = os.environ["TMPDIR"] = tempfile.tempdir = scratch


def _waited(child: int, end: float) -> int | None:
    """Its status; None if it had to be stopped. What it started ends with it."""
    status: int | None = None
    while time.monotonic() < end:
        done, ended = os.waitpid(child, os.WNOHANG)
        if done:
            status = ended
            break
        time.sleep(0.01)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    if status is None:
        os.waitpid(child, 0)
    return status
