"""One worker process, as its parent sees it: started in a group of its own, given units, ended by force."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from math import inf
from multiprocessing.connection import Pipe, wait
from pathlib import Path
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.fitting.runner.crew import Kind

Unit = TypeVar("Unit")

SCRIPT = Path(__file__).with_name("worker.py")
START_LIMIT = 300.0
"""Seconds until a worker must have loaded the work."""
STANDARD_ERROR = 2
GOING = 1.0
"""Seconds between the end of the connection and the end of the process."""
ONE_THREAD = dict.fromkeys(
    ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
     "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS", "LOKY_MAX_CPU_COUNT"],
    "1",
)  # fmt: skip
"""Workers share the cores by their number; sums over several threads would also depend on how many there are."""


def pickled(value: object) -> bytes:
    """By value where it comes from a script or a notebook, which a worker cannot import."""
    import cloudpickle  # type: ignore[import-untyped]

    content: bytes = cloudpickle.dumps(value)
    return content


def search_path() -> list[str]:
    """Where this process finds modules."""
    return [entry for entry in sys.path if isinstance(entry, str)]


def packed(work: bytes, max_memory: int | None, path: Sequence[str] = ()) -> bytes:
    """Pickled work, behind what a worker must know before it can load it: `path` comes after that of this process."""
    return pickle.dumps((list(dict.fromkeys([*search_path(), *path])), max_memory)) + work


@contextmanager
def shared_package(content: bytes) -> Iterator[IO[bytes]]:
    """A file in memory, without a name, that every worker reads for itself, however long it takes to start."""
    opened = _closed_standard_streams()
    try:
        with os.fdopen(os.memfd_create("referee-work"), "w+b") as file:
            file.write(content)
            file.flush()
            del content
            yield file
    finally:
        for handle in opened:
            os.close(handle)


def _closed_standard_streams() -> list[int]:
    """Open those that are closed, as `2>&-` does, so that no pipe of ours is taken for one of them."""
    opened = []
    while (handle := os.open(os.devnull, os.O_RDWR)) <= STANDARD_ERROR:
        opened.append(handle)
    os.close(handle)
    return opened


class Worker(Generic[Unit]):
    """A process with at most one unit at a time."""

    def __init__(self, package: IO[bytes], prints: int) -> None:
        self._connection, theirs = Pipe()
        lifeline, self._lifeline = Pipe(duplex=False)
        with theirs, lifeline:
            handles = (theirs.fileno(), lifeline.fileno(), package.fileno())
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(SCRIPT), *map(str, handles)],
                pass_fds=handles,
                stdin=subprocess.DEVNULL,
                stdout=prints,
                stderr=prints,
                env={**os.environ, **ONE_THREAD},
                start_new_session=True,
            )
        self._end_of_process = os.pidfd_open(self._process.pid)
        self._task: bytes | None = None
        self._timeout: float | None = None
        self.unit: Unit | None = None
        self.is_ready = False
        self.answered = 0
        self.deadline = monotonic() + START_LIMIT

    @property
    def handles(self) -> list[Any]:
        """What to wait for: a grandchild may hold the connection open, so the process itself is watched, too."""
        return [self._connection, self._end_of_process]

    def give(self, unit: Unit, task: bytes, timeout: float | None) -> None:
        """Hand over a unit; it is sent, and its time runs, as soon as the worker is ready."""
        self.unit, self._task, self._timeout = unit, task, timeout
        if self.is_ready:
            self._send()

    def _send(self) -> None:
        task, self._task = self._task, None
        self.deadline = inf if self._timeout is None else monotonic() + self._timeout
        if task is not None:
            self._connection.send_bytes(task)

    def begin(self) -> None:
        """The work is loaded."""
        self.is_ready = True
        self._send()

    def news(self) -> tuple[Any, ...]:
        """What the worker says, with a result still pickled; `("gone",)` or `("late",)` if it cannot say anything."""
        try:
            if self._connection.poll():
                header: tuple[Any, ...] = self._connection.recv()
                return (*header, self._connection.recv_bytes()) if header == ("result",) else header
        except (EOFError, OSError, pickle.UnpicklingError):
            return ("gone",)
        return ("late",) if self.deadline <= monotonic() else ("gone",)

    def kill(self) -> None:
        """The process with all it started, unless its number may be another's by now."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> int:
        """Kill the process, and wait until it is gone; its exit status."""
        self.kill()
        status = self._process.wait()
        self._connection.close()
        self._lifeline.close()
        if self._end_of_process >= 0:
            os.close(self._end_of_process)
            self._end_of_process = -1
        return status

    def fate(self) -> tuple[Kind, str]:
        """Of a worker that is gone; it may have closed its connection and live on."""
        has_ended = bool(wait([self._end_of_process], GOING))
        status = self.end()
        if not has_ended:
            return "exited", "closed its connection without an answer"
        if status < 0:
            return "signal", f"signal {-status} ({_signal_name(-status)})"
        return "exited", f"exited with code {status} without an answer"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "real-time"
