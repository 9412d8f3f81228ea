"""Where tables are: files, folders, patterns, standard input."""

from __future__ import annotations

import glob
import os
import re
import stat
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from referee.document import Progress
from referee.errors import InputError, UsageError, did_you_mean
from referee.predictions.file_stamps import unchanged
from referee.predictions.formats import (
    COMPRESSIONS,
    HEAD,
    decompressed,
    format_of,
    inner_name,
    refuse_pickle,
    refuse_zip,
)
from referee.predictions.memory import memory_limit, read_within, refuse_beyond
from referee.predictions.source import refuse_query, sources
from referee.predictions.special_files import exists, is_folder, refuse_endless_input, refuse_special
from referee.predictions.table import ReadOptions, Table
from referee.predictions.text_files import refuse_no_text

if TYPE_CHECKING:
    from collections.abc import Iterable


def expanded(source: object) -> list[object]:
    """The sources that are meant: each file of a glob or folder, unless these are parts of one table of Parquet files.

    >>> expanded("preds.csv"), expanded({"y": [0, 1]})
    (['preds.csv'], [{'y': [0, 1]}])
    """
    if not isinstance(source, str | os.PathLike) or ADDRESS.match(os.fspath(source)) or source in ("", STANDARD_INPUT):
        return [source]
    path = Path(source)
    if is_folder(path):
        files = sorted(file for file in path.iterdir() if sources.by_suffix(inner_name(file)) and _is_visible(file))
    elif glob.has_magic(str(source)) and not exists(path):
        files = _globbed(str(source))
    else:
        return [source]
    parts = [file for file in files if file.name.endswith(sources["parquet"].suffixes)]
    return [source] if parts or not files else [str(file) for file in files]


def _is_visible(file: Path) -> bool:
    return file.is_file() and not file.name.startswith((".", "_"))


def _globbed(pattern: str) -> list[Path]:
    paths = [Path(name) for name in sorted(glob.glob(pattern, recursive=True))]  # noqa: PTH207 (absolute globs)
    return [path for path in paths if not path.is_dir()]


def matching_files(source: str) -> list[Path]:
    """Find the file that is meant, or all files of a folder or glob, sorted.

    >>> [path.name for path in matching_files(__file__)]
    ['locations.py']
    """
    path = Path(source)
    if exists(path):
        refuse_special(path)
        return parquet_files_of(path) if path.is_dir() else [path]
    if glob.has_magic(source) and (files := _globbed(source)):
        for file in files:
            refuse_special(file)
        return files
    raise _missing(path)


def refuse_missing_files(given: Iterable[object]) -> None:
    """Stop at a path where nothing is, before anything is asked about its columns."""
    for source in given:
        name = os.fspath(source) if isinstance(source, str | os.PathLike) else STANDARD_INPUT
        known = name == STANDARD_INPUT or ADDRESS.match(name) or exists(Path(name))
        if not known and not (glob.has_magic(name) and _globbed(name)):
            raise _missing(Path(name))


def database_file(source: str) -> Path:
    """Find the file of a database, which is never a folder nor made if it is not there."""
    path = Path(source)
    if not exists(path):
        raise _missing(path)
    if path.is_dir():
        raise UsageError("E_ISDIR", f"{path} is a directory, not a database file")
    refuse_special(path)
    return path


def _missing(path: Path) -> UsageError:
    refuse_password(str(path))
    if not exists(path.parent):
        return UsageError("E_NOFILE", f"{path}: no such file, and no such folder {str(path.parent)!r}")
    if glob.has_magic(str(path)):
        return UsageError("E_NOFILE", f"{path}: no file matches", hint="quote the pattern for the shell")
    names = sorted(entry.name for entry in path.parent.iterdir())
    hint = did_you_mean(path.name, names)
    near = f"; {hint}" if hint.startswith("did you mean") else ""
    return UsageError(
        "E_NOFILE", f"{path}: no such file{near}", hint="is it in another folder?" if names else "the folder is empty"
    )


def parquet_files_of(folder: Path) -> list[Path]:
    files = sorted(
        path for path in folder.rglob("*") if path.name.endswith(sources["parquet"].suffixes) and path.is_file()
    )
    visible = [path for path in files if not path.name.startswith((".", "_"))]
    if not visible:
        raise UsageError(
            "E_ISDIR",
            f"{folder} is a directory without Parquet files",
            hint="give a file, or a directory or glob of Parquet files",
        )
    deeper = [path for path in visible if path.parent != folder]
    if deeper:
        raise UsageError(
            "E_ISDIR",
            f"{folder} is a directory with Parquet files in folders below it, such as {deeper[0]}",
            hint=f"choose the files with a glob, such as '{folder}/**/*.parquet'",
        )
    return visible


def head_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(HEAD)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(source: str | Path, error: OSError) -> InputError:
    return InputError("E_READ", f"{source} cannot be read: {error.strerror or error}")


def read_bytes(path: Path, limit: int) -> bytes:
    refuse_beyond(limit, path.stat().st_size, str(path), "its bytes")
    with path.open("rb") as file:
        return read_within(file, limit, str(path))


STANDARD_INPUT = "-"
ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
CREDENTIALS = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+:/{1,2}).*@")
QUERY_WITH_PASSWORD = re.compile(r"\?[^#]*password[^#]*", re.IGNORECASE)
PASSWORD = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:/{1,2}[^/@]*:[^#]*@|password\s*=", re.IGNORECASE)


def read_table(source: object, options: ReadOptions | None = None) -> Table:
    """Read the columns of one source.

    `source` is a path (CSV, Parquet, Arrow, JSON lines, SQLite, DuckDB; a folder or a glob of Parquet files), an
    address such as `sqlite:///f.db#table` or `postgresql://host/db#table`, or an object: a pandas or polars frame, a
    pyarrow table, reader or dataset, a DuckDB relation, a dict of arrays, a NumPy structured array.

    >>> table = read_table({"y": [0, 1], "A": [0.2, 0.9]})
    >>> table.rows, table.columns.column_names
    (2, ['y', 'A'])
    """
    if isinstance(source, Table):
        return source
    options = options or ReadOptions()
    if isinstance(source, str | os.PathLike):
        with Progress(None, f"reading {bare_address(os.fspath(source))}"):
            table = read_location(os.fspath(source), options)
    else:
        refuse_query(f"a {type(source).__name__}", options)
        table = sources.given(source, memory_limit(options))
    return _with_rows(replace(table, decimal=options.decimal))


def _with_rows(table: Table) -> Table:
    if not table.columns.num_columns:
        raise InputError("E_EMPTY", f"{table.name} is empty: it has no columns", hint="is it the right file?")
    if not table.rows:
        raise InputError("E_NOROWS", f"{table.name} has no data rows", hint="it holds column names and nothing else")
    return table


def read_location(source: str, options: ReadOptions) -> Table:
    """Read a path, a glob or an address such as `sqlite:///f.db#table`."""
    try:
        if address := ADDRESS.match(source):
            return _read_address(source, address[1].lower(), options)
        if source == STANDARD_INPUT:
            return _read_standard_input(options)
        files = matching_files(source)
        if len(files) > 1 or Path(source).is_dir():
            return _read_many(source, files, options)
        return _read_file(source, files[0], options)
    except OSError as error:
        raise _unreadable(source, error) from error


def _read_address(source: str, scheme: str, options: ReadOptions) -> Table:
    known = sources.known(scheme)
    if known is not None and known.address is not None:
        return known.address(source, options)
    if known is None or known.database is None:
        raise UsageError(
            "E_ADDRESS",
            f"{bare_address(source)}: {scheme}:// is not a source that referee can read",
            hint="referee reads paths and addresses such as "
            + ", ".join(sources[name].shown for name in sources.databases()),
        )
    file, table = file_and_table(source, options)
    return known.database(source, file, replace(options, table=table))


def file_and_table(source: str, options: ReadOptions) -> tuple[Path, str | None]:
    """The file of a database and the table that is meant, of a path or an address such as `sqlite:///f.db#table`."""
    refuse_query(source, options, "timeout")
    address = ADDRESS.match(source)
    if address is None:
        return database_file(source), named_table(source, "", options)
    refuse_password(source)
    location, _, table = source.partition("#")
    # As in SQLAlchemy: three slashes and a relative path, four and an absolute one.
    path = unquote(location[address.end() :].removeprefix("/"))
    return database_file(path), named_table(source, table, options)


def named_table(source: str, table: str, options: ReadOptions) -> str | None:
    """The table that an address or an option names; None where a query says what is read, or nobody says it."""
    if table and options.table and table != options.table:
        raise UsageError("E_TABLE", f"{source} names table {table!r}, --table says {options.table!r}")
    if options.sql is not None and (table or options.table):
        raise UsageError("E_SQL", f"{source}: both a table and --sql are given: use one of them")
    return table or options.table


def bare_address(source: str) -> str:
    """An address without the user and the password that it may hold.

    >>> bare_address("mysql://ann:secret@host/db?password=secret#preds"), bare_address("preds.csv")
    ('mysql://host/db#preds', 'preds.csv')
    """
    return QUERY_WITH_PASSWORD.sub("", CREDENTIALS.sub(r"\1", source))


def refuse_password(source: str) -> None:
    """Of what takes none, or is no address at all; what comes after it is not said, as it may belong to it."""
    if secret := PASSWORD.search(source):
        is_address = secret[0].endswith("@")
        shown = bare_address(source) if is_address else source[: secret.start()].strip()
        raise UsageError(
            "E_ADDRESS",
            f"{shown or 'the source'}: not an address that referee can read, or one with a password",
            hint="write " + ", ".join(sources[name].shown for name in sources.databases()) + "; " + KEPT,
        )


KEPT = "passwords belong in the environment or the files of a database, such as PGPASSWORD or ~/.pgpass"


def _read_many(source: str, files: list[Path], options: ReadOptions) -> Table:
    refuse_query(source, options)
    kinds = [format_of(head_of(file), file.name) for file in files]
    together = {name: known.files for name, known in sources.items() if known.files}
    for file, kind in zip(files, kinds, strict=True):
        if kind not in together:
            named = " or ".join(sources[name].title for name in together)
            raise UsageError(
                "E_FORMAT",
                f"{source} means {len(files)} files, of which {file} is not {named} but {kind}",
                hint=f"only {named} files are read as one table; give the others one by one",
            )
    return together[kinds[0]](source, files, options)


def _read_file(source: str, file: Path, options: ReadOptions) -> Table:
    if not stat.S_ISREG(file.stat().st_mode):  # a pipe can be read only once
        return _read_content(source, file.name, read_bytes(file, memory_limit(options)), options)
    head = head_of(file)
    refuse_pickle(file, head)
    kind = format_of(head, file.name)
    known = sources.known(kind)
    if known and known.database:  # a transaction sees one state, whoever writes meanwhile
        refuse_query(source, options, "timeout")
        return known.database(source, file, replace(options, table=named_table(source, "", options)))
    refuse_query(source, options)
    if kind == "zip":
        refuse_zip(file)
    with unchanged(file):
        if known and known.files:
            return known.files(source, [file], options)
        if kind in COMPRESSIONS:
            return _read_compressed(source, file, kind, options)
        if kind in TEXTS:
            refuse_no_text(source, head, options.encoding)
        return _read_content(source, file.name, read_bytes(file, memory_limit(options)), options)


TEXTS = ("csv", "jsonl")


def _read_standard_input(options: ReadOptions) -> Table:
    """What is piped in, as a file for the time of reading, whatever its format."""
    import sys
    import tempfile

    name = "standard input"
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("E_NOFILE", f"{name} is a terminal: pipe a table in, as in `referee compare - < preds.csv`")
    with suppress(AttributeError, OSError):  # a stream that is not the system's
        refuse_endless_input(sys.stdin.fileno())
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "piped")
        file.write_bytes(read_within(sys.stdin.buffer, memory_limit(options), name))
        return replace(_read_file(name, file, options), name=name)


def _read_compressed(source: str, file: Path, compression: str, options: ReadOptions) -> Table:
    content = decompressed(file, compression, memory_limit(options))
    refuse_pickle(file, content[:HEAD])
    return _read_content(source, inner_name(file), content, options, notes=(compression,))


def _read_content(source: str, name: str, data: bytes, options: ReadOptions, notes: tuple[str, ...] = ()) -> Table:
    kind = format_of(data[:HEAD], name)
    known = sources.known(kind)
    if known and known.content:
        return known.content(source, data, options, notes)
    inside = f"holds {kind} data inside {notes[0]}" if notes else f"is {kind} data"
    raise InputError(
        "E_FORMAT", f"{source} {inside}, which is not read", hint="save the table as CSV, Parquet, Arrow or JSON lines"
    )
