"""Pictures: in the colours of the page, written as SVG, PNG or PDF, the same bytes for the same numbers."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.errors import UsageError, WriteError
from referee.wording import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

COLOURS = ("#005a9e", "#cf5700", "#007a57", "#b0448a", "#4a4a4a", "#8a6d00", "#2585bd")
"""Those of the page, which colour-blind readers can tell apart."""
STYLES = ("-", "--", ":", "-.", (0, (8, 3)))
MARKERS = ("o", "s", "^", "D", "X")
SUFFIXES = (".svg", ".png", ".pdf")


def refuse_without_matplotlib() -> None:
    """Stop before any work is done where no picture could be made."""
    try:
        import matplotlib  # noqa: F401 (only whether it is there)
    except ImportError as error:
        raise UsageError(
            "E_EXTRA", "pictures are drawn by matplotlib, which is not installed", hint="pip install 'referee[figures]'"
        ) from error


@contextmanager
def picture(*paths: str | Path, width: float = 6.0, height: float = 5.4) -> Iterator[Any]:
    """Give axes to draw on, and write them into every path."""
    refuse_without_matplotlib()
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "referee", "font.size": 10}):
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.subplots()
        axes.grid(color="0.92", linewidth=0.6)
        axes.set_axisbelow(True)
        yield axes
        for path in paths:
            _save(figure, Path(path))


def _save(figure: Any, path: Path) -> None:
    metadata: dict[str, Any] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix.lower(), {})
    try:
        figure.savefig(path, dpi=150, metadata=metadata)
    except OSError as error:
        raise WriteError("E_WRITE", f"{path} cannot be written: {error.strerror or error}") from error


def look(place: int) -> dict[str, Any]:
    """How a model looks in every picture: its colour, and a line and a mark that print without colour.

    >>> look(8)["color"], look(8)["linestyle"]
    ('#cf5700', '-.')
    """
    return {"color": COLOURS[place % len(COLOURS)], "linestyle": STYLES[place % len(STYLES)]}


def marker(place: int) -> str:
    return MARKERS[place % len(MARKERS)]


def name_of(text: str) -> str:
    r"""A name that matplotlib neither hides nor reads as mathematics.

    >>> name_of("_cost in $")
    'cost in \\$'
    """
    return one_line(text).lstrip("_").replace("$", r"\$")
