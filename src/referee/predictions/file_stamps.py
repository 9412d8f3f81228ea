"""Files as they were when they were opened, which nobody may change while they are read."""

from __future__ import annotations

import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

from referee.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path


class Stamps:
    """What changes when files are written again: their sizes and times."""

    def __init__(self, files: Iterable[Path]) -> None:
        self.of = {file: stamp_of(file) for file in files}

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(stamp[0] for stamp in self.of.values() if stamp is not None)

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Raise E_CHANGED if a file is another one after the block, whatever else went wrong with it."""
        try:
            yield
        except Exception as error:
            self._refuse_change(error)
            raise
        self._refuse_change(None)

    def _refuse_change(self, cause: Exception | None) -> None:
        for file, stamp in self.of.items():
            if stamp_of(file) != stamp:
                raise InputError(
                    "E_CHANGED",
                    f"{file} changed while it was being read",
                    hint="wait until the program that writes it has finished, then run again",
                ) from cause


def stamp_of(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return (status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else (0, 0)


def unchanged(file: Path) -> AbstractContextManager[None]:
    """Raise E_CHANGED if the file is another one after the block."""
    return Stamps([file]).unchanged()
