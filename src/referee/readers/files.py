"""From what the user typed to files on disk, and their bytes."""

from __future__ import annotations

import glob
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import InputError, RefereeError, UsageError, did_you_mean
from referee.readers.memory import read_within, refuse_beyond

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = 4096
PARQUET_NAMES = (".parquet", ".pq", ".parq")


def matching_files(source: str) -> list[Path]:
    """Find the file that is meant, or all files of a folder or glob, sorted.

    >>> [path.name for path in matching_files(__file__)]
    ['files.py']
    """
    path = Path(source)
    if _exists(path):
        return parquet_files_of(path) if path.is_dir() else [path]
    if glob.has_magic(source):
        found = [Path(name) for name in sorted(glob.glob(source, recursive=True))]  # noqa: PTH207 (absolute globs)
        if files := [file for file in found if not file.is_dir()]:
            return files
    raise _missing(path)


def database_file(source: str) -> Path:
    """Find the file of a database, which is never a folder nor made if it is not there."""
    path = Path(source)
    if not _exists(path):
        raise _missing(path)
    if path.is_dir():
        raise UsageError("E_ISDIR", f"{path} is a directory, not a database file")
    return path


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long, or holds a NUL
        return False


def _missing(path: Path) -> UsageError:
    if not _exists(path.parent):
        return UsageError("E_NOFILE", f"{path}: no such file, and no such folder {str(path.parent)!r}")
    if glob.has_magic(str(path)):
        return UsageError("E_NOFILE", f"{path}: no file has such a name", hint="quote the pattern for the shell")
    names = sorted(entry.name for entry in path.parent.iterdir())
    hint = did_you_mean(path.name, names)
    near = f"; {hint}" if hint.startswith("did you mean") else ""
    return UsageError(
        "E_NOFILE", f"{path}: no such file{near}", hint="is it in another folder?" if names else "the folder is empty"
    )


def parquet_files_of(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.rglob("*") if path.name.endswith(PARQUET_NAMES) and path.is_file())
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
            hint=f"say which are meant with a glob, such as '{folder}/**/*.parquet'",
        )
    return visible


@contextmanager
def unchanged(path: Path) -> Iterator[None]:
    """Raise E_CHANGED if the file is another one after the block, whatever else went wrong with it."""
    before = stamp_of(path)
    try:
        yield
    except RefereeError as error:
        refuse_change(path, before, error)
        raise
    refuse_change(path, before, None)


def stamp_of(path: Path) -> tuple[int, int] | None:
    """What changes when a file is written again."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return (status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else (0, 0)


def refuse_change(path: Path, before: tuple[int, int] | None, cause: Exception | None) -> None:
    """Raise E_CHANGED if the file is not the one that had this stamp."""
    if stamp_of(path) != before:
        raise InputError(
            "E_CHANGED",
            f"{path} changed while it was being read",
            hint="wait until whatever writes it is done, then run again",
        ) from cause


def head_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD)


def read_bytes(path: Path, limit: int) -> bytes:
    refuse_beyond(limit, path.stat().st_size, str(path), "its bytes")
    with path.open("rb") as file:
        return read_within(file, limit, str(path))
