"""Comparing inside a database gives the verdict of memory, and what R and SciPy give; only sums leave it."""

from __future__ import annotations

import json

import duckdb
import ibis
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from scipy.stats import ttest_rel

from benchmarks.engines import AMOUNTS, AVERAGES, THREE, TWO, WITH_ROLES, case_of, compared, table
from referee import metrics
from referee.comparing import compare, contest_of, gate, why_rows
from referee.comparing.checks import against_guessing
from referee.errors import RefereeError
from referee.predictions import Predictions, database_queries, quoted

ROWS = table(600)
NAMES = [name for name, metric in metrics.items() if (roles := case_of(metric)) and not why_rows(metric, roles)]
READ = [name for name, metric in metrics.items() if (roles := case_of(metric)) and why_rows(metric, roles)]


def agrees(goal, **roles):
    memory, database, largest = compared(ROWS, goal, **roles)
    assert database.predictions.engine == "database"
    assert max(largest.values()) <= 1e-9, largest
    assert database.sentence == memory.sentence
    assert (database.outcome, database.winners, database.tiers) == (memory.outcome, memory.winners, memory.tiers)
    assert database.better_than_guessing == memory.better_than_guessing
    return memory, database


@pytest.mark.parametrize("name", NAMES)
def test_every_metric(name):
    agrees(name, **case_of(metrics[name]))


def test_few_metrics_read_rows():
    assert sorted(READ) == [
        "hand_till", "median_ae", "paper_average", "probability_rae", "probability_rrse", "rae", "rrse",
    ]  # fmt: skip


@pytest.mark.parametrize("roles", [pytest.param(roles, id=case) for case, roles in WITH_ROLES])
def test_roles_of_rows(roles):
    for goal in ("f1", "roc_auc"):
        agrees(goal, **TWO, **roles)


@pytest.mark.parametrize("goal", AVERAGES)
def test_three_classes(goal):
    agrees(goal, **THREE)


def test_margins_and_calls_and_tails():
    memory, database = agrees("precision", **TWO, margin=0.05)
    assert [one.details["calls"] for one in database.comparisons] == [
        one.details["calls"] for one in memory.comparisons
    ]
    memory, database = agrees("rmse", **AMOUNTS, weight="w", weight_kind="frequency")
    tails, expected = (one.comparisons[0].details["tails"] for one in (database, memory))
    assert tails["difference"] == pytest.approx(expected["difference"], rel=1e-9)
    assert tails["models"] == pytest.approx(expected["models"], rel=1e-9)


@pytest.mark.parametrize("factor", [1e70, 1e-70])
def test_extreme_numbers(factor):
    amounts = {name: ROWS[name].to_numpy() * factor for name in ("amount", "near", "far")}
    memory, database, largest = compared(pa.table(amounts), "rmse", **AMOUNTS)
    assert database.predictions.engine == "database" and memory.sentence == database.sentence
    assert max(largest.values()) <= 1e-9


def test_equal_models_tie_exactly():
    rows = ROWS.append_column("same", ROWS["a"])
    for goal in ("accuracy", "roc_auc"):
        verdict = compare(ibis.memtable(rows), truth="y", models=["a", "same"], goal=goal)
        assert (verdict.outcome, verdict.comparisons[0].p, verdict.comparisons[0].difference) == ("tie", 1.0, 0.0)


@pytest.fixture
def stored(tmp_path):
    """A file of DuckDB with a table."""

    def store(rows, name="preds"):
        path = tmp_path / "preds.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.register("given", rows)
            connection.execute(f"CREATE TABLE {quoted(name)} AS SELECT * FROM given")
        return path

    return store


def test_delong_of_r(referee, reference, stored):
    (expected,) = json.loads((reference / "r/proc_and_paired.json").read_text())["pairs"]
    path = stored(pa.csv.read_csv(reference / "r" / expected["input"]))
    asked = ("--truth", "y", "--models", "score_a,score_b", "--goal", "roc_auc", "--test", "delong")
    result = referee("compare", path, "--table", "preds", *asked).json
    found, delong = result["comparisons"][0], expected["delong_paired"]
    assert found["statistic"] == pytest.approx(delong["Z"], rel=1e-10)
    assert found["p"] == pytest.approx(delong["p.value"], rel=1e-10)
    assert [found["low"], found["high"]] == pytest.approx(delong["conf.int"], rel=1e-10)
    assert "W_ROWSREAD" not in {told["code"] for told in result["warnings"]}
    errors = [score["standard_error"] ** 2 for score in result["scores"] if score["class"] is None]
    assert errors == pytest.approx([expected[name]["delong_var"] for name in ("auc_a", "auc_b")], rel=1e-9)


@pytest.mark.parametrize("roles", [TWO, THREE, TWO | {"fold": "fold"}], ids=["two", "three", "folds"])
@pytest.mark.parametrize("method", ["exact", "mid_p", "asymptotic"])
def test_mcnemar_takes_counts(roles, method):
    asked = {"goal": "accuracy", "test": f"mcnemar(method={method})", "metrics": "goal", **roles}
    memory, database = (compare(rows, **asked) for rows in (ROWS, ibis.memtable(ROWS)))
    assert database.predictions.engine == "database" and database.sentence == memory.sentence
    for one, other in zip(database.comparisons, memory.comparisons, strict=True):
        assert (one.p, one.low, one.high, one.units) == (other.p, other.low, other.high, other.units)
        assert one.details["both_right"] == other.details["both_right"]


def test_mcnemar_of_r(referee, reference, stored):
    (expected,) = json.loads((reference / "r/proc_and_paired.json").read_text())["pairs"]
    path = stored(pa.csv.read_csv(reference / "r" / expected["input"]))
    asked = ("--truth", "y", "--models", "score_a,score_b", "--goal", "accuracy", "--test", "mcnemar")
    labels = ("--label", "score_a=pred_a", "--label", "score_b=pred_b")
    result = referee("compare", path, "--table", "preds", *asked, *labels).json
    assert result["comparisons"][0]["p"] == pytest.approx(expected["mcnemar_exact_binom"]["p.value"], rel=1e-9)
    assert "W_ROWSREAD" not in {told["code"] for told in result["warnings"]}


@pytest.mark.parametrize("role", [{"weight": "w"}, {"group": "person"}])
def test_mcnemar_refuses_weights_and_groups_before_anything_is_asked(monkeypatch, role):
    predictions = Predictions.read(ibis.memtable(ROWS), truth="y", models=["a", "b"], **role)
    monkeypatch.setattr(database_queries, "fetch_table", None)
    with pytest.raises(RefereeError, match="neither weights nor rows that belong together"):
        compare(predictions, "accuracy", test="mcnemar")


@pytest.mark.parametrize("goal", ["accuracy", "brier", "mae"])
def test_means_are_paired_t_tests_of_scipy(goal):
    columns = {name: ROWS[name].to_numpy() for name in ("y", "a", "b", "amount", "near", "far")}
    truth = columns["y"]
    terms = {
        "accuracy": [(columns[name] >= 0.5) == (truth == 1) for name in "ab"],
        "brier": [(columns[name] - truth) ** 2 for name in "ab"],
        "mae": [abs(columns[name] - columns["amount"]) for name in ("near", "far")],
    }[goal]
    roles = AMOUNTS if goal == "mae" else TWO | {"models": ["a", "b"]}
    (found,) = compare(ibis.memtable(ROWS), goal=goal, **roles).comparisons
    assert found.statistic == pytest.approx(ttest_rel(*(term.astype(float) for term in terms)).statistic, rel=1e-9)


def test_gate_in_a_file(referee, stored):
    path = stored(ROWS, name='a "table"')
    asked = ("--truth", "y", "--goal", "roc_auc", "--production", "b", "--candidate", "a", "--margin", "0.02")
    found = referee("gate", path, "--models", "a,b", *asked)
    expected = gate(ROWS, truth="y", models=["a", "b"], goal="roc_auc", production="b", candidate="a", margin=0.02)
    assert found.json["gate"]["sentence"] == expected.sentence
    assert found.code == (0 if expected.passed else 1)


def test_reading_rows_is_said(referee, stored):
    asked = ("--truth", "y", "--models", "a,b", "--goal", "roc_auc", "--test", "bootstrap")
    told = {one["code"]: one["message"] for one in referee("compare", stored(ROWS), *asked).json["warnings"]}
    assert told["W_ROWSREAD"] == "all 600 rows were read from the database: Paired bootstrap draws rows"


def test_rows_that_do_not_fit_are_refused_before_they_are_read(referee, stored):
    path = stored(table(40_000))
    asked = ("--truth", "y", "--models", "a,b", "--goal", "roc_auc", "--max-memory", "1MB")
    refused = referee("compare", path, *asked, "--test", "permutation")
    error = refused.json["error"]
    assert error["code"] == "E_TOOBIG" and "40,000 rows" in error["message"]
    assert error["message"].endswith("read where sums are not enough: Permutation test draws rows")
    assert referee("compare", path, *asked).json["verdict"]["outcome"]


@pytest.fixture
def asked(monkeypatch):
    """What is fetched from the database from now on."""
    answers, fetch_table = [], database_queries.fetch_table

    def fetched(query):
        answers.append((query, fetch_table(query)))
        return answers[-1][1]

    monkeypatch.setattr(database_queries, "fetch_table", fetched)
    return answers


@pytest.mark.parametrize("goal", ["roc_auc", "average_precision", "calibration_error", "log_loss", "f1"])
def test_only_sums_leave_the_database(asked, goal):
    predictions = Predictions.read(ibis.memtable(table(20_000)), **TWO)
    asked.clear()
    compare(predictions, goal)
    sizes_of_losses = 400 if goal == "log_loss" else 0
    assert max(answer.num_rows for _, answer in asked) <= max(16, sizes_of_losses)
    assert sum(answer.nbytes for _, answer in asked) < 10_000 + 50 * sizes_of_losses


@pytest.mark.parametrize("dialect", ["postgres", "snowflake", "bigquery", "clickhouse", "trino"])
def test_other_databases_are_asked_in_their_language(asked, dialect):
    predictions = Predictions.read(ibis.memtable(ROWS), **TWO, weight="w")
    for goal in ("roc_auc", "log_loss", "mcc"):
        compare(predictions, goal)
    for query, _ in asked:
        sql = str(ibis.to_sql(query.unbind(), dialect=dialect)).upper()
        assert sql.lstrip().startswith(("SELECT", "WITH")) and "CREATE" not in sql


def test_a_formula_that_steps_cannot_follow_is_refused():
    odd = metrics["murphy_resolution"].bind(bins=None)
    predictions = Predictions.read(ibis.memtable(ROWS), **TWO)
    with pytest.raises(RefereeError) as caught:
        compare(predictions, odd)
    assert caught.value.code == "E_ROWS" and "engine='memory'" in caught.value.hint


def test_what_is_not_checked_is_said():
    reasons = compare(ibis.memtable(ROWS), goal="roc_auc", **TWO).reasons
    assert any(reason.startswith("not checked") and "neighbouring rows" in reason for reason in reasons)
    assert not any(reason.startswith("not checked") for reason in compare(ROWS, goal="roc_auc", **TWO).reasons)


def test_hostile_names():
    rows = pa.table({'y"': ROWS["y"], "phi0": ROWS["a"], "score": ROWS["b"], "truth": ROWS["c"]})
    roles = {"truth": 'y"', "models": ["phi0", "score", "truth"]}
    for goal in ("roc_auc", "log_loss"):
        found, expected = (compare(source, goal=goal, **roles) for source in (ibis.memtable(rows), rows))
        assert found.sentence == expected.sentence
        assert np.allclose([one.p for one in found.comparisons], [one.p for one in expected.comparisons], rtol=1e-9)


@pytest.mark.parametrize("goal", ["f1", "roc_auc", "log_loss", "lift"])
def test_against_guessing(goal):
    """From the sums of the best model alone, as a guess adds the same for all rows of a class."""
    contests = [contest_of(Predictions.read(source, **TWO), metrics[goal]) for source in (ROWS, ibis.memtable(ROWS))]
    expected, found = (against_guessing(contest, contest.order[0]) for contest in contests)
    assert found.p == pytest.approx(expected.p, rel=1e-9, abs=0)
    assert (found.better, found.guess) == (expected.better, expected.guess)
