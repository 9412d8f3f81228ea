"""Tables that are in memory already: frames, Arrow data, DuckDB relations, dicts and structured arrays."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from referee.errors import InputError, UsageError
from referee.predictions import Source, Table, column_of, length_of, refuse_duplicate_columns, refuse_other_orders

if TYPE_CHECKING:
    import pyarrow as pa


def read_frame(source: Any) -> Table:
    """Read a frame, Arrow data, a DuckDB relation, a dict of arrays or a NumPy structured array.

    >>> read_frame({"y": [0, 1]}).name
    'dict'
    """
    name = _name(source)
    if isinstance(source, Mapping):
        refuse_other_orders(source)
        return Table(name, _from_arrays(name, {str(key): value for key, value in source.items()}))
    if fields := _structured_fields(source):
        return Table(name, _from_arrays(name, {field: source[field] for field in fields}))
    if (columns := _from_arrow(source)) is not None:
        return Table(name, columns)
    return Table(name, _from_frame(name, source))


def _name(source: object) -> str:
    kind = type(source)
    package = kind.__module__.partition(".")[0].lstrip("_")
    return kind.__name__ if package == "builtins" else f"{package} {kind.__name__}"


def _structured_fields(source: Any) -> tuple[str, ...] | None:
    numpy = sys.modules.get("numpy")
    is_array = numpy is not None and isinstance(source, numpy.ndarray)
    return source.dtype.names if is_array else None


def _from_arrow(source: Any) -> pa.Table | None:
    """Arrow data as they are, None for anything else."""
    import pyarrow as pa

    if isinstance(source, pa.Table):
        return source
    if isinstance(source, pa.RecordBatch):
        return pa.Table.from_batches([source])
    if isinstance(source, pa.RecordBatchReader):
        return source.read_all()
    dataset = sys.modules.get("pyarrow.dataset")
    return source.to_table() if dataset is not None and isinstance(source, dataset.Dataset) else None


def _from_frame(name: str, source: Any) -> pa.Table:
    import narwhals as nw

    try:
        frame: Any = nw.from_native(_with_plain_index(name, source))
    except TypeError as error:
        raise UsageError(
            "E_SOURCE",
            f"a {name} is not a table that can be read",
            hint="give a path, a frame (pandas, polars, pyarrow), a DuckDB relation or a dict of arrays",
        ) from error
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect("pyarrow")
    return _as_arrow(name, frame)


def _with_plain_index(name: str, source: Any) -> Any:
    """Make a column of a pandas index that has a name, such as the ids; one without is only a row number."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(source, pandas.DataFrame):
        return source
    levels = [label for label in source.index.names if label is not None]
    names = [str(label) for label in [*levels, *source.columns]]
    refuse_duplicate_columns(name, names)
    plain = source.reset_index(level=levels) if levels else source
    return plain.reset_index(drop=True).set_axis(names, axis=1)


def _as_arrow(name: str, frame: Any) -> pa.Table:
    import pyarrow as pa

    try:
        return frame.to_arrow()
    except (pa.ArrowException, OverflowError):
        # A column of Python objects: looked at one by one, to name the row.
        return _from_arrays(name, {column: frame[column].to_list() for column in frame.columns})


def _from_arrays(name: str, arrays: Mapping[str, Any]) -> pa.Table:
    import pyarrow as pa

    columns = {column: _array(name, column, values) for column, values in arrays.items()}
    lengths = {column: len(values) for column, values in columns.items()}
    for column, length in lengths.items():
        first, rows = next(iter(lengths.items()))
        if length != rows:
            raise InputError(
                "E_LENGTH",
                f"{name}: column {column!r} has {length} rows, column {first!r} has {rows}",
                hint="all columns must have one value per row",
            )
    return pa.table(columns)


def _of_dtype(name: str, column: str, values: Any) -> pa.Array:
    import pyarrow as pa

    try:
        return pa.array(values)
    except pa.ArrowException:
        raise InputError(
            "E_TYPE",
            f"{name}: column {column!r} holds values of type {values.dtype}, expected plain values such as text or "
            "numbers",
        ) from None


def _array(name: str, column: str, values: Any) -> pa.Array | pa.ChunkedArray:
    import pyarrow as pa

    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    if hasattr(values, "__arrow_c_stream__"):
        return pa.chunked_array(values)
    length_of(f"{name}: column {column!r}", values)
    if getattr(values, "ndim", 1) != 1:
        raise UsageError("E_SOURCE", f"{name}: column {column!r} has {values.ndim} dimensions, expected 1")
    if hasattr(values, "dtype") and values.dtype.kind not in "OSU":
        return _of_dtype(name, column, values)
    return column_of(list(values), name, column)


source = Source(
    "frames, Arrow data, relations, dicts and structured arrays",
    what="A pandas or polars data frame, an Arrow table, a DuckDB relation or a dict of columns.",
    shown="frame",
    given=read_frame,
)
