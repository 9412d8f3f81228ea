"""Runs work in processes, one unit at a time each; whatever a unit does to its process, the others go on."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sized
from contextlib import contextmanager
from itertools import islice
from math import inf
from multiprocessing.connection import wait
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar

from referee.document import counted, one_line
from referee.errors import ModelError, UsageError
from referee.fitting.runner.prints import Prints
from referee.fitting.runner.worker_process import (
    START_LIMIT,
    Worker,
    closed_standard_streams,
    nameless_file,
    packed,
    pickled,
)
from referee.records import dataclass

if TYPE_CHECKING:
    Kind = Literal["raised", "timeout", "signal", "exited", "memory", "refused"]
    from pathlib import Path

    from rich.progress import Progress as RichProgress
    from rich.progress import Task, TaskID
    from rich.text import Text


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


def run(
    units: Iterable[Unit],
    work: Callable[[Unit], Result],
    *,
    jobs: int = 1,
    timeout: float | None = None,
    max_memory: int | None = None,
    environment: Callable[[Unit], dict[str, str]] | None = None,
) -> Iterator[tuple[Unit, Result | Failure]]:
    """Give each unit's result, or how it failed, as they come.

    `work` is sent to each of the `jobs` worker processes once and never runs in this one. Units are taken one by one
    when a worker is free. `timeout` is in seconds per unit, `max_memory` in bytes beyond what a worker holds when it
    has loaded the work; `environment` gives the variables that are set around a unit. What workers print goes to
    standard error, up to a limit. Closing the iterator (`contextlib.closing`) ends all workers at once.

    A unit that ends a worker which had answered others before is tried once more in a fresh one, so that no unit
    stands for what another left behind; one that takes too long is not.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, not {jobs}")
    try:
        content = packed(work, max_memory)
    except Exception as error:
        raise _not_to_be_sent(f"{type(error).__name__}: {error}") from error
    return _outcomes(iter(units), jobs, _Crew(content, timeout, environment))


def _outcomes(units: Iterator[Unit], jobs: int, crew: _Crew[Unit, Result]) -> Iterator[tuple[Unit, Result | Failure]]:
    with crew:
        for unit in islice(units, jobs):
            crew.hire(unit)
        while crew.workers:
            for worker in crew.moved():
                outcome = crew.outcome(worker)
                if outcome is not None:
                    # The worker goes on while our caller is busy with the outcome.
                    crew.next_unit(worker, units)
                    yield outcome


class _Crew(Generic[Unit, Result]):
    """The workers, each with a unit."""

    def __init__(
        self, content: bytes, timeout: float | None, environment: Callable[[Unit], dict[str, str]] | None
    ) -> None:
        self.workers: list[Worker[Unit]] = []
        self._content = content
        self._timeout = timeout
        self._environment = environment
        self._failed_starts = 0

    def __enter__(self) -> Self:
        self._opened = closed_standard_streams()
        self._package = nameless_file(self._content)
        self._content = b""
        self._prints = Prints().__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.end()
        self.workers.clear()
        self._prints.__exit__()
        self._package.close()
        for handle in self._opened:
            os.close(handle)

    def hire(self, unit: Unit) -> None:
        """Start a worker for a unit."""
        worker: Worker[Unit] = Worker(self._package, self._prints.write_end)
        self.workers.append(worker)
        worker.give(unit, self._task(unit), self._timeout)

    def _task(self, unit: Unit) -> bytes:
        return pickled((unit, self._environment(unit) if self._environment else {}))

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

    def outcome(self, worker: Worker[Unit]) -> tuple[Unit, Result | Failure] | None:
        """What a worker's unit came to; nothing if it goes on."""
        unit: Any = worker.unit
        kind, *said = worker.news()
        if kind == "unloadable":
            raise _not_to_be_sent(said[0])
        if kind == "ready":
            self._begin(worker)
            return None
        if not worker.is_ready:
            self._start_again(worker, kind)
            return None
        if kind == "result":
            worker.answered += 1
            return unit, _unpickled(said[0], unit)
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
        if worker.answered and failure.kind != "timeout":
            self.hire(unit)
            return None
        return unit, failure

    def _start_again(self, worker: Worker[Unit], kind: str) -> None:
        unit: Any = worker.unit
        what = f"not ready within {START_LIMIT:g} s" if kind == "late" else worker.fate()[1]
        self._dismiss(worker)
        self._failed_starts += 1
        if self._failed_starts >= MOST_STARTS:
            raise ModelError("E_WORKER", f"worker processes end before their first unit: {what}")
        self.hire(unit)


def _failure(worker: Worker[Any], kind: str, said: list[str], timeout: float | None) -> Failure:
    if kind == "late":
        return Failure("timeout", f"no answer within {timeout:g} s (timeout)", worker.unit)
    if kind == "failed":
        return Failure("memory", said[1], worker.unit, said[2])
    fate: tuple[Kind, str] = worker.fate()
    return Failure(*fate, worker.unit)


def _unpickled(result: bytes, unit: Hashable) -> Any:
    try:
        return pickle.loads(result)
    except Exception as error:
        return Failure("raised", f"the result cannot be read: {type(error).__name__}: {error}", unit)


def _not_to_be_sent(why: str) -> UsageError:
    return UsageError(
        "E_PICKLE",
        f"the work cannot be sent to a worker process by pickle: {why}",
        hint="define models in a module that can be imported, without open files, locks or database connections",
    )


@contextmanager
def saying_how_to_go_on(folder: str | Path | None, records: Sized, what: str) -> Iterator[None]:
    """What whoever stops the run wants to know travels with the interruption."""
    try:
        yield
    except BaseException as stop:
        if not isinstance(stop, Exception):
            stop.add_note(_words(folder, len(records), what))
        raise


def _words(folder: Any, done: int, what: str) -> str:
    """How to resume.

    >>> _words("runs", 2, "fit")
    '2 fits are kept in runs; to resume, run the same command again'
    """
    if folder is None:
        return f"no {what} was kept; with --out DIR the same command could resume"
    verb = "is" if done == 1 else "are"
    return f"{counted(done, what)} {verb} kept in {folder}; to resume, run the same command again"


LONGEST_REMARK = 60


class Progress:
    """How many of all units are done, how fast, how long still, and a remark; only on a terminal.

    >>> with Progress(10, already=4, quiet=True) as progress:
    ...     progress.advance("tree leads")
    """

    def __init__(self, total: int, *, already: int = 0, quiet: bool = False) -> None:
        """`already` counts units of an earlier run: they are done, but say nothing about the speed."""
        self._line: RichProgress | None = None
        self._task: TaskID | None = None
        if not quiet and sys.stderr is not None and sys.stderr.isatty():
            self._line = _line()
            self._task = self._line.add_task("", total=total, completed=already, remark="")

    @property
    def is_shown(self) -> bool:
        """Whether anybody sees a remark."""
        return self._line is not None

    def advance(self, remark: str | None = None) -> None:
        """One more unit is done; the remark stays until another is given."""
        if self._line is None or self._task is None:
            return
        if remark is not None:
            self._line.update(self._task, remark=one_line(remark, LONGEST_REMARK))
        self._line.advance(self._task)

    def __enter__(self) -> Self:
        if self._line is not None:
            self._line.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._line is not None:
            self._line.stop()


def _line() -> RichProgress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(rate(task.finished_speed or task.speed))

    return RichProgress(
        MofNCompleteColumn(),
        BarColumn(bar_width=24),
        Rate(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[remark]}", markup=False),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


def rate(speed: float | None) -> str:
    """Units per second, or seconds per unit where it is slow.

    >>> rate(12.34), rate(0.05), rate(None)
    ('12.3/s', '20.0 s each', '')
    """
    if not speed:
        return ""
    return f"{speed:.1f}/s" if speed >= 1 else f"{1 / speed:.1f} s each"
