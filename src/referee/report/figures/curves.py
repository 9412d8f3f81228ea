"""Curves as a picture, by matplotlib: SVG, PNG or PDF, told by the file's name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import UsageError
from referee.report.figures.pictures import SUFFIXES, look, name_of, picture, refuse_without_matplotlib
from referee.report.scores.shown import level
from referee.wording import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.curves import Curve

PROBIT_TICKS = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)


def refuse_figure(path: str | None) -> None:
    """Stop before any work is done where the picture could not be made."""
    if path is None:
        return
    if Path(path).suffix.lower() not in SUFFIXES:
        raise UsageError("E_FIGURE", f"--figure {path}: the name must end in {', '.join(SUFFIXES)}")
    refuse_without_matplotlib()


def write_figure(curves: Sequence[Curve], path: str | Path, *more: str | Path) -> None:
    """Draw curves of one kind into one picture; the same curves give the same bytes."""
    with picture(path, *more) as axes:
        draw_curves(axes, curves)


def draw_curves(axes: Any, curves: Sequence[Curve]) -> None:
    first = curves[0]
    if first.scale == "probit":
        _use_probit(axes)
    for line in first.lines:
        axes.plot(line.x, line.y, color="0.6", linewidth=1, linestyle=(0, (4, 3)), label=line.name)
    for place, curve in enumerate(curves):
        _draw_one(axes, curve, place)
    axes.set(title=first.title, xlabel=first.x_title, ylabel=first.y_title)
    if first.y_name in ("net_benefit", "lift"):
        axes.set_ylim(*_limits(curves))
    axes.legend(loc="best", fontsize=8, frameon=False)


def _draw_one(axes: Any, curve: Curve, place: int) -> None:
    steps = "steps-pre" if curve.drawn == "steps" else "default"
    x, y = _from_the_axis(curve)
    axes.plot(x, y, linewidth=1.6, label=_label(curve), drawstyle=steps, **look(place))
    if curve.low is not None and curve.high is not None:
        shape = "pre" if curve.drawn == "steps" else None
        axes.fill_between(
            curve.x, curve.low, curve.high, color=look(place)["color"], alpha=0.18, linewidth=0, step=shape
        )


def _from_the_axis(curve: Curve) -> tuple[Array, Array]:
    """A curve of steps has its first height from the axis on."""
    if curve.drawn == "linear":
        return curve.x, curve.y
    return np.insert(curve.x, 0, 0.0), np.insert(curve.y, 0, curve.y[0])


def _label(curve: Curve) -> str:
    area = "" if curve.area is None else f", {curve.area_name} {number(curve.area, 3)}"
    band = "" if curve.band is None or curve.alpha is None else f", {level(curve.alpha)} {curve.band} band"
    return f"{name_of(curve.model)} ({name_of(curve.class_ or '')}){area}{band}"


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
