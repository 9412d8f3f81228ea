"""JSON lines, and a plain JSON array of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.readers.json_diagnosis import careful_columns
from referee.readers.table import ReadOptions, Table
from referee.readers.text_encoding import as_utf8

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 1 << 22
# The fast parser is recursive: some ten thousand nested brackets would crash the process.
DEEPEST = 1000
EXACT = 2**53


def read_jsonl(source: str, data: bytes, options: ReadOptions, notes: tuple[str, ...] = ()) -> Table:
    r"""Read the bytes of a JSON lines file; a key that a line lacks is missing there.

    >>> read_jsonl("preds.jsonl", b'{"y": 1, "A": 0.5}\n{"y": 0}\n', ReadOptions()).columns.to_pylist()
    [{'y': 1, 'A': 0.5}, {'y': 0, 'A': None}]
    """
    data, encoding = as_utf8(source, data, options.encoding)
    columns = _fast_columns(data)
    if columns is None:
        columns = careful_columns(source, data)
    return Table(source, columns, notes=notes + encoding)


def _fast_columns(data: bytes) -> pa.Table | None:
    """Give the columns, or None where only the careful pass can tell what is right."""
    import pyarrow as pa

    if not data[:64].lstrip().startswith(b"{") or _may_be_deep(data):
        return None
    try:
        columns = _parsed(data, None)
        if dates := [field for field in columns.schema if pa.types.is_timestamp(field.type)]:
            # Text that looks like a date stays the text it is.
            columns = _parsed(data, pa.schema([(field.name, pa.string()) for field in dates]))
    except pa.ArrowInvalid:
        return None
    return None if _may_be_rounded(columns) else columns


def _parsed(data: bytes, known: Any) -> pa.Table:
    import pyarrow as pa
    from pyarrow import json

    parse = json.ParseOptions(explicit_schema=known, newlines_in_values=False)
    return json.read_json(pa.py_buffer(data), json.ReadOptions(block_size=BLOCK), parse)


def _may_be_deep(data: bytes) -> bool:
    openings = data.count(b"{") + data.count(b"[")
    if openings - data.count(b"\n") < DEEPEST:
        return False
    return any(line.count(b"{") + line.count(b"[") > DEEPEST for line in data.split(b"\n"))


def _may_be_rounded(columns: pa.Table) -> bool:
    """Whether a column of decimals holds numbers beyond 2^53, which may have been exact integers in the file."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for column in columns.columns:
        if pa.types.is_floating(column.type):
            extremes = pc.min_max(column).as_py()
            if any(value is not None and abs(value) >= EXACT for value in extremes.values()):
                return True
    return False
