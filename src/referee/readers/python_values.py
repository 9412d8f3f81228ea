"""Python values to an Arrow column: whole numbers stay exact, a value of another kind is named with its row."""

from __future__ import annotations

from decimal import Decimal
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from referee.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

KINDS = (
    (type(None), "missing"),
    (bool, "boolean"),
    (str, "text"),
    (bytes, "binary"),
    (Decimal, "number"),
    (Integral, "number"),
    (Real, "number"),
    (list | tuple, "list"),
    (dict, "struct"),
)


def kind_of(value: object) -> str:
    """Name the kind of a value.

    >>> kind_of(1), kind_of("n/a"), kind_of(True)
    ('number', 'text', 'boolean')
    """
    return next((name for kind, name in KINDS if isinstance(value, kind)), type(value).__name__)


def column_of(values: Sequence[Any], source: str, column: str, first_row: int = 1) -> pa.Array:
    """Make an Arrow array of values of one kind, or raise an InputError with the row of the first of another kind.

    >>> column_of([1, None, 2**63], "preds.db", "id").type
    DataType(uint64)
    """
    import pyarrow as pa

    refuse_mixed(values, source, column, first_row)
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError, ValueError, TypeError) as error:
        return _exact_integers(values) if _all_integers(values) else _numbers(values, source, column, error)


def refuse_mixed(values: Sequence[Any], source: str, column: str, first_row: int) -> None:
    if len(set(map(type, values)) - {type(None)}) <= 1:
        return
    first_kind = None
    for row, value in enumerate(values, start=first_row):
        kind = kind_of(value)
        if kind == "missing":
            continue
        first_kind = first_kind or kind
        if kind != first_kind:
            raise mixed_error(source, column, row, value, first_kind)


def mixed_error(source: str, column: str, row: int, value: object, expected: str) -> InputError:
    code = "E_NOTNUM" if (kind_of(value), expected) == ("text", "number") else "E_TYPE"
    plural = expected if expected == "text" else f"{expected}s"
    return InputError(
        code,
        f"{source}: column {column!r}, row {row}: {value!r} is {kind_of(value)}, the rows before hold {plural}",
        hint="a column must hold values of one kind",
    )


def _all_integers(values: Sequence[Any]) -> bool:
    return all(value is None or isinstance(value, Integral) for value in values)


def _exact_integers(values: Sequence[Any]) -> pa.Array:
    import pyarrow as pa

    try:
        return pa.array(values, pa.uint64())
    except (pa.ArrowException, OverflowError):
        # Wider than any number type: its digits as text are still exact.
        return pa.array([None if value is None else str(value) for value in values], pa.string())


def _numbers(values: Sequence[Any], source: str, column: str, error: Exception) -> pa.Array:
    import pyarrow as pa

    try:
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    except (TypeError, ValueError, OverflowError):
        message = f"{source}: column {column!r} cannot be read: {error}"
        raise InputError("E_TYPE", message, hint="a column must hold values of one kind") from error
