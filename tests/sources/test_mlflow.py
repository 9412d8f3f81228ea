"""Runs of MLflow, kept by the package itself in a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee import RefereeError, compare, history
from referee.errors import WriteError
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


TRUTH = [0, 1] * 50
MODELS = {"old": [0.2, 0.7] * 50, "new (β)/..": [0.1, 0.9] * 50, "new_(β)": [0.3, 0.9] * 50, "new (β)": [0.2, 0.9] * 50}


def runs_of(experiment):
    from mlflow import MlflowClient

    client = MlflowClient()
    return client, client.search_runs([client.get_experiment_by_name(experiment).experiment_id])


def test_verdicts_are_logged_once_with_values_sentence_page_and_json():
    verdict = compare(TRUTH, MODELS, goal="brier")
    assert verdict.save_to("mlflow://gates") is True
    assert verdict.save_to("mlflow://gates") is False
    assert compare(TRUTH, MODELS, goal="brier").save_to("mlflow://gates") is False
    client, (run,) = runs_of("gates")
    assert (run.info.run_name, run.info.status) == ("compare: brier", "FINISHED")
    # By hand: (0.04 + 0.09) / 2, 0.01, (0.09 + 0.01) / 2 and (0.04 + 0.01) / 2; names in the letters that MLflow takes.
    brier = {name: value for name, value in run.data.metrics.items() if name.startswith("brier")}
    expected = {"brier/old": 0.065, "brier/new _β__": 0.01, "brier/new__β_": 0.05, "brier/new _β_": 0.025}
    assert brier == pytest.approx(expected)
    assert run.data.metrics["accuracy/old"] == 1
    assert run.data.tags["mlflow.note.content"] == verdict.sentence
    kept = json.loads(_text(client, run, "verdict.json"))
    assert kept["verdict"]["sentence"] == verdict.sentence
    page = _text(client, run, "verdict.html")
    assert "0.0650" in page
    assert page.startswith("<!doctype html>")
    assert page.endswith("</html>")


def _text(client, run, name):
    return Path(client.download_artifacts(run.info.run_id, name)).read_text(encoding="utf-8")


def test_equal_names_are_numbered():
    same = {"a?": [0.2, 0.7] * 50, "a!": [0.1, 0.9] * 50}
    compare(TRUTH, same, goal="brier", metrics="goal").save_to("mlflow://gates")
    _, (run,) = runs_of("gates")
    assert run.data.metrics == pytest.approx({"brier/a_": 0.065, "brier/a_ 2": 0.01})


def test_history_of_an_experiment(referee, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("y,old,new\n" + "0,0.2,0.1\n1,0.7,0.9\n" * 50)
    about = ("--truth", "y", "--save-to", "mlflow://cars")
    for goal in ("brier", "log_loss", "brier"):
        assert referee("compare", rows, "--goal", goal, *about).code == 0
    asked = ("--goal", "brier", "--production", "old", "--candidate", "new", "--margin", "0.01")
    assert referee("gate", rows, *asked, *about).code == 0
    shown = referee("history", "mlflow://cars").json
    said = [(verdict["command"], verdict["goal"], verdict["look"]) for verdict in shown["verdicts"]]
    assert said == [("compare", "brier", 1), ("compare", "log_loss", 2), ("gate", "brier", 3)]
    assert {pair["winner"] for pair in shown["pairs"]} == {"new"}
    # The runs that others logged there are compared as before.
    assert compare("mlflow://cars#acc", fold="step", test_fraction=0.2).values == pytest.approx(SCORES)


def test_a_verdict_that_was_not_logged_whole_is_not_there(monkeypatch):
    from mlflow import MlflowClient

    def stopped(*_):
        raise KeyboardInterrupt

    verdict = compare(TRUTH, MODELS, goal="brier")
    with monkeypatch.context() as patched:
        patched.setattr(MlflowClient, "log_text", stopped)
        with pytest.raises(KeyboardInterrupt):
            verdict.save_to("mlflow://gates")
    assert runs_of("gates")[1] == []
    with pytest.raises(RefereeError, match="holds no verdict"):
        history("mlflow://gates")
    assert verdict.save_to("mlflow://gates")


def test_where_no_verdict_can_be_kept(referee, tmp_path):
    import mlflow

    rows = tmp_path / "rows.csv"
    rows.write_text("y,a\n0,0.1\n1,0.9\n")
    for address, code in {
        "mlflow://cars#acc": "E_ADDRESS",
        "mlflow://": "E_ADDRESS",
        "mlfow://cars": "E_ADDRESS",
    }.items():
        found = referee("compare", rows, "--truth", "y", "--goal", "brier", "--save-to", address)
        assert (found.code, found.json["error"]["code"]) == (2, code)
    with pytest.raises(RefereeError, match="no experiment 'gate'"):
        history("mlflow://gate")
    mlflow.set_tracking_uri("nowhere://x")
    with pytest.raises(WriteError, match=r"mlflow://cars: .*nowhere"):
        compare(TRUTH, MODELS, goal="brier", metrics="goal").save_to("mlflow://cars")
