"""Which cases of the collections of bad inputs the tests have been through, and by which door.

`@pytest.mark.case("D1", "command line", "Python")` names the case of a test and the doors it comes in by;
`pytest --cases FILE` writes down those that passed.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

COMMAND_LINE, PYTHON = DOORS = ("command line", "Python")


def pytest_addoption(parser):
    parser.addoption("--cases", metavar="FILE", help="write the cases that passed, and their doors, to a JSON file")


def pytest_configure(config):
    config.addinivalue_line("markers", "case(name, *doors): a case of the collections, and the doors it comes in by")
    config.stash[RECORD] = {}


RECORD = pytest.StashKey[dict]()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A case by a door has passed where all its tests have."""
    outcome = yield
    report = outcome.get_result()
    if call.when != "call" and report.passed:
        return
    record = item.config.stash[RECORD]
    for marker in item.iter_markers("case"):
        name, *doors = marker.args
        assert doors and set(doors) <= set(DOORS), doors
        for door in doors:
            tried = record.setdefault(name, {}).setdefault(door, [0, 0])
            tried[0 if report.passed else 1] += not report.skipped


def pytest_sessionfinish(session):
    path = session.config.getoption("--cases")
    if path is not None:
        Path(path).write_text(json.dumps(session.config.stash[RECORD], indent=1) + "\n", encoding="utf-8")
