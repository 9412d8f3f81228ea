"""Files that are written: whole or not at all, and never in place of what is something else."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

from referee.errors import WriteError

NO_FILE = "this is not a regular file"


def refuse_no_place(option: str, path: str | os.PathLike[str]) -> None:
    """Stop before the work where no file can be written: there is no folder, or a folder, pipe or device is there.

    >>> refuse_no_place("--html", "-")
    Traceback (most recent call last):
        ...
    referee.errors.WriteError: html='-': standard output has the result
    name another file
    """
    try:
        why = _why_no_place(path)
    except OSError as error:
        why = error.strerror or str(error)
    if why is not None:
        raise WriteError("E_WRITE", f"{option} {path}: {why}", hint="name another file")


def _why_no_place(path: str | os.PathLike[str]) -> str | None:
    place = Path(path)
    if os.fspath(path) == "-":
        return "standard output has the result"
    if place.is_dir():
        return "that is a folder"
    if _is_in_the_way(place):
        return NO_FILE
    return None if _followed(place).parent.is_dir() else f"there is no folder {str(place.parent)!r}"


def refuse_existing(option: str, path: str | None, *, overwrite: bool) -> None:
    """The same, and where a file is there already that may not be replaced."""
    if path is None:
        return
    refuse_no_place(option, path)
    if Path(path).exists() and not overwrite:
        raise WriteError("E_EXISTS", f"{option} {path}: this file already exists", hint="--overwrite replaces it")


def write_file(option: str, path: str | os.PathLike[str], content: bytes) -> None:
    """Write the file that an option names."""
    refuse_no_place(option, path)
    try:
        write_whole(Path(path), content)
    except OSError as error:
        raise WriteError("E_WRITE", f"{option} {path} cannot be written: {error.strerror or error}") from error


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that is there with all its bytes or not at all, also after a power cut; a link is followed."""
    if _is_in_the_way(path):
        raise FileExistsError(errno.EEXIST, NO_FILE)
    place = _followed(path)
    temporary = place.with_name(f".{place.name}.tmp")
    try:
        temporary.unlink(missing_ok=True)  # what a killed process has left, or a link of somebody else
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(place)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    sync_folder(place.parent)


def sync_folder(folder: Path) -> None:
    """Make names in a folder last."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _followed(path: Path) -> Path:
    """Where a link leads to: replacing the link would leave its target as it was."""
    return Path(os.path.realpath(path))


def _is_in_the_way(path: Path) -> bool:
    """Whether something is there that a file must not replace: a device, a pipe, a folder, a link to itself."""
    return (path.exists() and not path.is_file()) or _followed(path).is_symlink()
