"""The page of curves, with their points."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.document import (
    as_sentence,
    distinct_names,
    element,
    number,
    part_html,
)
from referee.document.svg import Plot, Scale, look, short_path, simplified
from referee.page.sections.curves import axis_title, joined_points, legend
from referee.page.shell import Section, figure, folded_part, page, plain_card, rendered, reproduction, result_card
from referee.scoring import described
from referee.thresholds import Curve, Curves, areas_part, drawn_together, kinds, points_part

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from markupsafe import Markup

    from referee.arrays import Array


FEW_SECTIONS = 3
"""Sections that the navigation has room for."""


def curves_page(curves: Curves, *, command: str = "") -> str:
    """Curves as one self-contained HTML file.

    >>> from referee import Predictions
    >>> from referee.thresholds import curves
    >>> predictions = Predictions.from_arrays([1, 0, 1, 0], {"m": [0.9, 0.7, 0.6, 0.1]})
    >>> "<h1>ROC curve of 1 model.</h1>" in curves_page(curves(predictions, "roc"))
    True
    """
    predictions, headline = curves.predictions, f"{curves}."
    said = as_sentence(described(predictions))
    card = result_card("Curves", headline, said, document=curves.document(), rows=predictions.rows)
    labels = distinct_names(dict.fromkeys(curve.model for curve in curves), 40)
    sections = [_drawn(place, together, labels) for place, together in enumerate(drawn_together(curves), 1)]
    facts = [
        ("Read as", described(predictions)),
        ("Fingerprint of the predictions", predictions.fingerprint),
        ("Seed", str(curves.seed)),
        ("Alpha", f"{curves.alpha:g}"),
    ]
    return page(headline, [*sections, _points(curves), reproduction(command, facts)], opening=card)


def _drawn(place: int, curves: Sequence[Curve], labels: dict[str, str]) -> Section:
    """All models on one class."""
    areas, first, places = areas_part(place, curves), curves[0], {name: number for number, name in enumerate(labels)}
    name = first.kind.replace("_", "-") + (f"-{place}" if place > 1 else "")
    drawing = figure(curve_chart(curves, places, areas.title), name=name, title=areas.title)
    pictures = rendered("section/pictures.html", pictures=[drawing], table=part_html(areas))
    areas_of = {c.model: f", {c.area_name} {number(c.area, 3)}" for c in curves if c.area is not None}
    named = {name: label + areas_of.get(name, "") for name, label in labels.items()}
    body = element("div", legend([*named.values()]), pictures, class_="card", data_legend="")
    return Section(f"curves-{place}", areas.title, body, short=areas.title if place <= FEW_SECTIONS else "")


def _points(curves: Curves) -> Section:
    """The points that the screen shows."""
    shown = [folded_part(points_part(place, curve)) for place, curve in enumerate(curves, 1)]
    return Section("points", "Points", plain_card(*shown), short="Points")


PROBIT_TICKS = [0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999]
LEAST = 5e-4
"""The smallest rate on a probit axis, which has no end."""
TOLERANCE = 0.3
"""How far, in pixels, a drawn line may be from the exact one."""
BELOW, ABOVE = -0.25, 1.1
"""Where an axis without an end is cut, in heights of the highest curve: net benefit falls without end."""


class ProbitScale(Scale):
    """On which the rates of two normal distributions are a straight line."""

    def __call__(self, value: float) -> float:
        from scipy.special import ndtri

        return super().__call__(ndtri(np.clip(value, LEAST, 1 - LEAST)))

    def ticks(self, wanted: int = 5) -> list[float]:  # noqa: ARG002 (there are few)
        return PROBIT_TICKS


def curve_chart(curves: Sequence[Curve], places: Mapping[str, int], label: str) -> Markup:
    """All curves in one chart, the first ones on top."""
    first, plot = curves[0], _plot(curves)
    lines = [_path(plot, line.x, line.y, "reference") for line in first.lines]
    bands = [_band(plot, curve, places[curve.model]) for curve in reversed(curves) if curve.low is not None]
    drawn = [
        _path(plot, *joined_points(curve), f"curve {look(places[curve.model])} model-{places[curve.model]}")
        for curve in reversed(curves)
    ]
    axes = plot.axes(axis_title(first.x_title), axis_title(first.y_title))
    return plot.drawn(axes, *lines, *bands, *drawn, label=label)


def _plot(curves: Sequence[Curve]) -> Plot:
    if curves[0].scale == "probit":
        from scipy.special import ndtri

        end = float(ndtri(1 - LEAST))
        plain = Plot.of((-end, end), (-end, end))
        x, y = (ProbitScale(-end, end, side.start, side.end) for side in (plain.x, plain.y))
        return Plot(x, y, plain.width, plain.height)
    left = min(0.0, *(float(curve.x.min()) for curve in curves))
    return Plot.of((left, 1.0), _heights(curves))


def _heights(curves: Sequence[Curve]) -> tuple[float, float]:
    """The whole range where it has ends; of shares that are all small, and without an end, what the curves need."""
    low, high = kinds[curves[0].kind].y_range
    top = max(0.01, *(float(curve.y[np.isfinite(curve.y)].max()) for curve in curves))
    needed = ABOVE * top if not isfinite(high) or ABOVE * top < high / 2 else high
    return (low if isfinite(low) else BELOW * needed if not isfinite(high) else 0.0), needed


def _pixels(scale: Scale, values: Any) -> Array:
    """A scale takes arrays as it takes numbers."""
    return np.asarray(scale(values))


def _path(plot: Plot, x: Array, y: Array, style: str) -> Markup:
    """A line; what is beyond the axes is left out."""
    across, up = _pixels(plot.x, x), _pixels(plot.y, y)
    inside = (up >= plot.y.end - TOLERANCE) & (up <= plot.y.start + TOLERANCE) & (across >= plot.x.start - TOLERANCE)
    return element("path", d="".join(_pieces(across, up, inside)), class_=style)


def _pieces(x: Array, y: Array, inside: Array) -> Iterator[str]:
    for piece in np.split(np.arange(len(x)), np.flatnonzero(np.diff(inside)) + 1):
        if inside[piece[0]]:
            kept = piece[simplified(x[piece], y[piece], TOLERANCE)]
            yield short_path(zip(x[kept].tolist(), y[kept].tolist(), strict=True))


def _band(plot: Plot, curve: Curve, place: int) -> Markup:
    """Between both ends of the intervals, of a curve of steps in steps."""
    (x, low), (_, high) = (joined_points(curve, end) for end in (curve.low, curve.high))
    across, ends = _pixels(plot.x, x), [np.clip(_pixels(plot.y, y), plot.y.end, plot.y.start) for y in (low, high)]
    kept = [simplified(across, end, TOLERANCE) for end in ends]
    there = [*zip(across[kept[0]].tolist(), ends[0][kept[0]].tolist(), strict=True)]
    back = [*zip(across[kept[1]][::-1].tolist(), ends[1][kept[1]][::-1].tolist(), strict=True)]
    return element("path", d=short_path([*there, *back]) + "Z", class_=f"band {look(place)} model-{place}")
