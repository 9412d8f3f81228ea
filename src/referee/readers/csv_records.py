"""Where the rows of a CSV end: a newline inside quotes ends none."""

from __future__ import annotations

from referee.readers.csv import quotes_are_regular
from referee.readers.csv_diagnosis import QuoteError, records


def end_of_last_record(data: bytes, delimiter: bytes) -> int:
    r"""Give the place after the last newline that ends a row; 0 if there is none yet.

    >>> end_of_last_record(b'a,b\nc,"d\n', b",")
    4
    """
    if b'"' not in data:
        return _after_last_newline(data)
    cut = _even_quotes(data)
    return cut if quotes_are_regular(data[:cut], delimiter, 0) else _one_by_one(data, delimiter)


def _after_last_newline(data: bytes) -> int:
    # A carriage return at the very end may be the first half of a newline.
    return (data.rfind(b"\n") + 1) or (data.rfind(b"\r", 0, len(data) - 1) + 1)


def _even_quotes(data: bytes) -> int:
    """The end of the last line with an even number of quotes before it."""
    import numpy as np

    characters = np.frombuffer(data, np.uint8)
    newlines = np.flatnonzero(characters == ord("\n"))
    if not len(newlines):
        newlines = np.flatnonzero(characters[:-1] == ord("\r"))
    quotes = np.flatnonzero(characters == ord('"'))
    outside = newlines[np.searchsorted(quotes, newlines) % 2 == 0]
    return int(outside[-1]) + 1 if len(outside) else 0


def _one_by_one(data: bytes, delimiter: bytes) -> int:
    end = before = 0
    try:
        for record in records(data, delimiter, 0, 1):
            before, end = end, record.end
    except QuoteError as error:
        # Closed in the middle of a cell is damage, which the parser will name; not closed yet, the row goes on.
        return end if error.closed_on is None else _after_last_newline(data)
    return end if data.endswith(b"\n") else before
