"""The careful pass over JSON: line by line, exact about numbers; it finds the place when the fast one fails."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NoReturn

from referee.errors import InputError
from referee.readers.python_values import column_of, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

SCALARS = {"number", "text", "boolean"}


class _RepeatedKeyError(ValueError):
    """A key stands twice in one object."""


def careful_columns(source: str, data: bytes) -> pa.Table:
    """Read the columns of JSON lines or of an array, or raise E_JSON with the line.

    >>> careful_columns("preds.json", b'[{"id": 18446744073709551615}]').to_pylist()
    [{'id': 18446744073709551615}]
    """
    is_array = data[:64].lstrip().startswith(b"[")
    objects = list(_array_objects(source, data) if is_array else _line_objects(source, data))
    names = list(dict.fromkeys(name for item in objects for name in item))
    import pyarrow as pa

    return pa.table({name: _column([item.get(name) for item in objects], source, name) for name in names})


def _line_objects(source: str, data: bytes) -> Iterator[dict[str, Any]]:
    for line, text in enumerate(data.split(b"\n"), start=1):
        if text.strip():
            value = _value(source, text, line)
            if not isinstance(value, dict):
                _refuse(source, line, f"{kind_of(value)} where an object such as {{...}} is expected")
            yield value


def _array_objects(source: str, data: bytes) -> Iterator[dict[str, Any]]:
    for place, value in enumerate(_value(source, data, 1), start=1):
        if not isinstance(value, dict):
            message = f"{source}: element {place} of the JSON array is {kind_of(value)}, expected an object"
            raise InputError("E_JSON", message)
        yield value


def _value(source: str, text: bytes, line: int) -> Any:
    try:
        return json.loads(text, parse_float=_number, parse_int=_integer, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        _refuse(source, line + error.lineno - 1, f"{error.msg} at character {error.colno}")
    except _RepeatedKeyError as error:
        raise InputError("E_DUPCOL", f"{source}, line {line}: duplicate key {error.args[0]!r} in one object") from error
    except RecursionError:
        _refuse(source, line, "nested too deeply")


def _refuse(source: str, line: int, reason: str) -> NoReturn:
    raise InputError(
        "E_JSON",
        f"{source}, line {line}: not valid JSON: {reason}",
        hint="each line must be one complete JSON object, or the file one array of objects",
    )


def _number(text: str) -> float | str:
    """Keep an overflow as text, so that a later message can show the cell as written."""
    number = float(text)
    return number if math.isfinite(number) else text


def _integer(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:  # more digits than Python converts
        return text


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    item = dict(pairs)
    if len(item) < len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedKeyError(next(name for name in names if names.count(name) > 1))
    return item


def _column(values: list[Any], source: str, name: str) -> pa.Array:
    kinds = {kind_of(value) for value in values} - {"missing"}
    if len(kinds) > 1 and kinds <= SCALARS:
        # As in a CSV: text, and whoever needs numbers names the row of the cell that is none.
        values = [value if value is None or isinstance(value, str) else _written(value) for value in values]
    return column_of(values, source, name)


def _written(value: object) -> str:
    return json.dumps(value)
