"""NumPy archives of several arrays: each is a column by its name, or a column for each class."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from referee.errors import InputError
from referee.predictions import ReadOptions, Source, Table, memory_limit, refuse_beyond
from referee.sources.npy import columns_of, loaded

if TYPE_CHECKING:
    from zipfile import ZipFile

ZIP = b"PK\x03\x04"
NAME_AT = 30
"""Where the name of the first member of an archive begins."""


def read_npz(source: str, data: bytes, options: ReadOptions, notes: tuple[str, ...] = ()) -> Table:
    """Read all arrays of an archive, which must have one length.

    >>> import numpy as np
    >>> file = io.BytesIO()
    >>> np.savez(file, y=np.array([0, 1]), net=np.array([[0.2, 0.8], [0.6, 0.4]]))
    >>> read_npz("preds.npz", file.getvalue(), ReadOptions()).columns.column_names
    ['y', 'net:0', 'net:1']
    """
    import pyarrow as pa

    columns: dict[str, Any] = {}
    for name, content in _members(source, data, memory_limit(options)).items():
        columns |= columns_of(source, name, loaded(f"{source}: {name}", content))
    _refuse_lengths(source, columns)
    return Table(source, pa.table(columns), notes=notes)


def _members(source: str, data: bytes, limit: int) -> dict[str, bytes]:
    from zipfile import BadZipFile, ZipFile

    try:
        with ZipFile(io.BytesIO(data)) as archive:
            refuse_beyond(limit, _size(archive), source, "its arrays")
            names = [name for name in archive.namelist() if name.endswith(".npy")]
            return {name.removesuffix(".npy"): archive.read(name) for name in names}
    except (BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError) as error:
        raise InputError("E_NUMPY", f"{source} is damaged, or not a NumPy archive: {error}") from error


def _size(archive: ZipFile) -> int:
    """As its directory has it: more is not read."""
    return 2 * sum(member.file_size for member in archive.infolist())


def _refuse_lengths(source: str, columns: dict[str, Any]) -> None:
    lengths = {name: len(values) for name, values in columns.items()}
    first = next(iter(lengths), "")
    for name, length in lengths.items():
        if length != lengths[first]:
            raise InputError(
                "E_LENGTH",
                f"{source}: {name!r} has {length:,} rows, {first!r} has {lengths[first]:,}",
                hint="all arrays must have one value per row",
            )


def _is_archive(head: bytes) -> bool:
    name = head[NAME_AT : NAME_AT + int.from_bytes(head[26:28], "little")]
    return head.startswith(ZIP) and name.endswith(b".npy")


source = Source(
    "NumPy archive",
    what="Arrays by name: columns, or a column for each class.",
    shown="preds.npz",
    looks_like=_is_archive,
    suffixes=(".npz",),
    content=read_npz,
)
