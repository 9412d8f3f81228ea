"""What is kept of a unit, as bytes with a checksum: JSON for values, NumPy's format for arrays beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from referee.runner.parts import from_npy, from_parquet, to_npy, to_parquet

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from referee.arrays import Array

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

    def files(self) -> Iterator[tuple[str, str]]:
        """Each part's file with the checksum that it must have."""
        for place in json.loads(self.json)["arrays"].values():
            if "file" in place:
                yield place["file"], place["checksum"]

    def pieces(self, without: Collection[str]) -> Iterator[bytes]:
        """All that the record says, but for some fields."""
        content = json.loads(self.json)
        yield to_json({name: value for name, value in content["values"].items() if name not in without})
        for name, place in content["arrays"].items():
            if name not in without:
                yield key_bytes(name)
                yield place["checksum"].encode() if "file" in place else self._slice(place)

    def record(self, read_part: Callable[[str], bytes]) -> dict[str, Any]:
        content = json.loads(self.json)
        arrays = {name: self._array(place, read_part) for name, place in content["arrays"].items()}
        return {**content["values"], **arrays}

    def _array(self, place: dict[str, Any], read_part: Callable[[str], bytes]) -> Array:
        if "file" in place:
            return from_parquet(read_part(place["file"]), place["dtype"], place["shape"])
        return from_npy(self._slice(place))

    def _slice(self, place: dict[str, Any]) -> bytes:
        return self.arrays[place["start"] : place["end"]]


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
