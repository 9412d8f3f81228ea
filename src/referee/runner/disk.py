"""The folder of a store: is it writable, and who holds it."""

from __future__ import annotations

import errno
import fcntl
import os
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING

from referee.errors import WriteError

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

ROOM = 1 << 18
"""Bytes that must be free before work begins."""

_WORDS = {
    "read-only": (errno.EROFS, errno.EACCES, errno.EPERM, "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM"),
    "no space left": (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, "SQLITE_FULL"),
    "no space left, or the disk fails": ("SQLITE_IOERR",),
    "in use by another program": ("SQLITE_BUSY", "SQLITE_LOCKED"),
    "a file is in the way": (errno.ENOTDIR, errno.EEXIST),
}


def cannot_write(folder: Path, error: OSError | sqlite3.Error) -> WriteError:
    """What a failed write means for the user.

    >>> from pathlib import Path
    >>> cannot_write(Path("runs"), OSError(errno.ENOSPC, "No space left on device")).message
    '--out runs cannot be written: no space left (No space left on device)'
    """
    said = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
    code = error.errno if isinstance(error, OSError) else getattr(error, "sqlite_errorname", "")
    causes = [
        words
        for words, codes in _WORDS.items()
        if any(code == known or (isinstance(known, str) and str(code).startswith(f"{known}_")) for known in codes)
    ]
    what = f"{causes[0]} ({said})" if causes else said
    return WriteError("E_WRITE", f"--out {folder} cannot be written: {what}", hint="results so far are kept")


def check_writable(folder: Path) -> None:
    """Make the folder, and try it with a file that never has a name."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(ROOM))
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        raise cannot_write(folder, error) from error


class FolderLock:
    """One process at a time; the system lifts the lock when the process ends, whatever becomes of the file.

    The file only tells others who it is.
    """

    def __init__(self, folder: Path) -> None:
        try:
            self._file = os.fdopen(os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o666), "r+b", buffering=0)
        except OSError as error:
            raise cannot_write(folder, error) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise self._held_by_another(folder) from None
        except OSError as error:
            self._file.close()
            raise cannot_write(folder, error) from error
        # Who holds it is good to know, but not worth a failure.
        with suppress(OSError):
            self._file.truncate(0)
            self._file.write(str(os.getpid()).encode())

    def _held_by_another(self, folder: Path) -> WriteError:
        with self._file:
            holder = self._file.read(20).decode(errors="replace")
        return WriteError(
            "E_WRITE",
            f"--out {folder} is in use by process {holder or '(not known)'}",
            hint="wait until it ends, or use another folder",
        )

    def release(self) -> None:
        self._file.close()
