"""How large the batches of an Arrow file are once unpacked, read from their headers before anything is unpacked."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORD_BATCH, DICTIONARY_BATCH = 3, 2


def unpacked_size(data: Any) -> tuple[int, int]:
    """Add up the rows and bytes that the messages of a stream promise (in a damaged one: those before the damage)."""
    rows = size = 0
    try:
        for message in _messages(data):
            length, lengths = _promised(message)
            rows += length if message.type == "record batch" else 0
            size += sum(lengths)
    except Exception:  # damage, which the reader proper will name
        pass
    return rows, size


def _messages(data: Any) -> Iterator[Any]:
    import pyarrow as pa

    reader = pa.ipc.MessageReader.open_stream(data)
    while True:
        try:
            yield reader.read_next_message()
        except StopIteration:
            return


def _promised(message: Any) -> tuple[int, list[int]]:
    """Read the number of rows of a batch, and the length of each of its buffers."""
    header = message.metadata.to_pybytes()
    table = _Table(header, _follow(header, 0))
    kind = table.number(1, "<B")
    if kind not in (RECORD_BATCH, DICTIONARY_BATCH):
        return 0, []
    batch = table.table(2)
    if kind == DICTIONARY_BATCH:
        batch = batch.table(1)
    is_packed = batch.place(3) is not None
    lengths = []
    for offset, length in batch.pairs(2):
        unpacked = struct.unpack_from("<q", message.body, offset)[0] if is_packed and length >= 8 else -1
        lengths.append(max(unpacked, length))
    return batch.number(0, "<q"), lengths


def _follow(header: bytes, at: int) -> int:
    return at + int(struct.unpack_from("<I", header, at)[0])


class _Table:
    """A table of the FlatBuffers encoding, in which Arrow writes its headers."""

    def __init__(self, header: bytes, at: int) -> None:
        self.header, self.at = header, at

    def place(self, field: int) -> int | None:
        directory = self.at - int(struct.unpack_from("<i", self.header, self.at)[0])
        entries = (int(struct.unpack_from("<H", self.header, directory)[0]) - 4) // 2
        offset = struct.unpack_from("<H", self.header, directory + 4 + 2 * field)[0] if field < entries else 0
        return self.at + int(offset) if offset else None

    def number(self, field: int, form: str) -> int:
        place = self.place(field)
        return 0 if place is None else int(struct.unpack_from(form, self.header, place)[0])

    def table(self, field: int) -> _Table:
        place = self.place(field)
        if place is None:
            raise IndexError(field)
        return _Table(self.header, _follow(self.header, place))

    def pairs(self, field: int) -> list[tuple[int, int]]:
        place = self.place(field)
        if place is None:
            return []
        start = _follow(self.header, place)
        count = struct.unpack_from("<I", self.header, start)[0]
        return [struct.unpack_from("<qq", self.header, start + 4 + 16 * entry) for entry in range(count)]
