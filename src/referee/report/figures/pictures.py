"""Picture: panels side by side with one legend, drawn by matplotlib; the same numbers give the same bytes."""

from __future__ import annotations

import textwrap
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from math import ceil
from typing import TYPE_CHECKING, Any

from referee.errors import UsageError
from referee.short_names import columns_of
from referee.wording import folded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Draw = Callable[[Any], None]

SUFFIXES = (".svg", ".png", ".pdf")
MARK = "drawn by referee"
"""In every file, so that another one is not taken for it."""
METADATA: dict[str, dict[str, Any]] = {
    ".svg": {"Creator": MARK, "Date": None},
    ".png": {"Software": MARK},
    ".pdf": {"Creator": MARK, "CreationDate": None},
}
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "referee", "svg.fonttype": "none", "text.parse_math": False, "font.size": 10, "axes.titlesize": 9,
    "axes.labelsize": 9, "xtick.labelsize": 8, "ytick.labelsize": 8, "grid.color": "0.92", "grid.linewidth": 0.6,
    "figure.constrained_layout.w_pad": 0.08, "figure.constrained_layout.h_pad": 0.08,
}  # fmt: skip
"""Names are shown as they are, and in SVG they stay text."""
LETTER, LINE = 0.068, 0.185
"""Of the legend and of names beside an axis, in inches."""


@dataclass(frozen=True)
class Picture:
    """What to draw, and how large."""

    name: str
    """The file's."""
    title: str
    panels: Sequence[Draw]
    """Each draws on axes of its own."""
    legend: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    """The lines and marks by what they mean."""
    across: int = 1
    """How many panels stand beside each other."""
    width: float = 5.0
    height: float = 4.4

    @property
    def columns(self) -> int:
        return min(self.across, len(self.panels))

    @property
    def size(self) -> tuple[float, float]:
        """In inches, with room for the legend beside the panels."""
        rows = ceil(len(self.panels) / self.columns)
        beside = 1.0 + room_for(self.legend) if self.legend else 0.0
        high = max(0.5 + rows * self.height, 0.8 + LINE * len(self.legend))
        return self.panels_width + beside, high

    @property
    def panels_width(self) -> float:
        return max(4.0, self.columns * self.width)


def room_for(names: Iterable[str]) -> float:
    """How wide names are, in inches."""
    return LETTER * max(map(columns_of, names), default=0)


def refuse_without_matplotlib() -> None:
    """Stop before any work is done where no picture could be made."""
    try:
        import matplotlib  # noqa: F401 (only whether it is there)
    except ImportError as error:
        raise UsageError(
            "E_EXTRA", "pictures are drawn by matplotlib, which is not installed", hint="pip install 'referee[figures]'"
        ) from error


def drawn(picture: Picture, suffixes: Sequence[str]) -> tuple[list[bytes], set[str]]:
    """The files' contents, and the signs that the font of pixel pictures lacks."""
    refuse_without_matplotlib()
    from matplotlib.figure import Figure

    with _own_style(), _missing_signs() as missing:
        figure = Figure(figsize=picture.size, layout="constrained")
        grid = figure.subplots(ceil(len(picture.panels) / picture.columns), picture.columns, squeeze=False).flat
        for place, axes in enumerate(grid):
            if place < len(picture.panels):
                _draw_panel(axes, picture.panels[place], place, int(12 * picture.width))
            else:
                axes.remove()
        inside, whole = picture.panels_width, picture.size[0]
        figure.suptitle(textwrap.fill(picture.title, int(11 * inside)), x=inside / whole / 2, fontsize=11)
        _add_legend(figure, picture.legend)
        contents = [_saved(figure, suffix.lower()) for suffix in suffixes]
    return contents, missing


@contextmanager
def _own_style() -> Iterator[None]:
    """Whatever the user's own settings of matplotlib are."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        yield


@contextmanager
def _missing_signs() -> Iterator[set[str]]:
    """Collect the signs that matplotlib warns of, and pass all other warnings on."""
    missing: set[str] = set()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield missing
    for one in caught:
        words = str(one.message).split()
        if words[:1] == ["Glyph"] and "missing" in words:
            missing.add(chr(int(words[1])))
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def _draw_panel(axes: Any, draw: Draw, place: int, letters: int) -> None:
    """A title that is wider than the panel goes over several lines."""
    axes.set_gid(f"panel-{place}")
    axes.grid()
    axes.set_axisbelow(True)
    draw(axes)
    axes.set_title("\n".join(folded(line, letters) for line in axes.get_title().split("\n")))
    for artist in axes.get_children():
        if artist.get_gid():
            artist.set_gid(f"panel-{place}-{artist.get_gid()}")


def _add_legend(figure: Any, entries: Mapping[str, dict[str, Any]]) -> None:
    """Beside the panels; labels are set last, as matplotlib hides those that begin with an underscore."""
    from matplotlib.lines import Line2D

    if not entries:
        return
    handles = [Line2D([], [], **{"linewidth": 1.6} | style) for style in entries.values()]
    numbers = [str(place) for place in range(len(handles))]
    legend = figure.legend(
        handles, numbers, loc="outside right upper", fontsize=8, frameon=False, handlelength=5, borderaxespad=0.5
    )
    for text, label in zip(legend.get_texts(), entries, strict=True):
        text.set_text(label)


def _saved(figure: Any, suffix: str) -> bytes:
    content = BytesIO()
    figure.savefig(content, format=suffix[1:], dpi=150, metadata=METADATA[suffix])
    return content.getvalue()
