"""What is kept of a unit, as bytes with a checksum: JSON for values, NumPy's format for arrays beside it."""

from __future__ import annotations

import json
import re
from functools import cached_property
from hashlib import blake2b
from io import BytesIO
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from referee.predictions import ReadOptions, chunks_of, memory_limit, refuse_beyond
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

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
    """The array, whose header must promise as many bytes as there are: nothing larger is made room for."""
    stream = BytesIO(content)
    np.lib.format.read_magic(stream)
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    if dtype.hasobject or prod(shape) * dtype.itemsize != len(content) - stream.tell():
        raise ValueError(f"an array of shape {shape} and type {dtype} does not have {len(content):,} bytes")
    stream.seek(0)
    array: Array = np.lib.format.read_array(stream, allow_pickle=False)
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

    wanted = np.dtype(dtype)
    file = pq.ParquetFile(pa.BufferReader(content))
    size = prod(shape) * wanted.itemsize
    rows = file.metadata.num_rows
    values = sum(chunk.values for group in chunks_of(content) for chunk in group)
    if wanted.hasobject or not rows == values == (prod(shape) if _is_plain(wanted) else size):
        raise ValueError(f"{values:,} values in {rows:,} rows are not an array of shape {shape} and type {wanted}")
    refuse_beyond(memory_limit(ReadOptions()), size, "an array of the checkpoint", "its values")
    read: Array = file.read()[COLUMN].to_numpy()
    return (read if _is_plain(wanted) else np.ascontiguousarray(read).view(wanted)).reshape(shape)


def _is_plain(dtype: np.dtype[np.generic]) -> bool:
    """Whether Parquet has such a number; anything else is kept byte by byte."""
    return dtype.kind in "biuf" and dtype.isnative and dtype.itemsize in (1, 4, 8)


CHECKSUM_SIZE = 16
PART_FROM = 1 << 20
"""Arrays of more bytes become files of their own."""


def checksum(*pieces: bytes) -> bytes:
    """Of pieces that cannot flow into each other.

    >>> checksum(b"ab", b"c") == checksum(b"a", b"bc")
    False
    """
    hashed = blake2b(digest_size=CHECKSUM_SIZE)
    for piece in pieces:
        hashed.update(len(piece).to_bytes(8, "big"))
        hashed.update(piece)
    return hashed.digest()


def key_bytes(key: str) -> bytes:
    """A name may hold half a character, as file names do."""
    return key.encode("utf-8", "surrogatepass")


def to_json(value: object) -> bytes:
    """With all digits of all numbers, NaN and infinities included, and keys in order.

    >>> to_json({"b": 0.1, "a": np.float32(0.5)})
    b'{"a": 0.5, "b": 0.1}'
    """
    return json.dumps(value, sort_keys=True, default=_plain).encode()


def _plain(value: object) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is neither an array nor JSON")


class Part(NamedTuple):
    """A large array's file."""

    file: str
    content: bytes


@dataclass(frozen=True)
class Packed:
    """A record as it is stored: one JSON text, and its small arrays one behind the other."""

    json: bytes
    arrays: bytes

    def checksum(self, key: str) -> bytes:
        return checksum(key_bytes(key), self.json, self.arrays)

    @property
    def has_files(self) -> bool:
        """Whether it may have parts; where it has none, nothing is parsed."""
        return b'"file"' in self.json

    def files(self) -> Iterator[tuple[str, str]]:
        """Each part's file with the checksum that it must have."""
        for place in self._content["arrays"].values():
            if "file" in place:
                yield place["file"], place["checksum"]

    def record(self, read_part: Callable[[str], bytes]) -> dict[str, Any]:
        content = self._content
        arrays = {name: self._array(place, read_part) for name, place in content["arrays"].items()}
        return {**content["values"], **arrays}

    @cached_property
    def _content(self) -> dict[str, dict[str, Any]]:
        """Values, and where each array is; ValueError where it is anything else."""
        content = json.loads(self.json)
        if not isinstance(content, dict) or content.keys() != {"values", "arrays"}:
            raise ValueError("it has no values or no arrays")
        if not all(isinstance(part, dict) for part in (*content.values(), *content["arrays"].values())):
            raise ValueError("its values or arrays have no names")
        for name, place in content["arrays"].items():
            _refuse_place(name, place, len(self.arrays))
        return content

    def _array(self, place: dict[str, Any], read_part: Callable[[str], bytes]) -> Array:
        if "file" in place:
            return from_parquet(read_part(place["file"]), place["dtype"], place["shape"])
        return from_npy(self._slice(place))

    def _slice(self, place: dict[str, Any]) -> bytes:
        return self.arrays[place["start"] : place["end"]]


PART_NAME = re.compile(r"[0-9a-f]{32}\.parquet")


def _refuse_place(name: str, place: dict[str, Any], size: int) -> None:
    """Stop at a file that is not in the folder of parts, and at bytes that are not in the record."""
    if place.keys() == {"start", "end"}:
        ends = [place["start"], place["end"]]
        sound = all(type(end) is int for end in ends) and 0 <= ends[0] <= ends[1] <= size
    elif place.keys() == {"file", "checksum", "dtype", "shape"}:
        shape = place["shape"]
        sound = all(isinstance(place[key], str) for key in ("file", "checksum", "dtype")) and isinstance(shape, list)
        sound = sound and PART_NAME.fullmatch(place["file"]) is not None
        sound = sound and all(type(length) is int and length >= 0 for length in shape)
    else:
        sound = False
    if not sound:
        raise ValueError(f"array {name!r} is said to be where none can be")


def pack(key: str, record: Mapping[str, Any]) -> tuple[Packed, list[Part]]:
    """A record as bytes, and the files that go with it."""
    places: dict[str, dict[str, Any]] = {}
    small, parts = bytearray(), []
    for name in sorted(name for name, value in record.items() if isinstance(value, np.ndarray)):
        array: Array = record[name]
        if array.dtype.hasobject:
            raise TypeError(f"{name!r} of {key!r} is an array of Python objects")
        if array.nbytes > PART_FROM:
            part, places[name] = _part(key, name, array)
            parts.append(part)
        else:
            start = len(small)
            small += to_npy(array)
            places[name] = {"start": start, "end": len(small)}
    values = {name: value for name, value in record.items() if name not in places}
    return Packed(to_json({"values": values, "arrays": places}), bytes(small)), parts


def _part(key: str, name: str, array: Array) -> tuple[Part, dict[str, Any]]:
    content = to_parquet(array)
    part = Part(f"{checksum(key_bytes(key), key_bytes(name)).hex()}.parquet", content)
    place = {"file": part.file, "checksum": checksum(content).hex(), "dtype": array.dtype.str, "shape": array.shape}
    return part, place
