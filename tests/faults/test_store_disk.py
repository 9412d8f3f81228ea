"""Disks that are full or read-only, and folders that another process holds: said at once, and nothing is harmed."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import textwrap
from contextlib import contextmanager

import numpy as np
import pytest

from referee.errors import CheckpointError, WriteError
from referee.fitting import Store
from tests.faults.samples import BIG, IDENTITY, filled
from tests.faults.small_disk import mounted  # noqa: F401 (a fixture)
from tests.stored_digest import digest_of

pytestmark = pytest.mark.usefixtures("no_file_stays_open")


HOLDER = textwrap.dedent("""
    import sys, time
    from referee.fitting.runner.store import Store
    with Store(sys.argv[1], {"data": "1"}) as store:
        store.save("unit", {"value": 1})
        print("open", flush=True)
        time.sleep(60)
""")


@contextmanager
def another_process_holding(folder):
    with subprocess.Popen([sys.executable, "-c", HOLDER, folder], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "open\n"
        try:
            yield holder
        finally:
            holder.kill()


def test_two_processes(tmp_path):
    with another_process_holding(tmp_path) as holder:
        with pytest.raises(WriteError, match=rf"store=.* is in use by process {holder.pid}\n") as caught:
            Store(tmp_path, {"data": "1"})
        assert caught.value.exit == 6
        with Store.read(tmp_path) as store:
            assert store.load("unit") == {"value": 1}
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        with Store(tmp_path, {"data": "1"}) as store:
            assert store.keys() == ["unit"]


def test_two_stores_in_one_process(tmp_path):
    with Store(tmp_path, IDENTITY), pytest.raises(WriteError, match=f"process {os.getpid()}"):
        Store(tmp_path, IDENTITY)


def test_reading_only(tmp_path):
    digest = filled(tmp_path / "run", big=[1])
    with Store.read(tmp_path / "run") as store:
        assert (digest_of(store), store.identity) == (digest, IDENTITY)
        with pytest.raises(ValueError, match="opened read-only"):
            store.save("more", {})
    with pytest.raises(CheckpointError, match="there is no checkpoint"):
        Store.read(tmp_path)


def test_a_read_only_disk(mounted):  # noqa: F811
    disk = mounted("size=4m")
    digest = filled(disk / "runs")
    mounted("remount,ro")
    for folder in (disk / "runs", disk / "new"):
        with pytest.raises(WriteError, match=r"store=.* cannot be written: read-only") as caught:
            Store(folder, IDENTITY)
        assert (caught.value.code, caught.value.exit) == ("E_WRITE", 6)
    with Store.read(disk / "runs") as store:
        assert digest_of(store) == digest


def test_a_disk_that_is_full_from_the_beginning(mounted):  # noqa: F811
    with pytest.raises(WriteError, match=r"store=.* cannot be written: no space left") as caught:
        Store(mounted("size=64k") / "runs", IDENTITY)
    assert (caught.value.code, caught.value.exit) == ("E_WRITE", 6)


@pytest.mark.parametrize("big", [[], range(50)], ids=["records", "parts"])
def test_a_disk_that_becomes_full(mounted, big):  # noqa: F811
    disk = mounted("size=3m")
    values = {"array": np.random.default_rng(0).normal(size=BIG if big else 10_000)}
    with Store(disk / "runs", IDENTITY) as store, pytest.raises(WriteError, match="no space left"):
        for number in range(200):
            store.save(f"unit {number:03}", values)
    with Store.read(disk / "runs") as store:
        kept = store.keys()
    assert kept == [f"unit {number:03}" for number in range(len(kept))]
    assert len(kept) > 0
    mounted("remount,size=64m")
    with Store(disk / "runs", IDENTITY) as store:
        assert store.keys() == kept
        store.save("unit after", values)
        assert all(store.load(key)["array"].tobytes() == values["array"].tobytes() for key in [*kept, "unit after"])


FULL = textwrap.dedent("""
    import resource, sys
    import numpy as np
    from referee.errors import WriteError
    from referee.fitting.runner.store import Store
    with Store(sys.argv[1], {"data": "1"}) as store:
        store.save("unit 0", {"value": 1})
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 19, resource.RLIM_INFINITY))
        try:
            for number in range(1, 100):
                store.save(f"unit {number}", {"array": np.arange(float(sys.argv[2]))})
        except WriteError as error:
            print(error.exit, error.message)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print(len(store.keys()) == number)
        store.save("unit after", {})
""")


@pytest.mark.parametrize("length", [10_000, BIG])
def test_a_file_that_must_not_grow(tmp_path, length):
    """As on a full disk, where nothing can be mounted."""
    if resource.getrlimit(resource.RLIMIT_FSIZE)[1] != resource.RLIM_INFINITY:
        pytest.skip("this process must not write large files itself")
    command = [sys.executable, "-c", FULL, tmp_path, str(length)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    message, counted = done.stdout.splitlines()
    assert message.startswith(f"6 store={str(tmp_path)!r} cannot be written: no space left")
    assert counted == "True"
    with Store(tmp_path, {"data": "1"}) as store:
        assert store.load("unit after") == {}


def test_a_file_where_the_folder_should_be(tmp_path):
    (tmp_path / "runs").write_text("not a folder")
    for folder in (tmp_path / "runs", tmp_path / "runs" / "deeper"):
        with pytest.raises(WriteError, match="a file is in the way"):
            Store(folder, IDENTITY)
