"""Runs of MLflow, kept by the package itself in a folder."""

from __future__ import annotations

import pytest

from referee import RefereeError, compare
from referee.predictions import read_table

mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed: pip install 'referee[mlflow]'")

pytestmark = pytest.mark.filterwarnings("ignore")
SCORES = {"lr": [0.80, 0.82, 0.79, 0.83, 0.81], "rf": [0.85, 0.86, 0.85, 0.88, 0.84]}


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"file:{tmp_path}/runs")
    mlflow.set_tracking_uri(f"file:{tmp_path}/runs")
    mlflow.set_experiment("cars")
    for name, scores in SCORES.items():
        with mlflow.start_run(run_name=name):
            mlflow.log_param("model", name)
            for step, score in enumerate(scores):
                mlflow.log_metric("acc", score, step=step)
            answers = [[f"q{n}", float((n * len(name) + (name == "rf") * n) % 3 > 0), "text"] for n in range(12)]
            mlflow.log_dict({"columns": ["question", "right", "answer"], "data": answers}, "answers.json")
    return tmp_path


def test_a_metric_at_each_step_is_a_score_of_each_fold(runs, referee):
    found = referee("compare", "mlflow://cars#acc", "--fold", "step", "--test-fraction", "0.2")
    assert found.json["design"] == "splits"
    assert {name: found.value(name, "mean") for name in SCORES} == pytest.approx({"lr": 0.81, "rf": 0.856})
    verdict = compare("mlflow://cars#acc", fold="step", test_fraction=0.2)
    assert verdict.values == pytest.approx({"lr": 0.81, "rf": 0.856})


def test_what_a_step_is_has_to_be_said(runs, referee):
    error = referee("compare", "mlflow://cars#acc").json["error"]
    assert error["code"] == "E_NOID" and "'step'" in error["hint"]


def test_a_logged_table_has_a_row_for_each_item(runs):
    verdict = compare("mlflow://cars#answers.json", id="question")
    assert verdict.predictions.rows == 12
    # Of n = 0 ... 11: 2 n mod 3, and 3 n mod 3, which is never above 0.
    assert verdict.values == pytest.approx({"lr": 8 / 12, "rf": 0.0})


def test_runs_have_their_parameters_and_last_metrics(runs):
    table = read_table("mlflow://cars")
    assert table.columns.select(["run", "params.model", "metrics.acc"]).to_pylist() == [
        {"run": name, "params.model": name, "metrics.acc": scores[-1]} for name, scores in SCORES.items()
    ]


def test_what_is_not_there_is_named(runs):
    for source, said in {
        "mlflow://card": "no experiment 'card'; did you mean 'cars'",
        "mlflow://cars#ac": "no metric 'ac'; did you mean 'acc'",
        "mlflow://cars#answer.json": "it has 'answers.json'",
    }.items():
        with pytest.raises(RefereeError, match=said):
            compare(source, id="step")
