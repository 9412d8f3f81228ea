"""Compressed files: unpacked in memory, never beyond the limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.errors import InputError
from referee.readers.memory import read_within

if TYPE_CHECKING:
    from pathlib import Path


def decompressed(path: Path, compression: str, limit: int) -> bytes:
    """Unpack a compressed file; E_COMPRESSED if it is damaged, E_TOOBIG if it is larger than the limit."""
    import lzma
    import zlib

    try:
        with path.open("rb") as packed, unpacked(packed, compression) as stream:
            return read_within(stream, limit, str(path))
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        raise damaged(path, compression, error) from error


def damaged(path: Path, compression: str, error: Exception) -> InputError:
    return InputError(
        "E_COMPRESSED",
        f"{path} is damaged: its {compression} data cannot be unpacked ({error})",
        hint="the file may be cut off: copy or download it again",
    )


def unpacked(packed: Any, compression: str) -> Any:
    """A stream of the content of a compressed one."""
    import bz2
    import gzip
    import lzma

    if compression == "gzip":
        return gzip.GzipFile(fileobj=packed)
    if compression == "bz2":
        return bz2.BZ2File(packed)
    if compression == "xz":
        return lzma.LZMAFile(packed)
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(packed, mode="r"), "zstd")
