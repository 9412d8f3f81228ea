"""Paths on a page: a page goes to others, whom the folders and the name of a user are no business of."""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from html import escape
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

QUOTED = re.compile(r"""(["'])((?:(?!\1)[^\\]|\\.)*)\1""")
ADDRESS = re.compile(r"^[A-Za-z][\w+.-]*:///")


def without_folders(text: str, result: Any, command: str) -> str:
    """The page with the names of files only, where whole paths were given.

    >>> without_folders("<p>/home/ann/preds.csv</p>", None, "referee compare /home/ann/preds.csv --truth y")
    '<p>preds.csv</p>'
    """
    folders = {folder for word in _words(result, command) for folder in _folders(word)}
    for folder in sorted(folders, key=len, reverse=True):
        for written in (folder, escape(folder), folder.replace("'", "&#39;")):
            text = text.replace(written, "")
    return text


def _words(result: Any, command: str) -> Iterator[str]:
    with suppress(ValueError):  # a call in Python
        yield from shlex.split(command)
    for call in (command, str(getattr(result, "call", "") or "")):
        yield from (match[2] for match in QUOTED.finditer(call))
    for told in (result, getattr(result, "predictions", None)):
        yield from str(getattr(told, "source", "") or "").split(", ")


def _folders(word: str) -> Iterator[str]:
    """The folder of an absolute path, whether it stands alone, behind a name or in an address."""
    for part in (word, word.partition("=")[2]):
        path = PurePath(ADDRESS.sub("", part))
        if path.is_absolute() and len(path.parts) > 2:
            yield f"{path.parent}/"
