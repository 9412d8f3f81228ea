"""A file that is read piece by piece, as often as it is needed; every piece knows the numbers of its rows."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from referee.readers.detect import COMPRESSIONS, format_of
from referee.readers.files import head_of, matching_files, refuse_change, stamp_of
from referee.readers.locations import ADDRESS
from referee.readers.safety import refuse_pickle
from referee.readers.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from referee.readers.table import ReadOptions

    Opener = Callable[[str, list[Path], ReadOptions], "Pieces | None"]

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
    pieces: Pieces
    stamps: dict[Path, tuple[int, int] | None]
    decimal: str = "."
    rows: int = BATCH_ROWS

    @property
    def names(self) -> list[str]:
        return self.pieces.names

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
        with self._unchanged():
            for piece in self.pieces.read(columns, self.rows):
                yield self.table(piece, first_row)
                first_row += piece.num_rows

    @contextmanager
    def _unchanged(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self._refuse_change(error)
            raise
        self._refuse_change(None)

    def _refuse_change(self, cause: Exception | None) -> None:
        for file, stamp in self.stamps.items():
            refuse_change(file, stamp, cause)


def open_batches(
    source: object, options: ReadOptions, rows: int | None = None, *, always: bool = False
) -> Batches | None:
    """Open a source that is too large for memory; None if it is not, or not of a kind that comes in pieces."""
    if not isinstance(source, str | os.PathLike) or ADDRESS.match(os.fspath(source)):
        return None
    name = os.fspath(source)
    try:
        files = matching_files(name)
        opener = _opener(name, files)
        stamps = {file: stamp_of(file) for file in files}
        pieces = opener(name, files, options) if opener else None
    except (OSError, UnicodeError):  # the usual way of reading will say what is wrong
        return None
    if pieces is None or not (always or pieces.is_too_large(options)):
        return None
    return Batches(name, pieces, stamps, options.decimal, rows or BATCH_ROWS)


def _opener(name: str, files: list[Path]) -> Opener | None:
    from referee.readers.csv_batches import open_csv
    from referee.readers.parquet_batches import open_parquet

    if not all(stat.S_ISREG(file.stat().st_mode) for file in files):
        return None
    heads = [head_of(file) for file in files]
    kinds = {format_of(head, file.name) for head, file in zip(heads, files, strict=True)}
    for file, head in zip(files, heads, strict=True):
        refuse_pickle(file, head)
    if kinds == {"parquet"}:
        return open_parquet
    alone = len(files) == 1 and not Path(name).is_dir()
    return open_csv if alone and kinds <= {"csv", *COMPRESSIONS} else None
