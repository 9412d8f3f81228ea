"""CSV files of any size in pieces that end where a row ends, plain or compressed."""

from __future__ import annotations

import codecs
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from referee.errors import InputError
from referee.readers.csv import columns_of, end_of_rows, header_of
from referee.readers.csv_records import end_of_last_record
from referee.readers.delimiter import shown
from referee.readers.detect import COMPRESSIONS, format_of
from referee.readers.files import HEAD, head_of
from referee.readers.memory import memory_limit, size_text, too_big
from referee.readers.safety import refuse_pickle
from referee.readers.text_encoding import NEWLINE, encoding_of, refuse_invalid

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from referee.readers.csv_diagnosis import Record
    from referee.readers.table import ReadOptions

COPIES = 3
"""The bytes, the cells as Arrow holds them, and the numbers."""
USUAL_RATIO = 20
"""Text is hardly ever compressed more than this."""
PIECE = 1 << 23
BYTES_PER_ROW = 32
"""About, so that a piece has about the rows asked for."""


@dataclass(frozen=True, eq=False)
class CsvPieces:
    source: str
    file: Path
    compression: str | None
    encoding: str
    mark: bytes
    delimiter: bytes
    header: Record
    limit: int
    notes: tuple[str, ...]
    text: bool = True

    @property
    def names(self) -> list[str]:
        return [name.decode() for name in self.header.fields]

    def is_too_large(self, options: ReadOptions) -> bool:
        most, size = memory_limit(options) // COPIES, self.file.stat().st_size
        if self.compression is None or size > most:
            return size > most
        return size * USUAL_RATIO > most and self._goes_beyond(most)

    def _goes_beyond(self, most: int) -> bool:
        seen = 0
        with stream_of(self.file, self.compression) as stream:
            while seen <= most and (chunk := stream.read(PIECE)):
                seen += len(chunk)
        return seen > most

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        size = max(1, min(PIECE, rows * BYTES_PER_ROW, self.limit // 16))
        header, first_row = replace(self.header, end=0), 1
        for piece in self._records(size):
            refuse_invalid(self.source, piece, self.encoding, header.next_line)
            table = columns_of(self.source, piece, self.delimiter, header, first_row)
            yield table.select(list(columns))
            first_row += table.num_rows
            header = replace(header, next_line=header.next_line + _lines(piece))

    def _records(self, size: int) -> Iterator[bytes]:
        """Pieces of whole rows, without the blank lines at the end of the file."""
        rest, to_skip = b"", self.header.end
        for chunk in self._utf8(size):
            data = rest + chunk[to_skip:]
            to_skip = max(0, to_skip - len(chunk))
            cut = self._cut(data)
            if len(data) - cut > max(self.limit // 4, 1 << 16):
                raise too_big(self.source, f"one row has more than {size_text(len(data) - cut)}", self.limit)
            if cut:
                yield data[:cut]
            rest = data[cut:]
        if stop := end_of_rows(rest, replace(self.header, end=0), self.delimiter):
            yield rest[:stop]

    def _cut(self, data: bytes) -> int:
        """Where the last whole row ends: blank lines after it may be the end of the file."""
        cut = end_of_last_record(data, self.delimiter)
        stop = end_of_rows(data[:cut], replace(self.header, end=0), self.delimiter) if cut else 0
        newline = NEWLINE.match(data, stop) if stop else None
        return newline.end() if newline else 0

    def _utf8(self, size: int) -> Iterator[bytes]:
        decoder = None if self.encoding == "utf-8" else codecs.getincrementaldecoder(self.encoding)()
        to_skip = len(self.mark) if decoder is None else 0
        with stream_of(self.file, self.compression) as stream:
            while chunk := stream.read(size):
                if decoder is None:
                    yield chunk[to_skip:]
                    to_skip = max(0, to_skip - len(chunk))
                else:
                    yield self._recoded(decoder, chunk)
            if decoder is not None:
                yield self._recoded(decoder, b"")

    def _recoded(self, decoder: Any, chunk: bytes) -> bytes:
        try:
            return bytes(decoder.decode(chunk, not chunk).encode())
        except UnicodeError as error:
            reason = error.reason if isinstance(error, UnicodeDecodeError) else str(error)
            raise InputError(
                "E_ENCODING",
                f"{self.source} is not {self.encoding} text: {reason}",
                hint="say what it is with --encoding",
            ) from error


def open_csv(source: str, files: list[Path], options: ReadOptions) -> CsvPieces | None:
    """Look at the head of a file: its encoding, delimiter and columns; None if it is no CSV inside."""
    (file,) = files
    kind = format_of(head_of(file), file.name)
    compression = kind if kind in COMPRESSIONS else None
    with stream_of(file, compression) as stream:
        head = bytes(stream.read(1 << 20))
    if compression is not None:
        refuse_pickle(file, head[:HEAD])
        if format_of(head[:HEAD], _inner_name(file)) != "csv":
            return None
    mark, encoding = encoding_of(source, head, options.encoding)
    recoded = None if encoding == "utf-8" else codecs.getincrementaldecoder(encoding)().decode(head).encode()
    delimiter, header = header_of(source, head[len(mark) :] if recoded is None else recoded, options)
    notes = [compression] if compression else []
    notes += [f"encoding {encoding}"] if encoding != "utf-8" else []
    notes += [f"delimiter {shown(delimiter)}"] if delimiter != b"," else []
    return CsvPieces(source, file, compression, encoding, mark, delimiter, header, memory_limit(options), tuple(notes))


@contextmanager
def stream_of(file: Path, compression: str | None) -> Iterator[Any]:
    """The bytes of a file, unpacked; E_COMPRESSED if they cannot be."""
    import lzma
    import zlib

    from referee.readers.compressed import damaged, unpacked

    with ExitStack() as stack:
        content = stack.enter_context(file.open("rb"))
        if compression is None:
            yield content
            return
        try:
            yield stack.enter_context(unpacked(content, compression))
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            raise damaged(file, compression, error) from error


def _inner_name(file: Path) -> str:
    named = PurePath(file.name)
    return named.stem if named.suffix.lower() in (".gz", ".zst", ".bz2", ".xz", ".zstd", ".gzip") else named.name


def _lines(data: bytes) -> int:
    return data.count(b"\n") if b"\r" not in data else sum(1 for _ in NEWLINE.finditer(data))
