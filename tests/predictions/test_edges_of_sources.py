"""What sources say of themselves, and what stays in a database: the same as when the rows are given as arrays."""

from __future__ import annotations

import json

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit

import referee
from referee.predictions import Predictions, ReadOptions, Units
from referee.predictions.given_scores import fold_scores
from referee.predictions.storage import narrow_type
from referee.predictions.told import with_told
from referee.predictions.unused_dates import date_notices
from tests.sources.refusals import refused

DRAW = np.random.default_rng(29)
ROWS = 90
CODES = DRAW.integers(0, 2, ROWS)
SCORES = np.round(0.3 * CODES + 0.7 * DRAW.random(ROWS), 3)
IN_DATABASE = ReadOptions(engine="database")


@pytest.fixture
def relation():
    with duckdb.connect() as connection:

        def made(**columns):
            connection.register("rows", pa.table(columns))
            return connection.sql("SELECT * FROM rows")

        yield made


class TestInPlace:
    @pytest.mark.parametrize("labels", [(0, 1), (3, 8)])
    def test_labels_of_any_whole_numbers(self, relation, labels):
        truth = np.array(labels)[CODES]
        rows = relation(y=truth, m=SCORES, fold=np.arange(ROWS) % 3)
        said = {"truth": "y", "models": ["m"], "fold": "fold", "positive": str(labels[1])}
        known = Predictions.read(rows, **said, options=IN_DATABASE)
        found = referee.evaluate(known, ["accuracy"])
        assert found["m", "accuracy"].value == pytest.approx(accuracy_score(CODES, SCORES >= 0.5))
        folds = {row.unit: row.value for row in found.rows if row.metric == "accuracy" and row.unit in ("0", "1", "2")}
        assert folds == pytest.approx({str(n): accuracy_score(CODES[n::3], SCORES[n::3] >= 0.5) for n in range(3)})

    @pytest.mark.parametrize("kind", ["float", "large", "decimal"])
    def test_columns_of_many_cells(self, relation, monkeypatch, kind):
        """More than are looked at one by one: floats, the smallest whole number there is, decimal fractions."""
        monkeypatch.setattr("referee.predictions.database_columns.MOST_CELLS", 8)
        scores = {
            "float": SCORES * 9,
            "large": np.concatenate([[-(2**63)], np.arange(ROWS - 1) * 3]),
            "decimal": pa.array(SCORES).cast(pa.decimal128(5, 3)),
        }[kind]
        rows = relation(y=CODES, m=scores)
        found = referee.evaluate(rows, truth="y", models=["m"], metrics="roc_auc", positive=1, options=IN_DATABASE)
        numbers = np.array(scores, float) if kind != "decimal" else SCORES
        assert found["m", "roc_auc"].value == pytest.approx(roc_auc_score(CODES, numbers))
        assert found.predictions.engine == "database"

    def test_a_score_beyond_is_named_without_a_row(self, relation):
        """A table of a database has no order."""
        rows = relation(y=CODES, m=np.where(np.arange(ROWS) == 7, 1.5, SCORES))
        known = Predictions.read(rows, truth="y", models=["m"], positive="1", options=IN_DATABASE)
        said = json.loads(referee.evaluate(known, "roc_auc").to_json())["read"]["models"]["m"]
        assert said["as"] == "scores"
        assert "1.5 is not a probability" in said.values()

    def test_too_many_groups_are_not_summed_there(self, relation, monkeypatch):
        monkeypatch.setattr("referee.predictions.database_source.MOST_GROUPS", 5)
        for groups in (5, 6):
            rows = relation(y=CODES, m=SCORES, g=np.arange(ROWS) % groups)
            asked = {"truth": "y", "models": ["m"], "group": "g", "positive": "1", "options": IN_DATABASE}
            if groups == 5:
                assert Predictions.read(rows, **asked).engine == "database"
                continue
            with refused("E_ROWS", "'g' names 6 groups", exit_code=2, hint="larger groups"):
                Predictions.read(rows, **asked)

    def test_a_query_is_for_a_file_or_an_address(self, relation, tmp_path):
        query = ReadOptions(sql="SELECT y, m FROM t WHERE m < 0.5")
        with refused("E_SQL", "DuckDBPyRelation", exit_code=2):
            referee.evaluate(relation(y=CODES, m=SCORES), truth="y", metrics="roc_auc", options=query)
        path = tmp_path / "rows.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.register("rows", pa.table({"y": CODES, "m": SCORES}))
            connection.execute("CREATE TABLE t AS SELECT * FROM rows")
        found = referee.evaluate(path, truth="y", models=["m"], metrics="roc_auc", positive=1, options=query)
        here = SCORES < 0.5
        assert found["m", "roc_auc"].value == pytest.approx(roc_auc_score(CODES[here], SCORES[here]))

    def test_tables_of_a_schema_have_its_name(self, tmp_path):
        path = tmp_path / "rows.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE SCHEMA other; CREATE TABLE t AS SELECT 1 AS y")
            connection.execute("CREATE TABLE other.t AS SELECT 2 AS y")
        with refused("E_TABLE", "'other.t' and 't'", exit_code=2):
            referee.evaluate(path, truth="y")


def test_what_holds_less_than_is_read_also_as_a_dictionary():
    for cells, kind in (
        (pa.array([2**60, 1]), "integers beyond 2^53"),
        (pa.array([0.5, 0.25], pa.float32()), "float32"),
        (pa.array([0.5, 0.25], pa.float16()), "float16"),
        (pa.array([0.5, 0.25]), None),
        (pa.array([2**53, 1]), None),
    ):
        assert narrow_type(pa.chunked_array([cells])) == kind
        if kind != "float16":  # of which Arrow makes no dictionary
            assert narrow_type(pa.chunked_array([cells.dictionary_encode()])) == kind


class TestToldByFiles:
    WEKA = "inst#,actual,predicted,error,prediction\n1,1:n,1:n,,0.8\n2,2:p,1:n,+,0.6\n"

    @pytest.fixture
    def files(self, tmp_path):
        for name in ("one", "two"):
            (tmp_path / f"{name}.csv").write_text(self.WEKA)
        return [str(tmp_path / f"{name}.csv") for name in ("one", "two")]

    def test_a_list_of_files_is_several_files(self, files):
        """In one list, or one after the other: the files say what their columns are."""
        (first, second), said = with_told((files,), {})
        apart, same = with_told(tuple(files), {})
        assert said == same
        assert {*said["labels"]} == {"one", "two"}
        assert [first.rows, second.rows] == [each.rows for each in apart] == [2, 2]

    def test_two_lists_are_a_truth_and_predictions(self):
        given = [0, 1, 1], [0.2, 0.9, 0.6]
        assert with_told(given, {}) == (given, {})
        assert with_told(([0, 1, 1],), {"truth": [0, 1, 1]}) == (([0, 1, 1],), {"truth": [0, 1, 1]})


@pytest.mark.parametrize(
    ("name", "cells", "is_said"),
    [
        ("timestamp", 1.7e9 + np.arange(ROWS), True),
        ("year", 1990 + np.arange(ROWS) % 30, True),
        ("age", np.arange(ROWS) % 70, False),
        ("day_of_birth", 19500101 + np.arange(ROWS), False),
        ("when", [f"2024-01-{1 + n % 28:02d}" for n in range(ROWS)], True),
        ("note", [f"2024-01-{1 + n % 28:02d}" for n in range(ROWS)], False),
    ],
)
def test_dates_without_a_role_are_pointed_out(name, cells, is_said):
    """By their name, as numbers too; others only where rows stand in their order."""
    table = {"y": CODES, "m": SCORES, name: cells}
    known = Predictions.read(table, truth="y", models=["m"], positive="1")
    said = [notice.message for notice in date_notices(known)]
    assert bool(said) is is_said
    assert all(repr(name) in message for message in said)


class TestFolds:
    """What scikit-learn's cross_validate gives back, for splits whose kind their rows tell."""

    def results(self, splitter, rows=60, **more):
        splits = [*splitter.split(np.zeros(rows))]
        indices = {"train": [train for train, _ in splits], "test": [test for _, test in splits]}
        return {
            name: {"test_score": DRAW.random(len(splits)), "indices": indices, **more} for name in ("a", "b")
        }, splits  # fmt: skip

    @pytest.mark.parametrize(
        ("splitter", "folds", "repeats"),
        [
            (KFold(5), 5, 1),
            (RepeatedKFold(n_splits=4, n_repeats=3, random_state=0), 4, 3),
            (ShuffleSplit(10, test_size=0.1, random_state=0), None, None),
        ],
    )
    def test_sizes_and_folds_are_those_of_the_splits(self, splitter, folds, repeats):
        results, splits = self.results(splitter)
        known = fold_scores(results, "accuracy")
        assert (known.scored.folds, known.scored.repeats) == (folds, repeats)
        assert known.scored.n_train.tolist() == [len(train) for train, _ in splits]
        assert known.scored.n_test.tolist() == [len(test) for _, test in splits]
        assert isinstance(known.fold, Units)
        assert known.fold.names == tuple(str(n + 1) for n in range(len(splits)))

    def test_sizes_that_are_said_count(self):
        results, _ = self.results(KFold(5))
        for model in results.values():
            del model["indices"]
        known = fold_scores(results, "accuracy", test_fraction=0.2)
        assert (known.scored.folds, known.scored.repeats) == (5, 1)

    def test_the_scorer_is_the_one_that_results_name(self):
        results, _ = self.results(KFold(5))
        assert [notice.code for notice in fold_scores(results, "f1").notices] == ["W_SCORER"]
        assert fold_scores(results, "accuracy").notices == ()
        assert fold_scores(results, "accuracy").notes != ()
        named = {name: {"test_f1": each["test_score"], "indices": each["indices"]} for name, each in results.items()}
        assert (fold_scores(named, "f1").notices, fold_scores(named, "f1").notes) == ((), ())
        assert [model.values.tolist() for model in fold_scores(named, "f1").models] == [
            each["test_score"].tolist() for each in results.values()
        ]


def test_scores_of_several_tables_are_matched_by_their_items():
    """In any order of rows, and with a third table that has its own."""
    names = np.array([f"item{n}" for n in range(12)])
    scores = {model: DRAW.random(12) for model in ("a", "b", "c")}
    tables = []
    for model, values in scores.items():
        order = DRAW.permutation(12)
        tables.append({"item": names[order].tolist(), "model": [model] * 12, "score": values[order].tolist()})
    said = {"task": "scores", "id": "item", "model_column": "model", "score_column": "score"}
    known = Predictions.read(*tables, **said)
    for model in known.models:
        mean = referee.evaluate(known)[model.name, "mean"].value
        assert mean == pytest.approx(scores[model.name].mean())
    (pair,) = referee.compare(*tables[:2], **said).comparisons
    each = scores[pair.a] - scores[pair.b]
    assert pair.standard_error == pytest.approx(each.std(ddof=1) / 12**0.5)


def test_a_cell_that_is_too_long_for_a_number_is_named_in_any_chunk():
    chunks = [pa.array(["1", "2", "1"]), pa.array(["3", "1" * 2000, "3"])]
    columns = pa.table({"y": [0, 1, 0, 1, 0, 1], "m": pa.chunked_array([each.dictionary_encode() for each in chunks])})
    with refused("E_NOTNUM", "row 5"):
        Predictions.read(columns, truth="y", models=["m"], positive="1")


def test_rows_of_each_side_are_counted():
    truth = ["pos"] * 4 + ["neg"] * 3 + ["mid"] * 2
    known = Predictions.read({"y": truth, "m": np.linspace(0, 1, 9)}, truth="y", models=["m"], positive="pos")
    said = json.loads(referee.evaluate(known, "roc_auc").to_json())["read"]
    assert (said["positive"], said["rest"]) == ({"pos": 4}, {"mid": 2, "neg": 3})
