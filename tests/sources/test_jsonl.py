from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import RefereeError
from referee.predictions import ReadOptions, numbers, read_table, texts
from referee.predictions.cell_labels import labels
from referee.sources.jsonl import read_jsonl

from ..strategies import FEW_EXAMPLES
from .refusals import refused


def lines(*objects):
    return "\n".join(json.dumps(item) for item in objects) + "\n"


def test_missing_keys_are_missing_cells(read_written):
    table = read_written("t.jsonl", lines({"y": 1}, {"y": 0, "A": 0.5}, {}))
    assert table.columns.to_pydict() == {"y": [1, 0, None], "A": [None, 0.5, None]}
    with refused("E_MISSING", "column 'A', row 1: missing"):
        numbers(table, "A")


@pytest.mark.parametrize("text", ['[{"y": 1}, {"y": 2}]', '[\n{"y": 1},\n{"y": 2}\n]\n', '\ufeff[{"y": 1}, {"y": 2}]'])
def test_an_array_of_objects(read_written, text):
    assert read_written("t.json", text).columns.to_pydict() == {"y": [1, 2]}


@pytest.mark.parametrize("newline", ["\r\n", "\n\n", "\n \n"])
def test_other_line_ends_and_blank_lines(read_written, newline):
    assert read_written("t.jsonl", newline.join(['{"y": 1}', '{"y": 2}'])).rows == 2


@pytest.mark.parametrize("ids", [[2**53, 2**53 + 1], [2**63 - 1, -(2**63)], [2**63, 2**64 - 1], [10**30, 10**30 + 1]])
def test_large_integers_stay_exact(read_written, ids):
    table = read_written("t.jsonl", lines(*({"id": number} for number in ids)))
    assert texts(table, "id").tolist() == [str(number) for number in ids]


def test_large_integers_beside_decimals(read_written):
    table = read_written("t.jsonl", lines({"id": 2**53 + 1}, {"id": 0.5}))
    assert numbers(table, "id").tolist() == [2.0**53, 0.5]


def test_text_that_looks_like_a_date_stays_text(read_written):
    table = read_written("t.jsonl", lines({"id": "2024-01-01"}, {"id": "2024-01-02T03:04:05"}))
    assert texts(table, "id").tolist() == ["2024-01-01", "2024-01-02T03:04:05"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"y": 1}\n{"y": 1\n{"y": 2}\n', ["line 2", "JSON"]),
        ('{"y": 1}\n\n{"y" 1}\n', ["line 3", "character 6"]),
        ('{"y": 1}\n[1]\n', ["line 2", "list"]),
        ('{"y": 1}\n5\n', ["line 2", "number"]),
        ('{"y": 1}\n{"y": ', ["line 2"]),
        ('[{"y": 1},\n{"y": 2,}]', ["line 2"]),
        ("[1]", ["element 1", "number"]),
        ('{"y": ' + "[" * 200_000 + "]" * 200_000 + "}", ["line 1", "nested"]),
    ],
)
def test_what_is_wrong_and_where(read_written, text, words):
    with refused("E_JSON", "t.jsonl", *words):
        read_written("t.jsonl", text)


def test_a_key_twice(read_written):
    with refused("E_DUPCOL", "line 2", "'y'", "duplicate"):
        read_written("t.jsonl", '{"y": 1}\n{"y": 1, "y": 2}\n')


@pytest.mark.parametrize("text", ["", "\n", "[]"])
def test_nothing_in_it(read_written, text):
    with refused("E_EMPTY", "t.jsonl"):
        read_written("t.jsonl", text)


@pytest.mark.parametrize(
    ("cell", "code", "shown"),
    [
        ('"n/a"', "E_NOTNUM", "'n/a'"),
        ("NaN", "E_NONFINITE", "nan"),
        ("-Infinity", "E_NONFINITE", "-inf"),
        ("1e400", "E_NONFINITE", "1e400"),
        ("null", "E_MISSING", "missing"),
        ("[1]", "E_TYPE", "list"),
        ("true", "E_NOTNUM", "'true'"),
    ],
)
def test_a_bad_cell_among_numbers(read_written, cell, code, shown):
    with refused(code, "column 'A', row 2", shown):
        numbers(read_written("t.jsonl", f'{{"A": 0.5}}\n{{"A": {cell}}}\n'), "A")


def test_kinds_of_labels(read_written):
    table = read_written("t.jsonl", lines({"a": True, "b": 1, "c": "1", "d": 1.5}))
    assert [labels(table, name)[2] for name in "abcd"] == ["boolean", "integer", "text", "float"]


def test_half_a_surrogate(read_written):
    with refused("E_TYPE", "column 'a'", "surrogates"):
        read_written("t.jsonl", '{"a": "\\ud800"}\n')


def test_more_than_one_block(written):
    path = written("t.jsonl", "".join(f'{{"id": {row}, "s": "{"x" * 50}"}}\n' for row in range(150_000)))
    table = read_table(path)
    assert table.columns.column("id").type == pa.int64()
    assert table.rows == 150_000


def test_shared_case(shared):
    with refused("E_JSON", "108_bad_line.jsonl", "line 4", "JSON"):
        read_table(shared / "cases" / "108_bad_line.jsonl")


@given(st.lists(st.text(st.sampled_from('{}[]":,1e.-ntrue \n\\u'), max_size=12).map('{{"a": {}}}'.format), max_size=3))
@FEW_EXAMPLES
def test_any_text_is_read_as_python_reads_it_or_refused(rows):
    try:
        table = read_jsonl("t.jsonl", "\n".join(rows).encode(), ReadOptions())
    except RefereeError as error:
        assert error.code in {"E_JSON", "E_DUPCOL", "E_TYPE", "E_NOTNUM"}
        return
    assert table.rows == len(rows)
