"""Pictures of a page by name: each a chart as SVG, or as PNG or PDF by an extra; all as files, whole or not at all."""

from __future__ import annotations

import re
import tempfile
from functools import cache
from pathlib import Path
from struct import pack
from typing import TYPE_CHECKING
from zlib import crc32

from referee.catalogue import known_keywords
from referee.document import counted, one_line, write_file
from referee.errors import Notice, UnknownNameError, UsageError, WriteError
from referee.page.charts import FONTS, MARK, charts_in
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike


SUFFIXES = (".svg", ".png", ".pdf")
TYPESET = b"""#set document(date: none)
#set page(width: auto, height: auto, margin: 0pt)
#image(bytes(sys.inputs.svg), format: "svg")
"""
NO_EXTRA = "PNG and PDF are drawn by typst, which is not installed"
PIXELS_PER_INCH = 3 * 96
"""Three pixels for each of the page's: enough for print."""
FIRST_CHUNK = 33
"""Bytes of a PNG file up to the end of its first chunk, which says how large it is."""
SIGN = '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="30"><text y="20" font-family="{}">{}</text></svg>'
NO_SIGN = "\U0010fffd"
"""No font has it."""
STEMS = {
    "actual", "best", "calibration", "confusion", "differences", "error", "figure", "gate", "goal", "leaderboard",
    "learning", "objective", "pairs", "power", "precision", "regret", "reliability", "residuals", "right", "roc",
    "slices", "splits", "table", "time",
}  # fmt: skip
"""How the names of pictures begin: files of such names are looked at before the work."""
SIGNED_WITHIN = 4096
"""Bytes in which a picture says who drew it."""
MOST_SIGNS = 5


@dataclass(frozen=True, repr=False)
class Picture:
    """A chart; in a notebook it shows itself."""

    name: str
    svg: str
    """The text of a file that needs nothing else: no style sheet, no script, no other file."""

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Picture: {self.name}"

    @known_keywords()
    def save(self, path: str | PathLike[str], *, option: str = "path") -> None:
        """Write it to a file whose name says the format: .svg, .png or .pdf."""
        refuse_format(path, option)
        write_file(option, path, self.content(Path(path).suffix.lower()))

    def content(self, suffix: str) -> bytes:
        """The bytes of a file; the same picture gives the same ones."""
        return self.svg.encode() if suffix == ".svg" else _typeset(self.svg, suffix)

    @property
    def missing_signs(self) -> set[str]:
        """What no font here has, and a box stands for in PNG and PDF; in SVG it is text."""
        beyond = {letter for letter in self.svg if ord(letter) > 0xFF}
        return {letter for letter in beyond if _sign(letter) == _sign(NO_SIGN)}


def refuse_format(path: str | PathLike[str], option: str = "path") -> None:
    """Stop where a file's name says no format that a picture can have here."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError("E_FIGURE", f"{option} {path}: the name must end in {', '.join(SUFFIXES)}")
    if suffix != ".svg" and not can_typeset():
        raise UsageError(
            "E_EXTRA", f"{option} {path}: {NO_EXTRA}", hint="pip install 'referee[png]'; .svg needs nothing"
        )


def can_typeset() -> bool:
    """Whether there is what draws PNG and PDF."""
    try:
        import typst  # noqa: F401 (only whether it is there)
    except ImportError:
        return False
    return True


def below_each_other(pictures: Sequence[Picture]) -> Picture:
    """Several as one."""
    if len(pictures) == 1:
        return pictures[0]
    sizes = [tuple(map(float, re.findall(r' (?:width|height)="([\d.]+)"', picture.svg)[:2])) for picture in pictures]
    inside, top = "", 0.0
    for picture, (_, height) in zip(pictures, sizes, strict=True):
        inside += picture.svg.replace("<svg ", f'<svg y="{top:g}" ', 1)
        top += height
    width = max(width for width, _ in sizes)
    root = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{top:g}">{inside}</svg>'
    return Picture(pictures[0].name, root)


def _typeset(svg: str, suffix: str) -> bytes:
    import typst

    content = typst.compile(
        TYPESET, format="png" if suffix == ".png" else "pdf", ppi=PIXELS_PER_INCH, sys_inputs={"svg": svg}
    )
    return _marked(content) if suffix == ".png" else content


@cache
def _sign(letter: str) -> bytes:
    return _typeset(SIGN.format(FONTS, letter), ".png")


def _marked(png: bytes) -> bytes:
    """With a chunk that says who drew it."""
    chunk = b"tEXtSoftware\0" + MARK.encode()
    return png[:FIRST_CHUNK] + pack(">I", len(chunk) - 4) + chunk + pack(">I", crc32(chunk)) + png[FIRST_CHUNK:]


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
            what = f"{path} already exists, and was not drawn by referee"
            raise WriteError("E_EXISTS", f"--figures: {what}", hint="name another folder")


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        return MARK.encode() in file.read(SIGNED_WITHIN)


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
        f"no font here has {what}, and PNG pictures show boxes; in SVG pictures, names are text, which a browser can "
        "show"
    )
    return [Notice("W_SIGNS", said)]
