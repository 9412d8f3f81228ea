from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import RefereeError
from referee.predictions import ReadOptions
from referee.sources.csv import BLANK_LINES, read_csv

from ..strategies import FEW_EXAMPLES
from .refusals import refused

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8)


@st.composite
def tables(draw):
    names = draw(st.lists(TEXT.filter(str.strip), min_size=1, max_size=4, unique=True))
    rows = draw(st.lists(st.tuples(*[TEXT] * len(names)), min_size=1, max_size=5))
    return names, rows


def cells(table):
    return list(zip(*table.columns.to_pydict().values(), strict=True))


@given(tables(), st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from(["utf-8", "utf-16"]))
@FEW_EXAMPLES
def test_a_quoted_table_reads_back_exactly(table, delimiter, newline, encoding):
    names, rows = table
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=newline, quoting=csv.QUOTE_ALL)
    writer.writerows([names, *rows])
    read = read_csv("t.csv", text.getvalue().encode(encoding), ReadOptions(delimiter=delimiter))
    assert read.columns.column_names == names
    assert cells(read) == rows


@given(tables(), st.sampled_from(",;|"))
@FEW_EXAMPLES
def test_a_table_with_few_quotes_reads_back_exactly(table, delimiter):
    names, rows = table
    text = io.StringIO()
    # Python quotes a lone carriage return only where it is part of the line ending.
    csv.writer(text, delimiter=delimiter, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL).writerows([names, *rows])
    read = read_csv("t.csv", text.getvalue().encode(), ReadOptions(delimiter=delimiter))
    assert read.columns.column_names == names
    assert cells(read) == rows


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "\x1f", "\x01"])
def test_the_delimiter_is_found_and_stated(read_written, delimiter):
    table = read_written("t.csv", f'id{delimiter}"A{delimiter}1"\nr1{delimiter}0.5\n')
    assert table.columns.to_pydict() == {"id": ["r1"], f"A{delimiter}1": ["0.5"]}
    named = {",": (), "\t": ("delimiter tab",)}.get(delimiter, (f"delimiter {delimiter!r}",))
    assert table.notes == named
    assert table.text


def test_header_names_keep_their_spaces(read_written):
    assert read_written("t.csv", 'y ," A", \n1,2,3\n').columns.column_names == ["y ", " A", " "]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_any_newline_and_blank_lines_at_both_ends(read_written, newline):
    lines = ["", "  ", "a,b", "1, 2 ", "3,", "", " \t", ""]
    assert cells(read_written("t.csv", newline.join(lines))) == [("1", " 2 "), ("3", "")]


def test_an_empty_cell_is_empty_text_and_words_stay_words(read_written):
    assert cells(read_written("t.csv", 'a,b,c,d\n,"",NA,null\n')) == [("", "", "NA", "null")]


def test_blank_lines_are_cells_of_an_only_column(read_written):
    assert cells(read_written("t.csv", "y\n1\n\n2\n\n\n")) == [("1",), ("",), ("2",)]


def test_cells_with_newlines_longer_than_a_block(read_written):
    long = "x\n" * 1_000_000
    assert read_written("t.csv", f'a,b\n1,"{long}"\n2,3\n').columns.column("b")[0].as_py() == long


def test_quotes_inside_plain_cells_are_text(read_written):
    assert cells(read_written("t.csv", 'a,b\n5" pipe,6"\n')) == [('5" pipe', '6"')]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("1,2\n3,4,5\n", ["row 2 (line 3) has 3 fields, expected 2"]),
        ("1,2\n3\n", ["row 2 (line 3) has 1 field, expected 2"]),
        ('"1\n1",2\n3\n', ["row 2 (line 4) has 1 field, expected 2"]),
        ("1,2\n\n3,4\n", ["row 2 (line 3) is blank, expected 2"]),
        ("1,2\r\n3,4,5\r\n", ["row 2 (line 3)"]),
    ],
)
def test_a_row_with_too_many_or_too_few_fields(read_written, rows, words):
    with refused("E_RAGGED", "t.csv", *words):
        read_written("t.csv", "a,b\n" + rows)


def test_a_ragged_row_far_down(read_written):
    with refused("E_RAGGED", "row 200001 (line 200002) has 3 fields, expected 2"):
        read_written("t.csv", "a,b\n" + "1,2\n" * 200_000 + "1,2,3\n")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a,b\n1,2\n"3,4\n5,6\n', "line 3"),
        ('a,b\n"x\ny","3,4\n', "line 3"),
        ('a,"b\n1,2\n', "line 1"),
        ('a,b\n"1,2\n3,4\n5,"6\n', "opened on line 2"),
        ('a,b\n"x"y,2\n', "line 2"),
    ],
)
def test_a_quote_that_is_not_closed_where_it_should(read_written, text, line):
    with refused("E_QUOTE", "t.csv", "quote", line):
        read_written("t.csv", text)


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n\r\n", "\ufeff"])
def test_no_header(read_written, text):
    with refused("E_EMPTY", "t.csv", "no header"):
        read_written("t.csv", text)


@pytest.mark.parametrize("text", ["a,b", "a,b\n", "a,b\r\n\r\n \n"])
def test_no_rows(read_written, text):
    with refused("E_NOROWS", "t.csv", "no data rows"):
        read_written("t.csv", text)


def test_a_column_twice(read_written):
    with refused("E_DUPCOL", "'A'", "columns 2 and 4", "duplicate"):
        read_written("t.csv", "y,A,B,A\n1,2,3,4\n")


def test_shared_cases_read_like_the_base_file(shared):
    def read(name):
        return read_csv(name, (shared / "cases" / name).read_bytes(), ReadOptions()).columns

    for name in ("008_utf16.csv", "010_semicolon.csv", "014_crlf.csv"):
        assert read(name).equals(read("000_base.csv")), name


@given(st.text(st.sampled_from('",;\n\r\t ab1'), max_size=40))
@FEW_EXAMPLES
def test_any_text_is_read_as_python_reads_it_or_refused(text):
    try:
        read = read_csv("t.csv", text.encode(), ReadOptions(delimiter=","))
    except RefereeError as error:
        assert error.code in {"E_EMPTY", "E_RAGGED", "E_QUOTE", "E_DUPCOL"}
        return
    lines = io.StringIO(text[BLANK_LINES.match(text.encode()).end() :], newline="")
    names, *rows = [row or [""] for row in csv.reader(lines, strict=True)]
    while rows and len(rows) > read.rows:
        assert not "".join(rows.pop()).strip()
    assert read.columns.column_names == names
    assert cells(read) == [tuple(row) for row in rows]
