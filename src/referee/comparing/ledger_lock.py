"""One gate at a time: the lock beside a ledger, a file that is there as long as a gate looks."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import WriteError
from referee.predictions import refuse_special

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO


@contextmanager
def only_one_look(path: str | os.PathLike[str]) -> Iterator[None]:
    """Two gates that look at the same time would both be the next look."""
    try:
        import fcntl  # noqa: F401
    except ImportError:  # there is no such lock on Windows
        yield
        return
    lock = Path(f"{os.fspath(path)}.lock")
    refuse_special(lock)
    with _held(path, lock):
        try:
            yield
        finally:
            with suppress(OSError):
                lock.unlink()


def _held(path: str | os.PathLike[str], lock: Path) -> IO[bytes]:
    """The file, once no other gate holds it; one that its gate has taken away holds nobody back."""
    import fcntl

    try:
        while True:
            file = lock.open("ab")
            fcntl.flock(file, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), lock.stat()):
                    return file
            file.close()
    except OSError as error:
        raise WriteError("E_WRITE", f"{os.fspath(path)}: cannot be written: {error.strerror}") from None
