"""Cells as numbers: parsed by Arrow; only on failure is the place searched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.readers import cell_errors
from referee.readers.cell_codes import is_text, refuse_missing

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from referee.readers.table import Table

FINITE = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
NUMBER = FINITE + r"|^[+-]?(?i:nan|inf|infinity)$"
# A longer cell is no number, and a column of codes for such cells must not be spelt out.
LONGEST_NUMBER = 1000
LOOKED_AT = 10_000


def numbers(table: Table, column: str) -> npt.NDArray[np.floating[Any]]:
    """Give a column as floats: float32 if stored so, else float64; every cell must be a finite number.

    >>> from referee.readers import read_table
    >>> numbers(read_table({"A": ["0.5", " 1 "]}), "A").tolist()
    [0.5, 1.0]
    """
    import numpy as np

    cells = table.column(column)
    refuse_missing(table, column)
    values = _floats(table, column, cells).to_numpy()
    finite = np.isfinite(values)
    if not finite.all():
        bad = np.flatnonzero(~finite)
        cell = str(cells[int(bad[0])].as_py())
        raise cell_errors.not_finite(table, column, int(bad[0]) + 1, cell, len(bad))
    return values


def _floats(table: Table, column: str, cells: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    if is_text(cells.type):
        return _parsed(table, column, cells)
    kind = cells.type
    if pa.types.is_dictionary(kind):
        cells = cells.cast(kind.value_type)
        kind = kind.value_type
    if pa.types.is_float32(kind) or pa.types.is_float64(kind):
        return cells
    if pa.types.is_decimal(kind):
        # By way of text, because Arrow's own conversion of decimals may miss the nearest float.
        return cells.cast(pa.string()).cast(pa.float64())
    if pa.types.is_boolean(kind):
        return cells.cast(pa.uint8()).cast(pa.float64())
    if pa.types.is_integer(kind) or pa.types.is_float16(kind):
        return cells.cast(pa.float64(), safe=False)
    raise cell_errors.wrong_type(table, column, table.column(column).type, "numbers")


def _parsed(table: Table, column: str, cells: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = _spelt_out(table, column, cells)
    try:
        return with_point(cells, table.decimal).cast(pa.float64())
    except pa.ArrowInvalid:
        trimmed = with_point(pc.ascii_trim(cells, characters=" "), table.decimal)
        row = pc.index(pc.match_substring_regex(trimmed, NUMBER), False).as_py()
        if row >= 0:
            raise cell_errors.not_a_number(table, column, row + 1, cells[row].as_py()) from None
        return trimmed.cast(pa.float64())


def _spelt_out(table: Table, column: str, cells: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(cells.type):
        return cells if pa.types.is_string(cells.type) else cells.cast(pa.large_string())
    before = 0
    for chunk in cells.chunks:
        too_long = pc.take(pc.greater(pc.binary_length(chunk.dictionary), LONGEST_NUMBER), chunk.indices)
        place = pc.index(too_long, True).as_py()
        if place >= 0:
            raise cell_errors.not_a_number(table, column, before + place + 1, chunk[place].as_py())
        before += len(chunk)
    return cells.cast(pa.large_string())


def with_point(cells: Any, decimal: str) -> Any:
    """Give text cells with '.' as the decimal mark; with another mark, a cell that has a '.' is no number."""
    import pyarrow.compute as pc

    if decimal == ".":
        return cells
    return pc.replace_substring(pc.replace_substring(cells, ".", "?"), decimal, ".")


def is_numeric(table: Table, column: str) -> bool:
    """Tell whether a column holds numbers; empty cells do not count, so that their error comes with its place.

    >>> from referee.readers import read_table
    >>> table = read_table({"A": ["0.5", ""], "id": ["r1", "r2"]})
    >>> is_numeric(table, "A"), is_numeric(table, "id")
    (True, False)
    """
    import pyarrow as pa

    cells = table.column(column)
    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    if is_text(kind):
        return _are_numbers(cells, table.decimal)
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def mostly_numeric(table: Table, column: str) -> bool:
    """Tell whether at least half of the cells are numbers: then the others are damage, not names.

    >>> from referee.readers import read_table
    >>> table = read_table({"A": ["0.5", "0.7", "n/a"], "id": ["r1", "r2", "3"]})
    >>> mostly_numeric(table, "A"), mostly_numeric(table, "id")
    (True, False)
    """
    import pyarrow.compute as pc

    cells = table.column(column)
    if not is_text(cells.type):
        return is_numeric(table, column)
    trimmed = pc.ascii_trim(cells.slice(0, LOOKED_AT).cast("large_string"), characters=" ")
    numeric = pc.sum(pc.match_substring_regex(with_point(trimmed, table.decimal), NUMBER)).as_py() or 0
    return 2 * numeric >= len(trimmed)


def _are_numbers(cells: pa.ChunkedArray, decimal: str) -> bool:
    """Stop at the first chunk with text: a long column of names is told after few rows."""
    any_numbers = False
    for chunk in cells.chunks:
        numeric = _is_numeric_chunk(chunk, decimal)
        if numeric is False:
            return False
        any_numbers = any_numbers or numeric is True
    return any_numbers


def _is_numeric_chunk(chunk: Any, decimal: str) -> bool | None:
    """Tell whether the cells of a chunk are numbers; None if all are empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    distinct = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
    trimmed = pc.ascii_trim(distinct.cast(pa.large_string()).drop_null(), characters=" ")
    present = trimmed.filter(pc.not_equal(trimmed, ""))
    if not len(present):
        return None
    return bool(pc.all(pc.match_substring_regex(with_point(present, decimal), NUMBER)).as_py())
