"""One scan of a database counts, checks and adds up everything that comparing all models takes."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from benchmarks.databases import accuracy_by_hand, compared, connected, deviation, log_loss_by_hand, made
from benchmarks.engines import AMOUNTS, THREE, TWO, table
from benchmarks.engines import compared as in_both
from referee import compare
from referee.errors import InputError

ROWS = table(600)


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    path = tmp_path_factory.mktemp("tally") / "preds.duckdb"
    made(path, 3000)
    with connected(path) as database:
        yield database


@pytest.fixture
def asked(monkeypatch):
    """The SQL of every query."""
    import ibis

    written, to_sql = [], ibis.to_sql

    def noted(*given, **options):
        written.append(str(to_sql(*given, **options)))
        return written[-1]

    monkeypatch.setattr(ibis, "to_sql", noted)
    return written


def test_numbers_are_those_of_sql_by_hand(database, asked):
    by_hand = {"accuracy": accuracy_by_hand(database), "log_loss": log_loss_by_hand(database)}
    assert deviation(compared(database, ["accuracy", "log_loss"]), by_hand) < 1e-9
    powers = [sql for sql in asked if "LN(" in sql and "LIMIT" not in sql and '"size"' not in sql]  # of tails
    assert len(powers) == 1, "log loss beside another goal takes one scan"
    assert deviation(compared(database, ["log_loss", "accuracy"]), by_hand) < 1e-9


def test_a_sorted_table_does_not_lose_digits():
    """The first rows, whose mean is subtracted, are nothing like the others."""
    rows, draw = 4000, np.random.default_rng(2)
    truth = np.concatenate([np.full(1000, 1e6), draw.normal(0, 1, rows - 1000)])
    near, far = (truth + draw.normal(0, size, rows) * np.where(truth > 10, 1e3, 1) for size in (1, 1.1))
    memory, elsewhere, largest = in_both(pa.table({"amount": truth, "near": near, "far": far}), "mae", **AMOUNTS)
    assert max(largest.values()) <= 1e-9 and memory.sentence == elsewhere.sentence


def test_probabilities_of_0_and_1_are_still_told():
    hard = ROWS.set_column(ROWS.column_names.index("b"), "b", pa.array((ROWS["a"].to_numpy() > 0.5).astype(float)))
    memory, elsewhere, largest = in_both(hard, "log_loss", **TWO)
    assert max(largest.values()) <= 1e-9
    assert {told.code for told in elsewhere.warnings} == {told.code for told in memory.warnings} != set()


@pytest.mark.parametrize(
    ("goal", "roles"),
    [
        ("log_loss", TWO),
        ("roc_auc", TWO | {"weight": "w"}),
        ("f1_macro", THREE),
        ("rae", AMOUNTS),
        ("accuracy", TWO | {"test": "bayes_correlated_t"}),
        ("brier", TWO | {"repeat": "region"}),
    ],
)
def test_folds_are_compared_one_by_one(goal, roles):
    memory, elsewhere, largest = in_both(ROWS, goal, fold="fold", unit="fold", **roles)
    assert elsewhere.predictions.engine == "database"
    assert max(largest.values()) <= 1e-9 and memory.sentence == elsewhere.sentence


def test_tails_of_many_sizes():
    """Losses over six orders of magnitude, so that the tail begins within one of many sizes."""
    draw = np.random.default_rng(5)
    truth = draw.normal(0, 1, 900)
    near, far = (truth + np.exp(draw.normal(0, spread, 900)) for spread in (2, 2.5))
    memory, elsewhere, _ = in_both(pa.table({"amount": truth, "near": near, "far": far}), "mae", **AMOUNTS)
    tails, expected = (each.comparisons[0].details["tails"] for each in (elsewhere, memory))
    assert tails["models"] == pytest.approx(expected["models"], rel=1e-9)
    assert tails["difference"] == pytest.approx(expected["difference"], rel=1e-9)


def test_missing_and_infinite_scores_are_found_in_one_look():
    rows = 30_000
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE t AS SELECT i % 2 AS y, i / {rows} AS a, "
            f"CASE WHEN i = 17 THEN NULL ELSE i / {rows} END AS b, "
            f"CASE WHEN i = 23 THEN 'inf'::DOUBLE ELSE i / {rows} END AS c FROM range({rows}) t(i)"
        )
        for models, words in ((["a", "b"], "missing"), (["a", "c"], "is not a finite number")):
            with pytest.raises(InputError, match=words):
                compare(connection.table("t"), truth="y", models=models, goal="accuracy")
