"""SVG elements, and how a model looks in every chart: its colour, its dash, its shape."""

from __future__ import annotations

from markupsafe import Markup

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


def element(name: str, *children: str, **attributes: object) -> Markup:
    """An SVG element; everything given is escaped, `class_` is class and `stroke_width` is stroke-width.

    >>> element("text", "a < b", x=1.5, class_="label")
    Markup('<text x="1.5" class="label">a &lt; b</text>')
    """
    shown = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _plain(value))
        for key, value in attributes.items()
        if value is not None
    )
    inside = Markup("").join(children)
    return Markup("<{0}{1}>{2}</{0}>").format(name, shown, inside)


def _plain(value: object) -> object:
    """A place on a chart to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value


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
