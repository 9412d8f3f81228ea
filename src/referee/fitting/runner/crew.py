"""Worker processes with a unit each: who is done, who is gone, and what that means for the unit."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Iterator
from itertools import islice
from math import inf
from multiprocessing.connection import wait
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar

from referee.errors import ModelError, UsageError
from referee.fitting.runner.prints import Prints
from referee.fitting.runner.worker_process import START_LIMIT, Worker
from referee.records import dataclass

if TYPE_CHECKING:
    Kind = Literal["raised", "timeout", "signal", "exited", "memory", "refused"]


@dataclass(frozen=True)
class Failure:
    """How a unit failed, in the words of what happened; nothing in them is escaped.

    >>> Failure("raised", "ValueError: boom", unit="tree, fold 3").message
    'ValueError: boom'
    """

    kind: Kind
    message: str
    unit: Hashable
    details: str = ""
    """The last lines of the traceback, innermost last, without folders."""


Unit = TypeVar("Unit", bound=Hashable)
Result = TypeVar("Result")

MOST_STARTS = 3
"""In a row that may fail, as when the machine is short of memory for a moment."""


class Crew(Generic[Unit]):
    """The workers, each with a unit."""

    def __init__(self, package: IO[bytes], timeout: float | None, task: Callable[[Unit], bytes]) -> None:
        """`task` gives what a worker is sent for a unit."""
        self.workers: list[Worker[Unit]] = []
        self._package = package
        self._timeout = timeout
        self._task = task
        self._failed_starts = 0
        self._is_stopped = False

    def __enter__(self) -> Self:
        self._prints = Prints().__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.end()
        self.workers.clear()
        self._prints.__exit__()

    def answer(self, unit: Unit) -> bytes | Failure:
        """What becomes of a unit, by the only worker, who stays for the next."""
        if self.workers:
            self.next_unit(self.workers[0], iter([unit]))
        else:
            self.hire(unit)
        while True:
            for worker in self.moved():
                outcome = self.outcome(worker)
                if outcome is not None:
                    return outcome[1]

    def stop(self) -> None:
        """End the work from another thread: the one that waits for it learns that it failed."""
        self._is_stopped = True
        for worker in list(self.workers):
            worker.kill()

    def hire(self, unit: Unit) -> None:
        """Start a worker for a unit."""
        worker: Worker[Unit] = Worker(self._package, self._prints.write_end)
        self.workers.append(worker)
        if self._is_stopped:
            worker.kill()
        worker.give(unit, self._task(unit), self._timeout)

    def next_unit(self, worker: Worker[Unit], units: Iterator[Unit]) -> None:
        """Give the worker, or a new one in its place, something to do; dismiss it if there is nothing left."""
        is_fit = worker in self.workers
        for unit in islice(units, 1):
            if not is_fit:
                self.hire(unit)
                return
            try:
                worker.give(unit, self._task(unit), self._timeout)
            except OSError:
                self._dismiss(worker)
                self.hire(unit)
            return
        if is_fit:
            self._dismiss(worker)

    def _dismiss(self, worker: Worker[Unit]) -> None:
        self.workers.remove(worker)
        worker.end()

    def moved(self) -> list[Worker[Unit]]:
        """Wait for workers that say something, end or are out of time."""
        of_handle = {handle: worker for worker in self.workers for handle in worker.handles}
        soonest = min(worker.deadline for worker in self.workers)
        seconds = None if soonest == inf else max(0.0, soonest - monotonic())
        ready = {id(of_handle[handle]) for handle in wait(list(of_handle), seconds)}
        now = monotonic()
        return [worker for worker in self.workers if id(worker) in ready or worker.deadline <= now]

    def outcome(self, worker: Worker[Unit]) -> tuple[Unit, bytes | Failure] | None:
        """What a worker's unit came to, a result still pickled; nothing if it goes on."""
        unit: Any = worker.unit
        kind, *said = worker.news()
        if kind == "unloadable":
            raise unsendable(said[0])
        if kind == "ready":
            self._begin(worker)
            return None
        if not worker.is_ready:
            self._start_again(worker, kind)
            return None
        if kind == "result":
            worker.answered += 1
            return unit, said[0]
        if kind == "failed" and said[0] == "raised":
            worker.answered += 1
            return unit, Failure("raised", said[1], unit, said[2])
        return self._lost(worker, kind, said)

    def _begin(self, worker: Worker[Unit]) -> None:
        self._failed_starts = 0
        try:
            worker.begin()
        except OSError:
            self._start_again(worker, "gone")

    def _lost(self, worker: Worker[Unit], kind: str, said: list[str]) -> tuple[Unit, Failure] | None:
        """A worker that is not fit for another unit."""
        unit: Any = worker.unit
        failure = _failure(worker, kind, said, self._timeout)
        self._dismiss(worker)
        if worker.answered and failure.kind != "timeout" and not self._is_stopped:
            self.hire(unit)
            return None
        return unit, failure

    def _start_again(self, worker: Worker[Unit], kind: str) -> None:
        unit: Any = worker.unit
        what = f"not ready within {START_LIMIT:g} s" if kind == "late" else worker.fate()[1]
        self._dismiss(worker)
        self._failed_starts += 1
        if self._is_stopped or self._failed_starts >= MOST_STARTS:
            raise ModelError("E_WORKER", f"worker processes end before their first unit: {what}")
        self.hire(unit)


def _failure(worker: Worker[Any], kind: str, said: list[str], timeout: float | None) -> Failure:
    if kind == "late":
        return Failure("timeout", f"no answer within {timeout:g} s (timeout)", worker.unit)
    if kind == "failed":
        return Failure("memory", said[1], worker.unit, said[2])
    fate: tuple[Kind, str] = worker.fate()
    return Failure(*fate, worker.unit)


def result_of(answer: bytes, unit: Hashable) -> Any:
    """What a worker made of a unit, or that nobody can read it."""
    try:
        return pickle.loads(answer)
    except Exception as error:
        return Failure("raised", f"the result cannot be read: {type(error).__name__}: {error}", unit)


def unsendable(why: str) -> UsageError:
    return UsageError(
        "E_PICKLE",
        f"the work cannot be sent to a worker process by pickle: {why}",
        hint="define models in a module that can be imported, without open files, locks or database connections",
    )
