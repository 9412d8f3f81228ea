from __future__ import annotations

import pytest

from .refusals import refused


def columns(table):
    return table.columns.column_names


def test_two_delimiters_that_both_fit_are_an_error(read_written):
    with refused("E_DELIMITER", "t.csv", "delimiter=','", "delimiter=';'", exit_code=2):
        read_written("t.csv", "a,b;c\n1,2;3\n")
    assert columns(read_written("t.csv", "a,b;c\n1,2;3\n", delimiter=";")) == ["a,b", "c"]


def test_the_rows_tell_which_of_two_is_meant(read_written):
    assert columns(read_written("t.csv", "a;f(x,y)\n0,5;1\n2;3\n")) == ["a", "f(x,y)"]


def test_quotes_hide_delimiters(read_written):
    assert columns(read_written("t.csv", '"a;b",c\n1,2\n')) == ["a;b", "c"]
    assert columns(read_written("t.csv", 'c;"a,b"\n1;2\n')) == ["c", "a,b"]


@pytest.mark.parametrize("delimiter", [" ", ":", "^", "~"])
def test_a_delimiter_that_also_stands_in_names_must_be_said(read_written, delimiter):
    text = "a b\n1 2\n".replace(" ", delimiter)
    with refused("E_DELIMITER", "one column", f"delimiter={delimiter!r}", exit_code=2):
        read_written("t.csv", text)
    assert columns(read_written("t.csv", text, delimiter=delimiter)) == ["a", "b"]
    assert columns(read_written("t.csv", text, delimiter=",")) == [f"a{delimiter}b"]


def test_one_column_whose_name_has_a_space(read_written):
    assert columns(read_written("t.csv", "my score\n0.5\n")) == ["my score"]


@pytest.mark.parametrize("option", ["tab", "\\t", "\t"])
def test_ways_to_say_tab(read_written, option):
    assert columns(read_written("t.csv", "a,b\tc\n1\t2\n", delimiter=option)) == ["a,b", "c"]


@pytest.mark.parametrize("option", [";;", '"', "\n", "é", ""])
def test_what_cannot_be_a_delimiter(read_written, option):
    if not option:
        assert columns(read_written("t.csv", "a,b\n1,2\n", delimiter=option)) == ["a", "b"]
        return
    with refused("E_DELIMITER", "delimiter=", exit_code=2):
        read_written("t.csv", "a,b\n1,2\n", delimiter=option)
