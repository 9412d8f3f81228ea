"""Runs work in processes, one unit at a time each; whatever a unit does to its process, the others go on."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from referee.document import counted
from referee.errors import LostClusterError, UsageError
from referee.fitting.runner.crew import Crew, Failure, Result, Unit, result_of, unsendable
from referee.fitting.runner.worker_process import packed, pickled, shared_package

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sized
    from pathlib import Path


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
        raise UsageError("E_PARAMETER", f"jobs must be at least 1, not {jobs}")
    try:
        content = packed(pickled(work), max_memory)
    except Exception as error:
        raise unsendable(f"{type(error).__name__}: {error}") from error
    return _outcomes(iter(units), jobs, content, timeout, tasks_in(environment))


def tasks_in(environment: Callable[[Unit], dict[str, str]] | None) -> Callable[[Unit], bytes]:
    """What a worker is sent for a unit."""
    return lambda unit: pickled((unit, environment(unit) if environment else {}))


def _outcomes(
    units: Iterator[Unit], jobs: int, content: bytes, timeout: float | None, task: Callable[[Unit], bytes]
) -> Iterator[tuple[Unit, Result | Failure]]:
    with shared_package(content) as package, Crew[Unit](package, timeout, task) as crew:
        del content
        for unit in islice(units, jobs):
            crew.hire(unit)
        while crew.workers:
            for worker in crew.moved():
                outcome = crew.outcome(worker)
                if outcome is not None:
                    # The worker goes on while our caller is busy with the outcome.
                    crew.next_unit(worker, units)
                    yield _read(*outcome)


def _read(unit: Unit, outcome: bytes | Failure) -> tuple[Unit, Any]:
    return unit, outcome if isinstance(outcome, Failure) else result_of(outcome, unit)


@contextmanager
def saying_how_to_go_on(folder: str | Path | None, records: Sized, what: str) -> Iterator[None]:
    """What whoever stops the run wants to know travels with the interruption."""
    try:
        yield
    except LostClusterError as lost:
        raise LostClusterError(lost.message, hint=_words(folder, len(records), what)) from lost
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
