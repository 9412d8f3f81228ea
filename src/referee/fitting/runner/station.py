"""What a task of a cluster does where it runs: it gives its unit to a worker process of ours, kept for the next task.

So a unit that hangs, takes too much memory or ends its process does that to our worker, never to the cluster's.
"""

from __future__ import annotations

import pickle
import platform
from contextlib import ExitStack, contextmanager
from functools import cache
from threading import Lock, Timer
from typing import TYPE_CHECKING, NamedTuple

from referee import __version__
from referee.errors import UsageError
from referee.fitting.runner.crew import Crew, Failure
from referee.fitting.runner.worker_process import packed, search_path, shared_package

if TYPE_CHECKING:
    from collections.abc import Iterator

IDLE = 30.0
"""Seconds until workers without a unit end, should nobody come to dismiss them."""


class Package(NamedTuple):
    """What all units have in common; a process of a cluster gets it once."""

    work: bytes
    """Pickled; only our workers load it."""
    max_memory: int | None
    timeout: float | None
    path: list[str]
    """Where the client finds modules, for workers on the same machine."""
    versions: dict[str, str]


def packaged(work: bytes, max_memory: int | None, timeout: float | None) -> bytes:
    """Work with all that a station must know, as it is sent."""
    return pickle.dumps(Package(work, max_memory, timeout, search_path(), versions()))


@cache
def versions() -> dict[str, str]:
    """What must be the same wherever models are fitted, for the same predictions and for pickles that can be read."""
    from importlib.metadata import version

    packages = {"scikit-learn": "scikit-learn", "NumPy": "numpy", "SciPy": "scipy"}
    python = ".".join(platform.python_version_tuple()[:2])
    return {"referee": __version__, "Python": python} | {name: version(it) for name, it in packages.items()}


def refuse_other_versions(theirs: dict[str, str], ours: dict[str, str], where: str) -> None:
    """Stop before anything is fitted by something else.

    >>> refuse_other_versions({"NumPy": "1.26.4"}, {"NumPy": "2.1.0"}, "tcp://10.0.0.7:4000")
    Traceback (most recent call last):
    ...
    referee.errors.UsageError: tcp://10.0.0.7:4000 has NumPy 1.26.4, and here it is 2.1.0
    install the same versions on every machine of the cluster
    """
    different = [name for name in ours if theirs.get(name) != ours[name]]
    if different:
        said = " and ".join(f"{name} {theirs.get(name, '(none)')}" for name in different)
        here = " and ".join(ours[name] for name in different)
        verb = "it is" if len(different) == 1 else "they are"
        raise UsageError(
            "E_VERSIONS", f"{where} has {said}, and here {verb} {here}",
            hint="install the same versions on every machine of the cluster",
        )  # fmt: skip


class Station:
    """The workers of one run in one process of a cluster, as many as its tasks run at a time."""

    def __init__(self, package: Package) -> None:
        refuse_other_versions(versions(), package.versions, f"a worker on {platform.node()}")
        self._timeout = package.timeout
        self._open = ExitStack()
        content = packed(package.work, package.max_memory, package.path)
        self._file = self._open.enter_context(shared_package(content))
        self._lock = Lock()
        self._idle: list[Crew[bytes]] = []
        self._busy: list[Crew[bytes]] = []
        self._is_closed = False
        self._timer: Timer | None = None

    def answer(self, task: bytes) -> bytes | Failure | None:
        """What becomes of a unit; nothing where the station was closed meanwhile."""
        with self._worker() as crew:
            return None if crew is None else crew.answer(task)

    @contextmanager
    def _worker(self) -> Iterator[Crew[bytes] | None]:
        with self._lock:
            crew = None if self._is_closed else self._taken()
        try:
            yield crew
        finally:
            if crew is not None:
                self._put_back(crew)

    def _taken(self) -> Crew[bytes]:
        crew = self._idle.pop() if self._idle else Crew[bytes](self._file, self._timeout, bytes).__enter__()
        self._busy.append(crew)
        return crew

    def _put_back(self, crew: Crew[bytes]) -> None:
        with self._lock:
            self._busy.remove(crew)
            self._idle.append(crew)
            if self._timer is not None:
                self._timer.cancel()
            self._timer = Timer(IDLE, self._close_if_idle)
            self._timer.daemon = True
            self._timer.start()
            self._end_if_closed()

    def _close_if_idle(self) -> None:
        with self._lock:
            self._is_closed = self._is_closed or not self._busy
            self._end_if_closed()

    def close(self) -> None:
        """End all workers; those with a unit are ended by the thread that waits for it."""
        with self._lock:
            self._is_closed = True
            for crew in self._busy:
                crew.stop()
            self._end_if_closed()

    def _end_if_closed(self) -> None:
        if not self._is_closed:
            return
        for crew in self._idle:
            crew.__exit__()
        self._idle.clear()
        if not self._busy:
            if self._timer is not None:
                self._timer.cancel()
            self._open.close()


_STATIONS: dict[str, Station] = {}
_ENDED: set[str] = set()
"""Runs that are over, as a task may begin after its run was dismissed."""
_LOCK = Lock()


def answer(run: str, package: bytes | None, task: bytes) -> bytes | Failure | None:
    """The task of a cluster: what becomes of a unit of a run, a result still pickled.

    Nothing where this process does not have the run's package, and was not given it either.
    """
    while (station := _station(run, package)) is not None:
        outcome = station.answer(task)
        if outcome is not None:
            return outcome
        _forget(run, station)
    return None


def _station(run: str, package: bytes | None) -> Station | None:
    with _LOCK:
        if run not in _STATIONS and package is not None and run not in _ENDED:
            _STATIONS[run] = Station(Package(*pickle.loads(package)))
        return _STATIONS.get(run)


def _forget(run: str, station: Station) -> None:
    """A station that was closed, unless there is another one by now."""
    with _LOCK:
        if _STATIONS.get(run) is station:
            del _STATIONS[run]


def dismiss(run: str) -> None:
    """End the workers of a run in this process."""
    with _LOCK:
        _ENDED.add(run)
        station = _STATIONS.pop(run, None)
    if station is not None:
        station.close()
