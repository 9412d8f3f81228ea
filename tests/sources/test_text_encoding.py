from __future__ import annotations

import pytest

from .refusals import refused

TEXT = "name,A\né,0.5\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_the_byte_order_mark_tells(read_written, encoding):
    table = read_written("t.csv", TEXT.encode(encoding))
    assert table.columns.to_pylist() == [{"name": "é", "A": "0.5"}]
    assert table.notes == (() if "utf-8" in encoding else (f"encoding {encoding}",))


@pytest.mark.parametrize("mark", ["utf-16-be", "utf-32-be"])
def test_big_endian(read_written, mark):
    assert read_written("t.csv", ("\ufeff" + TEXT).encode(mark)).columns.column_names == ["name", "A"]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16-le", "UTF-8", "utf_8_sig"])
def test_encoding_as_said(read_written, encoding):
    table = read_written("t.csv", TEXT.encode(encoding), encoding=encoding)
    assert table.columns.column("name")[0].as_py() == "é"


def test_bytes_that_are_not_utf8(read_written):
    with refused("E_ENCODING", "t.csv", "line 2", "0xE9", hint="encoding="):
        read_written("t.csv", TEXT.encode("latin-1"))


def test_utf16_without_a_mark(read_written):
    with refused("E_ENCODING", "t.csv", "line 1", "NUL", hint="encoding='utf-16-le'"):
        read_written("t.csv", TEXT.encode("utf-16-le"))


def test_a_nul_far_down(read_written):
    with refused("E_ENCODING", "line 4", "NUL"):
        read_written("t.csv", b"a,b\r\n1,2\r\n3,4\r\n5,\x00\r\n")


def test_cut_off_utf16(read_written):
    with refused("E_ENCODING", "t.csv", "utf-16"):
        read_written("t.csv", TEXT.encode("utf-16")[:-1])


def test_an_encoding_that_contradicts_the_mark(read_written):
    with refused("E_ENCODING", "byte order mark of utf-16", "latin-1", exit_code=2):
        read_written("t.csv", TEXT.encode("utf-16"), encoding="latin-1")


@pytest.mark.parametrize("encoding", ["utf-99", "zip", "rot13", "base64", "a\x00b"])
def test_no_such_text_encoding(read_written, encoding):
    with refused("E_ENCODING", "encoding=", exit_code=2):
        read_written("t.csv", TEXT, encoding=encoding)


def test_json_lines_in_utf16(read_written):
    table = read_written("t.jsonl", '{"é": 1}\n'.encode("utf-16"))
    assert table.columns.to_pylist() == [{"é": 1}]
