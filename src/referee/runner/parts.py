"""Arrays as bytes: small ones in NumPy's own format, large ones as Parquet; every bit comes back."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array

COLUMN = "values"


def to_npy(array: Array) -> bytes:
    """An array in NumPy's format, whatever its order in memory.

    >>> from_npy(to_npy(np.array([0.1, -0.0]))).tolist()
    [0.1, -0.0]
    """
    stream = BytesIO()
    np.lib.format.write_array(stream, np.asarray(array, order="C"), version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def from_npy(content: bytes) -> Array:
    array: Array = np.lib.format.read_array(BytesIO(content), allow_pickle=False)
    return array


def to_parquet(array: Array) -> bytes:
    """One column with the values row by row; the shape and type are kept elsewhere.

    >>> from_parquet(to_parquet(np.eye(2)), "<f8", [2, 2]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    flat = np.asarray(array, order="C").reshape(-1)
    column = pa.array(flat if _is_plain(flat.dtype) else flat.view(np.uint8))
    stream = pa.BufferOutputStream()
    pq.write_table(pa.table({COLUMN: column}), stream, compression="zstd", use_dictionary=False, write_statistics=False)
    content: bytes = stream.getvalue().to_pybytes()
    return content


def from_parquet(content: bytes, dtype: str, shape: Sequence[int]) -> Array:
    import pyarrow as pa
    import pyarrow.parquet as pq

    values: Array = pq.read_table(pa.BufferReader(content))[COLUMN].to_numpy()
    wanted = np.dtype(dtype)
    return (values if _is_plain(wanted) else np.ascontiguousarray(values).view(wanted)).reshape(shape)


def _is_plain(dtype: np.dtype[np.generic]) -> bool:
    """Whether Parquet has such a number; anything else is kept byte by byte."""
    return dtype.kind in "biuf" and dtype.isnative and dtype.itemsize in (1, 4, 8)
