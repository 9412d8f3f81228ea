"""Units of a database: what each cell of a column stands for, and columns of names as units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from referee.errors import InputError
from referee.predictions.cell_labels import coded
from referee.predictions.database_columns import sketch_of_column
from referee.predictions.database_queries import fetch_table, lookup
from referee.predictions.units import Units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array, Column
    from referee.predictions.database_columns import Sketch
    from referee.predictions.source import InPlace

FEW_NAMES = 1000
"""Up to here names are told apart one by one, beyond by their rank."""


def of_cells(seen: Sketch, column: str, made: Array) -> Column:
    """What was made of each distinct cell; often it is the cell itself."""
    cells, codes = seen.cells(column), made.tolist()
    if seen.source.table[column].type().is_integer() and cells == codes:
        return seen.source.table[column].cast("int64")
    return lookup(seen.source.table[column], dict(zip(cells, codes, strict=True)))


class Slices(Mapping[str, Units]):
    """Every column as units, each made when it is asked for."""

    def __init__(self, source: InPlace) -> None:
        self.source = source
        self._made: dict[str, Units] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self.source.table.columns)

    def __len__(self) -> int:
        return len(self.source.table.columns)

    def __getitem__(self, column: str) -> Units:
        if column not in self._made:
            seen = sketch_of_column(self.source, column)
            try:
                codes, names = coded(seen.table, column)
            except InputError as error:
                raise seen.in_words(error) from None
            few = len(names) <= FEW_NAMES
            self._made[column] = Units(of_cells(seen, column, codes), names) if few else _ranked(seen, codes, names)
        return self._made[column]


def _ranked(seen: Sketch, codes: Array, names: tuple[str, ...]) -> Units:
    """Many units, in the order that the database has for them."""
    import ibis

    (column,) = seen.table.columns.column_names
    name_of = {cell: names[code] for cell, code in zip(seen.cells(column), codes.tolist(), strict=True)}
    cells = seen.source.table[column]
    in_order = fetch_table(seen.source.table.select(cell=cells).distinct().order_by("cell")).column("cell")
    return Units(ibis.dense_rank().over(order_by=cells), tuple(name_of[cell] for cell in in_order.to_pylist()))
