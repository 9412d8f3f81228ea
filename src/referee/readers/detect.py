"""Which format a file has: told by its first bytes, then by its name."""

from __future__ import annotations

import re
from pathlib import PurePath

MAGIC = (
    (b"PAR1", "parquet"),
    (b"PARE", "encrypted Parquet"),
    (b"ARROW1", "arrow"),
    (b"\xff\xff\xff\xff", "arrow"),
    (b"FEA1", "Feather version 1"),
    (b"SQLite format 3\x00", "sqlite"),
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh", "bz2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\x93NUMPY", "NumPy"),
    (b"\x89HDF", "HDF5"),
    (b"\xd0\xcf\x11\xe0", "old Excel"),
    (b"ORC", "ORC"),
    (b"Obj\x01", "Avro"),
    (b"%PDF", "PDF"),
    (b"7z\xbc\xaf", "7-Zip"),
    (b"Rar!", "RAR"),
)
LATER_MAGIC = ((8, b"DUCK", "duckdb"), (257, b"ustar", "tar"))
NAMES = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".parq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".duckdb": "duckdb",
    ".ddb": "duckdb",
}
COMPRESSIONS = ("gzip", "zstd", "bz2", "xz")
JSON_START = re.compile(rb'\s*(\[\s*)?\{\s*["}]')
# Only some letters follow "ORC", "Obj" or "BZh" in a real file, while a CSV header may start with these words.
TEXT = re.compile(rb"[\t\n\r\x20-\x7e]{3,}\Z")


def format_of(head: bytes, name: str) -> str:
    """Tell the format of a file from its first bytes and its name.

    >>> format_of(b"PAR1...", "preds.csv"), format_of(b"id,y,A", "preds"), format_of(b'{"y": 1}', "preds.txt")
    ('parquet', 'csv', 'jsonl')
    """
    for offset, magic, kind in LATER_MAGIC:
        if head.startswith(magic, offset):
            return kind
    for magic, kind in MAGIC:
        if head.startswith(magic) and not _is_text_header(head, magic):
            return kind
    if JSON_START.match(_without_byte_order_mark(head)):
        return "jsonl"
    return NAMES.get(PurePath(name).suffix.lower(), "csv")


def _is_text_header(head: bytes, magic: bytes) -> bool:
    return magic in (b"ORC", b"BZh") and TEXT.match(head[:200]) is not None


def _without_byte_order_mark(head: bytes) -> bytes:
    # NULs go too: enough to see the first characters of UTF-16 and UTF-32.
    return head.lstrip(b"\xef\xbb\xbf\xff\xfe").replace(b"\x00", b"") if head[:1] in b"\xef\xff\xfe\x00" else head
