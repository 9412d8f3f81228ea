"""A run that is stopped says what it has kept, and how to go on."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from referee.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sized
    from pathlib import Path


@contextmanager
def saying_how_to_go_on(folder: str | Path | None, records: Sized, what: str) -> Iterator[None]:
    """What whoever stops the run wants to know travels with the interruption."""
    try:
        yield
    except BaseException as stop:
        if not isinstance(stop, Exception):
            stop.add_note(_words(folder, len(records), what))
        raise


def _words(folder: Any, done: int, what: str) -> str:
    """How to resume.

    >>> _words("runs", 2, "fit")
    '2 fits are kept in runs; to resume, give the same command again'
    """
    if folder is None:
        return f"no {what} is kept; with --out DIR the same command could resume"
    verb = "is" if done == 1 else "are"
    return f"{counted(done, what)} {verb} kept in {folder}; to resume, give the same command again"
