"""Which format a content has, by what it holds and not by its name; and what is not opened at all."""

from __future__ import annotations

import re
import stat
from contextlib import contextmanager
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from referee.errors import InputError, RefereeError, SafetyError, UsageError, WriteError, did_you_mean, listed
from referee.predictions.memory import read_within
from referee.predictions.source import sources
from referee.predictions.temporary_folders import ELSEWHERE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from zipfile import ZipInfo

# Formats that are not tables here, or only packed ones, by their first bytes.
OTHERS = (
    (0, b"PARE", "encrypted Parquet"),
    (0, b"FEA1", "Feather version 1"),
    (0, b"\x1f\x8b", "gzip"),
    (0, b"\x28\xb5\x2f\xfd", "zstd"),
    (0, b"BZh", "bz2"),
    (0, b"\xfd7zXZ\x00", "xz"),
    (0, b"PK\x03\x04", "zip"),
    (0, b"PK\x05\x06", "zip"),
    (0, b"\x89HDF", "HDF5"),
    (0, b"\xd0\xcf\x11\xe0", "old Excel"),
    (0, b"ORC", "ORC"),
    (0, b"Obj\x01", "Avro"),
    (0, b"%PDF", "PDF"),
    (0, b"7z\xbc\xaf", "7-Zip"),
    (0, b"Rar!", "RAR"),
    (257, b"ustar", "tar"),
)

COMPRESSIONS = ("gzip", "zstd", "bz2", "xz")

# Only some letters follow "ORC", "Obj" or "BZh" in a real file, while a CSV header may start with these words.
TEXT = re.compile(rb"[\t\n\r\x20-\x7e]{3,}\Z")


def format_of(head: bytes, name: str) -> str:
    """Tell the format of a file from its first bytes and its name.

    >>> format_of(b"PAR1...", "preds.csv"), format_of(b"id,y,A", "preds"), format_of(b'{"y": 1}', "preds.txt")
    ('parquet', 'csv', 'jsonl')
    """
    if known := sources.by_start(head):  # first: a file of DuckDB begins with any eight bytes
        return known
    for place, start, kind in OTHERS:
        if head.startswith(start, place) and not _is_text_header(head, start):
            return sources.by_look(head) or kind if kind == "zip" else kind
    text = _without_byte_order_mark(head)
    return sources.by_look(text) or sources.by_suffix(name) or "csv"


def _is_text_header(head: bytes, magic: bytes) -> bool:
    return magic in (b"ORC", b"BZh") and TEXT.match(head[:200]) is not None


def _without_byte_order_mark(head: bytes) -> bytes:
    # NULs go too: enough to see the first characters of UTF-16 and UTF-32.
    return head.lstrip(b"\xef\xbb\xbf\xff\xfe").replace(b"\x00", b"") if head[:1] in b"\xef\xff\xfe\x00" else head


HEAD = 4096


def decompressed(path: Path, compression: str, limit: int) -> bytes:
    """Unpack a compressed file; E_COMPRESSED if it is damaged, E_TOOBIG if it is larger than the limit."""
    return _unpacked_by(path, compression, lambda stream: read_within(stream, limit, str(path)))


def head_unpacked(path: Path, compression: str) -> bytes:
    """The first bytes of what a compressed file holds."""
    return _unpacked_by(path, compression, lambda stream: bytes(stream.read(HEAD)))


def _unpacked_by(path: Path, compression: str, read: Callable[[Any], bytes]) -> bytes:
    import lzma
    import zlib

    try:
        with path.open("rb") as packed, unpacked(packed, compression) as stream:
            return read(stream)
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        raise damaged(path, compression, error) from error


def damaged(path: Path, compression: str, error: Exception) -> InputError:
    return InputError(
        "E_COMPRESSED",
        f"{path} is damaged: its {compression} data cannot be unpacked ({error})",
        hint="the file may be cut off: copy or download it again",
    )


def inner_name(file: Path) -> str:
    """The name of what is packed in a file."""
    named = PurePath(file.name)
    return named.stem if named.suffix.lower() in (".gz", ".zst", ".bz2", ".xz", ".zstd", ".gzip") else named.name


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


PICKLE_NAMES = {".pkl", ".pickle", ".joblib", ".dill", ".cloudpickle"}
IMPORTS = {"GLOBAL", "INST"}
IMPORT = re.compile(rb"[ci][A-Za-z_][\w.]*\n[A-Za-z_][\w.]*\n")
"""As protocols 0 and 1 write it."""
IMPORTED = re.compile(r"[A-Za-z_][\w.]* [A-Za-z_][\w.]*")
ZLIB_STARTS = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda", b"ZF0x")


def refuse_pickle(path: Path, head: bytes) -> None:
    """Raise E_UNTRUSTED for a pickle or joblib file, by its name or by its first bytes."""
    named = {suffix.lower() for suffix in path.suffixes} & PICKLE_NAMES
    if named or is_pickle(head):
        raise SafetyError(
            "E_UNTRUSTED",
            f"{path} is a pickle file, which can run any code, and was not loaded",
            hint=f"save the predictions as CSV or Parquet; its SHA-256 is {sha256(path)}",
        )


def is_pickle(head: bytes) -> bool:
    """Whether these first bytes of a file begin a pickle, of any protocol, plain or in joblib's compression.

    >>> import pickle
    >>> is_pickle(pickle.dumps(print)), is_pickle(pickle.dumps(print, protocol=0)), is_pickle(b"class,cat")
    (True, True, False)
    """
    if head.startswith(ZLIB_STARTS):
        return head.startswith(b"ZF0x") or _is_packed_pickle(head)
    binary = head[:1] == b"\x80" and head[1:2] in {b"\x02", b"\x03", b"\x04", b"\x05"}
    return binary or _is_text_pickle(head)


def _is_packed_pickle(head: bytes) -> bool:
    import zlib

    try:
        return zlib.decompressobj().decompress(head, 2)[:1] == b"\x80"
    except zlib.error:
        return False


def _is_text_pickle(head: bytes) -> bool:
    """Protocols 0 and 1 have no magic bytes: what reads to its end as operations that import something is one."""
    if not IMPORT.search(head):
        return False
    import io
    import pickletools

    stream, imports = io.BytesIO(head), False
    try:
        for operation, argument, _ in pickletools.genops(stream):
            imports = imports or (operation.name in IMPORTS and IMPORTED.fullmatch(str(argument)) is not None)
    except Exception:  # noqa: BLE001, RUF100 (genops raises whatever the bytes make of it)
        return imports and len(head) >= HEAD and stream.tell() == len(head)
    # A CSV with 'c...' as its only column and '0.5' in row 2 also begins as a pickle, but does not end as one.
    return imports and stream.tell() == len(head)


def refuse_zip(path: Path) -> None:
    """Raise: no zip is read, and one with a member outside its folder is called what it is."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise InputError("E_FORMAT", f"{path} is a damaged zip archive ({error})") from error
    for member in members:
        if lands_outside(member):
            raise SafetyError(
                "E_UNTRUSTED",
                f"{path} was not opened: its member {member.orig_filename!r} would land outside its folder",
                hint=f"do not unpack it; its SHA-256 is {sha256(path)}",
            )
    raise _zip_error(path, {member.filename for member in members})


def lands_outside(member: ZipInfo) -> bool:
    windows, posix = PureWindowsPath(member.orig_filename), PurePosixPath(member.orig_filename)
    is_link = stat.S_ISLNK(member.external_attr >> 16)
    return is_link or ".." in windows.parts or bool(windows.drive or windows.root) or posix.is_absolute()


def _zip_error(path: Path, names: set[str]) -> InputError | SafetyError:
    if any(PurePosixPath(name).suffix.lower() in PICKLE_NAMES for name in names):
        return SafetyError(
            "E_UNTRUSTED",
            f"{path} is a zip archive with a pickle file inside and was not loaded",
            hint=f"save the predictions as CSV or Parquet; its SHA-256 is {sha256(path)}",
        )
    if "xl/workbook.xml" in names:
        return InputError("E_FORMAT", f"{path} is an Excel workbook", hint="save the sheet as CSV")
    if "schema.json" in names or path.suffix.lower() == ".skops":
        return InputError("E_FORMAT", f"{path} is a stored model (skops), not a table of predictions")
    return InputError("E_FORMAT", f"{path} is a zip archive", hint="unpack it and pass the file inside")


def sha256(path: Path) -> str:
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def chosen_table(source: str, wanted: str | None, known: list[str]) -> str:
    """Choose the table that was named, if the catalogue has it, or the only one there is.

    >>> chosen_table("f.db", None, ["preds"]), chosen_table("f.db", "my%20preds", ["my preds", "x"])
    ('preds', 'my preds')
    """
    if not known:
        raise UsageError("E_TABLE", f"{source} holds no table")
    if wanted is None:
        if len(known) == 1:
            return known[0]
        raise UsageError(
            "E_TABLE",
            f"{source} holds {len(known)} tables, {listed(known)}: choose one with --table",
            hint="--table NAME, or #NAME at the end of an address",
        )
    for name in (wanted, unquote(wanted)):
        if name in known:
            return name
    hint = did_you_mean(wanted, known)
    raise UsageError("E_TABLE", f"{source} has no table {wanted!r}; {hint}", hint=hint)


def quoted(identifier: str) -> str:
    """Write an identifier as SQL text, whatever it holds.

    >>> print(quoted('t"; DROP TABLE x; --'))
    "t""; DROP TABLE x; --"
    """
    return '"' + identifier.replace('"', '""') + '"'


# A view in a hostile file could otherwise read any file of the user. Set after opening, which may need a log file.
CLOSE = "SET enable_external_access = false"
TABLES = "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal"
VIEWS = "SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal"


@contextmanager
def readable(source: str) -> Iterator[None]:
    """Say of what DuckDB cannot read that it is the file."""
    import duckdb

    try:
        with heeding_signals():
            yield
    except duckdb.Error as error:
        raise _said_by_duckdb(source, error) from error


@contextmanager
def heeding_signals() -> Iterator[None]:
    """Whatever a signal raises, DuckDB says in its place only that a query was interrupted, as if by a defect."""
    try:
        yield
    except RuntimeError as error:
        if str(error) != "Query interrupted":
            raise
        raise KeyboardInterrupt from error


NO_ROOM = re.compile("max_temp_directory_size|No space left", re.IGNORECASE)


def _said_by_duckdb(source: str, error: Exception) -> RefereeError:
    import duckdb

    said = str(error).split(chr(10))[0]
    if NO_ROOM.search(str(error)):
        message = f"{source}: the disk has no room for what DuckDB sorts there ({said})"
        return WriteError("E_WRITE", message, hint=ELSEWHERE)
    if isinstance(error, duckdb.OutOfMemoryException):
        message = f"{source} is too big: DuckDB needs more memory than it may have ({said})"
        return SafetyError("E_TOOBIG", message, hint="raise --max-memory")
    return InputError(
        "E_DUCKDB",
        f"{source} cannot be read as a DuckDB database: {said}",
        hint="it may be damaged, open in another program, or written by a newer DuckDB",
    )


def find_table(connection: Any, source: str, wanted: str | None) -> tuple[str, str, str]:
    """Close the connection to all but its own file, and choose a table: its schema, its name, and as the user says."""
    connection.execute(CLOSE)
    rows = connection.execute(f"{TABLES} UNION ALL {VIEWS}").fetchall()
    known = {name if schema == "main" else f"{schema}.{name}": (schema, name) for schema, name in rows}
    shown = chosen_table(source, wanted, sorted(known))
    return *known[shown], shown
