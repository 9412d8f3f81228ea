"""Files that are not files: devices and named pipes, which have no end or no beginning, are refused at once."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NoReturn

from referee.errors import SafetyError

KINDS = {
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a disk",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
}
LARGEST = 100_000_000
"""Bytes of a configuration, a calibrator or a ledger: none has more."""


def refuse_special(path: Path) -> None:
    """Stop at what may be read for ever; pipes of this process, such as `<(...)` and /dev/stdin, are read.

    >>> refuse_special(Path("/dev/zero"))
    Traceback (most recent call last):
    referee.errors.SafetyError: /dev/zero is a device, not an ordinary file...
    """
    try:
        status = path.stat()
    except (OSError, ValueError):  # whoever reads it will say so
        return
    kind = KINDS.get(stat.S_IFMT(status.st_mode))
    if kind is not None and not (stat.S_ISFIFO(status.st_mode) and _is_own(status)):
        _refuse(str(path), kind)


def _is_own(status: os.stat_result) -> bool:
    """Whether this process was given the pipe as one of its open files."""
    for handle in _handles():
        try:
            if os.path.samestat(os.fstat(handle), status):
                return True
        except OSError:
            continue
    return False


def _handles() -> list[int]:
    folder = Path("/dev/fd")
    return [int(entry.name) for entry in folder.iterdir() if entry.name.isdecimal()] if folder.is_dir() else [0]


def refuse_endless_input(handle: int) -> None:
    """Standard input that is a device, such as `< /dev/zero`."""
    mode = os.fstat(handle).st_mode
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        _refuse("standard input", KINDS[stat.S_IFMT(mode)])


def _refuse(name: str, kind: str) -> NoReturn:
    raise SafetyError(
        "E_SPECIAL",
        f"{name} is {kind}, not an ordinary file",
        hint="name a file; a table can also be piped in: `... | referee compare -`",
    )


def small_file(path: str | os.PathLike[str]) -> bytes:
    """The content of a file that is small by its nature; OSError where it cannot be read."""
    place = Path(path)
    refuse_special(place)
    with place.open("rb") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise SafetyError("E_TOOBIG", f"{place} is too big: it has more than {LARGEST:,} bytes")
    return content


def exists(path: Path) -> bool:
    """Whether there is something of this name, also where there cannot be."""
    try:
        return path.exists()
    except (OSError, ValueError):  # too long, or holds a NUL
        return False


def is_file(name: str | os.PathLike[str]) -> bool:
    """Whether this names a file, also where no file could have such a name."""
    return exists(Path(name)) and Path(name).is_file()


def is_folder(name: str | os.PathLike[str]) -> bool:
    return exists(Path(name)) and Path(name).is_dir()
