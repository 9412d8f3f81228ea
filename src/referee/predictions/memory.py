"""How much memory a table may take, and how much it would."""

from __future__ import annotations

import math
import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from referee.errors import SafetyError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.predictions.table import ReadOptions

CHUNK = 1 << 20
AT_WORK = {False: 8, True: 14}
"""Times the decoded columns, for a limit that was said: the peak while models are scored, or compared, on rankings."""
OWN = 150_000_000
"""Bytes that Python and the libraries take by themselves."""
CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def memory_limit(options: ReadOptions) -> int:
    """Bytes that one source may take: what the user said, else half of the machine's memory.

    >>> from referee.predictions.table import ReadOptions
    >>> memory_limit(ReadOptions(max_memory=1000))
    1000
    """
    return machine_memory() // 2 if options.max_memory is None else options.max_memory


def room_for_rows(options: ReadOptions) -> int:
    """What a limit that was said leaves to the rows: it is one of the whole process."""
    limit = memory_limit(options)
    return limit if options.max_memory is None else max(limit - OWN, limit // 2)


def machine_memory() -> int:
    if not hasattr(os, "sysconf"):
        return _windows_memory()
    memory = int(min(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), _process_memory()))
    try:
        return min(memory, int(CONTAINER_LIMIT.read_text()))
    except (OSError, ValueError):
        return memory


def _process_memory() -> float:
    """What `ulimit -v` leaves to this process."""
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return math.inf if limit == resource.RLIM_INFINITY else limit


def _windows_memory() -> int:
    import ctypes

    kilobytes = ctypes.c_ulonglong()
    ctypes.windll.kernel32.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes))  # type: ignore[attr-defined,unused-ignore]
    return kilobytes.value * 1024


def size_text(size: float) -> str:
    """Write a size for people.

    >>> size_text(600), size_text(9_600_000_000)
    ('600 bytes', '8.9 GiB')
    """
    if size < 1024:
        return f"{size:.0f} bytes"
    for unit in ("KiB", "MiB", "GiB"):
        size /= 1024
        if size < 1024:
            return f"{size:.1f} {unit}"
    return f"{size / 1024:,.1f} TiB"


def refuse_beyond(limit: int, size: float, source: str, what: str) -> None:
    """Raise E_TOOBIG if `what`, of this size, is more than the limit."""
    if size > limit:
        raise too_big(source, f"{what} need about {size_text(size)}", limit)


def too_big(source: str, what: str, limit: int, or_else: str = "") -> SafetyError:
    return SafetyError(
        "E_TOOBIG",
        f"{source} is too big: {what}, --max-memory allows {size_text(limit)}",
        hint=f"{or_else}raise --max-memory if the machine has enough and you trust the file",
    )


def read_within(stream: Readable, limit: int, source: str) -> bytes:
    """Read a stream to its end, or refuse it as soon as it passes the limit."""
    import io

    content = io.BytesIO()
    while block := stream.read(CHUNK):
        if content.tell() + len(block) > limit:
            raise too_big(source, f"its content exceeds {size_text(limit)}", limit)
        content.write(block)
    return content.getvalue()


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
