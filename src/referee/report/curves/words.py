"""Curves in words, and the few points that a page has room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.wording import count, level, number, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.curve_points import Curve

MOST_ROWS = 20
LETTERS = ("tp", "fp", "tn", "fn", "tpr", "fpr", "fnr")
"""Columns that everybody writes in capitals."""


def title_of(curve: Curve) -> str:
    """Which curve it is, and its area."""
    area = "" if curve.area is None else f": {curve.area_name} {number(curve.area)}"
    return f"{curve.title} of {one_line(curve.model)} for {one_line(curve.class_ or '')!r}{area}"


def headings(curve: Curve) -> list[str]:
    return [name.upper() if name in LETTERS else name for name in curve.columns()]


def shown_rows(curve: Curve) -> Iterator[list[str]]:
    """The points that are shown: all where they are few, else evenly spaced ones; not the empty beginning."""
    places = _shown(curve)
    for place in places:
        yield [_cell(name, float(column[place])) for name, column in curve.columns().items()]


def remarks(curve: Curve) -> Iterator[str]:
    """What a reader should know of the points."""
    shown = len(_shown(curve))
    if shown < curve.points - 1:
        yield f"{shown} of {curve.points:,} points; --format csv gives more of them"
    if curve.tolerance:
        yield f"points nearer to another one than {curve.tolerance:g} of each axis are left out (--tolerance 0: none)"
    if curve.band is not None and curve.alpha is not None:
        of_what = "each point by itself" if curve.band == "pointwise" else "the whole curve at once"
        yield f"low, high: {level(curve.alpha)} band of {of_what}, by {curve.band_method}"
    if curve.redrawn:
        yield f"in {curve.redrawn:,} draws of the bootstrap a class was missing: they were drawn again"


def _shown(curve: Curve) -> Array:
    places = np.flatnonzero(curve.rank > 0) if curve.x_name != "threshold" else np.arange(len(curve))
    if len(places) <= MOST_ROWS:
        return places
    return places[np.linspace(0, len(places) - 1, MOST_ROWS).round().astype(int)]


def _cell(name: str, value: float) -> str:
    if name in ("rank", "tp", "fp", "tn", "fn"):
        return count(round(value, 6))
    if not np.isfinite(value):
        return "–"
    return number(value)
