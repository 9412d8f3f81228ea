"""Opening a run costs a pass over its records, however many there are, and no more than that."""

from __future__ import annotations

import pytest

from referee.fitting import Store
from referee.fitting.runner import database, records
from tests.faults.samples import IDENTITY, filled


@pytest.fixture
def counted(monkeypatch):
    """The statements that SQLite runs and the texts that are parsed."""
    seen = {"statements": 0, "parsed": 0}
    opened, parse = database.Database._opened, records.json.loads

    def connected(self, *arguments):
        connection = opened(self, *arguments)
        connection.set_trace_callback(lambda _: seen.update(statements=seen["statements"] + 1))
        return connection

    def parsed(text):
        seen["parsed"] += b'"values"' in text
        return parse(text)

    monkeypatch.setattr(database.Database, "_opened", connected)
    monkeypatch.setattr(records.json, "loads", parsed)
    return seen


def test_statements_do_not_grow_with_the_records(tmp_path, counted):
    costs = []
    for number in (5, 60):
        filled(tmp_path / str(number), range(number))
        counted.update(statements=0, parsed=0)
        with Store(tmp_path / str(number), IDENTITY):
            costs.append(dict(counted))
    assert costs[0] == costs[1]
    assert 0 < costs[1]["statements"] < 20
    assert costs[1]["parsed"] == 0
