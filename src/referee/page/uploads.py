"""Files that a browser has sent: kept in a private folder, read once to say what is in them, and deleted at the end."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from secrets import token_hex
from typing import TYPE_CHECKING

from referee.errors import InputError, SafetyError, WriteError
from referee.predictions import ReadOptions, Table, read_table, size_text
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import AsyncIterable

MOST_FILES = 20
"""Older files make room for newer ones."""
LONGEST_NAME = 120


class TooLargeError(SafetyError):
    """An upload beyond the limit."""


@dataclass(frozen=True)
class Upload:
    """A file that was sent."""

    key: str
    name: str
    """As the browser called it: what errors, pages and commands say."""
    path: Path

    def table(self, options: ReadOptions | None = None) -> Table:
        return replace(read_table(str(self.path), options), name=self.name)


class Uploads:
    """The files of one server."""

    folder: Path
    """There while the server runs."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._kept: dict[str, Upload] = {}

    def __getitem__(self, key: str) -> Upload:
        if key not in self._kept:
            raise InputError("E_NOFILE", "this file is no longer here", hint="drop it on the first page again")
        return self._kept[key]

    async def receive(self, name: str, chunks: AsyncIterable[bytes]) -> Upload:
        """Write a file as it arrives; nothing stays of one that is too large, or whose sender is gone."""
        key = token_hex(16)
        upload = Upload(key, plain_name(name), self.folder / key / plain_name(name))
        try:
            await self._write(upload.path, chunks)
        except BaseException:
            self._delete(upload)
            raise
        self._kept[key] = upload
        while len(self._kept) > MOST_FILES:
            self.forget(next(iter(self._kept)))
        return upload

    async def _write(self, path: Path, chunks: AsyncIterable[bytes]) -> None:
        try:
            path.parent.mkdir(mode=0o700)
            with path.open("xb") as file:
                async for chunk in chunks:
                    if file.tell() + len(chunk) > self.limit:
                        raise self.too_large(path.name)
                    file.write(chunk)
        except OSError as error:
            raise WriteError("E_WRITE", f"{path.name} cannot be kept: {error.strerror or error}") from error

    def too_large(self, name: str) -> TooLargeError:
        return TooLargeError(
            "E_TOOBIG", f"{name} is larger than {size_text(self.limit)}, the limit for one file",
            hint="start the server with --max-upload 4GB, or give the file to `referee compare`",
        )  # fmt: skip

    def forget(self, key: str) -> None:
        self._delete(self[key])
        del self._kept[key]

    def _delete(self, upload: Upload) -> None:
        with suppress(OSError):
            shutil.rmtree(upload.path.parent)


def plain_name(name: str) -> str:
    r"""The last part of a file's name, which cannot leave its folder.

    >>> plain_name("../../etc/passwd"), plain_name("C:\\work\\preds.csv"), plain_name("..")
    ('passwd', 'preds.csv', 'file')
    """
    last = PureWindowsPath(PurePosixPath(name).name).name
    shown = "".join(letter for letter in last if letter.isprintable() and letter not in '/\\:*?"<>|')
    kept = Path(shown[-LONGEST_NAME:].strip(". "))
    return kept.name or "file"
