"""A table as a reader gives it: Arrow columns, and the name that messages use for it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.errors import InputError, UsageError, did_you_mean

if TYPE_CHECKING:
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

    def __post_init__(self) -> None:
        refuse_duplicate_columns(self.name, self.columns.column_names)

    @property
    def rows(self) -> int:
        return int(self.columns.num_rows)

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
