"""Runs of MLflow, kept by the package itself in a folder."""

from __future__ import annotations

import pytest

from referee import RefereeError, compare
from referee.predictions import read_table

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("logged_runs")]
SCORES = {"lr": 0.81, "rf": 0.856}
"""The means of what `logged_runs` has logged."""


def test_a_metric_at_each_step_is_a_score_of_each_fold(referee):
    found = referee("compare", "mlflow://cars#acc", "--fold", "step", "--test-fraction", "0.2")
    assert found.json["design"] == "splits"
    assert {name: found.value(name, "mean") for name in SCORES} == pytest.approx(SCORES)
    verdict = compare("mlflow://cars#acc", fold="step", test_fraction=0.2)
    assert verdict.values == pytest.approx(SCORES)


def test_what_a_step_is_has_to_be_said(referee):
    error = referee("compare", "mlflow://cars#acc").json["error"]
    assert error["code"] == "E_NOID" and "'step'" in error["hint"]


def test_a_logged_table_has_a_row_for_each_item():
    verdict = compare("mlflow://cars#answers.json", id="question")
    assert verdict.predictions.rows == 12
    # Of n = 0 ... 11: 2 n mod 3, and 3 n mod 3, which is never above 0.
    assert verdict.values == pytest.approx({"lr": 8 / 12, "rf": 0.0})


def test_runs_have_their_parameters_and_last_metrics():
    table = read_table("mlflow://cars")
    assert table.columns.select(["run", "params.model", "metrics.acc"]).to_pylist() == [
        {"run": "lr", "params.model": "lr", "metrics.acc": 0.81},
        {"run": "rf", "params.model": "rf", "metrics.acc": 0.84},
    ]


def test_what_is_not_there_is_named():
    for source, said in {
        "mlflow://card": "no experiment 'card'; did you mean 'cars'",
        "mlflow://cars#ac": "no metric 'ac'; did you mean 'acc'",
        "mlflow://cars#answer.json": "it has 'answers.json'",
    }.items():
        with pytest.raises(RefereeError, match=said):
            compare(source, id="step")
