"""The delimiter of a CSV: from the header line outside quotes, and never guessed."""

from __future__ import annotations

from itertools import islice

from referee.errors import UsageError
from referee.readers.csv_diagnosis import QuoteError, Record, record_at, records

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
        f"{source}: its header line can be read with {what}, nothing is guessed; say {options}",
        hint=f"say {options}",
    )


def shown(delimiter: bytes) -> str:
    r"""Name a delimiter in a message.

    >>> shown(b"\t"), shown(b";")
    ('tab', "';'")
    """
    return "tab" if delimiter == b"\t" else repr(delimiter.decode())
