"""What the footer of a Parquet file promises of each column, read here: damage in it must be an error.

Arrow reads it as well, but its metadata of a column ends the process where sizes in it contradict each other.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT, UUID = range(1, 14)
NUMBERS = (I16, I32, I64)
WIDTHS = {TRUE: 0, FALSE: 0, BYTE: 1, DOUBLE: 8, UUID: 16}
"""Kinds of fields, and bytes of a value: the compact protocol of Apache Thrift."""
MOST_BYTES = 10
"""Of a number in seven bits a byte."""

ROW_GROUPS = 4
COLUMNS = 1
METADATA = 3
VALUES, UNPACKED, DICTIONARY = 5, 6, 11
"""Fields of a file, a group of rows, a chunk of a column and its metadata (parquet.thrift)."""


class Chunk(NamedTuple):
    """One column in one group of rows."""

    values: int
    unpacked: int
    has_dictionary: bool


def chunks_of(where: Any) -> list[list[Chunk]]:
    """For each group of rows, its columns; ValueError where the footer is damaged.

    >>> import pyarrow as pa
    >>> from pyarrow import parquet
    >>> sink = pa.BufferOutputStream()
    >>> parquet.write_table(pa.table({"A": [0.5, 0.25], "B": ["x", "x"]}), sink, use_dictionary=["B"])
    >>> [[(chunk.values, chunk.has_dictionary) for chunk in group] for group in chunks_of(sink.getvalue())]
    [[(2, False), (2, True)]]
    """
    return _groups(_footer(where))


@lru_cache(maxsize=4)
def _groups(content: bytes) -> list[list[Chunk]]:
    """A file is looked at before it is read, and once more while it is."""
    footer = _Compact(content)
    try:
        told = footer.struct({ROW_GROUPS: lambda: footer.items(lambda: _group(footer))})
        groups: list[list[Chunk]] = told[ROW_GROUPS]
    except LookupError as error:
        raise ValueError("its footer cannot be understood") from error
    return groups


def _footer(where: Any) -> bytes:
    """The bytes before its own length and the magic number, at the end of a file or of a buffer."""
    if not isinstance(where, str | Path):
        content = memoryview(where)
        return bytes(content[-8 - int.from_bytes(content[-8:-4], "little") : -8])
    with Path(where).open("rb") as file:
        end = file.seek(-8, 2)
        length = int.from_bytes(file.read(4), "little")
        file.seek(end - length)
        return file.read(length)


def _group(footer: _Compact) -> list[Chunk]:
    def column() -> Any:
        return footer.struct({METADATA: lambda: _chunk(footer)})[METADATA]

    columns: list[Chunk] = footer.struct({COLUMNS: lambda: footer.items(column)})[COLUMNS]
    return columns


def _chunk(footer: _Compact) -> Chunk:
    told = footer.struct(dict.fromkeys((VALUES, UNPACKED, DICTIONARY), footer.number))
    if told[VALUES] < 0 or told[UNPACKED] < 0:
        raise ValueError("a column has a size below 0")
    return Chunk(told[VALUES], told[UNPACKED], DICTIONARY in told)


class _Compact:
    """Structs from the place where they begin; what nobody asks for is passed over."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def struct(self, wanted: Mapping[int, Callable[[], Any]]) -> dict[int, Any]:
        fields, field = {}, 0
        while head := self.content[self.at]:
            self.at += 1
            field = field + (head >> 4) if head >> 4 else self.number()
            if field in wanted:
                fields[field] = wanted[field]()
            else:
                self._pass(head & 15)
        self.at += 1
        return fields

    def items(self, read: Callable[[], Any]) -> list[Any]:
        return [read() for _ in range(self._head_of_list()[0])]

    def number(self) -> int:
        coded = self._size()
        return (coded >> 1) ^ -(coded & 1)

    def _size(self) -> int:
        byte = self.content[self.at]
        self.at += 1
        size, place = byte & 127, 7
        while byte > 127:
            byte = self.content[self.at]
            self.at += 1
            size |= (byte & 127) << place
            place += 7
            if place > 7 * MOST_BYTES:
                raise ValueError("a number has too many bytes")
        return size

    def _head_of_list(self) -> tuple[int, int]:
        head = self.content[self.at]
        self.at += 1
        return (self._size() if head >> 4 == 15 else head >> 4), head & 15

    def _pass(self, kind: int) -> None:
        if kind in NUMBERS:
            while self.content[self.at] > 127:
                self.at += 1
            self.at += 1
        elif kind == BINARY:
            size = self._size()  # first, as it moves on
            self.at += size
        elif kind == STRUCT:
            self.struct({})
        elif kind in (LIST, SET):
            self._pass_items()
        elif kind == MAP:
            self._pass_pairs()
        else:
            self.at += WIDTHS[kind]

    def _pass_items(self) -> None:
        many, kind = self._head_of_list()
        for _ in range(many):
            self._pass(BYTE if kind in (TRUE, FALSE) else kind)

    def _pass_pairs(self) -> None:
        if many := self._size():
            kinds = self.content[self.at]
            self.at += 1
            for _ in range(many):
                self._pass(kinds >> 4)
                self._pass(kinds & 15)
