"""Data frames of R's .rda files (XDR, versions 2 and 3), as Debian's packages of R have them."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

MISSING = -(2**31)
UNPACKERS = {b"\x1f\x8b": gzip.decompress, b"BZ": bz2.decompress, b"\xfd7": lzma.decompress}


class Vector(list):
    """Values with R's attributes."""

    attributes: dict[str, Any]


def frames_of(path: Path) -> dict[str, dict[str, np.ndarray]]:
    """Every data frame of a file by its name, as columns; factors as texts, missing cells as None or nan."""
    packed = path.read_bytes()
    content = next((unpack(packed) for magic, unpack in UNPACKERS.items() if packed.startswith(magic)), packed)
    assert content[:7] in (b"RDX2\nX\n", b"RDX3\nX\n"), path
    reader = _Reader(content[7:])
    objects = reader.read_file()
    return {name: _frame(held) for name, held in objects.items() if "names" in getattr(held, "attributes", {})}


def _frame(held: Vector) -> dict[str, np.ndarray]:
    return {name: _column(column) for name, column in zip(held.attributes["names"], held, strict=True)}


def _column(column: Vector) -> np.ndarray:
    levels = column.attributes.get("levels")
    if levels is not None:
        return np.array([None if code == MISSING else levels[code - 1] for code in column], object)
    if column and isinstance(column[0], str):
        return np.array(column, object)
    return np.array([np.nan if value == MISSING else value for value in column], float)


class _Reader:
    """One pass over the serialised objects."""

    def __init__(self, content: bytes) -> None:
        self.content, self.place, self.known = content, 0, []

    def read_file(self) -> dict[str, Any]:
        version, _, _ = (self._whole() for _ in range(3))
        if version == 3:
            self._take(self._whole())
        return dict(self._pairs(self._whole()))

    def _take(self, amount: int) -> bytes:
        self.place += amount
        return self.content[self.place - amount : self.place]

    def _whole(self) -> int:
        return struct.unpack(">i", self._take(4))[0]

    def _numbers(self, form: str, size: int) -> list[Any]:
        length = self._whole()
        return list(struct.unpack(f">{length}{form}", self._take(size * length)))

    def _pairs(self, flags: int) -> list[tuple[str, Any]]:
        pairs = []
        while flags & 255 == 2:
            if flags & 512:
                self._item(self._whole())
            name = self._item(self._whole()) if flags & 1024 else ""
            pairs.append((name, self._item(self._whole())))
            flags = self._whole()
        assert flags & 255 == 254, flags
        return pairs

    def _item(self, flags: int) -> Any:
        kind = flags & 255
        if kind in (2, 254):
            return self._pairs(flags) if kind == 2 else None
        if kind == 1:
            self.known.append(self._item(self._whole()))
            return self.known[-1]
        if kind == 255:
            return self.known[(flags >> 8 or self._whole()) - 1]
        if kind == 9:
            length = self._whole()
            return None if length == -1 else self._take(length).decode("latin-1")
        if kind == 238:
            return self._compact()
        readers = {
            10: lambda: self._numbers("i", 4),
            13: lambda: self._numbers("i", 4),
            14: lambda: self._numbers("d", 8),
        }
        readers |= dict.fromkeys((16, 19), lambda: [self._item(self._whole()) for _ in range(self._whole())])
        values = Vector(readers[kind]())
        values.attributes = dict(self._pairs(self._whole())) if flags & 512 else {}
        return values

    def _compact(self) -> Vector:
        """A sequence of whole numbers that is kept as its length, start and step."""
        self._item(self._whole())
        length, start, step = self._item(self._whole())
        self._item(self._whole())
        values = Vector(range(int(start), int(start + step * length), int(step)))
        values.attributes = {}
        return values


__all__ = ["frames_of"]
