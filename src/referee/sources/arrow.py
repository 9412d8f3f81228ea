"""Arrow: IPC files, IPC streams and Feather, checked as data that may be hostile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.errors import InputError
from referee.predictions import ReadOptions, Source, Table, memory_limit, refuse_beyond, unpacked_size

if TYPE_CHECKING:
    import pyarrow as pa

FILE_MAGIC, STREAM_START = b"ARROW1", b"\xff\xff\xff\xff"

# The magic bytes of a file are padded to 8, then its messages follow as in a stream.
FILE_START = 8
COPIES = 2


def read_arrow(source: str, data: bytes, options: ReadOptions, notes: tuple[str, ...] = ()) -> Table:
    """Read the bytes of an Arrow file or stream.

    >>> import pyarrow as pa
    >>> sink = pa.BufferOutputStream()
    >>> with pa.ipc.new_stream(sink, pa.schema([("A", pa.float64())])) as writer:
    ...     writer.write_table(pa.table({"A": [0.5]}))
    >>> read_arrow("preds.arrow", sink.getvalue().to_pybytes(), ReadOptions()).rows
    1
    """
    import pyarrow as pa

    is_file = data.startswith(FILE_MAGIC)
    buffer = pa.py_buffer(data)
    rows, size = unpacked_size(buffer.slice(min(FILE_START, len(data))) if is_file else buffer)
    refuse_beyond(memory_limit(options), COPIES * size, source, f"{rows:,} rows")
    try:
        columns = _read_all(buffer, is_file)
        # Offsets and codes that point outside would crash whatever uses them.
        columns.validate(full=True)
    except Exception as error:  # damaged headers raise whatever their bytes make of it
        reason = str(error).split("\n")[0]
        raise InputError(
            "E_ARROW",
            f"{source} is damaged, or not an Arrow file: {reason}",
            hint="copy or write it again; none of it was used",
        ) from error
    return Table(source, columns, notes=notes)


def _read_all(buffer: Any, is_file: bool) -> pa.Table:
    import pyarrow as pa

    return (pa.ipc.open_file(buffer) if is_file else pa.ipc.open_stream(buffer)).read_all()


source = Source(
    "Arrow",
    what="A table of columns as Arrow stores it: Feather, IPC files and streams.",
    shown="preds.arrow",
    starts=((0, FILE_MAGIC), (0, STREAM_START)),
    suffixes=(".arrow", ".arrows", ".feather", ".ipc"),
    content=read_arrow,
)
