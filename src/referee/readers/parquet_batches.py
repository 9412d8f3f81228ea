"""Parquet files of any size in pieces: only the columns asked for are decoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from referee.readers.memory import memory_limit
from referee.readers.parquet import COPIES, damage_named, opened, promised_size, refuse_other_columns, repeating_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from referee.readers.table import ReadOptions

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
    size: float
    limit: int
    notes: tuple[str, ...]
    text: bool = False

    def is_too_large(self, options: ReadOptions) -> bool:
        on_disk = sum(file.stat().st_size for file in self.files)
        return memory_limit(options) < COPIES * self.size <= COPIES * HONEST_RATIO * on_disk

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        for file in self.files:
            with damage_named(str(file)):
                yield from _joined(self._decoded(file, columns, rows), rows)

    def _decoded(self, file: Path, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        with opened(file) as footer:
            as_codes = repeating_texts(footer, self.limit)
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
    size = 0.0
    with damage_named(str(files[0])), opened(files[0]) as first:
        schema = first.schema_arrow
    for file in files:
        with damage_named(str(file)), opened(file) as other:
            refuse_other_columns(file, other.schema_arrow, files[0], schema)
        size += promised_size(str(file), file)[1]
    notes = (f"{len(files)} files",) if len(files) > 1 else ()
    return ParquetPieces(source, files, schema.names, size, memory_limit(options), notes)


def _joined(batches: Iterator[Any], rows: int) -> Iterator[pa.Table]:
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
