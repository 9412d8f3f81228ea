"""Rankings of a server: the numbers of memory and of scikit-learn, from answers that are small."""

from __future__ import annotations

import ibis
import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from benchmarks.engines import AMOUNTS, THREE, table
from referee import Predictions, ReadOptions, evaluate
from referee.engines.database import summary
from referee.predictions import database_queries

ONE = {"truth": "y", "models": ["a"]}
RANKED = ["roc_auc", "average_precision", "ks", "lift", "partial_auc", "precision_at_recall", "calibration_error"]
CASES = {
    "two classes": (ONE, RANKED),
    "averages": (ONE, [f"roc_auc(average={average})" for average in ("macro", "weighted", "micro")]),
    "three classes": (THREE, ["roc_auc", "hand_till"]),
    "weights": (ONE | {"weight": "w"}, ["roc_auc", "ks", "lift"]),
    "numbers": (AMOUNTS, ["median_ae"]),
}


@pytest.fixture
def fetched(monkeypatch):
    """DuckDB is asked as a server is; the sizes of its answers."""
    monkeypatch.setattr(summary, "IN_PROCESS", set())
    sizes, fetch_table = [], database_queries.fetch_table

    def noted(query):
        answer = fetch_table(query)
        sizes.append(answer.nbytes)
        return answer

    monkeypatch.setattr(database_queries, "fetch_table", noted)
    return sizes


def evaluated(source, engine, roles, metrics):
    predictions = Predictions.read(source, **roles, options=ReadOptions(engine=engine))
    return {(row.model, row.metric, row.class_): row for row in evaluate(predictions, metrics=metrics).rows}


@pytest.mark.usefixtures("fetched")
@pytest.mark.parametrize("case", CASES)
def test_values_and_errors_are_those_of_memory(case):
    rows, (roles, metrics) = table(500), CASES[case]
    expected, found = (
        evaluated(source, engine, roles, metrics)
        for source, engine in ((rows, "memory"), (ibis.memtable(rows), "database"))
    )
    assert [*found] == [*expected]
    for place, row in expected.items():
        assert found[place].value == pytest.approx(row.value, rel=1e-9), place
        if case == "two classes":
            assert found[place].standard_error == pytest.approx(row.standard_error, rel=1e-9), place


def test_no_steps_are_fetched(fetched):
    draw = np.random.default_rng(5)
    truth = (draw.random(200_000) < 0.2).astype(int)
    score = 1 / (1 + np.exp(1.4 - 1.2 * truth - draw.normal(size=len(truth))))
    rows = ibis.memtable(pa.table({"y": truth, "a": score}))
    found = evaluated(rows, "database", ONE, RANKED[:3])
    false, true, _ = roc_curve(truth, score)
    assert found["a", "roc_auc", None].value == pytest.approx(roc_auc_score(truth, score), rel=1e-10)
    assert found["a", "average_precision", None].value == pytest.approx(
        average_precision_score(truth, score), rel=1e-10
    )
    assert found["a", "ks", None].value == pytest.approx((true - false).max(), rel=1e-10)
    assert sum(fetched) < 100_000
