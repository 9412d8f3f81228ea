"""CSV: every cell stays text as written; the delimiter is found, never guessed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from referee.errors import InputError
from referee.readers.csv_diagnosis import QuoteError, Record, quote_error, record_at, refuse_damage
from referee.readers.delimiter import chosen_delimiter, found_delimiter, shown
from referee.readers.table import ReadOptions, Table, refuse_duplicate_columns
from referee.readers.text_encoding import as_utf8, line_of

if TYPE_CHECKING:
    import pyarrow as pa

BLANK_LINES = re.compile(rb"(?:[ \t]*+(?:\r\n|\n|\r))*+")
BLOCK = 1 << 20
LARGEST_BLOCK = (1 << 31) - 1
TAIL = 1 << 16


def read_csv(source: str, data: bytes, options: ReadOptions, notes: tuple[str, ...] = ()) -> Table:
    r"""Read the bytes of a CSV file.

    >>> read_csv("preds.csv", b"id;A\nr1;0.50\n", ReadOptions()).columns.to_pylist()
    [{'id': 'r1', 'A': '0.50'}]
    """
    data, encoding = as_utf8(source, data, options.encoding)
    delimiter, header = header_of(source, data, options)
    columns = columns_of(source, data, delimiter, header)
    if delimiter != b",":
        encoding = (*encoding, f"delimiter {shown(delimiter)}")
    return Table(source, columns, text=True, decimal=options.decimal, notes=notes + encoding)


def header_of(source: str, data: bytes, options: ReadOptions) -> tuple[bytes, Record]:
    """The delimiter, as found or as the user said, and the line with the columns' names."""
    start = _header_start(source, data)
    line = line_of(data, start)
    try:
        delimiter = (
            chosen_delimiter(options.delimiter) if options.delimiter else found_delimiter(source, data, start, line)
        )
        header = record_at(data, delimiter, start, line)
    except QuoteError as error:
        raise quote_error(source, error) from error
    refuse_duplicate_columns(source, [name.decode() for name in header.fields])
    return delimiter, header


def _header_start(source: str, data: bytes) -> int:
    blank = BLANK_LINES.match(data)
    start = blank.end() if blank else 0
    if not data[start : start + TAIL].strip() and not data[start:].strip():
        raise InputError(
            "E_EMPTY", f"{source} is empty: no header line with column names", hint="is it the right file?"
        )
    return start


def columns_of(source: str, data: bytes, delimiter: bytes, header: Record, first_row: int = 1) -> pa.Table:
    """Parse what follows the header; its first row has the number given."""
    import pyarrow as pa

    names = [name.decode() for name in header.fields]
    stop = end_of_rows(data, header, delimiter)
    if stop <= header.end:
        return pa.table({name: pa.array([], pa.string()) for name in names})
    data = data[:stop]
    if not quotes_are_regular(data, delimiter, header.end):
        refuse_damage(source, data, delimiter, header, first_row)
    try:
        columns = _parsed(pa.py_buffer(data).slice(header.end), delimiter, len(names)).rename_columns(names)
    except pa.ArrowInvalid as error:
        refuse_damage(source, data, delimiter, header, first_row)
        raise InputError("E_CSV", f"{source} cannot be read as CSV: {error}") from error
    if _has_empty_row(columns):
        refuse_damage(source, data, delimiter, header, first_row)
    return columns


def end_of_rows(data: bytes, header: Record, delimiter: bytes) -> int:
    """Where the last row ends: the blank lines after it are no rows."""
    blanks = b"\r\n" if len(header.fields) == 1 else b"\r\n \t".replace(delimiter, b"")
    stop = len(data)
    while stop > header.end:
        begin = max(header.end, stop - TAIL)
        kept = len(data[begin:stop].rstrip(blanks))
        stop = begin + kept
        if kept:
            break
    if stop <= header.end:
        return header.end
    # Blanks at the end of the last row belong to its last cell.
    newline = re.compile(rb"[\r\n]").search(data, stop)
    return newline.start() if newline else len(data)


def _parsed(body: Any, delimiter: bytes, width: int) -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv

    names = [str(place) for place in range(width)]
    parse = csv.ParseOptions(delimiter=delimiter.decode(), newlines_in_values=True, ignore_empty_lines=False)
    convert = csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False, quoted_strings_can_be_null=False
    )
    block = BLOCK
    while True:
        read = csv.ReadOptions(column_names=names, block_size=block)
        try:
            return csv.read_csv(body, read, parse, convert)
        except pa.ArrowInvalid:
            # A row longer than a block fails like a damaged one.
            if block > body.size or block == LARGEST_BLOCK:
                raise
            block = min(block * 64, LARGEST_BLOCK)


def _has_empty_row(columns: pa.Table) -> bool:
    """Tell whether a row has only empty cells: the fast parser reads a blank line so."""
    import pyarrow.compute as pc

    empty = pc.equal(columns.column(0), "")
    for column in columns.columns[1:]:
        if not pc.any(empty).as_py():
            return False
        empty = pc.and_(empty, pc.equal(column, ""))
    return columns.num_columns > 1 and bool(pc.any(empty).as_py())


def quotes_are_regular(data: bytes, delimiter: bytes, start: int) -> bool:
    """Tell whether each quote that opens follows, and each that closes precedes, a delimiter, newline or quote."""
    if data.find(b'"', start) < 0:
        return True
    import numpy as np

    characters = np.frombuffer(data, np.uint8)[start:]
    quotes = np.flatnonzero(characters == ord('"'))
    if len(quotes) % 2:
        return False
    opening, closing = quotes[0::2], quotes[1::2]
    is_border = np.zeros(256, np.bool_)
    is_border[list(delimiter + b'\r\n"')] = True
    before = characters[opening[opening > 0] - 1]
    after = characters[closing[closing < len(characters) - 1] + 1]
    return bool(is_border[before].all() and is_border[after].all())
