"""Folders for what does not fit into memory: nobody else's, on a disk with room, and gone with what is in them."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import TYPE_CHECKING
from weakref import finalize

from referee.errors import WriteError
from referee.predictions.memory import size_text

if TYPE_CHECKING:
    from collections.abc import Iterator

ELSEWHERE = "the environment variable TMPDIR may name a folder with more room"


class TemporaryFolder:
    """Only its owner may look into it; it is removed when nobody holds it any more, and when Python ends."""

    def __init__(self) -> None:
        with written_to(gettempdir()):
            self.path = Path(mkdtemp(prefix="referee-"))
        self.remove = finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def refuse_without_room(self, what: str, size: float) -> None:
        """Raise E_WRITE unless so many bytes can be written, before any are."""
        free = shutil.disk_usage(self.path).free
        if size > free:
            message = f"{what} takes {size_text(size)}, and {self.path.parent} has {size_text(free)} left"
            raise WriteError("E_WRITE", message, hint=ELSEWHERE)


@contextmanager
def written_to(place: str | Path) -> Iterator[None]:
    """Say where it was that nothing could be written."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise WriteError("E_WRITE", f"{place} cannot be written: {reason}", hint=ELSEWHERE) from error
