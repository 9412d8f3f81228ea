"""A worker process: loads the work once, then answers one unit after the other.

Run as a script that needs the standard library only: what else is loaded is up to the work.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import pickle
import resource
import select
import signal
import sys
import traceback
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TRACEBACK_LINES = 8


def serve(connection: Connection[Any, Any], package: int) -> None:
    """Answer until the parent is gone."""
    try:
        max_memory, work = _unpacked(package)
    except BaseException as error:
        connection.send(("unloadable", _in_words(error)))
        return
    memory = _MemoryLimit(max_memory)
    connection.send(("ready",))
    while True:
        try:
            task = connection.recv_bytes()
        except EOFError:
            return
        header, *body = _answer(work, task, memory)
        connection.send(header)
        for part in body:
            connection.send_bytes(part)


def _unpacked(package: int) -> tuple[int | None, Callable[[Any], Any]]:
    with mmap.mmap(package, 0, prot=mmap.PROT_READ) as content:
        sys.path[:], max_memory = pickle.load(content)
        return max_memory, pickle.load(content)


def _answer(work: Callable[[Any], Any], task: bytes, memory: _MemoryLimit) -> tuple[Any, ...]:
    """A header, and behind a good one the pickled result."""
    try:
        unit, environment = pickle.loads(task)
        with memory.limited(), _exported(environment):
            result = work(unit)
            return ("result",), _pickled(result)
    except MemoryError as error:
        traceback.clear_frames(error.__traceback__)
        return (("failed", "memory", f"{_in_words(error)} ({memory})", _last_lines(error)),)
    except BaseException as error:
        return (("failed", "raised", _in_words(error), _last_lines(error)),)


def _pickled(result: object) -> bytes:
    try:
        return pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError):
        # Its class was itself sent by value.
        import cloudpickle  # type: ignore[import-untyped]

        content: bytes = cloudpickle.dumps(result)
        return content


@contextmanager
def _exported(environment: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in environment}
    os.environ.update(environment)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class _MemoryLimit:
    """What a unit may take beyond what the worker holds when it is ready; lifted while it answers."""

    def __init__(self, max_memory: int | None) -> None:
        self._max_memory = max_memory
        self._soft, self._hard = resource.getrlimit(resource.RLIMIT_AS)
        self._limit = self._soft if max_memory is None else self._lower(_address_space() + max_memory)

    def _lower(self, limit: int) -> int:
        return limit if self._soft == resource.RLIM_INFINITY else min(limit, self._soft)

    @contextmanager
    def limited(self) -> Iterator[None]:
        resource.setrlimit(resource.RLIMIT_AS, (self._limit, self._hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (self._soft, self._hard))

    def __str__(self) -> str:
        return "out of memory" if self._max_memory is None else f"memory limit {self._max_memory / 2**20:,.0f} MiB"


def _address_space() -> int:
    with open("/proc/self/statm", "rb") as sizes:  # noqa: PTH123 (pathlib takes time to import)
        return int(sizes.read().split()[0]) * mmap.PAGESIZE


def _in_words(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:
        text = "(its text cannot be made)"
    name = type(error).__name__
    return f"{name}: {text}" if text else name


def _last_lines(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__, limit=-TRACEBACK_LINES)
    return "\n".join(
        f"{os.path.basename(frame.filename)}:{frame.lineno} in {frame.name}: {frame.line}".rstrip(": ")  # noqa: PTH119
        for frame in frames
        if frame.filename != __file__
    )


def end_with_parent(lifeline: int) -> None:
    """Have the kernel kill this process group when the parent, which alone holds the other end, is gone.

    PR_SET_PDEATHSIG would do so when the *thread* ends that started the worker, and a thread of ours could not act
    while the work holds the interpreter's lock.
    """
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([lifeline], [], [], 0)[0]:
        os._exit(1)


def main(connection: int, lifeline: int, package: int) -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent(lifeline)
    # A crash is an answer, too: no image of the memory is left in the user's folder.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    for handle in (connection, lifeline, package):
        os.set_inheritable(handle, False)
    # Standard output is the product's; its descriptor leads to standard error already.
    sys.stdout = sys.stderr
    serve(Connection(connection), package)
    # Threads that the work left running must not keep the process.
    os._exit(0)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
