"""Parquet: sizes checked from the footer, pages by their checksums, then decoded."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from referee.errors import InputError, RefereeError
from referee.predictions import (
    AT_WORK,
    ReadOptions,
    Source,
    Table,
    chunks_of,
    memory_limit,
    refuse_beyond,
    refuse_duplicate_columns,
    room_for_rows,
    unchanged,
)
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from referee.predictions import Chunk

WIDTHS = {"BOOLEAN": 0.125, "INT32": 4, "INT64": 8, "INT96": 8, "FLOAT": 4, "DOUBLE": 8, "BYTE_ARRAY": 4}
# The decoded columns, and the arrays that the scores are computed on.
COPIES = 2


def read_parquet(source: str, files: list[Path], options: ReadOptions) -> Table:
    """Read Parquet files as one table, in the order given; their columns must agree."""
    parts: list[pa.Table] = []
    limit = memory_limit(options)
    _refuse_too_big(source, [promised_size(str(file), file) for file in files], limit)
    for file in files:
        with unchanged(file):
            part = _decoded(str(file), file, limit)
        refuse_duplicate_columns(str(file), part.column_names)
        if parts:
            refuse_other_columns(file, part.schema, files[0], parts[0].schema)
        parts.append(part)
    return Table(source, _joined(parts), notes=(f"{len(files)} files",) if len(files) > 1 else ())


def read_parquet_bytes(source: str, data: bytes, options: ReadOptions, notes: tuple[str, ...] = ()) -> Table:
    """Read a Parquet file that is in memory, such as one that was compressed as a whole.

    >>> import pyarrow as pa
    >>> from pyarrow import parquet
    >>> sink = pa.BufferOutputStream()
    >>> parquet.write_table(pa.table({"A": [0.5]}), sink)
    >>> read_parquet_bytes("preds.parquet", sink.getvalue().to_pybytes(), ReadOptions()).rows
    1
    """
    import pyarrow as pa

    buffer, limit = pa.py_buffer(data), memory_limit(options)
    _refuse_too_big(source, [promised_size(source, buffer)], limit)
    return Table(source, _decoded(source, buffer, limit), notes=notes)


def opened(where: Any, **options: Any) -> Any:
    """A Parquet file whose pages are checked as they are read."""
    from pyarrow import parquet

    return parquet.ParquetFile(where, page_checksum_verification=True, **options)


@contextmanager
def damage_named(name: str) -> Iterator[None]:
    """Whatever a damaged file raises becomes E_PARQUET."""
    try:
        yield
    except (PermissionError, MemoryError, RefereeError):
        raise
    except Exception as error:  # a damaged footer raises whatever its bytes make of it
        reason = str(error).split("\n")[0].rstrip(".")
        raise InputError(
            "E_PARQUET",
            f"{name} is damaged, or not a Parquet file: {reason}",
            hint="copy or write it again; none of it was used",
        ) from error


def _refuse_too_big(source: str, promised: list[tuple[int, float]], limit: int) -> None:
    rows = sum(rows for rows, _ in promised)
    refuse_beyond(limit, COPIES * sum(size for _, size in promised), source, f"{rows:,} rows")


def promised_size(name: str, where: Any) -> tuple[int, float]:
    """Rows, and bytes of the decoded columns, as the footer promises them."""
    size = 0.0
    with damage_named(name), opened(where) as file:
        for kind, chunks in _columns(file, where):
            width = WIDTHS.get(kind.physical_type, kind.length)
            size += sum(width * chunk.values for chunk in chunks)
            if kind.physical_type == "BYTE_ARRAY":
                size += sum(chunk.unpacked for chunk in chunks)
        return file.metadata.num_rows, size


def _columns(file: Any, where: Any) -> Iterator[tuple[Any, list[Chunk]]]:
    """Each column as the schema has it, and what the footer promises of it."""
    groups = chunks_of(where)
    if any(len(group) != file.metadata.num_columns for group in groups):
        raise ValueError("the groups of rows have other columns than the schema")
    return ((file.schema.column(place), [group[place] for group in groups]) for place in range(len(file.schema)))


def _decoded(name: str, where: Any, limit: int) -> pa.Table:
    with damage_named(name):
        with opened(where) as file:
            as_codes = [path for path in repeating_texts(file, where, limit) if not _fits_as_text(where, path, limit)]
        with opened(where, read_dictionary=as_codes) as file:
            table = file.read()
        table.validate(full=True)
        return table


def repeating_texts(file: Any, where: Any, limit: int) -> list[str]:
    """Text columns that could be far larger than the footer says: one long text, repeated by its code."""
    return [
        kind.path
        for kind, chunks in _columns(file, where)
        if kind.physical_type == "BYTE_ARRAY"
        and sum(chunk.values * chunk.unpacked for chunk in chunks) > limit
        and any(chunk.has_dictionary for chunk in chunks)
    ]


def _fits_as_text(where: Any, path: str, limit: int) -> bool:
    """Look at the distinct texts, not at the rows: decoding is faster than keeping codes, if it fits."""
    import pyarrow as pa
    import pyarrow.compute as pc

    size = 0
    with opened(where, read_dictionary=[path]) as file:
        if path not in file.schema_arrow.names or not pa.types.is_dictionary(file.schema_arrow.field(path).type):
            return False
        for group in range(file.metadata.num_row_groups):
            first = next(file.iter_batches(batch_size=1, row_groups=[group], columns=[path]), None)
            if first is not None and len(first):
                longest = pc.max(pc.binary_length(first.column(0).dictionary)).as_py() or 0
                size += longest * file.metadata.row_group(group).num_rows
    return size <= limit // COPIES


def refuse_other_columns(file: Path, schema: pa.Schema, first_file: Path, first: pa.Schema) -> None:
    """Raise E_SCHEMA unless a file has the columns of the first."""
    for name in [*first.names, *schema.names]:
        here, there = (_type_text(name, columns) for columns in (schema, first))
        if here != there:
            raise InputError(
                "E_SCHEMA",
                f"{file}: column {name!r} is {here}, in {first_file} it is {there}",
                hint="files of one table must have the same columns",
            )


def _type_text(name: str, schema: pa.Schema) -> str:
    import pyarrow as pa

    if name not in schema.names:
        return "missing"
    kind = schema.field(name).type
    return str(kind.value_type if pa.types.is_dictionary(kind) else kind)


def _joined(parts: list[pa.Table]) -> pa.Table:
    import pyarrow as pa

    names = parts[0].column_names
    return pa.concat_tables([part.select(names) for part in parts], promote_options="permissive")


HONEST_RATIO = 1000
"""A file whose columns are more times larger than itself is no table of predictions, but made to exhaust memory."""
BUFFER = 1 << 20
LARGE_GROUP = 1 << 22
"""Row groups with more rows are read through a buffer, not whole."""


@dataclass(frozen=True, eq=False)
class ParquetPieces:
    source: str
    files: list[Path]
    names: list[str]
    about_rows: int
    size: float
    limit: int
    notes: tuple[str, ...]
    text: bool = False

    def is_too_large(self, options: ReadOptions) -> bool:
        on_disk = sum(file.stat().st_size for file in self.files)
        work = COPIES if options.max_memory is None or not options.push_down else AT_WORK[options.compares]
        return room_for_rows(options) < work * self.size and self.size <= HONEST_RATIO * on_disk

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        for file in self.files:
            with damage_named(str(file)):
                yield from _of_size(self._decoded(file, columns, rows), rows)

    def _decoded(self, file: Path, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        with opened(file) as footer:
            as_codes = repeating_texts(footer, file, self.limit)
            groups = range(footer.metadata.num_row_groups)
            large = any(footer.metadata.row_group(group).num_rows > LARGE_GROUP for group in groups)
        # Without pre_buffer=False Arrow keeps all that it has read of the file.
        reading = {"pre_buffer": False, "buffer_size": BUFFER if large else 0}
        with opened(file, read_dictionary=as_codes, **reading) as content:
            for batch in content.iter_batches(rows, columns=list(columns), use_threads=False):
                batch.validate(full=True)
                yield batch


def open_parquet(source: str, files: list[Path], options: ReadOptions) -> ParquetPieces:
    """Look at the footers: their columns must agree."""
    rows, size = 0, 0.0
    with damage_named(str(files[0])), opened(files[0]) as first:
        schema = first.schema_arrow
        refuse_duplicate_columns(str(files[0]), schema.names)
    for file in files:
        with damage_named(str(file)), opened(file) as other:
            refuse_other_columns(file, other.schema_arrow, files[0], schema)
        promised = promised_size(str(file), file)
        rows, size = rows + promised[0], size + promised[1]
    notes = (f"{len(files)} files",) if len(files) > 1 else ()
    return ParquetPieces(source, files, schema.names, rows, size, memory_limit(options), notes)


def _of_size(batches: Iterator[Any], rows: int) -> Iterator[pa.Table]:
    """Small row groups are put together, so that no piece but the last is much smaller than asked."""
    import pyarrow as pa

    waiting: list[Any] = []
    held = 0
    for batch in batches:
        if waiting and held + batch.num_rows > rows:
            yield pa.Table.from_batches(waiting)
            waiting, held = [], 0
        waiting.append(batch)
        held += batch.num_rows
    if held:
        yield pa.Table.from_batches(waiting)


source = Source(
    "Parquet",
    what="A file, or a folder or glob of files that are parts of one table.",
    shown="preds.parquet",
    starts=((0, b"PAR1"),),
    suffixes=(".parquet", ".pq", ".parq"),
    content=read_parquet_bytes,
    files=read_parquet,
    pieces=open_parquet,
)
