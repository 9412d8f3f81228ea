"""What columns are taken for, in memory, in pieces and in a database: the same rows, and errors with their place."""

from __future__ import annotations

import sqlite3

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import referee
from referee.errors import RefereeError, UsageError
from referee.predictions import Predictions, ReadOptions, read_table
from referee.predictions.formats import is_pickle
from referee.predictions.text_files import quotes_are_regular
from tests.engines.test_stream_engine import assert_same, in_pieces, written

DRAW = np.random.default_rng(51)
ROWS = 60


def test_large_integers_that_are_equal_tie_and_others_are_refused():
    """2^60 and 2^60 + 1024 are floats of their own; 2^60 and 2^60 + 1 are not."""
    apart = [2**60, 2**60 + 1024, 5, 2**60 + 1024, 2**60 + 2048, 2**60 + 2048]
    known = Predictions.read({"y": [0, 1] * 3, "m": apart}, truth="y", models=["m"])
    assert known.model("m").scores.tolist() == [float(number) for number in apart]
    with pytest.raises(referee.RefereeError, match=r"row 2: .* in row 5 differ"):
        Predictions.read({"y": [0, 1] * 3, "m": [7, 2**60 + 1, 8, 9, 2**60, 1]}, truth="y", models=["m"])


def test_zeros_and_ones_mean_the_same_for_all_models():
    """As labels, 0 is the positive class here; beside scores of it, 1 is a score."""
    truth, bits = [0, 1] * 5, [0.0, 1.0, 1.0, 0.0, 0.0] * 2
    alone = Predictions.read({"y": truth, "b": bits}, truth="y", positive=0)
    assert alone.model("b").labels is not None
    beside = Predictions.read({"y": truth, "b": bits, "a": [0.1, 0.9, 0.3, 0.7, 0.2] * 2}, truth="y", positive=0)
    assert beside.model("b").labels is None
    right = np.mean((np.array(bits) >= 0.5) == (np.array(truth) == 0))
    assert referee.evaluate(beside, "accuracy")["b", "accuracy"].value == right


def test_columns_of_classes_are_found_by_their_names():
    names = ("cat", "dog", "eel")
    shares = {model: DRAW.dirichlet(np.ones(3), ROWS) for model in ("m", "n:1")}
    truth = DRAW.choice(names, ROWS)
    columns = {f"{model}:{name}": shares[model][:, place] for model in shares for place, name in enumerate(names)}
    scores = referee.evaluate({"y": truth, **columns}, truth="y", metrics="accuracy")
    assert scores.predictions.names == ("m", "n:1")
    for model, said in shares.items():
        expected = np.mean(np.array(names)[said.argmax(axis=1)] == truth)
        assert scores[model, "accuracy"].value == pytest.approx(expected)


def test_the_ends_of_an_interval_are_quantiles_once_its_level_is_said():
    truth = DRAW.normal(size=ROWS)
    table = {"y": truth, "m:lower": truth - 1.0, "m:upper": truth + DRAW.normal(0.5, 1, ROWS).clip(-0.9)}
    found = referee.evaluate(table, truth="y", interval=0.8, metrics="coverage, interval_width")
    assert found["m", "interval_coverage"].value == pytest.approx(np.mean(table["m:upper"] >= truth))
    assert found["m", "interval_width"].value == pytest.approx(np.mean(table["m:upper"] - table["m:lower"]))
    with pytest.raises(referee.RefereeError):
        referee.evaluate(table, truth="y", metrics="interval_score")


@pytest.mark.parametrize("rows", [7, 1000])
def test_decisions_of_their_own_in_pieces(tmp_path, rows):
    """They count, not the scores' threshold."""
    truth, scores = DRAW.integers(0, 2, ROWS), DRAW.random(ROWS)
    said = DRAW.integers(0, 2, ROWS)
    source = written(tmp_path / "rows.parquet", {"y": truth, "m": scores, "said": said})
    scored = assert_same(
        source, asked=["accuracy", "roc_auc"], truth="y", models=["m"], labels={"m": "said"}, positive=1, rows=rows
    )
    assert scored["m", "accuracy"].value == np.mean(said == truth)


def test_a_label_that_only_the_last_rows_have(tmp_path):
    truth = np.array(["a", "b"] * 25 + ["c"] * 3)
    said = np.array(["a"] * 50 + ["c", "d", "c"])
    source = written(tmp_path / "rows.parquet", {"y": truth, "m": said})
    roles = {"truth": "y", "models": ["m"], "labels": {"m": "m"}, "classes": list("abcd")}
    scored = assert_same(source, asked=["accuracy"], rows=9, **roles)
    assert scored.predictions.classes == ("a", "b", "c", "d")
    assert scored["m", "accuracy"].value == pytest.approx(np.mean(truth == said))


@pytest.mark.parametrize(
    ("cell", "words"), [("", "row 31"), ("nan", "row 31"), ("oops", "row 31"), ("0.5,1", r"row 31 \(line 32\)")]
)
def test_a_bad_cell_is_named_with_its_row_whatever_is_left_out(tmp_path, cell, words):
    """Rows before it that do not count are counted all the same; pieces say what the whole says."""
    path = tmp_path / "rows.csv"
    lines = [f"{'?' if n % 4 == 0 else n % 2},{cell if n == 31 else n / 100}" for n in range(1, 41)]
    path.write_text("\n".join(["y,m", *lines, ""]))
    roles = {"truth": "y", "models": ["m"], "drop_label": "?", "positive": 1}
    for read in (Predictions.read, lambda *given, **said: in_pieces(*given, 6, **said)):
        with pytest.raises(referee.RefereeError, match=words):
            referee.evaluate(read(path, **roles), "brier")


@pytest.mark.parametrize(
    ("text", "regular"),
    [('"a",b', True), ('"a"b,c', False), ('a,"b"\n"c",d', True), ('a,b"c"', False), ('"a,b', False), ("a,b", True)],
)
def test_quotes_around_whole_cells(text, regular):
    assert quotes_are_regular(text.encode(), b",", 0) is regular
    assert quotes_are_regular(b"x,y\n" + text.encode(), b",", 4) is regular


@pytest.mark.parametrize("text", ["cos\nsystem\n(S'ls'\ntR.", "(cos\nsystem\nS'ls'\no."])
def test_pickles_of_text_are_told_from_tables_that_begin_alike(text):
    assert is_pickle(text.encode())
    for table in (f"{text[:-1]}\n0.5,x\n", "cos\nsystem\n", "cat\ndog\n1\n2\n", "cos\nsystem\n0.5\n"):
        assert not is_pickle(table.encode()), table


def test_kinds_may_not_change_between_blocks_of_a_database(tmp_path, monkeypatch):
    monkeypatch.setattr("referee.predictions.cursor_rows.ROWS_AT_ONCE", 2)
    path = tmp_path / "rows.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (m)")
        connection.executemany("insert into t values (?)", [(1.5,), (2,), (None,), (3,), (None,), ("x",)])
    with pytest.raises(referee.RefereeError, match=r"'m'.*row 6.*x"):
        read_table(f"sqlite:///{path}#t")


SEEDS = {"task": "scores", "id": "id", "model_column": "model", "score_column": "score", "seed_column": "seed"}


class TestScoreTables:
    def rows(self, *, without=None):
        cells = [(item, seed, model) for item in "abc" for seed in (1, 2) for model in ("m", "n")]
        cells = [cell for cell in cells if cell != without]
        columns = dict(zip(("id", "seed", "model"), map(list, zip(*cells, strict=True)), strict=True))
        return columns | {"score": [ord(item) + seed + (model == "n") for item, seed, model in cells]}

    def test_an_item_without_one_of_the_seeds_is_named_or_left_out(self):
        table = self.rows(without=("b", 2, "n"))
        with pytest.raises(referee.RefereeError, match="'n' has no score for item b with seed 2"):
            referee.evaluate(table, **SEEDS)
        left = referee.evaluate(table, **SEEDS, on_missing="drop")
        assert left.predictions.rows == 2
        assert left["m", "mean"].value == pytest.approx((ord("a") + ord("c")) / 2 + 1.5)

    @pytest.mark.parametrize("roles", [{"dataset": "bench"}, {"dataset": "bench", "fold": "f"}, {"id": "bench"}])
    def test_data_sets_have_the_name_of_their_column(self, roles):
        table = {"bench": list("ppqqrr"), "f": [1, 2] * 3, "m": [1.0, 2, 3, 4, 5, 6], "n": [2.0, 2, 2, 2, 2, 2]}
        if "fold" not in roles:
            table = {name: column[::2] for name, column in table.items()}
        known = referee.evaluate(table, task="scores", rows="datasets", models=["m", "n"], **roles).predictions
        assert list(known.slices) == ["bench"]
        assert known.slices["bench"].names == ("p", "q", "r")

    def test_folds_of_items_are_kept(self):
        table = {"item": list("abcdef"), "f": [1, 1, 2, 2, 3, 3], "m": [1.0, 2, 3, 4, 5, 6], "n": [2.0] * 6}
        known = referee.evaluate(table, task="scores", rows="items", id="item", fold="f", models=["m", "n"])
        assert known.predictions.fold.names == ("1", "2", "3")
        by_fold = {row.unit: row.value for row in known.rows if row.model == "m" and row.unit not in (None, "mean")}
        assert by_fold == pytest.approx({"1": 1.5, "2": 3.5, "3": 5.5})


class TestDatabase:
    """Rows that stay in DuckDB."""

    @pytest.fixture
    def connection(self):
        with duckdb.connect() as connection:
            connection.execute(
                "create table t as select 1000 + n as id, (n * 37 % 101) / 10.0 as y, (n * 53 % 97) / 10.0 as m,"
                " case when n % 3 = 0 then 'x' else 'y' end as place, n % 4 as w from range(150) r(n)"
            )
            yield connection

    @pytest.mark.parametrize("roles", [{"id": "id"}, {"weight": "w", "by": ("place",)}])
    def test_numbers(self, connection, roles):
        asked = ["mae", "rmse", "r2", "correlation"]
        options = {"truth": "y", "models": ["m"], "task": "regression"} | roles
        found, memory = (
            referee.evaluate(
                Predictions.read(source, **options, options=ReadOptions(engine=engine)), asked, by=roles.get("by", ())
            )
            for source, engine in ((connection.table("t"), "database"), (connection.table("t").fetchnumpy(), "memory"))
        )
        assert (found.predictions.engine, memory.predictions.engine) == ("database", "memory")
        for mine, theirs in zip(found.rows, memory.rows, strict=True):
            assert (mine.slice, mine.value) == (theirs.slice, pytest.approx(theirs.value, rel=1e-9)), theirs
        rows = connection.table("t").fetchnumpy()
        expected = np.average(np.abs(rows["y"] - rows["m"]), weights=rows["w"] if "weight" in roles else None)
        assert found["m", "mae"].value == pytest.approx(expected, rel=1e-12)

    def test_bad_cells_are_named_by_their_id(self, connection):
        bad = connection.sql("select id, y, case when id in (1007, 1030) then 'nan'::double else m end as m from t")
        options = ReadOptions(engine="database")
        with pytest.raises(RefereeError, match=r"column 'm', id 1007: nan \(2 rows\)"):
            referee.evaluate(bad, truth="y", task="regression", models=["m"], id="id", metrics="mae", options=options)

    def test_evaluate_leaves_the_rows_there(self, connection):
        options = ReadOptions(engine="database")
        scores = referee.evaluate(connection.table("t"), truth="y", models=["m"], metrics="mae", options=options)
        assert scores.predictions.engine == "database"


def test_a_table_without_its_truth_is_asked_by_the_names_of_its_columns():
    columns = {"y": [0, 1, 0], "a": [0.1, 0.2, 0.3]}
    for table in (pa.table(columns), pa.table(columns).to_pandas()):
        with pytest.raises(referee.RefereeError, match="which column of 'y' and 'a' holds the truth"):
            referee.compare(table, goal="roc_auc")


def test_a_wrong_probability_has_the_row_of_its_file_where_rows_are_dropped(tmp_path):
    labels = ["?" if row % 4 == 0 else "ab"[row % 2] for row in range(1, 41)]
    scores = [1.5 if row == 31 else 0.5 for row in range(1, 41)]
    rows = "".join(f"{label},{score}\n" for label, score in zip(labels, scores, strict=True))
    (tmp_path / "p.csv").write_text("y,m\n" + rows)
    options = {"truth": "y", "models": ["m"], "positive": "a", "drop_label": "?", "metrics": "brier"}
    with pytest.raises(RefereeError, match=r"column 'm', row 31 is 1\.5, outside"):
        referee.evaluate(tmp_path / "p.csv", **options)


@pytest.mark.parametrize("given", [(["a", "b"] * 5,), ()])
def test_classes_as_one_text_are_not_taken_apart(given, tmp_path):
    (tmp_path / "p.csv").write_text("y,m\n" + "a,0.2\nb,0.7\n" * 5)
    source = (*given, {"m": [0.2, 0.7] * 5}) if given else (tmp_path / "p.csv",)
    options = {} if given else {"truth": "y"}
    with pytest.raises(UsageError, match="is one text") as caught:
        referee.evaluate(*source, **options, classes="a,b", positive="b")
    assert caught.value.hint == "use classes=['a', 'b']"
