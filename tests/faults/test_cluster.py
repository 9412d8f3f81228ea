"""Fits on a cluster: units meet the same fates as here, and a cluster that dies loses nothing that was done."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing

import numpy as np
import pytest

import referee
from referee.errors import CallError, InputError, LostClusterError, UsageError
from referee.fitting import Failure, Store, run
from referee.fitting.runner import cluster as clusters
from referee.fitting.runner import station
from referee.fitting.runner.cluster import Cluster, connected, run_on
from tests.faults.dask_processes import STARTING, scheduler, workers
from tests.faults.fates import Fate, meet
from tests.faults.killing import stored
from tests.faults.processes import children, wait_until
from tests.faults.slow_models import SlowBayes
from tests.stored_digest import digest_of

TIMES = ("fit_seconds", "predict_seconds", "train_predict_seconds")
FATES = [Fate("answers", 1), Fate("raises", 3), Fate("kills_itself"), Fate("exits", 7), Fate("eats_memory"),
         Fate("hangs"), Fate("answers", 2), Fate("tells_environment"), Fate("gives_much", 100_000)]  # fmt: skip
LIMITS = {"timeout": 8.0, "max_memory": 3 << 24, "environment": lambda unit: {"REFEREE_FOLD": str(unit.number)}}


@pytest.fixture(scope="module")
def local():
    """What becomes of the units in worker processes of our own."""
    return dict(run(FATES, meet, jobs=2, **LIMITS))


def bare(outcomes):
    """Without the lines of a traceback."""
    return {
        unit: (outcome.kind, outcome.message, outcome.unit) if isinstance(outcome, Failure) else outcome
        for unit, outcome in outcomes.items()
    }


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_an_executor_gives_every_unit_its_local_fate(kind, local):
    before = set(children())
    with kind(2) as executor, connected(executor) as cluster:
        assert bare(dict(run_on(cluster, FATES, meet, **LIMITS))) == bare(local)
    assert wait_until(lambda: set(children()) <= before), "workers outlive their executor"


def test_a_process_gets_the_package_once(monkeypatch):
    """Workers are kept from task to task, and only the first tasks bring the work."""
    brought = []
    monkeypatch.setattr(clusters, "answer", lambda *given: (brought.append(given[1]), station.answer(*given))[1])
    with ThreadPoolExecutor(1) as executor:
        units = [Fate("tells_its_process", number) for number in range(6)]
        processes = {process for _, process in run_on(Cluster(executor), units, meet)}
    assert len(processes) == 1
    assert os.getpid() not in processes
    assert len([package for package in brought if package is not None]) <= 2


def test_workers_that_nobody_dismisses_end(monkeypatch):
    monkeypatch.setattr(station, "IDLE", 0.2)
    before = set(children())
    package = station.packaged(station_work(), None, None)
    assert station.answer("run", package, station_task(Fate("answers", 4))) is not None
    assert wait_until(lambda: set(children()) <= before)
    assert station.answer("run", None, station_task(Fate("answers", 4))) is None, "it asks for the package"


def station_work():
    return station_pickle(meet)


def station_task(unit):
    return station_pickle((unit, {}))


def station_pickle(value):
    from referee.fitting.runner.worker_process import pickled

    return pickled(value)


def test_stopping_ends_the_workers_at_once():
    before = set(children())
    with ThreadPoolExecutor(2) as executor:
        units = [Fate("answers", 1), *(Fate("hangs", number) for number in range(4))]
        with closing(run_on(Cluster(executor), units, meet)) as outcomes:
            assert next(outcomes) == (Fate("answers", 1), 2)
        assert wait_until(lambda: set(children()) <= before)


def test_a_pool_of_processes_that_breaks_is_said():
    with ProcessPoolExecutor(1) as executor:
        held = executor.submit(os.getpid).result()
        units = [Fate("rests", 1), Fate("rests", 60_000)]
        with closing(run_on(Cluster(executor), units, meet)) as outcomes:
            next(outcomes)
            os.kill(held, signal.SIGKILL)
            with pytest.raises(LostClusterError, match="has lost rests, number 60000: BrokenProcessPool"):
                next(outcomes)


def data():
    draw = np.random.default_rng(0)
    x = draw.normal(size=(60, 3))
    return x, x[:, 0] + draw.normal(size=60) > 0


def selected(folder, **where):
    models = {"slow": SlowBayes(), "tree": "tree"}
    return referee.select(models, *data(), goal="accuracy", scheme="k_fold(k=5)", store=folder, **where)


def digest(folder):
    with Store.read(folder) as store:
        return digest_of(store, TIMES)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("local") / "run"
    verdict = selected(folder)
    return digest(folder), verdict.sentence


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dask")
    with scheduler(folder) as file:
        yield file


@pytest.fixture
def client(dask):
    from distributed import Client

    with Client(scheduler_file=str(dask), set_as_default=False) as client:
        yield client


def test_a_killed_worker_loses_nothing(dask, client, tmp_path, local):
    """It is killed while it holds a unit, as Dask itself says."""
    with workers(dask, tmp_path) as processes:
        client.wait_for_workers(2, timeout=STARTING)
        by_process = {pid: where for where, pid in client.run(os.getpid).items()}
        victim = by_process[processes[0].pid]
        units = [*FATES, *(Fate("rests", 150 + number) for number in range(12))]
        with connected(client) as cluster, closing(run_on(cluster, units, meet, **LIMITS)) as outcomes:
            seen = [next(outcomes) for _ in range(len(FATES) + 2)]
            assert wait_until(lambda: client.processing()[victim])
            processes[0].kill()
            seen += list(outcomes)
        assert sorted(map(str, dict(seen))) == sorted(map(str, units))
        assert len(seen) == len(units)
        assert bare({unit: outcome for unit, outcome in seen if unit in local}) == bare(local)
        assert {outcome for unit, outcome in seen if unit.name == "rests"} == {150 + number for number in range(12)}
        assert len(client.nthreads()) == 1


def test_workers_that_die_one_after_another(dask, client, tmp_path, undisturbed, monkeypatch):
    from referee.fitting.runner import dask_cluster

    monkeypatch.setattr(dask_cluster, "PATIENCE", 1.0)
    folder = tmp_path / "run"
    with workers(dask, tmp_path) as processes:
        client.wait_for_workers(2, timeout=STARTING)
        killer = threading.Thread(target=kill_as_it_goes, args=(processes, folder))
        killer.start()
        with pytest.raises(LostClusterError, match=r"no workers|has lost") as lost:
            selected(folder, cluster=client)
        killer.join()
    done = stored(folder) - 1
    assert 0 < done < 10
    assert lost.value.exit == 5
    assert lost.value.hint == f"{done} fits are kept in {folder}; to resume, run the same command again"
    verdict = selected(folder, cluster=ThreadPoolExecutor(1))
    assert (digest(folder), verdict.sentence) == undisturbed


def kill_as_it_goes(processes, folder):
    for number, process in enumerate(processes):
        wait_until(lambda least=2 + 3 * number: stored(folder) >= least, STARTING)
        process.kill()
        process.wait()


def test_other_versions_are_refused_at_connect(client, monkeypatch):
    monkeypatch.setattr(station, "__version__", "9.9")
    station.versions.cache_clear()
    try:
        with pytest.raises(UsageError, match=r"the scheduler tcp://.* has referee 0\.\d.*, and here it is 9\.9"):
            selected(None, cluster=client)
    finally:
        monkeypatch.undo()
        station.versions.cache_clear()


def test_a_worker_that_comes_later_compares_for_itself(monkeypatch):
    package = station.packaged(station_work(), None, None)
    monkeypatch.setattr(station, "versions", lambda: {"NumPy": "0.1"})
    with pytest.raises(UsageError, match=r"a worker on .* has referee"):
        station.answer("another run", package, station_task(Fate("answers", 1)))


def test_no_scheduler(monkeypatch):
    from referee.fitting.runner import dask_cluster

    monkeypatch.setattr(dask_cluster, "CONNECTING", 0.5)
    with pytest.raises(InputError, match=r"cluster='tcp://127.0.0.1:9': no Dask scheduler answers") as error:
        selected(None, cluster="tcp://127.0.0.1:9")
    assert (error.value.code, error.value.exit) == ("E_CLUSTER", 3)


@pytest.mark.parametrize("address", ["", "http://host:8786", "tcp://host:port", "two words", "tcp://user:word@host:1"])
def test_what_is_not_an_address(address):
    with pytest.raises(UsageError, match="is not the address of a scheduler"):
        selected(None, cluster=address)


def test_no_dask(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(UsageError, match="requires distributed, not installed") as error:
        selected(None, cluster="tcp://127.0.0.1:9")
    assert error.value.hint == "pip install 'referee[dask]'"


def test_what_is_not_a_cluster():
    with pytest.raises(CallError, match="cluster is a list"):
        selected(None, cluster=["tcp://127.0.0.1:9"])
    with pytest.raises(UsageError, match="jobs=2 and cluster= exclude each other"):
        selected(None, cluster=ThreadPoolExecutor(1), jobs=2)


def test_an_executor_that_is_shut_down():
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(LostClusterError, match="takes no fits") as error:
        selected(None, cluster=executor)
    assert "no fit was kept" in error.value.hint


def test_work_that_cannot_be_sent():
    with ThreadPoolExecutor(1) as executor, pytest.raises(UsageError, match="by pickle"):
        list(run_on(Cluster(executor), [Fate("answers")], threading.Lock().acquire))


def test_limits_hold_in_time():
    begun = time.monotonic()
    with ThreadPoolExecutor(1) as executor:
        ((_, failure),) = run_on(Cluster(executor), [Fate("hangs_ignoring_signals")], meet, timeout=0.5)
    assert failure.kind == "timeout"
    assert time.monotonic() - begun < 30
