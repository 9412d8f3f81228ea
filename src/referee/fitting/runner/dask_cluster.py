"""A cluster of Dask's: connected to, looked at, and told from one whose workers die one after another."""

from __future__ import annotations

import re
from contextlib import contextmanager, suppress
from logging import getLogger
from time import monotonic
from typing import TYPE_CHECKING, Any

from referee.errors import InputError, LostClusterError, RefereeError, UsageError, refuse_without
from referee.fitting.runner.cluster import Cluster, reason
from referee.fitting.runner.station import dismiss, refuse_other_versions, versions

if TYPE_CHECKING:
    from collections.abc import Iterator

CONNECTING = 10.0
"""Seconds until a scheduler must have answered."""
PATIENCE = 120.0
"""Seconds that a run waits for a worker where there is none."""
BETWEEN_COUNTS = 2.0
"""Seconds for which the number of threads is taken to be what it was."""
ADDRESS = re.compile(
    r"((tcp|tls|ws|wss|ucx|inproc)://)?[^\s/:@]+(:\d+)?|((tcp|tls|ws|wss)://)?\[[0-9a-fA-F:]+\](:\d+)?"
)
WHERE = "start one with `dask scheduler`, and workers with `dask worker tcp://HOST:8786 --nthreads 1`"


@contextmanager
def dask_cluster(given: Any) -> Iterator[DaskCluster]:
    """By an address, or by what a program already has: a client, or a cluster that has one."""
    refuse_without("dask", "distributed", to="--cluster")
    from distributed import Client

    if isinstance(given, Client):
        yield DaskCluster(_synchronous(given))
        return
    with _without_logs(), _client(given) if isinstance(given, str) else given.get_client() as client:
        yield DaskCluster(_synchronous(client))


@contextmanager
def _without_logs() -> Iterator[None]:
    """That a scheduler is gone is said here; what Dask and Tornado log of it is for their developers."""
    loggers = [getLogger(name) for name in ("distributed.client", "distributed.batched", "tornado.application")]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


def _client(address: str) -> Any:
    from distributed import Client

    if not ADDRESS.fullmatch(address):
        raise UsageError(
            "E_CLUSTER", f"--cluster {address!r} is not the address of a scheduler", hint="such as tcp://HOST:8786"
        )
    try:
        return Client(address, timeout=CONNECTING, set_as_default=False, name="referee")  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise InputError(
            "E_CLUSTER", f"--cluster {address!r}: no Dask scheduler answers: {reason(error)}", hint=WHERE
        ) from error


def _synchronous(client: Any) -> Any:
    if client.asynchronous:
        raise UsageError(
            "E_CLUSTER", "the client is asynchronous", hint="use Client(address) without asynchronous=True"
        )
    if client.status != "running":
        raise UsageError("E_CLUSTER", f"the client is {client.status}", hint="use one that is connected")
    return client


class DaskCluster(Cluster):
    """Dask gives the units of a worker that dies to another, and keeps the package where workers find it."""

    def __init__(self, client: Any) -> None:
        super().__init__(client.get_executor(pure=False))
        self._client = client
        self._address = client.scheduler.address
        self._threads = 0
        self._counted = -BETWEEN_COUNTS
        self._had_workers = monotonic()
        self._refuse_other_versions()

    def _refuse_other_versions(self) -> None:
        """Of those that are there; a worker that comes later compares for itself."""
        try:
            of_process = {f"the scheduler {self._address}": self._client.run_on_scheduler(versions)}
            of_process |= {f"the worker {where}": theirs for where, theirs in self._client.run(versions).items()}
        except RefereeError:
            raise
        except Exception as error:
            raise UsageError(
                "E_VERSIONS", f"--cluster {self._address!r} cannot run referee: {reason(error)}",
                hint="install the same referee for the scheduler and on every worker",
            ) from error  # fmt: skip
        for where, theirs in of_process.items():
            refuse_other_versions(theirs, versions(), where)

    @property
    def brings_package(self) -> bool:
        return True

    def shared(self, package: bytes) -> Any:
        """The package as data of the cluster, which workers fetch from each other once."""
        with self._noticing_loss():
            self._wait_for_a_worker()
            return self._client.scatter(package, broadcast=True, hash=False)

    def _wait_for_a_worker(self) -> None:
        from distributed import TimeoutError as TooLate

        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except (TooLate, TimeoutError) as error:
            raise LostClusterError(f"{self._address} has had no workers for {PATIENCE:g} s") from error

    @property
    def room(self) -> int:
        return 2 * max(self._count(), 1)

    def _count(self) -> int:
        """The threads of all workers, which may come and go."""
        if monotonic() - self._counted >= BETWEEN_COUNTS:
            with self._noticing_loss():
                self._threads = sum(self._client.nthreads().values())
            self._counted = monotonic()
        return self._threads

    def look(self) -> None:
        if self._client.status not in ("running", "connecting"):
            raise LostClusterError(f"the connection to {self._address} has ended ({self._client.status})")
        if self._count():
            self._had_workers = monotonic()
        elif monotonic() - self._had_workers > PATIENCE:
            raise LostClusterError(f"{self._address} has had no workers for {PATIENCE:g} s")

    @contextmanager
    def _noticing_loss(self) -> Iterator[None]:
        try:
            yield
        except (OSError, TimeoutError, RuntimeError, ValueError) as error:
            raise LostClusterError(f"{self._address} does not answer: {reason(error)}") from error

    def is_worth_another_try(self, error: BaseException) -> bool:
        """Unless Dask has given up on a unit that saw several workers die, or there is nobody to send it to."""
        from distributed import KilledWorker

        return not isinstance(error, KilledWorker) and self._client.status == "running"

    def end(self, run: str) -> None:
        # What cannot be told that the run is over finds out by having nothing to do.
        with suppress(Exception):
            self._client.run(dismiss, run, on_error="ignore")
