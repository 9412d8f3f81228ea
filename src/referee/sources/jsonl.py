"""JSON lines, and a plain JSON array of objects."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, NoReturn

from referee.errors import InputError
from referee.predictions import ReadOptions, Source, Table, as_utf8, column_of, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

START = re.compile(rb'\s*(\[\s*)?\{\s*["}]')
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


BLOCK = 1 << 22
# The fast parser is recursive: some ten thousand nested brackets would crash the process.
DEEPEST = 1000
EXACT = 2**53


def read_jsonl(source: str, data: bytes, options: ReadOptions, notes: tuple[str, ...] = ()) -> Table:
    r"""Read the bytes of a JSON lines file; a key that a line lacks is missing there.

    >>> read_jsonl("preds.jsonl", b'{"y": 1, "A": 0.5}\n{"y": 0}\n', ReadOptions()).columns.to_pylist()
    [{'y': 1, 'A': 0.5}, {'y': 0, 'A': None}]
    """
    data, encoding = as_utf8(source, data, options.encoding)
    columns = _fast_columns(data)
    if columns is None:
        columns = careful_columns(source, data)
    return Table(source, columns, notes=notes + encoding)


def _fast_columns(data: bytes) -> pa.Table | None:
    """Give the columns, or None where only the careful pass can tell what is right."""
    import pyarrow as pa

    if not data[:64].lstrip().startswith(b"{") or _may_be_deep(data):
        return None
    try:
        columns = _parsed(data, None)
        if dates := [field for field in columns.schema if pa.types.is_timestamp(field.type)]:
            # Text that looks like a date stays the text it is.
            columns = _parsed(data, pa.schema([(field.name, pa.string()) for field in dates]))
    except pa.ArrowInvalid:
        return None
    return None if _may_be_rounded(columns) else columns


def _parsed(data: bytes, known: Any) -> pa.Table:
    import pyarrow as pa
    from pyarrow import json

    parse = json.ParseOptions(explicit_schema=known, newlines_in_values=False)
    return json.read_json(pa.py_buffer(data), json.ReadOptions(block_size=BLOCK), parse)


def _may_be_deep(data: bytes) -> bool:
    openings = data.count(b"{") + data.count(b"[")
    if openings - data.count(b"\n") < DEEPEST:
        return False
    return any(line.count(b"{") + line.count(b"[") > DEEPEST for line in data.split(b"\n"))


def _may_be_rounded(columns: pa.Table) -> bool:
    """Whether a column of decimals holds numbers beyond 2^53, which may have been exact integers in the file."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for column in columns.columns:
        if pa.types.is_floating(column.type):
            extremes = pc.min_max(column).as_py()
            if any(value is not None and abs(value) >= EXACT for value in extremes.values()):
                return True
    return False


source = Source(
    "JSON lines",
    what="A JSON object on each line, or an array of objects.",
    shown="preds.jsonl",
    looks_like=lambda head: START.match(head) is not None,
    suffixes=(".jsonl", ".ndjson", ".json"),
    content=read_jsonl,
)
