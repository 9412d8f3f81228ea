"""The careful pass over a CSV: slow, exact about lines and quotes; it finds the place when the fast one fails."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.errors import InputError
from referee.readers.text_encoding import NEWLINE

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    found = len(record.fields)
    place = f"{source}: row {row} (line {record.line})"
    if record.fields == [b""]:
        return InputError("E_RAGGED", f"{place} is blank, expected {expected} fields", hint="delete the blank line")
    fields = f"{found} field" if found == 1 else f"{found} fields"
    hint = (
        "a cell that holds the delimiter must stand in quotes"
        if found > expected
        else "the row may be cut off, or a newline in a cell may lack its quotes"
    )
    return InputError("E_RAGGED", f"{place} has {fields}, expected {expected}", hint=hint)


def quote_error(source: str, error: QuoteError) -> InputError:
    if error.closed_on is None:
        return InputError(
            "E_QUOTE",
            f"{source}, line {error.line}: the quote that opens here is never closed",
            hint='close it, or write a quote that belongs to the text twice: ""',
        )
    return InputError(
        "E_QUOTE",
        f"{source}, line {error.closed_on}: text follows the quote that closes a cell opened on line {error.line}",
        hint='one of the two quotes is too many; a quote that belongs to the text is written twice: ""',
    )
