"""Reading at its edges: what labels, numbers and columns are taken for, in memory, in pieces and in a database."""

from __future__ import annotations

import csv
import io
import pickle
import sqlite3

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import referee
from referee.predictions import Predictions, ReadOptions, Roles, Table, read_table
from referee.predictions.batches import end_of_last_record, open_batches
from referee.predictions.cells import is_numeric, missing_rows, mostly_numeric, numbers
from referee.predictions.column_facts import facts_of_arrays
from referee.predictions.formats import is_pickle
from referee.predictions.id_like import _follows
from referee.predictions.locations import expanded
from referee.predictions.memory import size_text
from referee.predictions.roles import option_row
from referee.predictions.stream_source import stream_predictions
from referee.predictions.text_files import quotes_are_regular, record_at
from referee.predictions.truth import match_label
from referee.predictions.wrong_calls import right_call
from tests.sources.refusals import refused


def table(**columns):
    return Table("t", pa.table(columns))


def of(**columns):
    """Predictions of arrays by the names of their roles."""
    return Predictions.from_arrays(columns.pop("y"), {"m": columns.pop("m")}, **columns)


@pytest.mark.parametrize(
    ("labels", "positive", "classes"),
    [
        (["neg", "pos", "mid"], "pos", ("rest", "pos")),
        (["neg", "pos"], "pos", ("neg", "pos")),
        (["neg", "pos"], "neg", ("neg", "pos")),
        (["a", "b", "c"], ["a", "b"], ("c", "a,b")),
        (["a", "b", "c", "d"], ["a", "b"], ("rest", "a,b")),
        (["yes"], "yes", ("not yes", "yes")),
    ],
)
def test_the_positive_class_and_the_rest(labels, positive, classes):
    truth = labels * 4
    known = of(y=truth, m=np.linspace(0, 1, len(truth)), positive=positive)
    assert set(known.classes) == set(classes)
    wanted = [positive] if isinstance(positive, str) else positive
    assert (known.truth == known.positive).tolist() == [label in wanted for label in truth]


def test_every_label_cannot_be_positive():
    with refused("E_POSITIVE", "names every label", exit_code=2):
        of(y=["a", "b"] * 3, m=np.arange(6) / 6, positive=["a", "b"])


@pytest.mark.parametrize(
    ("label", "names", "match"),
    [
        ("1", ["0", "1"], "1"),
        ("1.0", ["0", "1"], "1"),
        ("x", ["0", "1"], None),
        ("01", ["1"], None),
        ("A", ["a"], None),
    ],
)
def test_a_label_by_its_text_or_its_number(label, names, match):
    assert match_label(label, names) == match


def test_sizes_for_people():
    sizes = [1023, 1024, 1536, 1024**2 - 1, 1024**2, 1024**3, 1024**4, 5000 * 1024**4]
    shown = ["1023 bytes", "1.0 KiB", "1.5 KiB", "1024.0 KiB", "1.0 MiB", "1.0 GiB", "1.0 TiB", "5,000.0 TiB"]
    assert [size_text(size) for size in sizes] == shown


def test_names_as_a_shell_takes_them():
    hidden = {"\x1b": r"\u001b", "\uffff": r"\uffff", "\U000e0001": r"\U000e0001", "\u202e": r"\u202e"}
    for letter, code in hidden.items():
        assert option_row([f"a{letter}'"]).startswith("$'")
        assert code in option_row([f"a{letter}'"])


def test_calls_that_would_be_right():
    assert right_call("compare", "scores").count("goal") == 0
    assert 'goal="roc_auc"' in right_call("compare", "arrays")
    assert right_call("evaluate", "arrays") == "referee.evaluate(y, p)"


@pytest.mark.parametrize(
    ("text", "regular"),
    [
        ('a,b\n"x",1\n', True),
        ('a,b\n"x ""y""",1\n', True),
        ('a,b\nx"y",1\n', False),
        ('a,b\n"x"y,1\n', False),
        ('a,b\n"x,1\n', False),
        ('"a","b"\n1,"2"', True),
        ("a,b\n1,2\n", True),
    ],
)
def test_quotes_that_a_fast_parser_may_read(text, regular):
    data = text.encode()
    assert quotes_are_regular(data, b",", 0) is regular
    if regular:
        header = record_at(data, b",", 0, 1)
        assert [field.decode() for field in header.fields] == next(csv.reader(io.StringIO(text)))


@pytest.mark.parametrize(
    "text", ['a,"b\nc",d\n1,2,3\nx,"y\nz', "a,b\n1,2\n3,4", 'a\n"b\n"\nc', "a\rb\rc", 'no "line\n']
)
def test_the_last_whole_row_of_a_piece(text):
    """As Python's parser has it: what comes after it is no whole row."""
    end = end_of_last_record(text.encode(), b",")
    whole = list(csv.reader(io.StringIO(text[:end], newline="")))
    everything = list(csv.reader(io.StringIO(text, newline="")))
    assert whole == everything[: len(whole)]
    assert len(everything) - len(whole) <= 1


def test_numbers_that_are_none():
    for cell, decimal, hint in (
        ("1,234", ".", "thousands"),
        ("1.5", ",", "'.' is not a decimal mark"),
        ("abc", ".", "plain number"),
        ("abc", ",", "plain number"),
    ):
        given = Table("t", pa.table({"m": ["1", cell]}), text=True, decimal=decimal)
        with refused("E_NOTNUM", "column 'm', row 2", repr(cell), hint=hint):
            numbers(given, "m")


def test_whole_numbers_that_floats_merge():
    apart = [2**53, 5, 2**53 + 2, 2**60]
    assert numbers(table(m=apart), "m").tolist() == [float(cell) for cell in apart]
    with refused("E_PRECISION", "'m'", "2", "4"):
        numbers(table(m=[1, 2**53 + 1, 7, 2**53]), "m")
    with refused("E_PRECISION", "'m'"):
        numbers(table(m=[-(2**53), 0, -(2**53) - 1]), "m")
    assert numbers(table(m=[2**53 + 1, 1, 2**53 + 1]), "m")[0] == 2.0**53  # the same number twice is no new tie


def test_cells_that_are_missing():
    assert missing_rows(pa.chunked_array([["a", None], [None, "b"]])) == (2, 2)
    assert missing_rows(pa.chunked_array([["a", "b"]])) is None
    assert missing_rows(pa.chunked_array([[" ", "b", ""]]))[1] == 2
    assert not is_numeric(table(m=["a", "b"]), "m")
    assert not mostly_numeric(table(m=["a", "b", "1"]), "m")


def test_facts_of_scores():
    truth, hard = [0, 1, 1, 0], [0.0, 1.0, 0.0, 1.0]
    known = of(y=truth, m=hard, positive=1)
    facts = facts_of_arrays(known, known.models[0])
    assert (facts.rows, facts.outside) == (4, None)
    of_truth = [p if y else 1 - p for y, p in zip(truth, hard, strict=True)]
    assert of_truth.count(0) == 2
    assert [getattr(facts, name) for name in vars(facts) if isinstance(getattr(facts, name), int)].count(2) >= 2
    soft = of(y=truth, m=[0.1, 0.9, 0.4, 1.0], positive=1)
    assert soft.models[0].scores.tolist() == [0.1, 0.9, 0.4, 1.0]


def test_scores_of_few_bits_tie():
    draw = np.random.default_rng(1)
    truth, scores = draw.integers(0, 2, 400), 0.5 + draw.random(400) / 2000
    halves = referee.evaluate(truth, {"m": scores.astype(np.float16)}, metrics="roc_auc")
    assert any("float16" in notice.message for notice in halves.notices)
    whole = referee.evaluate(truth, {"m": scores}, metrics="roc_auc")
    assert not any("float" in notice.message for notice in whole.notices)


def test_a_column_that_follows_the_truth():
    truth = np.array([1.0, 4.0, 2.0, 8.0, 5.0])
    assert _follows(truth + 0.1, truth)
    assert _follows(np.full(5, 4.0), truth)  # always the same, on the scale of the truth
    assert not _follows(truth + 100, truth)
    assert not _follows(-truth + 9, truth)
    assert not _follows(np.arange(4.0), np.array([0.0, 1.0, 0.0, 1.0]))


def test_a_name_that_looks_like_a_pattern(tmp_path):
    odd = tmp_path / "run[1].csv"
    odd.write_text("y,m\n0,0.1\n1,0.9\n")
    (tmp_path / "run1.csv").write_text("y,m\n0,0.5\n")
    assert expanded(str(odd)) == [str(odd)]
    assert expanded(str(tmp_path / "run?.csv")) == [str(tmp_path / "run1.csv")]
    assert expanded(str(tmp_path / "none.csv")) == [str(tmp_path / "none.csv")]
    assert len(expanded(str(tmp_path))) == 2


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_of_every_protocol(protocol):
    content = pickle.dumps({"a": np.arange(3), "b": io.BytesIO}, protocol)
    assert is_pickle(content)
    assert not is_pickle(b"y,m\n0,0.1\n")
    assert not is_pickle(b"cos,system\n1,2\n")


@pytest.mark.parametrize("at_once", [7, 1000])
def test_rows_of_a_database_that_change_their_kind(tmp_path, monkeypatch, at_once):
    monkeypatch.setattr("referee.predictions.cursor_rows.ROWS_AT_ONCE", at_once)
    path = tmp_path / "rows.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (y, m)")
        connection.executemany("insert into t values (?, ?)", [(n % 2, n / 7) for n in range(20)])
        connection.execute("insert into t values (1, 'text')")
    with refused("E_NOTNUM", "'m'", "row 21"):
        read_table(f"sqlite:///{path}#t")
    with sqlite3.connect(path) as connection:
        connection.execute("update t set m = null where m = 'text'")
        connection.execute("update t set m = 3 where rowid = 1")
    cells = read_table(f"sqlite:///{path}#t").columns.column("m").to_pylist()
    assert (cells[0], cells[1], cells[-1]) == (3.0, 1 / 7, None)


class TestPieces:
    """What stands far down in a file is understood as if it stood at its beginning."""

    def pieces(self, path, rows=5, **roles):
        batches = open_batches(path, ReadOptions(), rows)
        return stream_predictions(Predictions, batches, Roles.of(**roles), 10**8)

    def test_a_label_and_a_damaged_cell_far_down(self, tmp_path):
        path = tmp_path / "rows.csv"
        rows = [f"{'b' if n == 17 else 'a' if n % 2 else 'c'},{n / 40}\n" for n in range(40)]
        path.write_text("y,m\n" + "".join(rows))
        assert self.pieces(path, truth="y", positive="b").classes == ("rest", "b")
        path.write_text("y,m\n" + "".join(rows[:30]) + "a,oops\n" + "".join(rows[30:]))
        with refused("E_NOTNUM", "column 'm', row 31", "'oops'"):
            referee.evaluate(self.pieces(path, truth="y", positive="b"), metrics="roc_auc")

    def test_the_order_of_rows_and_weights(self, tmp_path):
        path = tmp_path / "rows.csv"
        draw = np.random.default_rng(2)
        y, m, w = draw.integers(0, 2, 60), draw.random(60), draw.integers(0, 4, 60)
        path.write_text("y,m,w\n" + "".join(f"{a},{b},{c}\n" for a, b, c in zip(y, m, w, strict=True)))
        found = referee.evaluate(self.pieces(path, truth="y", positive="1", weight="w"), metrics="brier")
        assert found["m", "brier"].value == pytest.approx(np.average((m - y) ** 2, weights=w))
        for wrong, message in ((-1, "is negative"), ("", "missing")):
            path.write_text("y,m,w\n" + "0,0.5,1\n" * 20 + f"1,0.7,{wrong}\n")
            with refused("E_WEIGHT", "row 21", message):
                referee.evaluate(self.pieces(path, truth="y", weight="w"), metrics="brier")


class TestDatabase:
    @pytest.fixture
    def relation(self):
        connection = duckdb.connect()
        connection.execute(
            "create table t as select n as id, (n % 13) / 13.0 as m,"
            " case when n % 9 = 0 then '?' when n % 2 = 0 then 'no' else 'yes' end as y from range(90) r(n)"
        )
        yield connection.table("t")
        connection.close()

    def test_dropped_labels_are_counted(self, relation):
        options = {"truth": "y", "models": ["m"], "metrics": "roc_auc", "positive": "yes"}
        found = referee.evaluate(relation, **options, drop_label="?")
        rows = [(n % 2 == 1, (n % 13) / 13) for n in range(90) if n % 9]
        positive, negative = ([score for is_yes, score in rows if is_yes is side] for side in (True, False))
        won = np.mean([(a > b) + (a == b) / 2 for a in positive for b in negative])
        assert found["m", "roc_auc"].value == pytest.approx(won)
        assert found.predictions.rows == 80
        with pytest.raises(referee.RefereeError, match="never"):
            referee.evaluate(relation, **options, drop_label="never")

    def test_a_bad_cell_is_named_with_its_rows(self, relation):
        bad = relation.project("id, y, case when id = 7 or id = 8 then 'nan'::double else m end as m")
        with pytest.raises(referee.RefereeError, match=r"column 'm'.*finite"):
            referee.evaluate(bad, truth="y", models=["m"], id="id", metrics="roc_auc", positive="yes", drop_label="?")


def test_several_scores_of_an_item_are_named():
    frame = {"id": ["a", "a", "b"], "m": [1.0, 2.0, 3.0], "n": [1.0, 2.0, 3.0], "why": ["x", "y", "z"]}
    with pytest.raises(referee.RefereeError, match=r"rows 1 and 2.*differ in 'm', 'n' and 'why'"):
        referee.compare(frame, task="scores", id="id", models=["m", "n"], goal="mean")


def test_what_was_read_names_labels_beside_scores():
    frame = {"y": ["no", "yes"] * 10, "p": np.linspace(0, 1, 20).tolist(), "said": ["no", "yes"] * 10}
    scored = referee.evaluate(frame, truth="y", positive="yes", models=["p"], labels={"p": "said"}, metrics="accuracy")
    columns = scored.to_dict()["read"]["columns"]
    assert columns["p"]["as"] == "probabilities"
    assert columns["said"]["as"] == "labels"
    assert columns["y"]["as"] == "truth"
    assert scored["p", "accuracy"].value == 1
