"""Pages as files: never in place of what is no page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from referee.document import refuse_no_place, write_file
from referee.errors import WriteError

if TYPE_CHECKING:
    from os import PathLike

FIRST = b"<!doctype html>"


def refuse_no_page(path: str | PathLike[str]) -> None:
    """Stop before the work where a page cannot be written; a file that is no page stays as it is."""
    refuse_no_place("--html", path)
    place = Path(path)
    if place.exists() and place.stat().st_size and not _is_page(place):
        raise WriteError(
            "E_EXISTS", f"--html {path}: this file is there already, and is no HTML page", hint="name another file"
        )


def save_page(path: str | PathLike[str], text: str) -> None:
    """Write a page."""
    refuse_no_page(path)
    write_file("--html", path, text.encode())


def _is_page(place: Path) -> bool:
    with place.open("rb") as file:
        return file.read(len(FIRST)).lower() == FIRST
