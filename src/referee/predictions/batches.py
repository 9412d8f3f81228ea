"""A file that is read piece by piece, as often as it is needed; every piece knows the numbers of its rows."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from referee.document import Progress
from referee.predictions.file_stamps import Stamps
from referee.predictions.formats import COMPRESSIONS, format_of, refuse_pickle
from referee.predictions.locations import ADDRESS, STANDARD_INPUT, head_of, matching_files
from referee.predictions.source import sources
from referee.predictions.table import Table
from referee.predictions.text_files import QuoteError, quotes_are_regular, records
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from referee.predictions.table import ReadOptions

BATCH_ROWS = 1 << 18
"""Rows at once: enough for the loops to be long, few enough for their results to stay near the processor."""


class Pieces(Protocol):
    """What the reader of a format gives."""

    @property
    def names(self) -> list[str]: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def text(self) -> bool: ...

    @property
    def about_rows(self) -> int | None:
        """As far as that is known before they are read."""
        ...

    def is_too_large(self, options: ReadOptions) -> bool:
        """Whether it needs more memory than it may have, if it is read at once."""
        ...

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """Give the columns in pieces of about so many rows; E_TOOBIG or the format's errors with the place."""
        ...


@dataclass(frozen=True, eq=False)
class Batches:
    """A table in pieces."""

    name: str
    format: str
    pieces: Pieces
    stamps: Stamps
    decimal: str = "."
    rows: int = BATCH_ROWS

    @property
    def names(self) -> list[str]:
        return self.pieces.names

    @property
    def about_rows(self) -> int | None:
        return self.pieces.about_rows

    def is_too_large(self, options: ReadOptions) -> bool:
        return self.pieces.is_too_large(options)

    def table(self, columns: pa.Table, first_row: int = 1, row_numbers: Sequence[int] | None = None) -> Table:
        """Rows of this source as a table of their own."""
        return Table(
            self.name, columns, self.pieces.text, self.decimal, self.pieces.notes, first_row, row_numbers, is_part=True
        )

    def row_numbers(self, places: npt.NDArray[np.int64]) -> list[int]:
        """The numbers in the file of the rows that are read at these places."""
        return list(places.tolist())

    def read(self, columns: Sequence[str]) -> Iterator[Table]:
        """One pass over the file; E_CHANGED if it is no longer the file of the first pass."""
        first_row = 1
        with self.stamps.unchanged(), Progress(None, f"reading {self.name}, rows") as progress:
            for piece in self.pieces.read(columns, self.rows):
                yield self.table(piece, first_row)
                first_row += piece.num_rows
                progress.advance(by=piece.num_rows)


def open_batches(source: object, options: ReadOptions, rows: int | None = None) -> Batches | None:
    """Open a source of a kind that comes in pieces; None for others."""
    if not isinstance(source, str | os.PathLike) or ADDRESS.match(os.fspath(source)) or source == STANDARD_INPUT:
        return None
    name = os.fspath(source)
    try:
        files = matching_files(name)
        kind = _format(name, files)
        stamps = Stamps(files)
        opener = None if kind is None else sources[kind].pieces
        pieces = opener(name, files, options) if opener else None
    except (OSError, UnicodeError):  # the usual way of reading will say what is wrong
        return None
    if kind is None or pieces is None:
        return None
    return Batches(name, kind, pieces, stamps, options.decimal, rows or BATCH_ROWS)


def _format(name: str, files: list[Path]) -> str | None:
    """The format of a file, or of files that are one table."""
    if not all(stat.S_ISREG(file.stat().st_mode) for file in files):
        return None
    heads = [head_of(file) for file in files]
    kinds = {format_of(head, file.name) for head, file in zip(heads, files, strict=True)}
    for file, head in zip(files, heads, strict=True):
        refuse_pickle(file, head)
    alone = len(files) == 1 and not Path(name).is_dir()
    if len(kinds) > 1 or not (alone or sources[next(iter(kinds))].files):
        return None
    (kind,) = kinds
    return "csv" if kind in COMPRESSIONS else kind if sources.known(kind) else None


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
