"""How much memory a source may take, and the refusal of more."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from referee.errors import SafetyError

if TYPE_CHECKING:
    from referee.readers.table import ReadOptions

CHUNK = 1 << 20
CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def memory_limit(options: ReadOptions) -> int:
    """Bytes that one source may take: what the user said, else half of the machine's memory.

    >>> from referee.readers.table import ReadOptions
    >>> memory_limit(ReadOptions(max_memory=1000))
    1000
    """
    return machine_memory() // 2 if options.max_memory is None else options.max_memory


def machine_memory() -> int:
    if not hasattr(os, "sysconf"):
        return _windows_memory()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(memory, int(CONTAINER_LIMIT.read_text()))
    except (OSError, ValueError):
        return memory


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


def too_big(source: str, what: str, limit: int) -> SafetyError:
    return SafetyError(
        "E_TOOBIG",
        f"{source} is too big: {what}, --max-memory allows {size_text(limit)}",
        hint="raise --max-memory if the machine has the memory and the file is one you trust",
    )


def read_within(stream: Readable, limit: int, source: str) -> bytes:
    """Read a stream to its end, or refuse it as soon as it passes the limit."""
    import io

    content = io.BytesIO()
    while block := stream.read(CHUNK):
        if content.tell() + len(block) > limit:
            raise too_big(source, f"its content goes beyond {size_text(limit)}", limit)
        content.write(block)
    return content.getvalue()
