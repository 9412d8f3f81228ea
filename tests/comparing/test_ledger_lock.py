"""One gate at a time looks at a ledger, whoever waits, and whatever lies where its lock should be."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event, Thread

import pytest

from referee.comparing.ledger_lock import only_one_look
from tests.sources.refusals import refused

fcntl = pytest.importorskip("fcntl")


def test_a_gate_that_waited_for_a_lock_that_is_gone_waits_for_the_next_one(tmp_path, monkeypatch):
    ledger, lock, asked, entered = tmp_path / "l.jsonl", tmp_path / "l.jsonl.lock", Event(), Event()
    take = fcntl.flock

    def told(*arguments):
        asked.set()
        take(*arguments)

    def looks():
        with only_one_look(ledger):
            entered.set()

    with lock.open("ab") as first:
        take(first, fcntl.LOCK_EX)
        monkeypatch.setattr(fcntl, "flock", told)
        waiting = Thread(target=looks)
        waiting.start()
        assert asked.wait(60)
        lock.unlink()
        second = lock.open("ab")
        take(second, fcntl.LOCK_EX)
    assert not entered.wait(0.5)
    lock.unlink()
    second.close()
    waiting.join(60)
    assert entered.is_set()
    assert not lock.exists()


@pytest.mark.parametrize("kind", ["a named pipe", "a device"])
def test_what_is_no_file_is_refused_at_once(tmp_path, kind):
    lock = tmp_path / "l.jsonl.lock"
    lock.symlink_to("/dev/full") if kind == "a device" else os.mkfifo(lock)
    with refused("E_SPECIAL", kind, exit_code=8), only_one_look(tmp_path / "l.jsonl"):
        raise AssertionError
    assert lock.is_symlink() or lock.exists()


def test_a_folder_that_is_not_there(tmp_path):
    with refused("E_WRITE", "No such file", exit_code=6), only_one_look(tmp_path / "none" / "l.jsonl"):
        raise AssertionError


def test_an_error_of_the_look_is_its_own(tmp_path):
    """Not one of the lock, which is free again."""
    with pytest.raises(FileNotFoundError), only_one_look(tmp_path / "l.jsonl"):
        Path(tmp_path / "other").read_bytes()
    assert not list(tmp_path.iterdir())
