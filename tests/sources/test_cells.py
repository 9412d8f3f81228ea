from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.predictions import ReadOptions, coded, is_numeric, numbers, read_table, texts
from referee.predictions.cell_labels import labels
from referee.sources.csv import read_csv

from ..strategies import FEW_EXAMPLES
from .refusals import refused


def csv_column(*cells, decimal="."):
    rows = "".join(f'"{cell}","x"\n' for cell in cells)
    return read_csv("preds.csv", f"A,other\n{rows}".encode(), ReadOptions(decimal=decimal))


def column(values, kind=None):
    return read_table(pa.table({"A": pa.array(values, kind)}))


@pytest.mark.parametrize(
    ("cell", "value"),
    [("0.5", 0.5), (" 1 ", 1), ("+1.5", 1.5), ("-.5", -0.5), ("1.", 1), ("1E-3", 0.001), ("007", 7), ("1e-400", 0)],
)
def test_how_numbers_may_be_written(cell, value):
    assert numbers(csv_column("0", cell), "A").tolist() == [0, value]
    assert is_numeric(csv_column(cell), "A")


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
@FEW_EXAMPLES
def test_numbers_are_parsed_to_the_last_digit(values):
    assert numbers(csv_column(*values), "A").tolist() == values


@pytest.mark.parametrize("cell", ["n/a", "1,234.5", "0,5", "1 2", "0x10", "1_000", "٣", "--1", "1e", "$5", "5%", "e5"])
def test_what_is_not_a_number(cell):
    table = csv_column("1", " 2", cell)
    with refused("E_NOTNUM", "preds.csv", "column 'A', row 3", repr(cell)):
        numbers(table, "A")
    assert not is_numeric(table, "A")


@pytest.mark.parametrize(
    ("cell", "hint"), [("1,234.5", "decimal=','"), ("n/a", "plain number"), ("1234567,5", "thousands")]
)
def test_the_hint_fits_the_cell(cell, hint):
    with refused("E_NOTNUM", hint=hint):
        numbers(csv_column(cell), "A")


def test_a_decimal_comma():
    assert numbers(csv_column("0,5", " 1 ", "-1,5e3", decimal=","), "A").tolist() == [0.5, 1, -1500]
    assert is_numeric(csv_column("0,5", decimal=","), "A")
    for cell in ("0.5", "1.234,5"):
        with refused("E_NOTNUM", "row 1", repr(cell), hint="decimal=','"):
            numbers(csv_column(cell, decimal=","), "A")


@pytest.mark.parametrize("cell", ["", " ", "   "])
@pytest.mark.parametrize("read", [numbers, labels, texts, coded])
def test_a_missing_cell(read, cell):
    with refused("E_MISSING", "preds.csv", "column 'A', row 2: missing"):
        read(csv_column("1", cell, "2"), "A")


@pytest.mark.parametrize(
    "values", [[1.5, None], [1, None], ["a", None], [True, None], [None, None], [Decimal(1), None], ["a", ""]]
)
@pytest.mark.parametrize("read", [numbers, labels, texts, coded])
def test_a_missing_value(read, values):
    row = 1 if values[0] is None else 2
    with refused("E_MISSING", f"column 'A', row {row}: missing"):
        read(column(values), "A")


def test_missing_categories():
    by_code = pa.DictionaryArray.from_arrays(pa.array([0, None]), pa.array(["a"]))
    by_value = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None]))
    for cells in (by_code, by_value):
        for read in (labels, texts, coded):
            with refused("E_MISSING", "row 2"):
                read(column(cells), "A")


@pytest.mark.parametrize("cell", ["inf", "-inf", "nan", "NaN", "Infinity", "1e400", "-1e999", "+inf"])
def test_a_cell_that_is_not_finite(cell):
    with refused("E_NONFINITE", "preds.csv", f"column 'A', row 2: {cell} (2 rows)"):
        numbers(csv_column("1", cell, "2", cell), "A")
    assert is_numeric(csv_column(cell), "A")


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("read", [numbers, labels, texts])
def test_a_stored_value_that_is_not_finite(read, value):
    with refused("E_NONFINITE", f"column 'A', row 2: {value} (1 row)"):
        read(read_table({"A": np.array([1, value])}), "A")


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ([0.5], "list"),
        ({"a": 1}, "struct"),
        (b"x", "binary"),
        (datetime(2024, 1, 1), "timestamp"),
        (date(2024, 1, 1), "date"),
    ],
)
def test_types_that_are_no_numbers_nor_labels(value, word):
    table = column([value])
    for read in (numbers, labels):
        with refused("E_TYPE", "column 'A'", word):
            read(table, "A")
    assert not is_numeric(table, "A")


def test_dates_are_groups():
    assert texts(column([date(2024, 1, 2)]), "A").tolist() == ["2024-01-02"]
    assert coded(column([date(2024, 1, 2), date(2024, 1, 1)]), "A")[1] == ("2024-01-01", "2024-01-02")
    with refused("E_TYPE", "column 'A'", "list"):
        texts(column([[1]]), "A")


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint64(), pa.int64(), pa.float64(), pa.float16(), pa.decimal128(9, 2)])
def test_stored_numbers_become_float64(kind):
    values = np.array([1, 2], np.float16) if pa.types.is_float16(kind) else [1, 2]
    found = numbers(column(values, kind), "A")
    assert found.dtype == np.float64
    assert found.tolist() == [1, 2]


def test_float32_stays_float32():
    assert numbers(column([0.1], pa.float32()), "A").dtype == np.float32


def test_decimals_become_the_nearest_float():
    cells = ["0.761", "0.1", "123456789.123456789", "0.000000001"]
    assert numbers(column([Decimal(cell) for cell in cells]), "A").tolist() == [float(cell) for cell in cells]


def test_booleans_are_zero_and_one_but_no_score():
    assert numbers(column([True, False]), "A").tolist() == [1, 0]
    assert not is_numeric(column([True, False]), "A")


def test_large_integers_are_scores_too():
    assert numbers(column([2**53 + 1, 2**63 - 1]), "A").tolist() == [2.0**53, 2.0**63]


def test_categories_of_numbers():
    assert numbers(column(pa.array([0.5, 1.5, 0.5]).dictionary_encode()), "A").tolist() == [0.5, 1.5, 0.5]
    assert numbers(column(pa.array(["0.5", "2"]).dictionary_encode()), "A").tolist() == [0.5, 2]
    assert is_numeric(column(pa.array(["0.5", "2"]).dictionary_encode()), "A")
    assert labels(column(pa.array([2, 10, 2]).dictionary_encode()), "A")[1:] == (("2", "10"), "integer")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [(["1", ""], True), (["", ""], False), (["1", "x"], False), (["", "x"], False), (["1", "inf"], True)],
)
def test_empty_cells_do_not_decide(cells, expected):
    assert is_numeric(csv_column(*cells), "A") is expected
    assert is_numeric(column([cell or None for cell in cells], pa.string()), "A") is expected


def test_the_first_text_decides_in_any_chunk():
    chunks = pa.chunked_array([["1"], [], [None], ["x"], ["2"]])
    assert not is_numeric(read_table(pa.table({"A": chunks})), "A")


@pytest.mark.parametrize(
    ("cells", "names", "kind"),
    [
        (["1", "0"], ("0", "1"), "integer"),
        (["10", "9", "-1"], ("-1", "9", "10"), "integer"),
        (["1.5", "10", "9"], ("1.5", "9", "10"), "float"),
        (["b", "a", "10"], ("10", "a", "b"), "text"),
        (["true", "false"], ("false", "true"), "text"),
        (["+1", "2"], ("+1", "2"), "float"),
        ([" a", "a"], (" a", "a"), "text"),
        (["nan", "1"], ("1", "nan"), "text"),
        (["9007199254740993", "9007199254740992"], ("9007199254740992", "9007199254740993"), "integer"),
    ],
)
def test_labels_of_a_csv(cells, names, kind):
    codes, found, found_kind = labels(csv_column(*cells, cells[0]), "A")
    assert (found, found_kind) == (names, kind)
    assert codes.dtype == np.int32
    assert [found[code] for code in codes] == [*cells, cells[0]]


@pytest.mark.parametrize(
    ("values", "kind", "names", "expected"),
    [
        ([1, 0], pa.int8(), ("0", "1"), "integer"),
        ([True, False], None, ("false", "true"), "boolean"),
        ([1.0, 0.5], None, ("0.5", "1"), "float"),
        ([1.1, 2.0], pa.float32(), ("1.1", "2"), "float"),
        ([0.0, -0.0], None, ("0",), "float"),
        ([1e300], None, ("1e+300",), "float"),
        ([Decimal("1.50"), Decimal("2.00")], None, ("1.5", "2"), "float"),
        (["1", "0"], None, ("0", "1"), "text"),
        (["1", "0"], pa.large_string(), ("0", "1"), "text"),
        (["1", "0"], pa.string_view(), ("0", "1"), "text"),
    ],
)
def test_labels_of_stored_values(values, kind, names, expected):
    codes, found, found_kind = labels(column(values, kind), "A")
    assert (found, found_kind) == (names, expected)
    assert len(codes) == len(values)


@pytest.mark.parametrize(
    "pair", [("1", "1.0"), ("0", "00"), ("1", " 1"), ("1", "+1"), ("100", "1e2"), ("0", "-0"), (".5", "0.5")]
)
def test_one_number_spelt_in_two_ways(pair):
    first, second = pair
    for table in (csv_column(*pair, "cat"), column([*pair, "cat"])):
        with refused("E_LABELS", "column 'A'", f"{first!r} and {second!r}", "3 distinct"):
            labels(table, "A")
    assert len(coded(csv_column(*pair), "A")[1]) == 2


def test_spellings_with_a_decimal_comma():
    with refused("E_LABELS", "'1' and '1,0'"):
        labels(csv_column("1", "1,0", decimal=","), "A")


@given(st.lists(st.integers(2**53, 2**53 + 50), min_size=1))
@FEW_EXAMPLES
def test_large_ids_stay_apart(ids):
    expected = [str(number) for number in ids]
    for table in (csv_column(*ids), column(ids), column(ids, pa.uint64())):
        assert texts(table, "A").tolist() == expected
        codes, names = coded(table, "A")
        assert [names[code] for code in codes] == expected
        assert list(names) == sorted(set(expected))


def test_texts_are_as_written():
    assert texts(csv_column(" a", "01", "1.0"), "A").tolist() == [" a", "01", "1.0"]
    assert texts(column([1.0, 0.5]), "A").tolist() == ["1", "0.5"]
    assert texts(column([True]), "A").tolist() == ["true"]


@given(st.lists(st.lists(st.sampled_from(["a", "b", "10", "9"])), min_size=1).filter(any))
@FEW_EXAMPLES
def test_chunks_do_not_matter(chunks):
    whole = [cell for chunk in chunks for cell in chunk]
    for kind in (pa.string(), pa.dictionary(pa.int8(), pa.string())):
        cells = pa.chunked_array([pa.array(chunk, pa.string()).cast(kind) for chunk in chunks], kind)
        table = read_table(pa.table({"A": cells}))
        codes, names, _ = labels(table, "A")
        assert [names[code] for code in codes] == whole == texts(table, "A").tolist()


def test_a_column_that_is_not_there():
    with refused("E_NOCOL", "'a'", "did you mean 'A'", exit_code=2):
        numbers(column([1]), "a")


@pytest.mark.parametrize(
    ("case", "name", "read", "code", "words"),
    [
        ("012_thousands.csv", "A", numbers, "E_NOTNUM", ["row 7", "1,234.5"]),
        ("038_label_spellings.csv", "y", labels, "E_LABELS", ["'1'", "'1.0'", "4 distinct"]),
        ("044_missing_label.csv", "y", labels, "E_MISSING", ["row 5", "missing"]),
        ("054_inf_score.csv", "A", numbers, "E_NONFINITE", ["row 5", "inf", "2 rows"]),
        ("072_text_in_scores.csv", "A", numbers, "E_NOTNUM", ["row 12", "n/a"]),
        ("074_overflow.csv", "A", numbers, "E_NONFINITE", ["row 4", "1e400"]),
        ("104_list_score.parquet", "A", numbers, "E_TYPE", ["list"]),
    ],
)
def test_shared_cases(shared, case, name, read, code, words):
    with refused(code, case, f"column {name!r}", *words):
        read(read_table(shared / "cases" / case), name)


def test_shared_formats_agree(shared):
    base = read_table(shared / "cases" / "000_base.csv")
    for case in ("098_base.parquet", "106_decimal.parquet"):
        other = read_table(shared / "cases" / case)
        for name in ("A", "B"):
            assert numbers(other, name).tolist() == numbers(base, name).tolist()
