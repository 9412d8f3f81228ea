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
        with path.open("rb") as packed, _opened(packed, compression) as stream:
            return read_within(stream, limit, str(path))
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        raise InputError(
            "E_COMPRESSED",
            f"{path} is damaged: its {compression} data cannot be unpacked ({error})",
            hint="the file may be cut off: copy or download it again",
        ) from error


def _opened(packed: Any, compression: str) -> Any:
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
