"""Errors that name source, column, data row and cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.errors import InputError, listed

if TYPE_CHECKING:
    import pyarrow as pa

    from referee.predictions.table import Table

LONGEST_CELL = 80


def shown_cell(cell: str) -> str:
    """Quote a cell for a message, cut if it is long.

    >>> shown_cell("n/a")
    "'n/a'"
    """
    return repr(cell if len(cell) <= LONGEST_CELL else cell[:LONGEST_CELL] + "...")


def missing_cell(table: Table, column: str, row: int, rows: int, *, hint: str | None = None) -> InputError:
    more = f" ({table.counted(rows)})" if rows > 1 else ""
    return InputError(
        "E_MISSING",
        f"{table.name}: column {column!r}, {table.place(row)}: missing{more}",
        hint=hint or "fill in the cell, or remove the row from the file; nothing is dropped silently",
    )


def not_a_number(table: Table, column: str, row: int, cell: str) -> InputError:
    return InputError(
        "E_NOTNUM",
        f"{table.name}: column {column!r}, {table.place(row)}: {shown_cell(cell)} is not a number",
        hint=_number_hint(cell, table.decimal),
    )


def _number_hint(cell: str, decimal: str) -> str:
    digits = cell.strip().lstrip("+-")
    if digits[:1].isdigit() and "," in digits and decimal == ".":
        return "write it without thousands separators; if ',' is the decimal mark, use --decimal ','"
    if digits[:1].isdigit() and "." in digits and decimal == ",":
        return "--decimal ',' was given, so '.' is not a decimal mark"
    return "a score must be a plain number, such as 0.25 or 1e-3"


def not_finite(table: Table, column: str, row: int, cell: str, rows: int, *, hint: str | None = None) -> InputError:
    place = f"{table.name}: column {column!r}, {table.place(row)}"
    return InputError(
        "E_NONFINITE",
        f"{place}: {cell[:LONGEST_CELL]} ({table.counted(rows)}) is not a finite number",
        hint=hint or "find out why the model gave it; such rows are never dropped silently",
    )


def equal_as_floats(table: Table, column: str, rows: list[int], cells: list[int]) -> InputError:
    """About two whole numbers beyond 2^53."""
    first, second = sorted(zip((table.row_number(row) for row in rows), cells, strict=True))
    return InputError(
        "E_PRECISION",
        f"{table.name}: column {column!r}, row {first[0]}: {first[1]} and {second[1]} in row {second[0]} differ, but "
        "not as 64-bit floats, and would be taken as equal",
        hint="subtract the same number from the whole column, so that its values are below 2^53; a metric that ranks "
        "rows does not change by that",
    )


def wrong_type(table: Table, column: str, kind: pa.DataType, expected: str) -> InputError:
    return InputError(
        "E_TYPE",
        f"{table.name}: column {column!r} holds values of type {kind}, expected {expected}",
        hint="choose another column, or store one plain value per row",
    )


def one_number_spelt_differently(
    table: Table, column: str, pairs: list[tuple[str, str]], names: list[str]
) -> InputError:
    spelt = ", ".join(f"{first!r} and {second!r}" for first, second in pairs[:5])
    return InputError(
        "E_LABELS",
        f"{table.name}: column {column!r} writes the same number in different ways, {spelt}, "
        f"among its {len(names):,} distinct labels {listed(names)}",
        hint="write each label in one way; labels are compared as text",
    )
