"""Runs work on a cluster: any executor of Python's `concurrent.futures`, with our own worker inside each task."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, NamedTuple
from uuid import uuid4

from referee.document import one_line
from referee.errors import CallError, LostClusterError, RefereeError
from referee.fitting.runner.crew import Failure, Result, Unit, result_of, unsendable
from referee.fitting.runner.pool import tasks_in
from referee.fitting.runner.station import answer, dismiss, packaged
from referee.fitting.runner.worker_process import pickled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

LOOK = 1.0
"""Seconds without an answer after which the cluster is looked at."""
MOST_LOSSES = 3
"""How often a unit is sent again, when what it needs was lost on its way."""
LONGEST_REASON = 200


class Cluster:
    """Where tasks are sent: an executor, whose processes ask for the package of a run when they do not have it."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, run: str, package: Any, task: bytes) -> Future[bytes | Failure | None]:
        """Send a task."""
        try:
            return self._executor.submit(answer, run, package, task)
        except RuntimeError as error:
            raise LostClusterError(f"the cluster takes no fits: {reason(error)}") from error

    def shared(self, package: bytes) -> Any:
        """What stands for the package in a task that brings it."""
        return package

    @property
    def brings_package(self) -> bool:
        """Whether every task may bring the package, because that costs nothing."""
        return False

    @property
    def room(self) -> int | None:
        """How many tasks to have outstanding, some of them waiting; None: all of them."""
        most: int | None = getattr(self._executor, "_max_workers", None)
        return None if most is None else most + 1

    def look(self) -> None:
        """Stop where no answer can come any more: an executor says so itself."""

    def is_worth_another_try(self, error: BaseException) -> bool:  # noqa: ARG002 (of other clusters it depends on it)
        """Whether a task may be sent again that ended without an answer."""
        return False

    def end(self, run: str) -> None:
        """Dismiss the workers of a run; those in other processes go when they have had nothing to do for a while."""
        dismiss(run)


@contextmanager
def connected(cluster: Any) -> Iterator[Cluster | None]:
    """The cluster that a user means by an address, a client, a cluster of Dask's or an executor."""
    if cluster is None or isinstance(cluster, Cluster):
        yield cluster
    elif isinstance(cluster, str) or type(cluster).__module__.split(".")[0] in ("distributed", "dask_jobqueue"):
        from referee.fitting.runner.dask_cluster import dask_cluster

        with dask_cluster(cluster) as dask:
            yield dask
    elif isinstance(cluster, Executor):
        yield Cluster(cluster)
    else:
        raise CallError(
            "E_CALL", f"cluster is a {type(cluster).__name__}",
            hint="it takes the address of a Dask scheduler, a dask.distributed client, or an executor of "
            "concurrent.futures",
        )  # fmt: skip


def run_on(
    cluster: Cluster,
    units: Iterable[Unit],
    work: Callable[[Unit], Result],
    *,
    timeout: float | None = None,
    max_memory: int | None = None,
    environment: Callable[[Unit], dict[str, str]] | None = None,
) -> Iterator[tuple[Unit, Result | Failure]]:
    """As `run`, on a cluster; its limits hold there, too, and a process that the cluster loses costs no unit."""
    try:
        package = packaged(pickled(work), max_memory, timeout)
    except Exception as error:
        raise unsendable(f"{type(error).__name__}: {error}") from error
    return _Tasks(cluster, package, tasks_in(environment)).outcomes(iter(units))


class _Sent(NamedTuple, Generic[Unit]):
    """A unit on its way."""

    unit: Unit
    task: bytes
    losses: int = 0


class _Tasks(Generic[Unit]):
    """The tasks of a run that have not been answered yet."""

    def __init__(self, cluster: Cluster, package: bytes, task: Callable[[Unit], bytes]) -> None:
        self._cluster = cluster
        self._package = package
        self._shared: Any = None
        self._task = task
        self._run = uuid4().hex
        self._waiting: dict[Future[bytes | Failure | None], _Sent[Unit]] = {}

    def outcomes(self, units: Iterator[Unit]) -> Iterator[tuple[Unit, Any]]:
        """Of all units, as they come."""
        try:
            self._shared = self._cluster.shared(self._package)
            self._send(units, bring=True)
            while self._waiting:
                for future in self._done():
                    sent = self._waiting.pop(future)
                    outcome = self._outcome(future, sent)
                    if outcome is not None:
                        self._send(units, bring=self._cluster.brings_package)
                        yield sent.unit, outcome
        finally:
            for future in self._waiting:
                future.cancel()
            self._cluster.end(self._run)

    def _send(self, units: Iterator[Unit], *, bring: bool) -> None:
        room = self._cluster.room
        for unit in islice(units, None if room is None else max(room - len(self._waiting), 0)):
            self._submit(_Sent(unit, self._task(unit)), bring=bring)

    def _submit(self, sent: _Sent[Unit], *, bring: bool) -> None:
        future = self._cluster.submit(self._run, self._shared if bring else None, sent.task)
        self._waiting[future] = sent

    def _done(self) -> list[Future[bytes | Failure | None]]:
        done, _ = wait(self._waiting, LOOK, FIRST_COMPLETED)
        if not done:
            self._cluster.look()
        return [future for future in self._waiting if future in done]

    def _outcome(self, future: Future[bytes | Failure | None], sent: _Sent[Unit]) -> Any:
        """What a unit came to; nothing if its task was sent again."""
        try:
            told = future.result()
        except RefereeError:
            raise
        except (Exception, CancelledError) as error:
            self._send_again(sent, error)
            return None
        if told is None:
            self._submit(sent, bring=True)
            return None
        return replace(told, unit=sent.unit) if isinstance(told, Failure) else result_of(told, sent.unit)

    def _send_again(self, sent: _Sent[Unit], error: BaseException) -> None:
        if sent.losses >= MOST_LOSSES or not self._cluster.is_worth_another_try(error):
            raise LostClusterError(f"the cluster has lost {sent.unit}: {reason(error)}") from error
        self._shared = self._cluster.shared(self._package)
        self._submit(sent._replace(losses=sent.losses + 1), bring=True)


def reason(error: BaseException) -> str:
    """An error of others in a few words."""
    return one_line(f"{type(error).__name__}: {error}", LONGEST_REASON)
