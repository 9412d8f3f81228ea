"""Calls and columns at their edges: wrong calls, times, ties of few bits, samples, rows that stay in DuckDB."""

from __future__ import annotations

import datetime
import sqlite3
from types import SimpleNamespace

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import referee
from referee.errors import RefereeError
from referee.predictions import Predictions, ReadOptions, Roles, Table, read_table
from referee.predictions.batches import open_batches
from referee.predictions.column_facts import narrow_ties, outside
from referee.predictions.given import as_written
from referee.predictions.roles import assignments
from referee.predictions.state_sums import CellSums, _variables, bins_of
from referee.predictions.stream_source import stream_predictions
from referee.predictions.times import times
from referee.predictions.unused_dates import unused_dates
from referee.predictions.wrong_calls import _are_labels, no_truth, refuse_texts, wrong_arrays


def test_words_of_calls_as_they_were_written():
    frame = {"y": [0, 1], "a": [0.2, 0.9]}
    assert as_written([frame], {"truth": "y"})[0] == ["frame"]
    assert as_written([[0, 1], {"a": [0.2, 0.7]}], {})[0] == ["y", "models"]
    assert as_written([[0, 1], [0.2, 0.7], [0.1, 0.3]], {})[0] == ["y", "p_1", "p_2"]
    assert as_written(["a.csv", "b.csv"], {})[0] == ["'a.csv'", "'b.csv'"]
    assert as_written([["a.csv", "b.csv"]], {"truth": "y"})[0] == ["['a.csv', 'b.csv']"]


def test_words_of_wrong_calls(tmp_path):
    assert "of 'y' and 'a'" in str(no_truth("compare", [read_table({"y": [0], "a": [1]}).columns.to_pandas()]))
    assert "which column holds" in str(no_truth("compare", [__file__]))
    here = tmp_path / "a.csv"
    here.write_text("y,a\n0,1\n")
    with pytest.raises(referee.RefereeError, match="which is not a file"):
        refuse_texts("compare", [str(here), "roc_auc"], None)
    refuse_texts("compare", [str(here), str(here)], None)
    with pytest.raises(referee.RefereeError, match="'roc_auc', which is not a file"):
        refuse_texts("compare", [str(here), str(here), "roc_auc"], None)
    assert "which column holds" in str(no_truth("compare", [{"y": [0], "a": [1]}]))
    with pytest.raises(referee.RefereeError, match="named by keyword"):
        refuse_texts("compare", [read_table(here).columns.to_pandas(), "y"], None)
    for rest in ([[0], [1]], [[0]]):
        said = str(wrong_arrays("compare", ["tree", "logistic"], rest) or "")
        assert ("referee.select" in said) is (len(rest) == 2)


@pytest.mark.parametrize(
    ("values", "labels"),
    [([0, 1, 0], True), ([1, 2, 3], False), ([0.5, 1.0], False), (["a", "b"], True), ([7, 7], True), ([], False)],
)
def test_what_may_be_labels(values, labels):
    assert _are_labels(np.array(values)) is labels


def test_times_of_every_kind():
    day = datetime.date(1970, 1, 3)
    assert times(read_table({"t": [day, datetime.date(1970, 1, 1)]}), "t").tolist() == [2 * 86_400_000_000, 0]
    moment = datetime.datetime(1970, 1, 1, 0, 0, 5)
    assert times(read_table({"t": [moment]}), "t").tolist() == [5_000_000]
    assert times(read_table({"t": [3, 1]}), "t").tolist() == [3, 1]
    assert times(read_table({"t": [0.5, 1.5]}), "t").tolist() == [0.5, 1.5]
    assert times(read_table({"t": ["1970-01-02"]}), "t").tolist() == [86_400_000_000]


def test_ties_of_few_bits():
    near = np.array([0.5, np.nextafter(np.float32(0.5), 1, dtype=np.float32)], np.float32)
    apart = np.array([0.25, 0.5], np.float32)
    assert [narrow_ties(*given) for given in ((near, 3), (near, 2), (apart, 3))] == [2, None, None]


@pytest.mark.parametrize("interval", [0.0, 1.0, 1.5, -0.5])
def test_an_interval_holds_a_share(interval):
    with pytest.raises(referee.RefereeError, match="between 0 and 1"):
        Roles.of(truth="y", interval=interval)


def test_the_weight_of_one_row_is_kishs():
    weight = np.array([1.0, 3.0, 0.0, 0.5])
    for size in (1.0, 1e-200):
        known = Predictions.from_arrays([0, 1, 0, 1], {"m": [0.1, 0.2, 0.3, 0.4]}, weight=size * weight)
        expected = (weight**2).sum() / weight.sum() * size
        assert known.row_weight / known.weight_scale == pytest.approx(expected, rel=1e-12, abs=0)


def test_cells_with_the_same_key_are_added_up():
    keys, sums = np.array([9_000_000, 4, 9_000_000, 7]), np.array([[1], [2], [3], [4]])
    scores = np.array([0.9, 0.4, 0.8, 0.7])
    made = CellSums.of(keys, sums, scores, scores)
    assert (made.keys.tolist(), made.sums.ravel().tolist()) == ([4, 7, 9_000_000], [2, 4, 4])
    assert (made.low.tolist(), made.high.tolist()) == ([0.4, 0.7, 0.8], [0.4, 0.7, 0.9])


def test_variables_of_a_state_are_without_their_centres():
    x, y = np.array([1.0, 4.0]), np.array([2.0, 8.0])
    found = _variables([[x, y]], np.array([[0.5, 3.0]]))
    expected = [np.ones(2), x - 0.5, y - 3, (x - 0.5) ** 2, (x - 0.5) * (y - 3), (y - 3) ** 2]
    for column, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(column, wanted)


def test_a_block_of_a_database_without_any_value(tmp_path, monkeypatch):
    monkeypatch.setattr("referee.predictions.cursor_rows.ROWS_AT_ONCE", 2)
    path = tmp_path / "rows.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (m)")
        connection.executemany("insert into t values (?)", [(1.5,), (2,), (None,), (None,), (3.5,), (None,)])
    assert read_table(f"sqlite:///{path}#t").columns.column("m").to_pylist() == [1.5, 2, None, None, 3.5, None]


def test_samples_of_items_are_counted():
    frame = {"item": ["a", "a", "b", "b"], "s": [1, 2, 1, 2], "m": [1.0, 0.0, 1.0, 1.0], "n": [0.0, 0.0, 1.0, 0.0]}
    verdict = referee.evaluate(frame, task="scores", id="item", repeat="s", models=["m", "n"])
    notes = " ".join(verdict.predictions.notes)
    assert "2 samples of each item" in notes
    assert "2 to 2" not in notes
    assert verdict["m", "mean"].value == pytest.approx(0.75)


class TestInPlace:
    """Rows that stay in DuckDB, and come to the same."""

    @pytest.fixture
    def relation(self):
        connection = duckdb.connect()
        connection.execute(
            "create table t as select n as id, (n * 37 % 101) / 101.0 as m, (n * 53 % 97) / 97.0 as k,"
            " case when n % 9 = 0 then '?' when n % 2 = 0 then 'no' else 'yes' end as y from range(180) r(n)"
        )
        yield connection.table("t")
        connection.close()

    def read(self, relation, **roles):
        options = ReadOptions(engine="database")
        return Predictions.read(relation, truth="y", models=["m", "k"], positive="yes", options=options, **roles)

    def test_dropped_labels(self, relation):
        known = self.read(relation, drop_label="?")
        assert (known.engine, known.rows) == ("database", 160)
        found = referee.evaluate(known, ["roc_auc", "brier", "accuracy"])
        rows = relation.filter("y != '?'").fetchnumpy()
        memory = Predictions.from_arrays(rows["y"], {name: rows[name] for name in ("m", "k")}, positive="yes")
        same = referee.evaluate(memory, ["roc_auc", "brier", "accuracy"])
        for model in ("m", "k"):
            for metric in ("roc_auc", "brier", "accuracy"):
                assert found[model, metric].value == pytest.approx(same[model, metric].value, rel=1e-12)

    def test_a_cell_that_is_no_number_is_counted(self, relation):
        bad = relation.project("id, y, k, case when id in (7, 8) then 'nan'::double else m end as m")
        with pytest.raises(referee.RefereeError, match=r"column 'm'.*2 rows.*finite"):
            referee.evaluate(self.read(bad, drop_label="?", id="id"), "roc_auc")

    def test_ids_are_not_read_as_labels(self, relation):
        known = self.read(relation, drop_label="?", id="id")
        pair = referee.compare(known, goal="brier", metrics="goal").comparisons[0]
        rows = relation.filter("y != '?'").fetchnumpy()
        truth = rows["y"] == "yes"
        losses = {name: (rows[name] - truth) ** 2 for name in ("m", "k")}
        assert pair.difference == pytest.approx(losses[pair.a].mean() - losses[pair.b].mean())


def test_a_decision_far_down_that_is_no_label(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y,m\n" + "no,no\nyes,yes\n" * 20 + "no,maybe\n" + "yes,no\n" * 5)
    batches = open_batches(path, ReadOptions(), 5)
    with pytest.raises(referee.RefereeError, match="row 41"):
        known = stream_predictions(Predictions, batches, Roles.of(truth="y", positive="yes", labels={"m": "m"}), 10**8)
        referee.evaluate(known, "accuracy")


@pytest.mark.parametrize("text", ["A", "=column", "A=", "="])
def test_pairs_have_a_name_and_a_column(text):
    with pytest.raises(RefereeError, match="not of the form NAME=COLUMN"):
        assignments([text], "--model")


@pytest.mark.parametrize("metrics", ["roc_auc", ["roc_auc"], [3]])
def test_predictions_are_read_without_a_goal(metrics):
    with pytest.raises(RefereeError, match="entries of the catalogue") as caught:
        Predictions.from_arrays([0, 1], {"m": [0.25, 0.75]}, metrics=metrics)
    assert isinstance(caught.value, TypeError)
    assert ("compare(predictions, goal='roc_auc')" in caught.value.hint) == (metrics != [3])
    with pytest.raises(RefereeError, match="entries of the catalogue"):
        Predictions.read({"y": [0, 1], "m": [0.25, 0.75]}, truth="y", goal=metrics)
    given = referee.metrics["roc_auc"]
    assert Predictions.from_arrays([0, 1], {"m": [0.25, 0.75]}, metrics=given).task == "binary"


def test_the_first_score_beyond_is_named():
    predictions = Predictions.from_arrays([0, 1, 0, 1], {"m": [0.0, 0.5, 1.5, -2.0]}, positive=1)
    found = outside(predictions.models[0])
    assert (found.value, found.rows) == (1.5, 2)


def test_short_and_long_rows_have_their_own_hints(tmp_path):
    path = tmp_path / "rows.csv"
    for row, hint in (("1,0.5,0.5,9", "must be in quotes"), ("1,0.5", "cut off")):
        path.write_text(f"y,A,B\n0,0.25,0.5\n{row}\n")
        with pytest.raises(RefereeError, match="row 2") as caught:
            read_table(path)
        assert hint in caught.value.hint, caught.value.hint


def test_amounts_are_offered_where_labels_are_numbers():
    for truth, offered in (([1, 2, 3] * 4, True), (["a", "b", "c"] * 4, False)):
        with pytest.raises(RefereeError) as caught:
            referee.evaluate(truth, {"m": np.linspace(0, 1, 12)}, task="multiclass")
        assert ("choose rmse or mae" in caught.value.hint) == offered, caught.value.hint


def test_dates_are_looked_for_among_the_columns_that_are_left():
    table = Table("t", pa.table({"day": ["2024-01-01", "2024-01-02"], "night": ["2024-01-01", "2024-01-02"]}))
    source = SimpleNamespace(table=table)
    slices = SimpleNamespace(sources=[source])
    read = SimpleNamespace(account=SimpleNamespace(columns_left_out=["night"], head=None), slices=slices)
    assert [dates.name for dates in unused_dates(read)] == ["night"]


def test_bins_of_scores_above_one_rise():
    scores = np.array([1.0, 1.25, 1.5, 2.0, 4.0])
    assert (np.diff(bins_of(scores)) > 0).all()
