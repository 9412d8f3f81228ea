"""Pictures as files: whole or not at all, and never in place of what we did not draw."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from referee.cli.output import say as write_notices
from referee.document import write_file
from referee.errors import Notice, WriteError
from referee.report.figures.pictures import MARK, drawn, refuse_without_matplotlib
from referee.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.comparing import Verdict
    from referee.report.figures.pictures import Picture
    from referee.scoring import Scores

ENDINGS = (".svg", ".png")
NAMES = (
    "goal", "pairs", "roc", "precision_recall", "threshold", "cost", "confusion", "actual_and_predicted", "residuals",
    "error_by_tenth", "calibration", "slices", "tradeoffs", "learning_curve", "splits", "figure_1", "regret", "right",
    *(f"table_{number}" for number in range(2, 8)),
)  # fmt: skip
"""Of all pictures that there can be."""
HEAD = 4096
"""Bytes in which a picture says who drew it."""
MOST_SIGNS = 5


def refuse_folder(path: str | None) -> None:
    """Stop before any work is done where pictures could not be written."""
    if path is None:
        return
    refuse_without_matplotlib()
    folder = Path(path)
    _refuse_what_is_not_ours(folder / f"{name}{ending}" for name in NAMES for ending in ENDINGS)
    try:
        if folder.exists() and not folder.is_dir():
            raise WriteError("E_WRITE", f"--figures {path}: this is a file", hint="name a folder")
        with tempfile.TemporaryFile(dir=_nearest(folder)):
            pass
    except OSError as error:
        raise _cannot_be_made(folder, error) from error


def _nearest(folder: Path) -> Path:
    """The folder, or the one in which it would have to be made."""
    return next(one for one in (folder, *folder.absolute().parents) if one.exists())


def write_figures(found: Verdict | Scores, folder: str | Path | None) -> list[Path]:
    """Write each picture of a verdict or of scores as SVG and as PNG, where a folder is named; give the files."""
    if folder is None:
        return []
    from referee.report.figures.every import pictures_of

    return write_pictures(pictures_of(found), folder)


def write_pictures(pictures: Iterable[Picture], folder: str | Path) -> list[Path]:
    """Draw all of them, and then write all of them."""
    folder = Path(folder)
    contents: dict[Path, bytes] = {}
    missing: set[str] = set()
    for picture in pictures:
        assert picture.name in NAMES
        found, signs = drawn(picture, ENDINGS)
        missing |= signs
        contents |= {folder / f"{picture.name}{ending}": one for ending, one in zip(ENDINGS, found, strict=True)}
    _refuse_what_is_not_ours(contents)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_be_made(folder, error) from error
    for path, content in contents.items():
        write_file("--figures", path, content)
    write_notices(_on_signs(missing))
    return [*contents]


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


def _on_signs(missing: set[str]) -> list[Notice]:
    if not missing:
        return []
    some = " ".join(sorted(missing)[:MOST_SIGNS])
    return [
        Notice(
            "W_SIGNS",
            f"the font of the PNG pictures lacks {counted(len(missing), 'sign')} of these names ({some}) and shows "
            "boxes; in the SVG pictures names are text, which a browser shows",
        )
    ]
