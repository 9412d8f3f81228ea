"""Evaluating inside a database: the numbers of memory and of scikit-learn, from answers that are small."""

from __future__ import annotations

import duckdb
import ibis
import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score, roc_curve

from benchmarks.engines import AMOUNTS, THREE, table
from referee import Predictions, ReadOptions, evaluate
from referee.predictions import database_queries

ROWS = table(500)
ONE = {"truth": "y", "models": ["a"]}
RANKED = ["roc_auc", "average_precision", "ks", "lift", "partial_auc", "precision_at_recall", "calibration_error"]
CASES = {
    "each class and averages": (ONE, ["accuracy", "f1", "roc_auc", "average_precision(average=micro)", *RANKED[2:4]]),
    "averages": (ONE, [f"roc_auc(average={average})" for average in ("macro", "weighted", "micro")]),
    "three classes": (THREE, ["roc_auc", "average_precision(average=weighted)", "f1_macro", "hand_till"]),
    "probability weights": (ONE | {"weight": "w"}, ["accuracy", "brier", "roc_auc", "ks"]),
    "frequency weights": (ONE | {"weight": "w", "weight_kind": "frequency"}, ["f1", "brier", "roc_auc", "lift"]),
    "folds": (ONE | {"fold": "fold"}, ["accuracy", "log_loss", *RANKED]),
    "numbers": (AMOUNTS, ["rmse", "r2", "median_ae"]),
}
NUMBERS = ("value", "standard_error", "low", "high")


def evaluated(source, engine, roles, metrics, by=()):
    predictions = Predictions.read(source, **roles, by=by, options=ReadOptions(engine=engine))
    assert predictions.engine == engine
    scores = evaluate(predictions, metrics=metrics, by=by)
    return {(row.model, row.metric, row.class_, row.slice, row.unit): row for row in scores.rows}, scores


def agrees(roles, metrics, by=()):
    expected, _ = evaluated(ROWS, "memory", roles, metrics, by)
    found, scores = evaluated(ibis.memtable(ROWS), "database", roles, metrics, by)
    assert [*found] == [*expected]
    for place, row in expected.items():
        for name in NUMBERS:
            there, here = getattr(row, name), getattr(found[place], name)
            assert (here is None) == (there is None), (place, name)
            assert there is None or here == pytest.approx(there, rel=1e-9), (place, name)
    return scores


@pytest.mark.parametrize("case", CASES)
def test_values_errors_and_intervals_are_those_of_memory(case):
    scores = agrees(*CASES[case])
    assert "W_INTERVALS" not in {notice.code for notice in scores.notices}


def test_slices_are_those_of_memory():
    agrees(ONE, ["ks", "lift"], by=("region",))
    agrees(ONE | {"weight": "w"}, ["accuracy", "roc_auc"], by=("region",))


def test_what_has_no_interval_is_said():
    _, scores = evaluated(ibis.memtable(ROWS), "database", ONE, ["probability_rae", "roc_auc"])
    (notice,) = [notice for notice in scores.notices if notice.code == "W_INTERVALS"]
    assert "probability_rae" in notice.message and "roc_auc" not in notice.message


@pytest.fixture
def fetched(monkeypatch):
    """The sizes of all answers from now on."""
    sizes, fetch_table = [], database_queries.fetch_table

    def noted(query):
        answer = fetch_table(query)
        sizes.append(answer.nbytes)
        return answer

    monkeypatch.setattr(database_queries, "fetch_table", noted)
    return sizes


def test_a_million_continuous_scores_stay_where_they_are(fetched):
    rows, draw = 1_000_000, np.random.default_rng(5)
    truth = (draw.random(rows) < 0.2).astype(int)
    score = 1 / (1 + np.exp(1.4 - 1.2 * truth - draw.normal(0, 1, rows)))
    given = {"y": truth, "a": score}
    connection = duckdb.connect()
    connection.register("given", pa.table(given))
    connection.execute("CREATE TABLE preds AS SELECT * FROM given")
    scores = evaluate(connection.table("preds"), truth="y", models=["a"], metrics=[*RANKED[:3], "log_loss"])
    assert scores.predictions.engine == "database"
    false, true, _ = roc_curve(truth, score)
    expected = {
        "roc_auc": roc_auc_score(truth, score),
        "average_precision": average_precision_score(truth, score),
        "ks": (true - false).max(),
        "log_loss": log_loss(truth, score),
    }
    for name, value in expected.items():
        assert scores["a", name].value == pytest.approx(value, rel=1e-10)
        assert scores["a", name].standard_error > 0
    assert sum(fetched) < 1_000_000
