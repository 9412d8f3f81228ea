"""Text files: their encoding, their delimiter, their records."""

from __future__ import annotations

import codecs
import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from referee.errors import InputError, UsageError
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
NEWLINE = re.compile(rb"\r\n|\n|\r")


class Utf8(NamedTuple):
    data: bytes
    notes: tuple[str, ...]


def as_utf8(source: str, data: bytes, encoding: str | None) -> Utf8:
    """Give valid UTF-8 without a mark and without NULs, or raise E_ENCODING with the line.

    >>> as_utf8("preds.csv", "y,é".encode("utf-16"), None).notes
    ('encoding utf-16',)
    """
    mark, used = encoding_of(source, data, encoding)
    text = data[len(mark) :] if used == "utf-8" else _recoded(source, data, used)
    refuse_invalid(source, text, used)
    return Utf8(text, () if used == "utf-8" else (f"encoding {used}",))


def refuse_no_text(source: str, head: bytes, encoding: str | None) -> None:
    """Refuse a file by its first bytes, before the rest of it is read: text in UTF-8 has no NUL."""
    _, used = encoding_of(source, head, encoding)
    if used == "utf-8" and b"\x00" in head:
        refuse_invalid(source, head, used)


def encoding_of(source: str, head: bytes, encoding: str | None) -> tuple[bytes, str]:
    """The byte order mark that the data start with, and the encoding: by this mark, by the user, else UTF-8."""
    mark, marked = next(((mark, name) for mark, name in MARKS if head.startswith(mark)), (b"", None))
    known = _known_encoding(encoding) if encoding else None
    if known and marked and not known.startswith(marked):
        raise UsageError(
            "E_ENCODING",
            f"{source} starts with the byte order mark of {marked}, --encoding says {encoding}",
            hint="leave --encoding out",
        )
    return mark, marked or known or "utf-8"


def _known_encoding(encoding: str) -> str:
    try:
        "".encode(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, ValueError) as error:
        raise UsageError(
            "E_ENCODING",
            f"--encoding {encoding}: no such text encoding",
            hint="common ones are utf-8, utf-16, latin-1, cp1252 and shift_jis",
        ) from error


def _recoded(source: str, data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).encode()
    except UnicodeError as error:
        reason = f"{error.reason} at byte {error.start:,}" if isinstance(error, UnicodeDecodeError) else str(error)
        raise InputError(
            "E_ENCODING", f"{source} is not {encoding} text: {reason}", hint="name its encoding with --encoding"
        ) from error


def refuse_invalid(source: str, data: bytes, encoding: str, first_line: int = 1) -> None:
    """Raise E_ENCODING with the line of a NUL or of what is not UTF-8."""
    nul = data.find(b"\x00")
    if nul >= 0:
        hint = "text from Windows may be UTF-16: --encoding utf-16-le" if encoding == "utf-8" else "is it a text file?"
        line = first_line - 1 + line_of(data, nul)
        raise InputError("E_ENCODING", f"{source}, line {line}: NUL byte, so this is not text", hint=hint)
    if not _is_utf8(data):
        raise _not_utf8(source, data, first_line)


def _is_utf8(data: bytes) -> bool:
    """Check in place: `bytes.decode` would make a copy of up to four times the size."""
    import pyarrow as pa

    offsets = pa.py_buffer(len(b"").to_bytes(8, "little") + len(data).to_bytes(8, "little"))
    text = pa.LargeStringArray.from_buffers(1, offsets, pa.py_buffer(data))
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _not_utf8(source: str, data: bytes, first_line: int) -> InputError:
    at = 0
    try:
        data.decode()
    except UnicodeDecodeError as error:
        at = error.start
    return InputError(
        "E_ENCODING",
        f"{source}, line {first_line - 1 + line_of(data, at)}: byte 0x{data[at]:02X} is not UTF-8",
        hint="name the encoding, such as --encoding cp1252 (Windows) or --encoding latin-1",
    )


def line_of(data: bytes, offset: int) -> int:
    r"""Count to the 1-based physical line of an offset.

    >>> line_of(b"a\r\nb\nc", 5)
    3
    """
    return 1 + sum(1 for _ in NEWLINE.finditer(data, 0, offset))


QUOTED = re.compile(rb'"((?:[^"]|"")*+)"')


@dataclass(frozen=True)
class Record:
    line: int
    fields: list[bytes]
    end: int
    next_line: int
    stray_quotes: bool


class QuoteError(Exception):
    """A quote that is never closed, or that closes in the middle of a field."""

    def __init__(self, line: int, closed_on: int | None = None) -> None:
        super().__init__(line)
        self.line, self.closed_on = line, closed_on


def record_at(data: bytes, delimiter: bytes, start: int, line: int) -> Record:
    """One record, from `start` to just after its newline.

    >>> record_at(b'a,"b, c"', b",", 0, 1).fields
    [b'a', b'b, c']
    """
    newline = NEWLINE.search(data, start)
    end = newline.start() if newline else len(data)
    if data.find(b'"', start, end) < 0:
        after = newline.end() if newline else end
        return Record(line, data[start:end].split(delimiter), after, line + 1, stray_quotes=False)
    return _quoted_record(data, delimiter, start, line)


def _quoted_record(data: bytes, delimiter: bytes, start: int, line: int) -> Record:
    plain = re.compile(rb"[^\r\n" + re.escape(delimiter) + rb"]*+")
    fields, at, here, stray = [], start, line, False
    while True:
        if data.startswith(b'"', at):
            quoted = QUOTED.match(data, at)
            if not quoted:
                raise QuoteError(here)
            closed = here + sum(1 for _ in NEWLINE.finditer(quoted[1]))
            fields.append(quoted[1].replace(b'""', b'"'))
            at, opened, here = quoted.end(), here, closed
            if at < len(data) and data[at : at + 1] not in (delimiter, b"\r", b"\n"):
                raise QuoteError(opened, closed)
        else:
            text = plain.match(data, at)
            assert text
            fields.append(text[0])
            stray, at = stray or b'"' in text[0], text.end()
        if not data.startswith(delimiter, at):
            newline = NEWLINE.match(data, at)
            return Record(line, fields, newline.end() if newline else at, here + 1, stray)
        at += 1


def records(data: bytes, delimiter: bytes, start: int, line: int) -> Iterator[Record]:
    while start < len(data):
        record = record_at(data, delimiter, start, line)
        yield record
        start, line = record.end, record.next_line


def refuse_damage(source: str, data: bytes, delimiter: bytes, header: Record, first_row: int = 1) -> None:
    """Raise E_RAGGED or E_QUOTE at the first damaged record after the header; return if there is none."""
    expected = len(header.fields)
    try:
        for row, record in enumerate(records(data, delimiter, header.end, header.next_line), first_row):
            if len(record.fields) != expected:
                raise _ragged(source, row, record, expected)
    except QuoteError as error:
        raise quote_error(source, error) from error


def _ragged(source: str, row: int, record: Record, expected: int) -> InputError:
    width = len(record.fields)
    place = f"{source}: row {row} (line {record.line})"
    if record.fields == [b""]:
        return InputError("E_RAGGED", f"{place} is blank, expected {expected} fields", hint="delete the blank line")
    fields = f"{width} field" if width == 1 else f"{width} fields"
    hint = (
        "a cell that contains the delimiter must be in quotes"
        if width > expected
        else "the row may be cut off, or a cell with a newline may lack its quotes"
    )
    return InputError("E_RAGGED", f"{place} has {fields}, expected {expected}", hint=hint)


def quote_error(source: str, error: QuoteError) -> InputError:
    if error.closed_on is None:
        return InputError(
            "E_QUOTE",
            f"{source}, line {error.line}: the quote that opens here is never closed",
            hint='close it, or write a quote inside the text twice: ""',
        )
    return InputError(
        "E_QUOTE",
        f"{source}, line {error.closed_on}: there is text after the closing quote of a cell opened on line "
        f"{error.line}",
        hint='remove one of the two quotes; a quote inside the text is written twice: ""',
    )


USUAL = (b",", b";", b"\t", b"|", b"\x1f", b"\x01")
# These also stand inside names, so a header alone cannot tell.
POSSIBLE = (b" ", b":", b"^", b"~")
SAMPLE = 100


def chosen_delimiter(option: str) -> bytes:
    r"""Take the delimiter as the user gave it, `\t` and `tab` included.

    >>> chosen_delimiter("tab")
    b'\t'
    """
    delimiter = {"\\t": b"\t", "tab": b"\t"}.get(option.lower(), option.encode())
    if len(delimiter) != 1 or delimiter in b'"\r\n\0':
        raise UsageError(
            "E_DELIMITER",
            f"--delimiter {option!r} is not one ASCII character",
            hint="such as ',' or ';' or 'tab'; a quote or newline cannot be one",
        )
    return delimiter


def found_delimiter(source: str, data: bytes, start: int, line: int) -> bytes:
    """Find the one delimiter that splits the header, and with several the one that fits the rows too."""
    headers = _splitting(data, USUAL, start, line)
    if len(headers) == 1:
        return next(iter(headers))
    if headers:
        fitting = [delimiter for delimiter, header in headers.items() if _fits(data, delimiter, header)]
        if len(fitting) == 1:
            return fitting[0]
        raise _ambiguous(source, list(headers), "several delimiters")
    possible = _splitting(data, POSSIBLE, start, line)
    fitting = [delimiter for delimiter, header in possible.items() if _fits(data, delimiter, header)]
    if fitting:
        raise _ambiguous(source, [*fitting, b","], "one column, or several")
    return b","


def _splitting(data: bytes, delimiters: tuple[bytes, ...], start: int, line: int) -> dict[bytes, Record]:
    headers = {}
    for delimiter in delimiters:
        try:
            header = record_at(data, delimiter, start, line)
        except QuoteError:
            continue
        if len(header.fields) > 1:
            headers[delimiter] = header
    clean = {delimiter: header for delimiter, header in headers.items() if not header.stray_quotes}
    return clean or headers


def _fits(data: bytes, delimiter: bytes, header: Record) -> bool:
    try:
        sample = list(islice(records(data, delimiter, header.end, header.next_line), SAMPLE))
    except QuoteError:
        return False
    counts = {len(record.fields) for record in sample if record.fields != [b""]}
    return counts == {len(header.fields)}


def _ambiguous(source: str, delimiters: list[bytes], what: str) -> UsageError:
    options = " or ".join(f"--delimiter {shown(delimiter)}" for delimiter in delimiters)
    return UsageError(
        "E_DELIMITER",
        f"{source}: its header line can be read with {what}, nothing is guessed; use {options}",
        hint=f"use {options}",
    )


def shown(delimiter: bytes) -> str:
    r"""Name a delimiter in a message.

    >>> shown(b"\t"), shown(b";")
    ('tab', "';'")
    """
    return "tab" if delimiter == b"\t" else repr(delimiter.decode())


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
