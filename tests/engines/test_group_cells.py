"""Groups of rows in a database: one GROUP BY, and the same answers as of rows in memory."""

from __future__ import annotations

import ibis
import numpy as np
import pytest

from benchmarks.engines import AMOUNTS, THREE, TWO, compared, table
from referee import compare
from referee.errors import UsageError
from referee.predictions import database_source

ROWS = table(600)
EQUAL, UNEQUAL = {"group": "person"}, {"group": "house"}


@pytest.mark.parametrize(
    ("goal", "roles"),
    [
        ("accuracy", TWO | EQUAL),
        ("precision", TWO | UNEQUAL),  # whose rows that count differ from model to model
        ("log_loss", TWO | UNEQUAL | {"weight": "w", "weight_kind": "frequency"}),
        ("roc_auc", TWO | UNEQUAL),
        ("f1_macro", THREE | EQUAL),
        ("rmse", AMOUNTS | UNEQUAL | {"weight": "w"}),
    ],
)
def test_groups_are_compared_as_in_memory(goal, roles):
    memory, elsewhere, largest = compared(ROWS, goal, **roles)
    assert elsewhere.predictions.engine == "database"
    assert max(largest.values()) <= 1e-9 and memory.sentence == elsewhere.sentence
    # Of guessing, whose interval takes the rows, W_INTERVALS says that there is none.
    assert {told.code for told in elsewhere.warnings} - {"W_INTERVALS"} == {told.code for told in memory.warnings}
    for ours, theirs in zip(elsewhere.comparisons, memory.comparisons, strict=True):
        for name, known in theirs.details["groups"].items():
            assert ours.details["groups"][name] == (
                pytest.approx(known, rel=1e-9) if isinstance(known, float) else known
            )


def test_the_error_is_that_of_leaving_out_each_group():
    verdict = compare(ibis.memtable(ROWS), truth="y", models=["a", "b"], goal="brier", group="person", metrics="goal")
    truth, a, b, person = (ROWS[name].to_numpy() for name in ("y", "a", "b", "person"))
    apart = (a - truth) ** 2 - (b - truth) ** 2
    without = np.array([apart[person != each].mean() for each in np.unique(person)])
    groups = len(without)
    error = np.sqrt((groups - 1) / groups * ((without - without.mean()) ** 2).sum())
    assert verdict.comparisons[0].standard_error == pytest.approx(error, rel=1e-9)


def test_what_leaves_the_database_are_sums_of_groups(monkeypatch):
    fetched, fetch_table = [], database_source.fetch_table
    monkeypatch.setattr(
        "referee.predictions.database_queries.fetch_table",
        lambda query: fetched.append(fetch_table(query)) or fetched[-1],
    )
    compare(ibis.memtable(table(4000)), goal="roc_auc", metrics="goal", **TWO, **EQUAL)
    assert max(rows.num_rows for rows in fetched) <= 2 * 40


def test_many_groups_are_refused_with_what_to_do(monkeypatch):
    monkeypatch.setattr(database_source, "MOST_GROUPS", 39)
    with pytest.raises(UsageError, match="names 40 groups; inside a database up to 39") as refused:
        compare(ibis.memtable(ROWS), goal="accuracy", **TWO, **EQUAL)
    assert "ReadOptions(engine='memory')" in refused.value.hint
