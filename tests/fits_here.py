"""Fits in this process: for tests of what becomes of them, not of workers, which take seconds to start."""

from __future__ import annotations

import os
import pickle
import traceback
import warnings
from unittest import mock

import pytest

from referee.fitting import Failure, run
from referee.fitting.runner.worker_process import pickled

USERS = ("referee.fitting.fit_runs.run", "referee.paper.experiment.run_units")


def run_here(units, work, *, environment=None, **_limits):
    """As the pool does: the work and its results are copies, and an error is an outcome."""
    work = pickle.loads(pickled(work))
    for unit in units:
        with mock.patch.dict(os.environ, environment(unit) if environment else {}), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield unit, _outcome(work, unit)


def _outcome(work, unit):
    try:
        return pickle.loads(pickled(work(unit)))
    except Exception as error:
        return Failure("raised", f"{type(error).__name__}: {error}", unit, traceback.format_exc(limit=-8))


@pytest.fixture(scope="module")
def fits_here():
    """For all tests of a file: `pytestmark = pytest.mark.usefixtures("fits_here")`."""
    with pytest.MonkeyPatch.context() as patch:
        for place in USERS:
            patch.setattr(place, run_here)
        yield


@pytest.fixture
def in_process(monkeypatch):
    """For one test in a file about workers."""
    for place in USERS:
        monkeypatch.setattr(place, run_here)


@pytest.fixture
def in_workers(monkeypatch):
    """For a test of workers in such a file."""
    for place in USERS:
        monkeypatch.setattr(place, run)
