"""Verdicts are kept once, whole or not at all, and their history says how the answer about a pair has changed."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys

import duckdb
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import referee
from referee.errors import RefereeError
from tests.postgres_server import OWNER, PASSWORDS, READER, postgres_server, programs

draw = np.random.default_rng(2)
TRUTH = (draw.random(400) < 0.4).astype(int)
GOOD, FAIR = (np.clip(0.5 + k * (TRUTH - 0.4) + draw.normal(0, 0.25, 400), 0, 1) for k in (0.4, 0.2))


@pytest.fixture(scope="module")
def server():
    if programs() is None:
        pytest.skip("there is no PostgreSQL server here: install Debian's package postgresql")
    with postgres_server() as running:
        yield running


@pytest.fixture(params=["sqlite", "duckdb", "postgresql"])
def url(request, tmp_path, monkeypatch):
    if request.param != "postgresql":
        return f"{request.param}:///{tmp_path}/kept.{request.param}#verdicts"
    monkeypatch.setenv("PGPASSWORD", PASSWORDS[OWNER])
    running = request.getfixturevalue("server")
    with running.connection() as connection:
        connection.execute("DROP TABLE IF EXISTS verdicts")
    return running.address("verdicts", user=OWNER)


def rows_in(url):
    """As another program sees them."""
    path = url.partition("#")[0].partition(":///")[2]
    sql = "SELECT goal, outcome, row_count, result FROM verdicts ORDER BY saved_at, goal"
    if url.startswith("sqlite"):
        return sqlite3.connect(path).execute(sql).fetchall()
    if url.startswith("duckdb"):
        with duckdb.connect(path, read_only=True) as connection:
            return connection.execute(sql).fetchall()
    import psycopg

    with psycopg.connect(url.partition("#")[0]) as connection:
        return connection.execute(sql).fetchall()


def test_kept_once_and_whole(url):
    verdict = referee.compare(TRUTH, {"good": GOOD, "fair": FAIR}, goal="brier")
    assert verdict.save_to(url) is True
    assert verdict.save_to(url) is False
    assert referee.compare(TRUTH, {"good": GOOD, "fair": FAIR}, goal="brier").save_to(url) is False
    assert referee.compare(TRUTH, {"good": GOOD, "fair": FAIR}, goal="log_loss").save_to(url) is True
    (first, second) = rows_in(url)
    assert first[:3] == ("brier", "winner", 400)
    assert json.loads(first[3])["comparisons"][0]["p"] == verdict.comparisons[0].p
    kept = referee.history(url)
    assert [each["look"] for each in kept.verdicts] == [1, 2]
    assert second[0] == "log_loss"
    assert "one of them 2" in kept.to_dict()["warnings"][0]["message"]


def test_ten_nights(url):
    """The candidate is worse until the sixth night, and better from then on: the history says when."""
    draw = np.random.default_rng(8)
    outcomes = []
    for night in range(10):
        truth = (draw.random(2_000) < 0.4).astype(int)
        old, new = (truth + draw.normal(0, sd, 2_000) for sd in (1.0, 1.5 if night < 5 else 0.6))
        models = {"old": 1 / (1 + np.exp(0.5 - old)), "new": 1 / (1 + np.exp(0.5 - new))}
        asked = {"goal": "roc_auc", "production": "old", "candidate": "new", "margin": 0.01}
        gate = referee.gate(truth, models, **asked)
        assert gate.save_to(url)
        outcomes.append(gate.outcome)
    kept = referee.history(url)
    assert outcomes == ["fail"] * 5 + ["pass"] * 5
    assert [pair["winner"] for pair in kept.pairs] == ["old"] * 5 + ["new"] * 5  # though all were within seconds
    assert [pair["changed"] for pair in kept.pairs] == [None, *[False] * 4, True, *[False] * 4]
    assert set(kept.looks.values()) == {1}
    assert kept.to_dict()["warnings"] == []
    assert "10 verdicts on 10 test sets" in kept.sentence


def test_changes_are_counted_in_order(tmp_path, monkeypatch):
    from referee.comparing import kept_verdicts

    class Clock:
        minute = 0

        @classmethod
        def now(cls, zone):
            from datetime import datetime

            cls.minute += 1
            return datetime(2026, 1, 1, 0, cls.minute, tzinfo=zone)

    monkeypatch.setattr(kept_verdicts, "datetime", Clock)
    url = f"sqlite:///{tmp_path}/kept.db#verdicts"
    for models in ({"a": GOOD, "b": FAIR}, {"a": FAIR, "b": GOOD}, {"a": FAIR, "b": FAIR}):
        referee.compare(TRUTH, models, goal="brier").save_to(url)
    kept = referee.history(url)
    assert [(pair["winner"], pair["changed"]) for pair in kept.pairs] == [("a", None), ("b", True), ("tie", True)]
    assert [each["look"] for each in kept.verdicts] == [1, 2, 3]  # of one test set, whatever the models say of it
    assert "(2 times)" in kept.sentence


def test_command_line(tmp_path, referee):
    rows = tmp_path / "rows.csv"
    rows.write_text("y,good,fair\n" + "".join(f"{y},{a},{b}\n" for y, a, b in zip(TRUTH, GOOD, FAIR, strict=True)))
    url = f"duckdb:///{tmp_path}/kept.duckdb#verdicts"
    for _ in range(2):
        assert referee("compare", rows, "--truth", "y", "--goal", "brier", "--save-to", url).code == 0
    asked = ["--production", "fair", "--candidate", "good", "--margin", "0.01"]
    assert referee("gate", rows, "--truth", "y", "--goal", "brier", *asked, "--save-to", url).code == 0
    shown = referee("history", url)
    assert shown.code == 0
    assert len(shown.json["verdicts"]) == 2
    assert [each["command"] for each in sorted(shown.json["verdicts"], key=lambda each: each["look"])]


@pytest.mark.usefixtures("fits_here")
def test_selections_are_kept_from_the_command_line(tmp_path, referee):
    """Twice the same selection is one row; a constant ranks at 1/2, and the tree must beat it."""
    data, url = tmp_path / "bc.csv", f"sqlite:///{tmp_path}/v.db#verdicts"
    load_breast_cancer(as_frame=True).frame.rename(columns={"target": "t"}).to_csv(data, index=False)
    asked = ["--target", "t", "--models", "tree,dummy", "--goal", "roc_auc", "--scheme", "k_fold(k=3)"]
    for _ in range(2):
        assert referee("select", data, *asked, "--save-to", url).code == 0
    ((goal, outcome, rows, result),) = rows_in(url)
    assert (goal, outcome, rows) == ("roc_auc", "winner", 569)
    shown = referee("history", url)
    assert shown.code == 0
    (kept,), (pair,) = shown.json["verdicts"], shown.json["pairs"]
    assert (kept["command"], pair["winner"], {pair["a"], pair["b"]}) == ("select", "tree", {"tree", "dummy"})
    (compared,) = json.loads(result)["comparisons"]
    assert abs(pair["difference"]) == pytest.approx(abs(compared["difference"]))
    assert 0 < abs(pair["difference"]) < 0.5


KILLED = """
import os
from referee.predictions import WrittenTable
with WrittenTable.of({url!r}).transaction() as run:
    run("CREATE TABLE verdicts (x INTEGER)")
    run("INSERT INTO verdicts VALUES (?)", 1)
    os._exit(9)
"""


def test_killed_writer_leaves_nothing(url):
    assert subprocess.run([sys.executable, "-c", KILLED.format(url=url)], check=False).returncode == 9
    with pytest.raises(RefereeError, match="not a table of verdicts"):
        referee.history(url)
    assert referee.compare(TRUTH, {"good": GOOD, "fair": FAIR}, goal="brier").save_to(url)
    assert len(rows_in(url)) == 1


def test_tables_of_others_and_addresses(tmp_path, url):
    from referee.predictions import WrittenTable

    with WrittenTable.of(url).transaction() as run:
        run("CREATE TABLE verdicts (x INTEGER)")
    verdict = referee.compare(TRUTH, {"good": GOOD, "fair": FAIR}, goal="brier")
    cases = {
        url: "not a table of verdicts", url.partition("#")[0]: "does not name a table", "verdicts.csv": "not kept",
        "mysql://ann:secret@host/db#verdicts": "mysql://host/db#verdicts: verdicts are not kept there",
        "host=127.0.0.1 password=secret": "host=127.0.0.1: not an address",
        "postgresql://host/db?password=secret": "postgresql://host/db does not name a table",
        f"sqlite:///{tmp_path}/no/such/kept.db#v": "no folder",
    }  # fmt: skip
    for address, match in cases.items():
        with pytest.raises(RefereeError, match=match) as caught:
            verdict.save_to(address)
        assert "secret" not in str(caught.value)


def test_role_that_may_only_read(server, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", PASSWORDS[READER])
    with pytest.raises(RefereeError, match="permission denied") as caught:
        referee.compare(TRUTH, {"good": GOOD, "fair": FAIR}, goal="brier").save_to(server.address("kept", user=READER))
    assert PASSWORDS[READER] not in str(caught.value)
    assert caught.value.exit == 6
    assert "CREATE on its schema" in caught.value.hint and "PGPASSWORD" not in caught.value.hint


def test_role_that_may_add_to_a_table(server, monkeypatch):
    """It needs no right to make tables; without that to insert, or to read, it is told so."""
    verdict = referee.compare(TRUTH, {"good": GOOD, "fair": FAIR}, goal="brier")
    monkeypatch.setenv("PGPASSWORD", PASSWORDS[OWNER])
    assert referee.compare(TRUTH, {"good": GOOD, "fair": FAIR}, goal="log_loss").save_to(
        server.address("shared", user=OWNER)
    )
    monkeypatch.setenv("PGPASSWORD", PASSWORDS[READER])
    address = server.address("shared", user=READER)
    with server.connection() as owner:
        for right in ("SELECT", "INSERT"):
            with pytest.raises(RefereeError, match="permission denied for table shared") as caught:
                verdict.save_to(address)
            assert "SELECT and INSERT on the table" in caught.value.hint
            owner.execute(f"GRANT {right} ON shared TO {READER}")
    assert verdict.save_to(address) is True
    assert verdict.save_to(address) is False
    assert len(referee.history(address).verdicts) == 2
