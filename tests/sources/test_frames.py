from __future__ import annotations

from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest

from referee import metrics
from referee.errors import RefereeError
from referee.predictions import Predictions, numbers, read_table, texts
from referee.predictions.cell_labels import labels

from .refusals import refused

DATA = {"id": ["r1", "r2"], "y": [1, 0], "A": [0.5, 0.25]}
ARROW = pa.table(DATA)
RECORDS = np.array([("r1", 1, 0.5), ("r2", 0, 0.25)], dtype=[("id", "U2"), ("y", "i8"), ("A", "f8")])
SOURCES = {
    "dict of lists": lambda: DATA,
    "dict of arrays": lambda: {name: np.array(values) for name, values in DATA.items()},
    "dict of series": lambda: {"id": pd.Series(DATA["id"]), "y": pl.Series(DATA["y"]), "A": pa.array(DATA["A"])},
    "pandas": lambda: pd.DataFrame(DATA, index=[7, 8]),
    "polars": lambda: pl.DataFrame(DATA),
    "lazy polars": lambda: pl.LazyFrame(DATA),
    "pyarrow": lambda: ARROW,
    "batch": lambda: ARROW.to_batches()[0],
    "reader": ARROW.to_reader,
    "dataset": lambda: pyarrow.dataset.dataset(ARROW),
    "duckdb": lambda: duckdb.sql("SELECT * FROM (VALUES ('r1', 1, 0.5::DOUBLE), ('r2', 0, 0.25)) AS t(id, y, A)"),
    "structured array": lambda: RECORDS,
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_gives_the_same_cells(kind):
    table = read_table(SOURCES[kind]())
    assert table.columns.column_names == ["id", "y", "A"]
    assert table.columns.to_pydict() == DATA


def test_names_for_messages():
    frame = pd.DataFrame(DATA)
    assert [read_table(source).name for source in (DATA, frame, ARROW)] == [
        "dict",
        "pandas DataFrame",
        "pyarrow Table",
    ]


def test_an_index_with_a_name_is_a_column():
    frame = pd.DataFrame(DATA).set_index("id")
    assert texts(read_table(frame), "id").tolist() == ["r1", "r2"]
    assert frame.columns.tolist() == ["y", "A"]


def test_columns_that_are_numbers_have_names_too():
    assert read_table(pd.DataFrame([[1, 2]])).columns.column_names == ["0", "1"]
    assert read_table({0: [1]}).columns.column_names == ["0"]


def test_categories_without_rows_are_no_labels():
    frame = pd.DataFrame({"y": pd.Categorical(["b", "a"], categories=["c", "b", "a"])})
    assert labels(read_table(frame), "y")[1:] == (("a", "b"), "text")
    polars = pl.DataFrame({"y": pl.Series(["b", "a"], dtype=pl.Categorical)})
    assert labels(read_table(polars), "y")[1:] == (("a", "b"), "text")


def test_missing_values_of_pandas():
    with refused("E_MISSING", "pandas DataFrame", "column 'A', row 2: missing"):
        numbers(read_table(pd.DataFrame({"A": [0.5, np.nan]})), "A")


def test_float32_stays_so():
    assert numbers(read_table({"A": np.array([0.5], np.float32)}), "A").dtype == np.float32
    assert numbers(read_table(pl.DataFrame({"A": pl.Series([0.5], dtype=pl.Float32)})), "A").dtype == np.float32


@pytest.mark.parametrize("make", [lambda: {"A": [1, "x"]}, lambda: pd.DataFrame({"A": [1, "x"]}, dtype=object)])
def test_objects_of_different_kinds(make):
    with refused("E_NOTNUM", "column 'A', row 2", "'x'"):
        read_table(make())


@pytest.mark.parametrize("values", [[2**63, 1], [2**70, None], [Decimal("1.5"), None], [Decimal("1.5"), 2]])
def test_python_numbers_stay_exact(values):
    table = read_table({"A": values, "id": ["a", "b"]})
    expected = [None if value is None else Decimal(value) for value in values]
    assert [None if cell is None else Decimal(cell) for cell in table.columns.column("A").to_pylist()] == expected


def test_duplicate_columns():
    frame = pd.DataFrame([[1, 2]], columns=["A", "A"])
    for source in (frame, pa.table([[1], [2]], names=["A", "A"])):
        with refused("E_DUPCOL", "'A'", "columns 1 and 2"):
            read_table(source)


@pytest.mark.parametrize("source", [None, 5, [1, 2], np.zeros((2, 2)), np.zeros(2), object()])
def test_what_is_no_table(source):
    with refused("E_SOURCE", exit_code=2, hint="frame"):
        read_table(source)


@pytest.mark.parametrize("values", [np.zeros((2, 2)), "text", 5])
def test_what_is_no_column(values):
    with refused("E_SOURCE", "column 'A'", exit_code=2):
        read_table({"A": values})


def test_columns_of_different_length():
    with refused("E_LENGTH", "column 'A' has 1 rows", "column 'y' has 2"):
        read_table({"y": [0, 1], "A": [0.5]})


@pytest.mark.parametrize(("source", "code"), [({}, "E_EMPTY"), ({"A": []}, "E_NOROWS"), (pd.DataFrame(), "E_EMPTY")])
def test_nothing_in_it(source, code):
    with refused(code):
        read_table(source)


@pytest.mark.parametrize(
    ("values", "word"),
    [
        (np.array([1j, 2]), "complex128"),
        ((one for one in [0.1, 0.2]), "generator"),
        ({0.1, 0.2}, "set"),
        (0.5, "float"),
        ("ab", "str"),
    ],
)
def test_what_is_no_column_is_named(values, word):
    for read in (
        lambda: read_table({"y": [0, 1], "A": values}),
        lambda: Predictions.from_arrays([0, 1], {"A": values}),
        lambda: metrics["roc_auc"]([0, 1], values),
    ):
        with pytest.raises(RefereeError) as caught:
            read()
        assert word in caught.value.message
        assert "A" in caught.value.message or "prediction" in caught.value.message


def test_numbers_beyond_all_numbers_do_not_warn():
    """The error is all that is said: a warning of NumPy's is an error in these tests."""
    cells = ["1" * 400, "1e999", "0.3", "0.2"]
    with pytest.raises(RefereeError):
        Predictions.read({"y": [1, 0, 1, 0], "A": cells}, truth="y", models=["A"], task="multiclass")
