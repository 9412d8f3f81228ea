"""Cells of a table as codes and as numbers; every error names source, column, row and cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from referee.predictions import cell_errors
from referee.predictions.arrow_functions import applied, as_type, encoded, matching, place_of, replaced, trimmed, where

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from referee.predictions.table import Table

EXACT = 2**53


class Coded(NamedTuple):
    """`names[codes[i]]` is the text of row i; every name is used by at least one row."""

    codes: npt.NDArray[np.int32]
    names: list[str]


def is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def refuse_missing(table: Table, column: str, hint: str | None = None) -> None:
    absent = missing_rows(table.column(column))
    if absent is not None:
        raise cell_errors.missing_cell(table, column, *absent, hint=hint)


def missing_rows(cells: pa.ChunkedArray) -> tuple[int, int] | None:
    """Give the first row that is null or blank, and how many are; None if there is none."""
    import pyarrow as pa

    if pa.types.is_primitive(cells.type) and not cells.null_count:
        return None
    absent = absent_cells(cells)
    row = place_of(absent, True)
    return (row + 1, applied("sum", absent).as_py()) if row >= 0 else None


def absent_cells(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Whether each cell is null or blank."""
    import pyarrow as pa

    absent = applied("is_null", cells)
    if pa.types.is_dictionary(cells.type):
        flags = [applied("take", _is_blank(chunk.dictionary), chunk.indices) for chunk in cells.chunks]
        absent = applied("coalesce", pa.chunked_array(flags, pa.bool_()), True)
    elif is_text(cells.type):
        absent = pa.chunked_array([_is_blank(chunk) for chunk in cells.chunks], pa.bool_())
    return absent


def _is_blank(cells: Any) -> Any:
    import pyarrow as pa

    if not is_text(cells.type):
        return applied("is_null", cells)
    if pa.types.is_string_view(cells.type):
        cells = as_type(cells, pa.large_string())
    return applied("coalesce", applied("equal", trimmed(cells), ""), True)


def coded_column(table: Table, column: str, *, dates: bool) -> Coded:
    """Encode a column of plain values; E_MISSING, E_TYPE or E_NONFINITE with the place."""
    import pyarrow as pa

    cells = table.column(column)
    refuse_missing(table, column)
    codes, values = _encoded(table, column, cells, dates=dates)
    _refuse_non_finite(table, column, codes, values)
    names = label_texts(values)
    may_repeat = pa.types.is_dictionary(cells.type) or pa.types.is_floating(cells.type)
    return _merged(codes, names) if may_repeat else Coded(codes, names)


def _encoded(table: Table, column: str, cells: pa.ChunkedArray, *, dates: bool) -> tuple[Any, Any]:
    import pyarrow as pa

    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    plain = is_text(kind) or pa.types.is_primitive(kind) or pa.types.is_decimal(kind)
    if not plain or (pa.types.is_temporal(kind) and not dates):
        raise cell_errors.wrong_type(table, column, cells.type, "plain values such as text or numbers")
    if pa.types.is_float16(kind):
        cells = as_type(cells, pa.float32())
    if is_text(kind) and kind == cells.type:
        cells = as_type(cells, pa.large_string())
    # Plain cells are joined before they are encoded: to unify the dictionaries of many chunks takes quadratic time.
    is_dictionary = pa.types.is_dictionary(cells.type)
    joined = cells.unify_dictionaries().combine_chunks() if is_dictionary else encoded(cells.combine_chunks())
    return joined.indices.to_numpy(zero_copy_only=False), joined.dictionary


def _refuse_non_finite(table: Table, column: str, codes: Any, values: Any) -> None:
    import numpy as np
    import pyarrow as pa

    if not pa.types.is_floating(values.type):
        return
    bad = ~np.isfinite(values.to_numpy(zero_copy_only=False))[codes]
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        cell = str(values[int(codes[row])].as_py())
        raise cell_errors.not_finite(table, column, row + 1, cell, int(bad.sum()))


def label_texts(values: Any) -> list[str]:
    """Write distinct values as text: '1' for 1 and 1.0, 'true', '1.5'; text as it is.

    >>> import pyarrow as pa
    >>> label_texts(pa.array([1.0, 1.5])), label_texts(pa.array([True])), label_texts(pa.array(["1.0"]))
    (['1', '1.5'], ['true'], ['1.0'])
    """
    import pyarrow as pa

    if pa.types.is_floating(values.type):
        return [_float_text(value) for value in values.to_numpy(zero_copy_only=False)]
    if pa.types.is_decimal(values.type):
        return [_decimal_text(text) for text in as_type(values, pa.string()).to_pylist()]
    if is_text(values.type):
        return list(values.to_pylist())
    return list(as_type(values, pa.string()).to_pylist())


def _float_text(value: Any) -> str:
    return str(int(value)) if abs(value) < EXACT and value == int(value) else str(value)


def _decimal_text(text: str) -> str:
    from decimal import Decimal

    plain = f"{Decimal(text):f}"
    return (plain.rstrip("0").rstrip(".") if "." in plain else plain) or "0"


def _merged(codes: Any, names: list[str]) -> Coded:
    """Give each name one code, and no code to names that no row uses (as categories may be)."""
    import numpy as np

    used = np.bincount(codes, minlength=len(names)) > 0
    place: dict[str, int] = {}
    new_codes = np.zeros(len(names), np.int32)
    for old in np.flatnonzero(used):
        new_codes[old] = place.setdefault(names[old], len(place))
    return Coded(new_codes[codes], list(place))


FINITE = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
NUMBER = FINITE + r"|^[+-]?(?i:nan|inf|infinity)$"
# A longer cell is not a number, and a column of codes for such cells must not be spelt out.
LONGEST_NUMBER = 1000
LOOKED_AT = 10_000


def numbers(table: Table, column: str, *, as_labels: bool = False) -> npt.NDArray[np.floating[Any]]:
    """Give a column as floats: float32 if stored so, else float64; every cell must be a finite number.

    Labels are compared as they are written, whatever their floats are.

    >>> from referee.predictions import read_table
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
    if not as_labels:
        _refuse_merged(table, column, cells, values)
    return values


def _refuse_merged(table: Table, column: str, cells: pa.ChunkedArray, values: Any) -> None:
    """Refuse whole numbers beyond 2^53 that are different and would become the same float: a tie out of nothing."""
    import numpy as np

    if not len(values) or max(values.max(), -values.min()) < EXACT:
        return
    large = np.flatnonzero(np.abs(values) >= EXACT)
    rows, exact = _whole_numbers(cells.take(large))
    rows = large[rows]
    order = np.argsort(exact, kind="stable")
    rows, exact = rows[order], exact[order]
    merged = np.flatnonzero((exact[1:] != exact[:-1]) & (values[rows[1:]] == values[rows[:-1]]))
    if len(merged):
        pair = slice(merged[0], merged[0] + 2)
        raise cell_errors.equal_as_floats(table, column, (rows[pair] + 1).tolist(), exact[pair].tolist())


def _whole_numbers(cells: pa.ChunkedArray) -> tuple[Any, Any]:
    """The places of cells that are written as whole numbers, and these with all their digits."""
    import numpy as np
    import pyarrow as pa

    if pa.types.is_dictionary(cells.type):
        cells = as_type(cells, cells.type.value_type)
    if pa.types.is_integer(cells.type):
        return np.arange(len(cells)), cells.to_numpy()
    if not (is_text(cells.type) or pa.types.is_decimal(cells.type)):
        return np.zeros(0, int), np.zeros(0, int)
    texts = [text.strip(" ") for text in as_type(cells, pa.large_string()).to_pylist()]
    places = [place for place, text in enumerate(texts) if text.lstrip("+-").isdecimal()]
    return np.array(places, int), np.array([int(texts[place]) for place in places], object)


def _floats(table: Table, column: str, cells: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    if is_text(cells.type):
        return _parsed(table, column, cells)
    kind = cells.type
    if pa.types.is_dictionary(kind):
        cells = as_type(cells, kind.value_type)
        kind = kind.value_type
    if pa.types.is_float32(kind) or pa.types.is_float64(kind):
        return cells
    if pa.types.is_decimal(kind):
        # By way of text, because Arrow's own conversion of decimals may miss the nearest float.
        return as_type(as_type(cells, pa.string()), pa.float64())
    if pa.types.is_boolean(kind):
        return as_type(as_type(cells, pa.uint8()), pa.float64())
    if pa.types.is_integer(kind) or pa.types.is_float16(kind):
        return cells.cast(pa.float64(), safe=False)
    raise cell_errors.wrong_type(table, column, table.column(column).type, "numbers")


def _parsed(table: Table, column: str, cells: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    cells = _spelt_out(table, column, cells)
    try:
        return as_type(with_point(cells, table.decimal), pa.float64())
    except pa.ArrowInvalid:
        plain = with_point(trimmed(cells), table.decimal)
        row = place_of(matching(plain, NUMBER), False)
        if row >= 0:
            raise cell_errors.not_a_number(table, column, row + 1, cells[row].as_py()) from None
        return as_type(plain, pa.float64())


def _spelt_out(table: Table, column: str, cells: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    if not pa.types.is_dictionary(cells.type):
        return cells if pa.types.is_string(cells.type) else as_type(cells, pa.large_string())
    before = 0
    for chunk in cells.chunks:
        is_long = applied("greater", applied("binary_length", chunk.dictionary), LONGEST_NUMBER)
        place = place_of(applied("take", is_long, chunk.indices), True)
        if place >= 0:
            raise cell_errors.not_a_number(table, column, before + place + 1, chunk[place].as_py())
        before += len(chunk)
    return as_type(cells, pa.large_string())


def with_point(cells: Any, decimal: str) -> Any:
    """Give text cells with '.' as the decimal mark; with another mark, a cell that has a '.' is not a number."""
    if decimal == ".":
        return cells
    return replaced(replaced(cells, ".", "?"), decimal, ".")


def is_numeric(table: Table, column: str) -> bool:
    """Tell whether a column holds numbers; empty cells do not count, so that their error comes with its place.

    >>> from referee.predictions import read_table
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

    >>> from referee.predictions import read_table
    >>> table = read_table({"A": ["0.5", "0.7", "n/a"], "id": ["r1", "r2", "3"]})
    >>> mostly_numeric(table, "A"), mostly_numeric(table, "id")
    (True, False)
    """
    import pyarrow as pa

    cells = table.column(column)
    if not is_text(cells.type):
        return is_numeric(table, column)
    seen = trimmed(as_type(cells.slice(0, LOOKED_AT), pa.large_string()))
    numeric = applied("sum", matching(with_point(seen, table.decimal), NUMBER)).as_py() or 0
    return 2 * numeric >= len(seen)


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

    distinct = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
    written = trimmed(applied("drop_null", as_type(distinct, pa.large_string())))
    present = where(written, applied("not_equal", written, ""))
    if not len(present):
        return None
    return bool(applied("all", matching(with_point(present, decimal), NUMBER)).as_py())
