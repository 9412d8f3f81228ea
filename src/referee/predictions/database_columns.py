"""Columns of a database table: their roles, their labels, and what one query shows of them."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from referee.predictions.alignment import refuse_unless_dropped
from referee.predictions.cell_labels import NO_LABEL
from referee.predictions.cells import NUMBER, label_texts
from referee.predictions.database_queries import FLOAT, dialect_of, fetch_row, fetch_table, number
from referee.predictions.roles import label_text
from referee.predictions.table import Table
from referee.predictions.truth import match_label
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from referee.arrays import Column
    from referee.errors import InputError
    from referee.predictions.roles import Roles
    from referee.predictions.source import InPlace

HEAD = 1000
"""Rows that tell which columns of text hold numbers."""
MOST_CELLS = 10_000
"""Columns with more distinct cells hold numbers, unless their role says otherwise."""
MANY = 100
"""So many different cells among the first rows, fractions among them, are numbers: the others need not be seen."""
ROW = re.compile(r", row [0-9]+")
MISSING = re.compile(r": missing( \(|$)")
ROWS = re.compile(r" \([0-9,]+ rows?( so far)?\)")


@dataclass(frozen=True)
class Sketch:
    source: InPlace
    table: Table
    ids: str | None = None
    """The column that tells rows apart."""
    counted: pa.Table | None = None
    """The cells of the truth with their rows, if these are few."""

    def numbers(self, column: str) -> Column:
        """The column as numbers: 32-bit floats if stored so, else 64-bit ones."""
        cells = self.source.table[column]
        kind = cells.type()
        if kind.is_float32() or kind.is_float64():
            return cells
        if kind.is_boolean():
            return cells.cast("int8").cast(FLOAT)
        if kind.is_decimal():  # by way of text, as the nearest float may be missed
            return cells.cast("string").cast(FLOAT)
        return (cells.strip() if kind.is_string() else cells).cast(FLOAT)

    def cells(self, column: str) -> list[Any]:
        return list(self.table.column(column).to_pylist())

    def in_words(self, error: InputError) -> InputError:
        """The error about a cell of the sketch as one about the database, which has values and ids but no rows."""
        message = ROW.sub("", error.message)
        column = next((name for name in self.source.table.columns if f"column {name!r}" in message), None)
        if column and (cells := self._cells_like(column, message)) is not None:
            rows, place = self._counted(cells)
            message = ROWS.sub("", message).replace(f"column {column!r}", f"column {column!r}{place}", 1)
            message = re.sub(r": missing$", f": missing ({rows})", message)
            message = message.replace(" is not a finite number", f" ({rows}) is not a finite number")
        return type(error)(error.code, message, hint=error.hint)

    def _cells_like(self, column: str, message: str) -> Any | None:
        """Whether a row has what a message is about."""
        cells = self.source.table[column]
        if message.endswith("is not a finite number"):
            return _not_finite(cells)
        if MISSING.search(message):
            return cells.isnull() | (cells.strip() == "") if cells.type().is_string() else cells.isnull()
        return None

    def _counted(self, cells: Any) -> tuple[str, str]:
        """How many rows are so, and where the first of them is, where rows have ids."""
        table, ids = self.source.table, self.ids
        first = {} if ids is None or ids not in table.columns else {"first": table[ids].min(where=cells)}
        row = fetch_row(table.aggregate(rows=cells.sum(), **first))
        rows = int(row["rows"])
        place = f", id {label_text(row['first'])}" if row.get("first") is not None else ""
        return "1 row" if rows == 1 else f"{rows:,} rows", place


def head_of_table(source: InPlace) -> Table:
    """The first rows, for what the types of the columns do not tell."""
    table = source.table
    plain = [name for name in table.columns if _is_plain(table[name].type())]
    cells = fetch_table(table.select(plain).limit(HEAD)) if plain else None
    rows = cells.num_rows if cells is not None else 0
    return Table(
        source.name, _table({name: _head_cells(cells, name, rows) for name in table.columns}), notes=source.notes
    )


def _is_plain(kind: Any) -> bool:
    return bool(kind.is_numeric() or kind.is_string() or kind.is_boolean() or kind.is_temporal())


def _head_cells(cells: Any, name: str, rows: int) -> Any:
    import pyarrow as pa

    return cells.column(name) if cells is not None and name in cells.column_names else pa.nulls(rows)


def sketch_of_column(source: InPlace, name: str) -> Sketch:
    """All distinct cells of one column."""
    return Sketch(source, Table(source.name, _table({name: _distinct(source.table, name, all_=True)})))


def sketch(source: InPlace, head: Table, used: Iterable[str], complete: set[str], roles: Roles, count: int) -> Sketch:
    """Bring the distinct cells of the used columns of so many rows; of those in `complete` all of them."""
    import pyarrow as pa

    table, first, truth = source.table, head.columns, roles.truth
    counted = _counted_cells(table, truth) if _are_labels(first, truth, complete) else None
    columns = {} if counted is None else {truth: counted.column(CELL)}
    numbers = {name for name in used if name not in complete and name != truth and _are_numbers(first.column(name))}
    for name in used:
        if name not in columns:
            columns[name] = first.column(name) if name in numbers else _distinct(table, name, all_=name in complete)
    many = [name for name in columns if name in numbers or (name not in complete and len(columns[name]) > MOST_CELLS)]
    columns |= _with_telling_cells(table, {name: columns[name] for name in many}, count)
    rows = max([1, *map(len, columns.values())])
    filled = {name: _filled(columns.get(name, first.column(name)), rows) for name in table.columns}
    if roles.id in filled:
        filled[roles.id] = pa.array(range(rows))
    return Sketch(source, Table(source.name, _table(filled), notes=source.notes), roles.id, counted)


def _are_labels(first: Any, truth: str, complete: set[str]) -> bool:
    """Whether the truth of the first rows looks like labels, which are counted."""
    if truth not in first.column_names or truth in complete:
        return False
    cells = first.column(truth)
    return bool(cells.null_count < len(cells)) and len(cells.unique()) <= MANY


def _are_numbers(cells: Any) -> bool:
    """Whether the first cells are fractions of many different sizes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_floating(cells.type):
        return False
    return len(cells.unique()) > MANY and bool(pc.any(pc.not_equal(cells, pc.floor(cells))).as_py())


def _table(columns: dict[str, Any]) -> pa.Table:
    import pyarrow as pa

    return pa.table(list(columns.values()), names=list(columns))


def _distinct(table: Any, name: str, *, all_: bool) -> pa.ChunkedArray:
    cells = table.select(cell=table[name]).distinct()
    return fetch_table(cells if all_ else cells.limit(MOST_CELLS + 1)).column("cell")


def _with_telling_cells(table: Any, many: dict[str, Any], rows: int) -> dict[str, Any]:
    """Beside cells those that a rule may ask for; one look at the rows tells them of all columns."""
    import pyarrow as pa

    asked = {name: _telling(table[name], cells) for name, cells in many.items()}
    # DuckDB knows extremes by heart, unless something else is asked with them.
    apart = [EXTREMES_OF_CELLS] if dialect_of(table) == "duckdb" else []
    told = _asked(table, asked, apart)
    lacking = [name for name, each in told.items() if each.pop("filled") < rows]
    wrong = _asked(table, {name: _wrong(table[name]) for name in lacking})
    columns = {}
    for name, cells in many.items():
        missing = [None] if name in wrong and wrong[name].pop("filled") < rows else []
        present = [cell for cell in [*told[name].values(), *wrong.get(name, {}).values()] if cell is not None]
        more = pa.array([*present, *missing], cells.type, from_pandas=False)
        columns[name] = pa.chunked_array([*cells.chunks, more])
    return columns


EXTREMES_OF_CELLS = frozenset(("low", "high"))


def _asked(
    table: Any, of_columns: dict[str, dict[str, Any]], apart: Sequence[frozenset[str]] = ()
) -> dict[str, dict[str, Any]]:
    """Aggregates of several columns, in one query; some `apart` from the others."""
    named = {f"{place}_{what}": cell for place, each in enumerate(of_columns.values()) for what, cell in each.items()}
    told: dict[str, Any] = {}
    for part in (*apart, frozenset(what for each in of_columns.values() for what in each).difference(*apart)):
        query = {name: cell for name, cell in named.items() if name.partition("_")[2] in part}
        told |= fetch_row(table.aggregate(**query)) if query else {}
    return {
        name: {what: told[f"{place}_{what}"] for what in each} for place, (name, each) in enumerate(of_columns.items())
    }


def _telling(cells: Any, seen: Any) -> dict[str, Any]:
    """How many cells hold what they should, the extremes, and a fraction unless one was seen."""
    import ibis
    import pyarrow.compute as pc

    kind = cells.type()
    if kind.is_string():
        return {"filled": cells.count(), "text": cells.min(where=~cells.strip().re_search(NUMBER))}
    # Not how many are neither NaN nor infinite: that takes databases twice as long.
    is_finite = ibis.cases((cells.abs() <= number(sys.float_info.max), 1)) if kind.is_floating() else cells
    asked = {"filled": is_finite.count(), "low": cells.min(), "high": cells.max()}
    is_whole = kind.is_floating() and not pc.any(pc.not_equal(seen, pc.floor(seen))).as_py()
    if is_whole or kind.is_decimal():
        asked |= {"fraction": cells.min(where=cells != cells.floor())}
    return asked


def _wrong(cells: Any) -> dict[str, Any]:
    """How many cells there are, and what must not be among them."""
    asked = {"filled": cells.count()}
    return asked | ({"not_finite": cells.max(where=_not_finite(cells))} if cells.type().is_floating() else {})


def _not_finite(cells: Any) -> Any:
    return (cells.isnan() | cells.isinf()).fill_null(False)


def _filled(cells: Any, rows: int) -> Any:
    """The cells once, and one of them again until there are enough."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(cells):
        return pa.nulls(rows, cells.type)
    place = max(pc.index(pc.is_valid(cells), True).as_py(), 0)
    return cells.take(pa.array([*range(min(len(cells), rows)), *[place] * (rows - len(cells))]))


def rows_of_labels(seen: Sketch, column: str) -> dict[str, int] | None:
    """How many rows each label has; None where there are too many different cells for labels."""
    cells = _cells(seen.source, column, seen.counted)
    if cells is None:
        return None
    rows_of: Counter[str] = Counter()
    for label, _, rows in cells:
        rows_of[label] += rows
    return dict(rows_of)


def without_labels(source: InPlace, roles: Roles) -> tuple[InPlace, dict[str, int]]:
    """The table without the rows whose label the user drops, and how many each of these had."""
    if not roles.drop_label or roles.truth not in source.table.columns:
        return source, {}
    truth, empty = source.table[roles.truth], NO_LABEL in roles.drop_label
    cells = [cell for cell in _cells(source, roles.truth) or () if match_label(cell[0], roles.drop_label) is not None]
    left_out = Counter({NO_LABEL: _rows_of_null(source, truth)} if empty else {})
    for label, _, rows in cells:
        left_out[label] += rows
    refuse_unless_dropped(source.name, roles, +left_out)
    others = ~truth.isin([cell for _, cell, _ in cells])
    kept = truth.notnull() & others if empty else truth.isnull() | others
    return replace(source, table=source.table.filter(kept)), dict(+left_out)


def _rows_of_null(source: InPlace, column: Column) -> int:
    return int(fetch_row(source.table.aggregate(rows=column.isnull().sum()))["rows"] or 0)


def _cells(source: InPlace, column: str, counted: pa.Table | None = None) -> list[tuple[str, Any, int]] | None:
    """Each different cell of a column as a label, as it is, and with the number of its rows."""
    import pyarrow.compute as pc

    table = source.table
    if column not in table.columns:  # reading will say so
        return None
    kind = table[column].type()
    if not (kind.is_string() or kind.is_numeric() or kind.is_boolean()):
        return None
    counted = _counted_cells(table, column) if counted is None else counted
    counted = counted.filter(pc.is_valid(counted.column(CELL)))
    if counted.num_rows > MOST_CELLS:
        return None
    cells = counted.column(CELL).combine_chunks()
    names = [name if name.strip(" ") else NO_LABEL for name in label_texts(cells)]
    return list(zip(names, cells.to_pylist(), counted.column(ROWS_OF_CELL).to_pylist(), strict=True))


def _counted_cells(table: Any, column: str) -> pa.Table:
    named = table.select(**{CELL: table[column]})
    return fetch_table(named.group_by(CELL).aggregate(**{ROWS_OF_CELL: named.count()}).limit(MOST_CELLS + 1))


CELL, ROWS_OF_CELL = "referee_cell", "referee_rows"
