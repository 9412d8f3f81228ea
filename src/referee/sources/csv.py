"""CSV: every cell stays text as written; the delimiter is found, never guessed."""

from __future__ import annotations

import codecs
import re
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from referee.errors import InputError
from referee.predictions import (
    AT_WORK,
    COMPRESSIONS,
    HEAD,
    NEWLINE,
    QuoteError,
    ReadOptions,
    Record,
    Source,
    Table,
    applied,
    as_utf8,
    chosen_delimiter,
    encoding_of,
    end_of_last_record,
    format_of,
    found_delimiter,
    head_of,
    inner_name,
    line_of,
    memory_limit,
    quote_error,
    quotes_are_regular,
    record_at,
    refuse_damage,
    refuse_duplicate_columns,
    refuse_invalid,
    refuse_pickle,
    room_for_rows,
    shown,
    size_text,
    too_big,
)
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from referee.predictions import ReadOptions, Record

BLANK_LINES = re.compile(rb"(?:[ \t]*+(?:\r\n|\n|\r))*+")
NOT_BLANK = re.compile(rb"\S")
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
    if not NOT_BLANK.search(data, start):
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
    empty = applied("equal", columns.column(0), "")
    for column in columns.columns[1:]:
        if not applied("any", empty).as_py():
            return False
        empty = applied("and", empty, applied("equal", column, ""))
    return columns.num_columns > 1 and bool(applied("any", empty).as_py())


COPIES = 3
"""The bytes, the cells as Arrow holds them, and the numbers."""
USUAL_RATIO = 20
"""Text is hardly ever compressed more than this."""
PIECE = 1 << 23
BYTES_PER_ROW = 32
"""About, so that a piece has about the rows asked for."""


@dataclass(frozen=True, eq=False)
class CsvPieces:
    source: str
    file: Path
    compression: str | None
    encoding: str
    mark: bytes
    delimiter: bytes
    header: Record
    limit: int
    notes: tuple[str, ...]
    row_bytes: float
    """Of the rows at the beginning, about, unpacked."""
    text: bool = True

    @property
    def about_rows(self) -> int | None:
        if self.compression is not None:
            return None
        rows = int(self.file.stat().st_size / self.row_bytes)
        return round(rows, 2 - len(str(rows)))

    @property
    def names(self) -> list[str]:
        return [name.decode() for name in self.header.fields]

    def is_too_large(self, options: ReadOptions) -> bool:
        most, size = int(room_for_rows(options) / self._copies(options)), self.file.stat().st_size
        if self.compression is None or size > most:
            return size > most
        return size * USUAL_RATIO > most and self._goes_beyond(most)

    def _copies(self, options: ReadOptions) -> float:
        """Times the text, what is made of it takes."""
        if options.max_memory is None or not options.push_down:
            return COPIES
        numbers = 8 * len(self.header.fields) / self.row_bytes
        return max(COPIES, 1 + AT_WORK[options.compares] * numbers)

    def _goes_beyond(self, most: int) -> bool:
        seen = 0
        with stream_of(self.file, self.compression) as stream:
            while seen <= most and (chunk := stream.read(PIECE)):
                seen += len(chunk)
        return seen > most

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        size = max(1, min(PIECE, rows * BYTES_PER_ROW, self.limit // 16))
        header, first_row = replace(self.header, end=0), 1
        for piece in self._records(size):
            refuse_invalid(self.source, piece, self.encoding, header.next_line)
            table = columns_of(self.source, piece, self.delimiter, header, first_row)
            yield table.select(list(columns))
            first_row += table.num_rows
            header = replace(header, next_line=header.next_line + _lines(piece))

    def _records(self, size: int) -> Iterator[bytes]:
        """Pieces of whole rows, without the blank lines at the end of the file."""
        rest, to_skip = b"", self.header.end
        for chunk in self._utf8(size):
            data = rest + chunk[to_skip:]
            to_skip = max(0, to_skip - len(chunk))
            cut = self._cut(data)
            if len(data) - cut > max(self.limit // 4, 1 << 16):
                raise too_big(self.source, f"one row has more than {size_text(len(data) - cut)}", self.limit)
            if cut:
                yield data[:cut]
            rest = data[cut:]
        if stop := end_of_rows(rest, replace(self.header, end=0), self.delimiter):
            yield rest[:stop]

    def _cut(self, data: bytes) -> int:
        """Where the last whole row ends: blank lines after it may be the end of the file."""
        cut = end_of_last_record(data, self.delimiter)
        stop = end_of_rows(data[:cut], replace(self.header, end=0), self.delimiter) if cut else 0
        newline = NEWLINE.match(data, stop) if stop else None
        return newline.end() if newline else 0

    def _utf8(self, size: int) -> Iterator[bytes]:
        decoder = None if self.encoding == "utf-8" else codecs.getincrementaldecoder(self.encoding)()
        to_skip = len(self.mark) if decoder is None else 0
        with stream_of(self.file, self.compression) as stream:
            while chunk := stream.read(size):
                if decoder is None:
                    yield chunk[to_skip:]
                    to_skip = max(0, to_skip - len(chunk))
                else:
                    yield self._recoded(decoder, chunk)
            if decoder is not None:
                yield self._recoded(decoder, b"")

    def _recoded(self, decoder: Any, chunk: bytes) -> bytes:
        try:
            return bytes(decoder.decode(chunk, not chunk).encode())
        except UnicodeError as error:
            reason = error.reason if isinstance(error, UnicodeDecodeError) else str(error)
            raise InputError(
                "E_ENCODING",
                f"{self.source} is not {self.encoding} text: {reason}",
                hint="name its encoding with --encoding",
            ) from error


def open_csv(source: str, files: list[Path], options: ReadOptions) -> CsvPieces | None:
    """Look at the head of a file: its encoding, delimiter and columns; None if it is no CSV inside."""
    (file,) = files
    kind = format_of(head_of(file), file.name)
    compression = kind if kind in COMPRESSIONS else None
    with stream_of(file, compression) as stream:
        head = bytes(stream.read(1 << 20))
    if compression is not None:
        refuse_pickle(file, head[:HEAD])
        if format_of(head[:HEAD], inner_name(file)) != "csv":
            return None
    mark, encoding = encoding_of(source, head, options.encoding)
    recoded = None if encoding == "utf-8" else codecs.getincrementaldecoder(encoding)().decode(head).encode()
    delimiter, header = header_of(source, head[len(mark) :] if recoded is None else recoded, options)
    row_bytes = len(head) / max(1, _lines(head))
    notes = [compression] if compression else []
    notes += [f"encoding {encoding}"] if encoding != "utf-8" else []
    notes += [f"delimiter {shown(delimiter)}"] if delimiter != b"," else []
    return CsvPieces(
        source, file, compression, encoding, mark, delimiter, header, memory_limit(options), tuple(notes), row_bytes
    )


@contextmanager
def stream_of(file: Path, compression: str | None) -> Iterator[Any]:
    """The bytes of a file, unpacked; E_COMPRESSED if they cannot be."""
    with ExitStack() as stack:
        content = stack.enter_context(file.open("rb"))
        if compression is None:
            yield content
            return
        import lzma
        import zlib

        from referee.predictions import damaged, unpacked

        try:
            yield stack.enter_context(unpacked(content, compression))
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            raise damaged(file, compression, error) from error


def _lines(data: bytes) -> int:
    return data.count(b"\n") if b"\r" not in data else sum(1 for _ in NEWLINE.finditer(data))


source = Source(
    "CSV",
    what="Text with a line of column names; delimiter, encoding and compression are detected.",
    shown="preds.csv",
    suffixes=(".csv", ".tsv", ".txt"),
    content=read_csv,
    pieces=open_csv,
)
