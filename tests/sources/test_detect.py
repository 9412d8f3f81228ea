from __future__ import annotations

import pytest

from referee.predictions import format_of

from .refusals import refused


@pytest.mark.parametrize(
    ("head", "name", "kind"),
    [
        (b"PAR1", "t.csv", "parquet"),
        (b"ARROW1\x00\x00", "t.csv", "arrow"),
        (b"\xff\xff\xff\xff\x10", "t", "arrow"),
        (b"SQLite format 3\x00", "t.csv", "sqlite"),
        (b"12345678DUCK\x40\x00", "t.csv", "duckdb"),
        (b"\x1f\x8b345678DUCK\x40\x00", "t.duckdb", "duckdb"),
        (b"species,DUCK\n1,1", "t.csv", "csv"),
        (b"\x1f\x8b\x08", "t.csv", "gzip"),
        (b"\x93NUMPY\x01\x00", "t.csv", "npy"),
        (b'{"a": 1}', "t.csv", "jsonl"),
        (b'\n [ {"a": 1}]', "t", "jsonl"),
        (b'\xef\xbb\xbf{"a": 1}', "t", "jsonl"),
        ('\ufeff{"a": 1}'.encode("utf-16-be"), "t", "jsonl"),
        (b"", "t.jsonl", "jsonl"),
        (b"", "t.PARQUET", "parquet"),
        (b"", "t.csv", "csv"),
        (b"{x},y", "t.csv", "csv"),
        (b"[a],y", "t.csv", "csv"),
        (b"ORC,y\n1,2", "t.csv", "csv"),
        (b"BZh,y\n1,2", "t.csv", "csv"),
        (b"PARTY,y", "t.csv", "csv"),
    ],
)
def test_content_then_name(head, name, kind):
    assert format_of(head, name) == kind


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Excel"),
        (b"ORC\x08\x03", "ORC"),
        (b"FEA1\x00", "Feather version 1"),
        (b"PARE\x00", "encrypted"),
    ],
)
def test_formats_that_are_known_but_not_read(read_written, content, word):
    with refused("E_FORMAT", "t.bin", word, hint="CSV"):
        read_written("t.bin", content)
