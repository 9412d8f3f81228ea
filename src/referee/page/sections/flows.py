"""Figure 1 as a drawing: what is so at the left, what is selected at the right, and how much flows where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document import element
from referee.paper import OUTCOMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    Crossed = Sequence[Sequence[int]]

WIDTH, HEIGHT, TOP, GAP, NODE = 330.0, 230.0, 24.0, 14.0, 10.0
LEFT, RIGHT = 86.0, WIDTH - 96.0
COLOURS = ("c0", "c1", "c3")
"""Of what is selected correctly, of a tie confused with a difference, and of the worse taken for the better."""


def flow(crossed: Crossed, title: str) -> Markup:
    """Repetitions from their outcome by the goal (rows) to what is selected (columns).

    >>> str(flow([[9, 4, 0], [2, 60, 3], [0, 3, 19]], "by accuracy")).count("<path")
    7
    """
    rows, columns = [sum(row) for row in crossed], [sum(column) for column in zip(*crossed, strict=True)]
    step = (HEIGHT - TOP - 4 - 2 * GAP) / max(1, sum(rows))
    starts, ends = _places(rows, step), _places(columns, step)
    parts = [
        element("text", "is so", x=LEFT, y=12.0, text_anchor="end"),
        element("text", "is selected", x=RIGHT, y=12.0),
        *_ribbons(crossed, list(starts), list(ends), step),
        *_nodes(rows, starts, step, LEFT - NODE, LEFT - NODE - 6, "end"),
        *_nodes(columns, ends, step, RIGHT, RIGHT + NODE + 6, "start"),
    ]
    return element("svg", *parts, viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}", role="img", aria_label=title)


def _places(counts: Sequence[int], step: float) -> list[float]:
    """Where each node begins, from above."""
    return [TOP + place * GAP + step * sum(counts[:place]) for place in range(len(counts))]


def _nodes(
    counts: Sequence[int], places: Sequence[float], step: float, x: float, label: float, anchor: str
) -> list[Markup]:
    nodes = []
    for outcome, count, y in zip(OUTCOMES, counts, places, strict=True):
        nodes.append(element("rect", x=x, y=y, width=NODE, height=max(1.0, step * count), class_="dot c4"))
        text = f"{outcome}: {count}"
        nodes.append(element("text", text, x=label, y=y + step * count / 2 + 4, text_anchor=anchor, class_="label"))
    return nodes


def _ribbons(crossed: Crossed, starts: list[float], ends: list[float], step: float) -> list[Markup]:
    ribbons = []
    for i, row in enumerate(crossed):
        for j, count in enumerate(row):
            if count:
                words = f"{count}: {OUTCOMES[i]} is selected as {OUTCOMES[j]}"
                path = _ribbon(starts[i], ends[j], step * count)
                ribbons.append(element("path", element("title", words), d=path, class_=f"bars {COLOURS[abs(i - j)]}"))
            starts[i] += step * count
            ends[j] += step * count
    return ribbons


def _ribbon(start: float, end: float, height: float) -> str:
    middle = (LEFT + RIGHT) / 2
    above = f"M{LEFT:.1f},{start:.1f}C{middle:.1f},{start:.1f} {middle:.1f},{end:.1f} {RIGHT:.1f},{end:.1f}"
    below = f"C{middle:.1f},{end + height:.1f} {middle:.1f},{start + height:.1f} {LEFT:.1f},{start + height:.1f}Z"
    return f"{above}L{RIGHT:.1f},{end + height:.1f}{below}"
