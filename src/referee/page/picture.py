"""Picture: a chart as an SVG file that stands by itself, and as PNG or PDF by an extra."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from struct import pack
from typing import TYPE_CHECKING
from zlib import crc32

from referee.document import write_file
from referee.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

MARK = "drawn by referee"
"""In every file, so that another one is not taken for it."""
SUFFIXES = (".svg", ".png", ".pdf")
FONTS = "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"
"""Whichever there is; what draws PNG brings a font of its own where there is none of these."""
TYPESET = b"""#set document(date: none)
#set page(width: auto, height: auto, margin: 0pt)
#image(bytes(sys.inputs.svg), format: "svg")
"""
NO_EXTRA = "PNG and PDF are drawn by typst, which is not installed"
PIXELS_PER_INCH = 3 * 96
"""Three pixels for each of the page's: enough for print."""
HEAD = 33
"""Bytes of a PNG file up to the end of its first chunk, which says how large it is."""
SIGN = '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="30"><text y="20" font-family="{}">{}</text></svg>'
NO_SIGN = "\U0010fffd"
"""No font has it."""


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
    return png[:HEAD] + pack(">I", len(chunk) - 4) + chunk + pack(">I", crc32(chunk)) + png[HEAD:]
