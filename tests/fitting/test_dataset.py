"""Data with features and a target: what is understood, what is refused, and what may leak."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from referee.errors import InputError, RefereeError, UsageError
from referee.fitting import DataSet, leakage_notices, read_dataset
from referee.fitting.dataset import copies_of_target, duplicate_rows, group_like_columns


def written(tmp_path, text, name="data.csv"):
    file = tmp_path / name
    file.write_text(text)
    return file


def codes(notices):
    return [notice.code for notice in notices]


def test_kinds_of_a_text_file(tmp_path):
    file = written(tmp_path, "age,job,y\n30,a,no\n,b,yes\n?,,no\n4.5,a,yes\n")
    data = read_dataset(file, "y", positive="yes")
    assert data.X.tolist()[0] == [30, 0] and data.X.flags.c_contiguous and data.X.dtype == np.float64
    assert np.isnan(data.X[:, 0]).tolist() == [False, True, True, False]
    assert [(one.name, one.kind, one.missing) for one in data.features] == [
        ("age", "numeric", 2),
        ("job", "categorical", 1),
    ]
    assert (data.task, data.classes, data.positive, data.target.tolist()) == ("binary", ("no", "yes"), 1, [0, 1, 0, 1])
    assert data.notes[0] == "1 numeric, 1 categorical feature; 2 have missing values"
    assert "missing: 'age' (empty in 1 row, '?' in 1 row), 'job' (empty in 1 row)" in data.notes


def test_kinds_of_typed_columns():
    table = pa.table(
        {
            "whole": pa.array([1, None, 3], pa.int32()),
            "real": pa.array([0.5, float("nan"), 1.5]),
            "flag": [True, False, None],
            "word": pa.array(["10", "9", "10"]).dictionary_encode(),
            "day": pa.array([0, 1, 2], pa.int32()).cast(pa.date32()),
            "y": [0.5, 1.5, 2.5],
        }
    )
    data = read_dataset(table, "y")
    assert [one.kind for one in data.features] == ["numeric", "numeric", "categorical", "categorical", "numeric"]
    assert [one.missing for one in data.features] == [1, 1, 1, 0, 0]
    assert data.features[3].categories == ("9", "10")
    assert data.X[:, 3].tolist() == [1, 0, 1]
    assert data.X[:, 4].tolist() == [0, 86400, 172800]
    assert data.task == "regression"


def test_the_same_whatever_the_container(tmp_path):
    columns = {"a": [1.5, 2.0, -0.0, 4.0], "b": ["x", "y", "x", "x"], "y": ["n", "p", "n", "p"]}
    pq.write_table(pa.table(columns), tmp_path / "data.parquet")
    csv = written(tmp_path, "a,b,y\n1.5,x,n\n2,y,p\n0,x,n\n4,x,p\n")
    sources = [tmp_path / "data.parquet", csv, pd.DataFrame(columns), pl.DataFrame(columns), columns]
    found = {read_dataset(source, "y").fingerprint for source in sources}
    assert len(found) == 1
    renamed = {("c" if name == "a" else name): values for name, values in columns.items()}
    changed = columns | {"a": [1.5, 2.0, 0.0, 5.0]}
    assert len(found | {read_dataset(renamed, "y").fingerprint, read_dataset(changed, "y").fingerprint}) == 3


def test_shared_data_are_understood(shared):
    data = read_dataset(shared / "data/more/credit-g.parquet", "class", positive="bad")
    assert data.notes[0] == "7 numeric, 13 categorical features; no missing values"
    assert (data.rows, data.task, data.classes[data.positive]) == (1000, "binary", "bad")
    missing = read_dataset(shared / "data/more/breast-w.parquet", "class")
    assert missing.notes[0] == "9 numeric features; 1 has missing values"
    digits = read_dataset(shared / "data/uci/page-blocks.parquet", "class")
    assert (digits.task, len(digits.classes)) == ("multiclass", 5)


def test_roles(tmp_path):
    file = written(
        tmp_path, "n,x,g,w,t,y\nr1,1,b,2,2024-01-02,0\nr2,3,a,0,2024-01-01,1\nr3,2,b,1,2024-01-03T12:00:00,1\n"
    )
    data = read_dataset(file, "y", id="n", group="g", weight="w", time="t")
    assert [one.name for one in data.features] == ["x"]
    assert data.ids.tolist() == ["r1", "r2", "r3"]
    assert (data.group.codes.tolist(), data.group.names) == ([1, 0, 1], ("a", "b"))
    assert data.weight.tolist() == [2, 0, 1]
    assert np.argsort(data.time).tolist() == [1, 0, 2]


def test_time_zones_are_instants():
    times = ["2024-10-27T02:30:00+02:00", "2024-10-27T02:30:00+01:00", "2024-10-27T00:31:00Z"]
    data = read_dataset({"x": [1, 2, 4], "t": times, "y": [0, 1, 1]}, "y", time="t")
    assert (np.diff(data.time) / 60e6).tolist() == [60, -59]


def test_mixed_time_zones_are_refused(shared):
    with pytest.raises(InputError, match=r"column 't', row 8 has no time zone") as caught:
        read_dataset(shared / "cases/150_tz_naive_mix.csv", "y", time="t")
    assert (caught.value.code, caught.value.exit) == ("E_TIME", 3)


REFUSED = {
    "missing target": ("x,y\n1,0\n2,\n3,1\n", {}, "E_MISSING", "column 'y', row 2: missing"),
    "constant target": ("x,y\n1,0\n2,0\n", {}, "E_CONSTANT", "column 'y' is '0' in every row"),
    "constant amount": ("x,y\n1,2.5\n2,2.5\n", {"task": "regression"}, "E_CONSTANT", "'2.5' in every row"),
    "no feature": ("n,y\na,0\nb,1\nc,1\n", {}, "E_NOFEATURE", "no feature left to learn from"),
    "only roles": ("n,y\n1,0\n2,1\n", {"id": "n"}, "E_NOFEATURE", "no feature"),
    "no such column": ("x,y\n1,0\n2,1\n", {"group": "z"}, "E_NOCOL", "has no column 'z'"),
    "two roles": ("x,y\n1,0\n2,1\n", {"group": "y"}, "E_ROLE", "column 'y' is named as target and as group"),
    "infinite": ("x,y\n1,0\ninf,1\n", {}, "E_NONFINITE", "column 'x', row 2: inf"),
    "duplicate id": ("n,x,y\na,1,0\na,2,1\n", {"id": "n"}, "E_DUPID", "duplicate id a (rows 1 and 2)"),
    "negative weight": ("w,x,y\n1,1,0\n-1,2,1\n", {"weight": "w"}, "E_WEIGHT", "row 2: the weight -1 is negative"),
    "zero weights": ("w,x,y\n0,1,0\n0,2,1\n", {"weight": "w"}, "E_WEIGHT", "all weights are zero"),
    "no time": (
        "t,x,y\n2024-01-01,1,0\nsoon,2,1\n",
        {"time": "t"},
        "E_TIME",
        "column 't', row 2: 'soon' is not a time",
    ),
    "unknown task": ("x,y\n1,0\n2,1\n3,2\n", {}, "E_TASK", "classes or amounts?"),
    "unknown positive": ("x,y\n1,0\n2,1\n", {"positive": "yes"}, "E_POSITIVE", "is not a label"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_names_the_place(case, tmp_path):
    text, roles, code, words = REFUSED[case]
    with pytest.raises(RefereeError) as caught:
        read_dataset(written(tmp_path, text), "y", **roles)
    assert caught.value.code == code
    assert words in caught.value.message
    assert code in ("E_ROLE",) or "data.csv" in caught.value.message


def test_a_word_among_many_numbers_is_an_error_with_its_row(tmp_path):
    rows = [f"{value},{value % 2}" for value in range(40)]
    rows[20] = "oops,1"
    with pytest.raises(InputError, match="column 'x', row 21: 'oops' is not a number"):
        read_dataset(written(tmp_path, "\n".join(["x,y", *rows])), "y")


def test_rows_are_counted_past_missing_cells(tmp_path):
    with pytest.raises(InputError, match="column 'x', row 3: inf"):
        read_dataset(written(tmp_path, "x,y\n1,0\n,1\ninf,1\n"), "y")


def test_columns_that_identify_rows(tmp_path):
    file = written(tmp_path, "name,n,x,y\na,1,0.1,0\nb,2,0.5,1\nc,3,0.2,0\n")
    data = read_dataset(file, "y")
    assert [one.name for one in data.features] == ["n", "x"]
    assert codes(data.notices) == ["W_IDLIKE", "W_IDLIKE"]
    assert "'name' has a different text in every row" in data.notices[0].message
    assert "'n' counts the rows" in data.notices[1].message


def test_empty_columns_are_left_out(tmp_path):
    data = read_dataset(written(tmp_path, "e,x,y\n,1,0\n,5,1\n"), "y")
    assert [one.name for one in data.features] == ["x"]
    assert "column 'e' is left out: it has no values" in data.notes


def test_metrics_settle_the_task():
    from referee.scoring import metrics

    data = read_dataset({"x": [1, 2, 4], "y": [1, 2, 3]}, "y", metrics=[metrics["rmse"]])
    assert data.task == "regression"


def test_from_arrays():
    matrix = np.array([[1.0, np.nan], [2.0, 3.0], [3.0, 4.0]])
    data = DataSet.from_arrays(matrix, ["a", "b", "a"], positive="b", group=["u", "u", "v"], names=["p", "q"])
    assert np.array_equal(data.X, matrix, equal_nan=True)
    assert [one.name for one in data.features] == ["p", "q"]
    assert (data.positive, data.group.names, data.features[1].missing) == (1, ("u", "v"), 1)
    objects = np.array([[1.0, "red"], [2.0, "blue"], [3.0, "red"]], dtype=object)
    assert [one.kind for one in DataSet.from_arrays(objects, [0, 1, 1]).features] == ["numeric", "categorical"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_from_frames(frame):
    table = frame({"x": [1.0, 2.0, 3.5], "c": ["a", "b", "a"], "y": [0, 1, 1]})
    by_name = DataSet.from_arrays(table, "y")
    assert [one.kind for one in by_name.features] == ["numeric", "categorical"]
    assert by_name.target.tolist() == [0, 1, 1]
    with pytest.raises(UsageError, match="the target 'y' is also among the features"):
        DataSet.from_arrays(table, table["y"])
    with pytest.raises(UsageError, match="the target has 2 values, X has 3 rows"):
        DataSet.from_arrays(table, [0, 1])


def test_copies_of_the_target():
    data = read_dataset({"x": [1.0, 2.0, 3.5], "copy": ["B", "A", "B"], "y": [0, 1, 0]}, "y")
    (notice,) = copies_of_target(data)
    assert notice.code == "W_LEAK" and "column 'copy' equals the target 'y'" in notice.message
    amounts = read_dataset({"x": [1.0, 2.0, 3.5], "copy": [0.5, 1.0, 2.0], "y": [0.5, 1.0, 2.0]}, "y")
    assert "'copy'" in next(copies_of_target(amounts)).message
    assert not list(copies_of_target(read_dataset({"x": [1, 1, 0], "y": [0, 1, 0]}, "y")))


@pytest.mark.parametrize(
    ("file", "repeated"), [("uci/letter", "1,332"), ("more/breast-w", "236"), ("uci/page-blocks", "67")]
)
def test_duplicate_rows_as_the_data_are_known_to_have(shared, file, repeated):
    (notice,) = duplicate_rows(read_dataset(shared / f"data/{file}.parquet", "class"))
    assert notice.code == "W_DUPROWS" and f": {repeated} of " in notice.message


def test_no_duplicates_no_notice():
    assert not list(duplicate_rows(read_dataset({"x": [1, 1, 2], "y": [0, 1, 0]}, "y")))


def test_groups_that_were_not_named(shared):
    file = shared / "cases/146_groups.csv"
    (notice,) = group_like_columns(read_dataset(file, "y"))
    assert notice.code == "W_GROUPLEAK"
    assert all(word in notice.message for word in ("column 'grp'", "same group", "train and test", "group="))
    assert not list(group_like_columns(read_dataset(file, "y", group="grp")))


def test_ordinary_data_raise_no_suspicion(shared):
    assert leakage_notices(read_dataset(shared / "data/more/credit-g.parquet", "class")) == ()
    kr = read_dataset(shared / "data/uci/kr-vs-kp.parquet", "class")
    assert leakage_notices(kr) == ()
