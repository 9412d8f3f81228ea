"""Files that could run code or write elsewhere are refused before anything opens them."""

from __future__ import annotations

import re
import stat
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from referee.errors import InputError, SafetyError
from referee.readers.files import HEAD

if TYPE_CHECKING:
    from zipfile import ZipInfo

PICKLE_NAMES = {".pkl", ".pickle", ".joblib", ".dill", ".cloudpickle"}
IMPORTS = {"GLOBAL", "INST"}
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
    return InputError("E_FORMAT", f"{path} is a zip archive", hint="unpack it and give the file that is inside")


def sha256(path: Path) -> str:
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
