"""The pictures of a page by name; one of a result, or all of them as files, whole or not at all."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from referee.document import write_file
from referee.errors import Notice, UnknownNameError, WriteError
from referee.page.chart_reading import charts_in
from referee.page.picture import MARK, NO_EXTRA, Picture, can_typeset
from referee.wording import counted, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

STEMS = {
    "actual", "best", "calibration", "confusion", "error", "figure", "gate", "goal", "learning", "pairs", "precision",
    "regret", "reliability", "residuals", "right", "roc", "slices", "splits", "table", "time",
}  # fmt: skip
"""How the names of pictures begin: files of such names are looked at before the work."""
HEAD = 4096
"""Bytes in which a picture says who drew it."""
MOST_SIGNS = 5


def pictures_in(page: str) -> dict[str, Picture]:
    """Every chart of a page, in its order."""
    return {name: Picture(name, svg) for name, svg in charts_in(page).items()}


def chosen(pictures: Mapping[str, Picture], what: str | None) -> Picture:
    """The picture of a name, or the first one: `what` may leave out the numbers at its end."""
    for name, picture in pictures.items():
        if what is None or name == what or name.startswith(f"{what}-"):
            return pictures.get(what or name, picture)
    if not pictures:
        raise UnknownNameError("there is no picture of this result", "its page has tables only")
    raise UnknownNameError(f"there is no picture {one_line(str(what))!r}", f"there are {', '.join(pictures)}")


def formats() -> Sequence[str]:
    """How pictures are written into a folder: as SVG always, and as PNG where that can be drawn."""
    return (".svg", ".png") if can_typeset() else (".svg",)


def refuse_folder(path: str | None) -> None:
    """Stop before any work is done where pictures could not be written."""
    if path is None:
        return
    folder = Path(path)
    try:
        if folder.exists() and not folder.is_dir():
            raise WriteError("E_WRITE", f"--figures {path}: this is a file", hint="name a folder")
        _refuse_what_is_not_ours(file for ending in formats() for file in folder.glob(f"*{ending}") if _is_named(file))
        with tempfile.TemporaryFile(dir=_nearest(folder)):
            pass
    except OSError as error:
        raise _cannot_be_made(folder, error) from error


def write_pictures(folder: str | PathLike[str], pictures: Mapping[str, Picture]) -> list[Notice]:
    """Draw all of them, and then write all of them; say what is missing."""
    contents = {
        Path(folder) / f"{name}{ending}": picture.content(ending)
        for name, picture in pictures.items()
        for ending in formats()
    }
    _refuse_what_is_not_ours(contents)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_be_made(Path(folder), error) from error
    for path, content in contents.items():
        write_file("--figures", path, content)
    return _notices(pictures.values())


def _is_named(file: Path) -> bool:
    """Whether a picture may get this name."""
    return file.stem.partition("-")[0] in STEMS


def _nearest(folder: Path) -> Path:
    """The folder, or the one in which it would have to be made."""
    return next(place for place in (folder, *folder.absolute().parents) if place.exists())


def _refuse_what_is_not_ours(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.is_file() and path.stat().st_size and not _is_ours(path):
            what = f"{path} is there already, and was not drawn by referee"
            raise WriteError("E_EXISTS", f"--figures: {what}", hint="name another folder")


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        return MARK.encode() in file.read(HEAD)


def _cannot_be_made(folder: Path, error: OSError) -> WriteError:
    return WriteError("E_WRITE", f"--figures {folder} cannot be written: {error.strerror or error}")


def _notices(pictures: Iterable[Picture]) -> list[Notice]:
    if not can_typeset():
        return [Notice("W_EXTRA", f"pictures are SVG files only: {NO_EXTRA} (pip install 'referee[png]')")]
    missing = sorted(set[str]().union(*(picture.missing_signs for picture in pictures)))
    if not missing:
        return []
    what = f"{counted(len(missing), 'sign')} of these names ({' '.join(missing[:MOST_SIGNS])})"
    said = (
        f"no font here has {what}, and PNG pictures show boxes; in SVG pictures names are text, which a browser shows"
    )
    return [Notice("W_SIGNS", said)]
