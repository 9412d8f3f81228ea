"""A table as a reader gives it: Arrow columns, and the name that messages use for it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.errors import InputError, UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa


@dataclass(frozen=True)
class ReadOptions:
    """What the user may say about a source; None means: found from the content.

    >>> ReadOptions(delimiter=";", decimal=",").decimal
    ','
    """

    table: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str = "."
    max_memory: int | None = None
    push_down: bool = True
    """Whether a database summarises its table itself; otherwise the table is read."""


@dataclass(frozen=True)
class Table:
    """Columns of one source.

    `text` is true where every cell is text as written (CSV): numbers are then parsed when a column's role is
    known, so that labels keep their spelling and an error can show the cell.
    """

    name: str
    columns: pa.Table
    text: bool = False
    decimal: str = "."
    notes: tuple[str, ...] = ()
    first_row: int = 1
    """The number of the first row, where this is a part of a larger table."""
    row_numbers: Sequence[int] | None = None
    """The number of each row, where they were picked from a larger table."""
    is_part: bool = False

    def __post_init__(self) -> None:
        refuse_duplicate_columns(self.name, self.columns.column_names)

    @property
    def rows(self) -> int:
        return int(self.columns.num_rows)

    def row_number(self, place: int) -> int:
        """The number in the source of the row at this place, the first being 1."""
        return self.first_row + place - 1 if self.row_numbers is None else int(self.row_numbers[place - 1])

    def counted(self, rows: int) -> str:
        """So many rows, in words; of a part only those seen so far are known."""
        return ("1 row" if rows == 1 else f"{rows:,} rows") + (" so far" if self.is_part else "")

    def column(self, name: str) -> pa.ChunkedArray:
        if name not in self.columns.column_names:
            hint = did_you_mean(name, self.columns.column_names)
            raise UsageError("E_NOCOL", f"{self.name} has no column {name!r}; {hint}", hint=hint)
        return self.columns.column(name)


def refuse_duplicate_columns(source: str, names: list[str]) -> None:
    places = defaultdict(list)
    for place, name in enumerate(names, start=1):
        places[name].append(place)
    for name, at in places.items():
        if len(at) > 1:
            where = " and ".join(str(place) for place in at)
            raise InputError(
                "E_DUPCOL",
                f"{source}: duplicate column {name!r} (columns {where})",
                hint="rename one of them, nothing is guessed",
            )
