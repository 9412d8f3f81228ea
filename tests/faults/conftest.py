"""Nothing may be left behind: no process, no zombie, no open file."""

from __future__ import annotations

import uuid

import pytest

from tests.faults.processes import MARK, children, marked, open_files, wait_until


@pytest.fixture
def no_file_stays_open():
    before = open_files()
    yield
    assert open_files() <= before


@pytest.fixture
def nothing_is_left(monkeypatch, no_file_stays_open):  # noqa: ARG001 (it acts by being there)
    mark = uuid.uuid4().hex
    monkeypatch.setenv(MARK, mark)
    before = set(children())
    yield
    assert wait_until(lambda: not marked(mark))
    assert wait_until(lambda: set(children()) <= before)
