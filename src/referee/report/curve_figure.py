"""Curves as a picture, by matplotlib: SVG, PNG or PDF, told by the file's name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import UsageError, WriteError
from referee.report.selection import level
from referee.wording import number, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.curves import Curve

SUFFIXES = (".svg", ".png", ".pdf")
# Okabe and Ito's colours, which colour-blind readers can tell apart, and line styles that print without colour.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = ("-", "--", "-.", ":")
PROBIT_TICKS = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)


def refuse_figure(path: str | None) -> None:
    """Stop before any work is done where the picture could not be made."""
    if path is None:
        return
    if Path(path).suffix.lower() not in SUFFIXES:
        raise UsageError("E_FIGURE", f"--figure {path}: the name must end in {', '.join(SUFFIXES)}")
    try:
        import matplotlib  # noqa: F401 (only whether it is there)
    except ImportError as error:
        raise UsageError(
            "E_EXTRA", "pictures are drawn by matplotlib, which is not installed", hint="pip install 'referee[figures]'"
        ) from error


def write_figure(curves: Sequence[Curve], path: str) -> None:
    """Draw curves of one kind into one picture; the same curves give the same bytes."""
    refuse_figure(path)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "referee", "font.size": 10}):
        figure = Figure(figsize=(6, 5.4), layout="constrained")
        _draw(figure.subplots(), curves)
        metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}[Path(path).suffix.lower()]
        try:
            figure.savefig(path, dpi=150, metadata=metadata)
        except OSError as error:
            raise WriteError("E_WRITE", f"{path} cannot be written: {error.strerror or error}") from error


def _draw(axes: Any, curves: Sequence[Curve]) -> None:
    first = curves[0]
    if first.scale == "probit":
        _use_probit(axes)
    for line in first.lines:
        axes.plot(line.x, line.y, color="0.6", linewidth=1, linestyle=(0, (4, 3)), label=line.name)
    for place, curve in enumerate(curves):
        _draw_one(axes, curve, COLOURS[place % len(COLOURS)], STYLES[place // len(COLOURS) % len(STYLES)])
    axes.set(title=first.title, xlabel=first.x_title, ylabel=first.y_title)
    if first.y_name in ("net_benefit", "lift"):
        axes.set_ylim(*_limits(curves))
    axes.legend(loc="best", fontsize=8, frameon=False)
    axes.grid(color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)


def _draw_one(axes: Any, curve: Curve, colour: str, style: str) -> None:
    steps = "steps-pre" if curve.drawn == "steps" else "default"
    x, y = _from_the_axis(curve)
    axes.plot(x, y, color=colour, linestyle=style, linewidth=1.6, label=_label(curve), drawstyle=steps)
    if curve.low is not None and curve.high is not None:
        shape = "pre" if curve.drawn == "steps" else None
        axes.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=0.18, linewidth=0, step=shape)


def _from_the_axis(curve: Curve) -> tuple[Array, Array]:
    """A curve of steps has its first height from the axis on."""
    if curve.drawn == "linear":
        return curve.x, curve.y
    return np.insert(curve.x, 0, 0.0), np.insert(curve.y, 0, curve.y[0])


def _label(curve: Curve) -> str:
    area = "" if curve.area is None else f", {curve.area_name} {number(curve.area, 3)}"
    band = "" if curve.band is None or curve.alpha is None else f", {level(curve.alpha)} {curve.band} band"
    # matplotlib leaves names that begin with an underscore out, and reads $ as mathematics.
    name = one_line(curve.model).lstrip("_").replace("$", r"\$")
    return f"{name} ({one_line(curve.class_ or '')}){area}{band}"


def _limits(curves: Sequence[Curve]) -> tuple[float, float]:
    """Net benefit falls without end, bands of lift rise: room for the curves, and little for the rest."""
    top = max(0.01, *(float(curve.y.max()) for curve in curves))
    return -0.25 * top if curves[0].y_name == "net_benefit" else 0.0, 1.1 * top


def _use_probit(axes: Any) -> None:
    from scipy.special import ndtr, ndtri

    def forward(share: Array) -> Array:
        return np.asarray(ndtri(np.clip(share, 1e-4, 1 - 1e-4)))

    for axis in ("x", "y"):
        getattr(axes, f"set_{axis}scale")("function", functions=(forward, ndtr))
        getattr(axes, f"set_{axis}lim")(5e-4, 1 - 5e-4)
        getattr(axes, f"set_{axis}ticks")(PROBIT_TICKS, [f"{tick:g}" for tick in PROBIT_TICKS])
