"""NumPy files of one array: a column, a column for each class, or the fields of records; never Python objects."""

from __future__ import annotations

import io
from math import prod
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings

import numpy as np

from referee.errors import InputError, SafetyError
from referee.predictions import ReadOptions, Source, Table, column_of, memory_limit, refuse_beyond

if TYPE_CHECKING:
    import pyarrow as pa

    from referee.arrays import Array

MAGIC = b"\x93NUMPY"


def read_npy(source: str, data: bytes, options: ReadOptions, notes: tuple[str, ...] = ()) -> Table:
    """Read one array; its columns are named after the file.

    >>> file = io.BytesIO()
    >>> np.save(file, np.array([[0.2, 0.8], [0.6, 0.4]]))
    >>> read_npy("nets/mlp.npy", file.getvalue(), ReadOptions()).columns.column_names
    ['mlp:0', 'mlp:1']
    """
    import pyarrow as pa

    refuse_beyond(memory_limit(options), 2 * len(data), source, "its array")
    name = PurePath(source).name.split(".")[0]
    return Table(source, pa.table(columns_of(source, name, loaded(source, data))), notes=notes, by_position=True)


def loaded(source: str, data: bytes) -> Array:
    """The array in the bytes of a file, whose Python objects would be able to run any code."""
    try:
        _refuse_other_size(data)
        with catch_warnings(category=UserWarning, action="ignore"):
            array: Array = np.load(io.BytesIO(data), allow_pickle=False)
    except ValueError as error:
        if "pickle" in str(error) or "Object arrays" in str(error):
            raise SafetyError(
                "E_UNTRUSTED",
                f"{source} holds Python objects, which can run any code, and was not loaded",
                hint="save numbers or text: np.save(file, array.astype(float)) or array.astype(str)",
            ) from error
        raise _damaged(source, error) from error
    except Exception as error:  # NumPy reads a header as Python, and a damaged one raises whatever it makes of it
        raise _damaged(source, error) from error
    return array


HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def _refuse_other_size(data: bytes) -> None:
    """A header may promise more than there is, and memory would be set aside for it."""
    file = io.BytesIO(data)
    read_header = HEADERS.get(np.lib.format.read_magic(file))
    with catch_warnings(category=UserWarning, action="ignore"):  # a header of Python 2
        shape, _, dtype = read_header(file) if read_header else ((0,), False, np.dtype(float))
    promised = dtype.itemsize * prod(shape)
    if not dtype.hasobject and promised > len(data) - file.tell():
        raise ValueError(f"its header announces {promised:,} bytes, and there are {len(data) - file.tell():,}")


def _damaged(source: str, error: Exception) -> InputError:
    reason = str(error).split("\n")[0]
    return InputError("E_NUMPY", f"{source} is damaged, or not a NumPy file: {reason}", hint="save it again")


def columns_of(source: str, name: str, array: Array) -> dict[str, pa.Array]:
    """An array as columns: one, one for each place of its second axis (NAME:0, NAME:1 ...), or one for each field."""
    if array.dtype.names:
        return {field: _column(source, field, array[field]) for field in array.dtype.names}
    if array.ndim == 1 or array.shape[1:] == (1,):
        return {name: _column(source, name, array.reshape(-1))}
    if array.ndim == 2:
        return {f"{name}:{place}": _column(source, name, array[:, place]) for place in range(array.shape[1])}
    raise InputError(
        "E_SHAPE",
        f"{source}: {name!r} has the shape {array.shape}: a column has one axis, a row for each class two",
        hint="save it as (rows,) or (rows, classes)",
    )


def _column(source: str, name: str, values: Array) -> Any:
    import pyarrow as pa

    if values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8")
    if values.dtype.kind == "U":
        return column_of(values.tolist(), source, name)
    if values.dtype.kind not in "biufM":
        raise InputError("E_TYPE", f"{source}: {name!r} holds values of type {values.dtype}, expected numbers or text")
    if values.dtype == np.float16:
        values = values.astype(np.float32)
    return pa.array(np.ascontiguousarray(values.astype(values.dtype.newbyteorder("="), copy=False)))


source = Source(
    "NumPy array",
    what="An array: a column, or a column for each class; the truth is another.",
    shown="y.npy lr.npy nn.npy",
    starts=((0, MAGIC),),
    suffixes=(".npy",),
    content=read_npy,
)
