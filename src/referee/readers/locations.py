"""A path or address: found, recognised, checked and handed to the reader of its format."""

from __future__ import annotations

import re
import stat
from pathlib import Path, PurePath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from referee.errors import InputError, UsageError
from referee.readers.detect import COMPRESSIONS, format_of
from referee.readers.files import HEAD, database_file, head_of, matching_files, read_bytes, unchanged
from referee.readers.memory import memory_limit
from referee.readers.safety import refuse_pickle, refuse_zip

if TYPE_CHECKING:
    from referee.readers.table import ReadOptions, Table

ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


def read_location(source: str, options: ReadOptions) -> Table:
    """Read a path, a glob or an address such as `sqlite:///f.db#table`."""
    try:
        if address := ADDRESS.match(source):
            return _read_address(source, address[1].lower(), options)
        files = matching_files(source)
        if len(files) > 1 or Path(source).is_dir():
            return _read_many(source, files, options)
        return _read_file(source, files[0], options)
    except OSError as error:
        raise InputError("E_READ", f"{source} cannot be read: {error.strerror or error}") from error


def _read_address(source: str, scheme: str, options: ReadOptions) -> Table:
    if scheme not in ("sqlite", "duckdb"):
        raise UsageError(
            "E_ADDRESS",
            f"{source}: {scheme}:// is not a table that can be read here",
            hint="known are paths, sqlite:///file.db#table and duckdb:///file.duckdb#table",
        )
    file, table = file_and_table(source, scheme, options)
    return _read_database(scheme, source, file, table, options)


def file_and_table(source: str, scheme: str, options: ReadOptions) -> tuple[Path, str | None]:
    """The parts of an address such as `sqlite:///f.db#table`."""
    location, _, table = source.partition("#")
    if table and options.table and table != options.table:
        raise UsageError("E_TABLE", f"{source} names table {table!r}, --table says {options.table!r}")
    # As in SQLAlchemy: three slashes and a relative path, four and an absolute one.
    path = unquote(location[len(scheme) + 3 :].removeprefix("/"))
    return database_file(path), table or options.table


def _read_database(scheme: str, name: str, file: Path, table: str | None, options: ReadOptions) -> Table:
    if scheme == "sqlite":
        from referee.readers.sqlite import read_sqlite

        return read_sqlite(name, file, table, memory_limit(options))
    from referee.readers.duckdb import read_duckdb

    return read_duckdb(name, file, table, memory_limit(options))


def _read_many(source: str, files: list[Path], options: ReadOptions) -> Table:
    from referee.readers.parquet import read_parquet

    for file in files:
        kind = format_of(head_of(file), file.name)
        if kind != "parquet":
            raise UsageError(
                "E_FORMAT",
                f"{source} means {len(files)} files, of which {file} is not Parquet but {kind}",
                hint="only Parquet files are read as one table; give the others one by one",
            )
    return read_parquet(source, files, memory_limit(options))


def _read_file(source: str, file: Path, options: ReadOptions) -> Table:
    if not stat.S_ISREG(file.stat().st_mode):  # a pipe can be read only once
        return _read_content(source, file.name, read_bytes(file, memory_limit(options)), options)
    head = head_of(file)
    refuse_pickle(file, head)
    kind = format_of(head, file.name)
    if kind in ("sqlite", "duckdb"):  # a transaction sees one state, whoever writes meanwhile
        return _read_database(kind, source, file, options.table, options)
    if kind == "zip":
        refuse_zip(file)
    with unchanged(file):
        if kind == "parquet":
            from referee.readers.parquet import read_parquet

            return read_parquet(source, [file], memory_limit(options))
        if kind in COMPRESSIONS:
            return _read_compressed(source, file, kind, options)
        return _read_content(source, file.name, read_bytes(file, memory_limit(options)), options)


def _read_compressed(source: str, file: Path, compression: str, options: ReadOptions) -> Table:
    from referee.readers.compressed import decompressed

    content = decompressed(file, compression, memory_limit(options))
    refuse_pickle(file, content[:HEAD])
    named = PurePath(file.name)
    inner = named.stem if named.suffix.lower() in (".gz", ".zst", ".bz2", ".xz", ".zstd", ".gzip") else named.name
    return _read_content(source, inner, content, options, notes=(compression,))


def _read_content(source: str, name: str, data: bytes, options: ReadOptions, notes: tuple[str, ...] = ()) -> Table:
    kind = format_of(data[:HEAD], name)
    if kind == "csv":
        from referee.readers.csv import read_csv

        return read_csv(source, data, options, notes)
    if kind == "jsonl":
        from referee.readers.jsonl import read_jsonl

        return read_jsonl(source, data, options, notes)
    if kind == "arrow":
        from referee.readers.arrow import read_arrow

        return read_arrow(source, data, memory_limit(options), notes)
    if kind == "parquet":
        from referee.readers.parquet import read_parquet_bytes

        return read_parquet_bytes(source, data, memory_limit(options), notes)
    inside = f"holds {kind} data inside {notes[0]}" if notes else f"is {kind} data"
    raise InputError(
        "E_FORMAT", f"{source} {inside}, which is not read", hint="save the table as CSV, Parquet, Arrow or JSON lines"
    )
