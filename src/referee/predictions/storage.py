"""How the numbers of a column are stored, where it holds less than 64 bits of each; and its marks of missing values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.document import counted
from referee.errors import listed
from referee.predictions.arrow_functions import applied, as_type, matching, trimmed, where
from referee.predictions.cell_labels import MISSING_MARKS, NO_LABEL, folded
from referee.predictions.cells import EXACT, is_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from referee.arrays import Array
    from referee.predictions.table import Table

BEYOND = "integers beyond 2^53"
DIGITS = r"^[+-]?[0-9]{16,}$"
"""A whole number that may be beyond 2^53, as it is written."""


def narrow_type(cells: pa.ChunkedArray, values: Array | None = None) -> str | None:
    """What holds less than is read from it: float16, float32, or integers of which a float keeps 53 bits.

    `values` are the numbers that were read from cells of text.

    >>> import pyarrow as pa
    >>> narrow_type(pa.chunked_array([[0.5]], pa.float32())), narrow_type(pa.chunked_array([[2**60, 1]]))
    ('float32', 'integers beyond 2^53')
    """
    import pyarrow as pa

    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    if pa.types.is_float16(kind) or pa.types.is_float32(kind):
        return "float16" if pa.types.is_float16(kind) else "float32"
    if pa.types.is_integer(kind) and kind.bit_width == 64:
        return BEYOND if _reaches(applied("min_max", as_type(cells, kind)).as_py()) else None
    if values is None or not len(values) or not _reaches({"min": values.min(), "max": values.max()}):
        return None
    return BEYOND if _holds_digits(cells) else None


def _reaches(ends: Mapping[str, Any]) -> bool:
    """Whether the smallest or the largest cell is beyond what every float holds."""
    return ends["max"] is not None and max(ends["max"], -ends["min"]) > EXACT


def _holds_digits(cells: pa.ChunkedArray) -> bool:
    import pyarrow as pa

    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    if not (is_text(kind) or pa.types.is_decimal(kind)):
        return False
    written = trimmed(as_type(cells, pa.large_string()))
    return bool(applied("any", matching(written, DIGITS)).as_py())


def stored(table: Table, column: str, values: Array | None = None) -> dict[str, str]:
    """What is to be said of a column's type, for its entry in the account: nothing where it holds what is read."""
    if table.columns.schema.get_field_index(column) < 0:
        return {}
    kind = narrow_type(table.column(column), values)
    return {} if kind is None else {"stored": kind}


def marks_among(rows_of: Mapping[str, int]) -> dict[str, int]:
    """The labels that are marks of missing values, and no label at all.

    >>> marks_among({"yes": 5, "?": 2, "": 1, "N/A": 3})
    {'?': 2, '': 1, 'N/A': 3}
    """
    return {
        label: rows
        for label, rows in rows_of.items()
        if label == NO_LABEL or folded(label, fold_case=True) in MISSING_MARKS
    }


def marks_in(cells: pa.ChunkedArray, absent: Array) -> dict[str, int]:
    """What stands in the cells that hold no value, and how often; an empty text for cells with nothing in them.

    >>> import numpy as np, pyarrow as pa
    >>> marks_in(pa.chunked_array([["1", "NA", " ", "NA", None]]), np.array([False, True, True, True, True]))
    {'': 2, 'NA': 2}
    """
    import pyarrow as pa

    if not absent.any():
        return {}
    lost = where(cells, pa.array(absent))
    written = applied("coalesce", trimmed(as_type(lost, pa.large_string())), "")
    counts = {entry["values"]: entry["counts"] for entry in applied("value_counts", written).to_pylist()}
    return dict(sorted(counts.items()))


MOST_NAMED = 5
"""Columns with missing values that a line names."""


def in_words(columns: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What the account says of types and of missing values, for the head of a result.

    >>> in_words({"y": {"as": "truth", "missing": {"?": 2, "": 1}}, "A": {"as": "scores", "stored": "float16"}})
    ["missing: 'y' ('?' in 2 rows, empty in 1 row)", "stored narrowly: float16 'A'"]
    """
    named = {"missing": "missing", "kept_marks": "read as classes, not as missing"}
    lines = [f"{said}: {_with_marks(columns, key)}" for key, said in named.items() if _having(columns, key)]
    kinds = dict.fromkeys(columns[name]["stored"] for name in _having(columns, "stored"))
    narrow = [f"{kind} {listed(name for name in columns if columns[name].get('stored') == kind)}" for kind in kinds]
    return [*lines, f"stored narrowly: {'; '.join(narrow)}"] if narrow else lines


def _having(columns: Mapping[str, Mapping[str, Any]], key: str) -> list[str]:
    return [name for name, entry in columns.items() if key in entry]


def _with_marks(columns: Mapping[str, Mapping[str, Any]], key: str) -> str:
    names = _having(columns, key)
    shown = [f"{name!r} ({_rows(columns[name][key])})" for name in names[:MOST_NAMED]]
    return ", ".join(shown) + (f" and {len(names) - MOST_NAMED} more columns" if len(names) > MOST_NAMED else "")


def _rows(marks: Mapping[str, int]) -> str:
    return ", ".join(f"{repr(mark) if mark else 'empty'} in {counted(rows, 'row')}" for mark, rows in marks.items())
