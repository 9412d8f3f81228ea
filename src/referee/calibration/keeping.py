"""Files that are written: whole or not at all, and nothing is replaced unless that was asked for."""

from __future__ import annotations

from pathlib import Path

from referee.errors import WriteError


def refuse_existing(option: str, path: str | None, *, overwrite: bool) -> None:
    """Stop before the work if there is a file in the way, or no folder for it."""
    if path is None:
        return
    if Path(path).exists() and not overwrite:
        raise WriteError("E_EXISTS", f"{option} {path}: this file is there already", hint="--overwrite replaces it")
    if not Path(path).absolute().parent.is_dir():
        raise WriteError("E_WRITE", f"{option} {path}: there is no folder {str(Path(path).parent)!r}")


def keep(option: str, path: str, content: bytes, *, overwrite: bool) -> None:
    """Write a file."""
    from referee.runner.disk import write_whole

    refuse_existing(option, path, overwrite=overwrite)
    try:
        write_whole(Path(path), content)
    except OSError as error:
        raise WriteError("E_WRITE", f"{option} {path} cannot be written: {error.strerror or error}") from error
