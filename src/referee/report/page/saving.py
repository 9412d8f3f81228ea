"""Pages as files: whole or not at all, and never in place of what is no page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import WriteError

if TYPE_CHECKING:
    from os import PathLike

FIRST = b"<!doctype html>"


def refuse_no_place(path: str | PathLike[str]) -> None:
    """Stop before the work where a page cannot be written; a file that is no page stays as it is."""
    place = Path(path)
    if place.is_dir() or not place.absolute().parent.is_dir():
        what = "that is a folder" if place.is_dir() else f"there is no folder {str(place.parent)!r}"
        raise WriteError("E_WRITE", f"--html {path}: {what}")
    if place.is_file() and place.stat().st_size and not _is_page(place):
        raise WriteError(
            "E_EXISTS", f"--html {path}: this file is there already, and is no HTML page", hint="name another file"
        )


def save_page(path: str | PathLike[str], text: str) -> None:
    """Write a page."""
    from referee.runner.disk import write_whole

    refuse_no_place(path)
    try:
        write_whole(Path(path), text.encode())
    except OSError as error:
        raise WriteError("E_WRITE", f"--html {path} cannot be written: {error.strerror or error}") from error


def _is_page(place: Path) -> bool:
    with place.open("rb") as file:
        return file.read(len(FIRST)).lower() == FIRST
