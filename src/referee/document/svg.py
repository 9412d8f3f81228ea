"""Charts as SVG: how a model looks in every one of them, scales with round numbers, lines of few points, axes."""

from __future__ import annotations

from math import ceil, floor, isfinite, log10
from sys import float_info
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from referee.document.html import element
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from referee.arrays import Array

COLOURS, DASHES = 7, 5
"""No two of the first 35 models have the same colour and the same dash or shape."""
SHAPES = (
    (),
    ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    ((0, -1.25), (1.2, 0.9), (-1.2, 0.9)),
    ((0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)),
    ((-1.2, -0.6), (-0.6, -1.2), (0, -0.6), (0.6, -1.2), (1.2, -0.6), (0.6, 0), (1.2, 0.6), (0.6, 1.2), (0, 0.6),
     (-0.6, 1.2), (-1.2, 0.6), (-0.6, 0)),
)  # fmt: skip
"""The corners of a square, a triangle, a diamond and a cross; the first is a circle."""
LARGEST = float_info.max


def look(place: int) -> str:
    """The styles of a model: its colour and its dash.

    >>> look(0), look(8)
    ('c0 s0', 'c1 s3')
    """
    return f"c{place % COLOURS} s{place % DASHES}"


def marker(place: int, x: float, y: float, size: float = 6.0, **attributes: object) -> Markup:
    """The model's shape, for those who cannot tell its colour."""
    styled = {"class_": f"dot {look(place)}"} | attributes
    corners = SHAPES[place % DASHES]
    if not corners:
        return element("circle", cx=x, cy=y, r=size, **styled)
    points = " ".join(f"{x + size * dx:.1f},{y + size * dy:.1f}" for dx, dy in corners)
    return element("polygon", points=points, **styled)


@dataclass(frozen=True)
class Scale:
    """From values to places on the chart.

    >>> Scale(0, 1, 50, 250)(0.5)
    150.0
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        spread = self.high / 2 - self.low / 2  # halves, as the whole may be beyond all floats
        return self.start + ((value / 2 - self.low / 2) / spread if spread else 0.5) * (self.end - self.start)

    def ticks(self, wanted: int = 5) -> list[float]:
        """Round numbers within, about as many as wanted.

        >>> Scale(0.83, 1, 0, 1).ticks(4)
        [0.85, 0.9, 0.95, 1.0]
        """
        if not isfinite(self.high - self.low) or self.high == self.low:
            return []
        step = _round_step((self.high - self.low) / max(wanted, 1))
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        digits = max(0, 1 - floor(log10(step)))
        return [round(place * step, digits) + 0.0 for place in range(first, last + 1)]


def _round_step(step: float) -> float:
    if not (isfinite(step) and step > 0):
        return 1.0
    power: float = 10.0 ** floor(log10(step))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if step <= factor * power * 1.001)


def spanning(values: Iterable[float], start: float, end: float, *, around: float = 0.04) -> Scale:
    """A scale on which all values have room."""
    known = [value for value in values if isfinite(value)] or [0.0, 1.0]
    low, high = min(known), max(known)
    room = (high / 2 - low / 2) * 2 * around or abs(high) * around or around
    return Scale(max(low - room, -LARGEST), min(high + room, LARGEST), start, end)


def tick_label(value: float) -> str:
    """A tick in as few digits as it needs.

    >>> tick_label(0.85), tick_label(1500.0), tick_label(2e7)
    ('0.85', '1,500', '2e+07')
    """
    return f"{value:.3g}" if abs(value) >= 1e6 or 0 < abs(value) < 1e-3 else f"{value:,.6g}"


def simplified(x: Array, y: Array, tolerance: float) -> Array:
    """The places of points whose line has all others within the tolerance (Douglas and Peucker 1973).

    >>> simplified(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 0.001, 0.0, 1.0]), 0.01).tolist()
    [0, 2, 3]
    """
    kept = np.zeros(len(x), bool)
    kept[[0, -1]] = True
    pieces = [(0, len(x) - 1)]
    while pieces:
        first, last = pieces.pop()
        if last - first < 2:
            continue
        distance = _distances(x[first : last + 1], y[first : last + 1])
        farthest = first + int(distance.argmax())
        if distance[farthest - first] > tolerance:
            kept[farthest] = True
            pieces += [(first, farthest), (farthest, last)]
    return np.flatnonzero(kept)


def _distances(x: Array, y: Array) -> Array:
    """Of each point from the straight line between the first and the last, which ends there."""
    along, up = x[-1] - x[0], y[-1] - y[0]
    dx, dy = x - x[0], y - y[0]
    length = along**2 + up**2
    share = np.clip((dx * along + dy * up) / length, 0, 1) if length else 0.0
    return np.hypot(dx - share * along, dy - share * up)


def short_path(points: Iterable[tuple[float, float]]) -> str:
    """What `d` of an SVG path is: each point to a tenth of a pixel, by its distance from the one before.

    >>> short_path([(52.0, 318.0), (52.0, 300.0), (60.04, 300.0), (61.5, 299.55)])
    'M52 318v-18h8l1.5-.4'
    """
    parts: list[str] = []
    last_x = last_y = 0
    for x, y in ((round(10 * a), round(10 * b)) for a, b in points):
        dx, dy = x - last_x, y - last_y
        if not parts:
            parts.append(f"M{_tenths(x)} {_tenths(y)}")
        elif dx and dy:
            parts.append(f"l{_tenths(dx)}{'' if dy < 0 else ' '}{_tenths(dy)}")
        elif dx or dy:
            parts.append(f"h{_tenths(dx)}" if dx else f"v{_tenths(dy)}")
        last_x, last_y = x, y
    return "".join(parts)


def _tenths(value: int) -> str:
    whole, tenth = divmod(abs(value), 10)
    return ("-" if value < 0 else "") + (str(whole) if whole or not tenth else "") + (f".{tenth}" if tenth else "")


def _group(anchor: str, labels: Sequence[Markup]) -> Markup:
    return element("g", *labels, text_anchor=anchor) if labels else Markup("")


@dataclass(frozen=True)
class Plot:
    """A rectangle with two scales; y grows upwards."""

    x: Scale
    y: Scale
    width: float
    height: float

    @classmethod
    def of(
        cls,
        x: tuple[float, float],
        y: tuple[float, float],
        *,
        width: float = 440,
        height: float = 360,
        left: float = 52,
    ) -> Plot:
        """With room at the left and below for the labels of the axes."""
        return cls(Scale(*x, left, width - 10), Scale(*y, height - 42, 10), width, height)

    def axes(self, x_title: str, y_title: str, *, ticks: int = 5, along: bool = True) -> Markup:
        """Lines across at round values, with their labels; `along` says whether the x axis has labels, too."""
        left, right, bottom, top = self.x.start, self.x.end, self.y.start, self.y.end
        heights, places = self.y.ticks(ticks), self.x.ticks(ticks) if along else []
        turned = f"translate(12 {(top + bottom) / 2:.0f}) rotate(-90)"
        return Markup("").join(
            [
                element("path", class_="grid", d="".join(f"M{left:g} {self.y(v):g}H{right:g}" for v in heights)),
                _group("end", [element("text", tick_label(v), x=left - 7, y=self.y(v) + 4) for v in heights]),
                _group("middle", [element("text", tick_label(v), x=self.x(v), y=bottom + 17) for v in places]),
                element("text", x_title, x=(left + right) / 2, y=self.height - 5, text_anchor="middle"),
                element("text", y_title, transform=turned, text_anchor="middle"),
            ]
        )

    def path(self, points: Iterable[Sequence[float]], style: str) -> Markup:
        """A line through points."""
        places = (f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
        return element("path", d="M" + "L".join(places), class_=style)

    def segment(self, a: tuple[float, float], b: tuple[float, float], style: str) -> Markup:
        return element("line", x1=self.x(a[0]), y1=self.y(a[1]), x2=self.x(b[0]), y2=self.y(b[1]), class_=style)

    def drawn(self, *parts: str, label: str, **attributes: object) -> Markup:
        """The whole as an SVG element with a name for those who cannot see it."""
        box = f"0 0 {self.width:g} {self.height:g}"
        return element("svg", *parts, viewBox=box, role="img", aria_label=label, **attributes)
