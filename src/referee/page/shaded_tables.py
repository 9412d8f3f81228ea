"""A table whose cells are shaded, as a drawing: matrices of pairs, of confused classes, of what a choice costs."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple
from xml.etree.ElementTree import Element

from referee.page.chart_style import colour, shade
from referee.short_names import columns_of
from referee.wording import folded

if TYPE_CHECKING:
    from collections.abc import Iterator

LETTER, LINE, AROUND, GAP = 6.9, 15.0, 9.0, 2.0
WIDEST = 18
"""Letters of a line of a name; what is longer goes on below."""


class Cell(NamedTuple):
    """The lines of a cell, and what is below them."""

    lines: list[str]
    small: list[str]
    paper: str
    strong: bool = False

    @property
    def width(self) -> float:
        return LETTER * max((columns_of(line) for line in (*self.lines, *self.small)), default=0) + 2 * AROUND

    @property
    def height(self) -> float:
        return LINE * (len(self.lines) + len(self.small)) + AROUND


def is_shaded(table: Element) -> bool:
    """Whether colours say how much there is of something, or could do so."""
    return "matrix" in table.get("class", "").split() or any(shade(cell.get("class", "")) for cell in table.iter("td"))


def drawn_table(table: Element) -> Element:
    """As it stands on the page: names above and at the left, all else in the middle of its cell."""
    rows = [[*map(_cell, row)] for row in table.iter("tr")]
    widths = [max(row[place].width for row in rows) for place in range(len(rows[0]))]
    heights = [max(cell.height for cell in row) for row in rows]
    left, top = [0.0, *accumulate(widths)], [0.0, *accumulate(heights)]
    svg = Element("svg", {"viewBox": f"0 0 {left[-1]:g} {top[-1]:g}"})
    for y, height, row in zip(top, heights, rows, strict=False):
        for x, width, cell in zip(left, widths, row, strict=False):
            svg.extend(_drawn(cell, (x, y, width, height), at_left=x == 0))
    return svg


def _cell(element: Element) -> Cell:
    classes = element.get("class", "")
    text, below = (element.text or "").strip(), [small.text or "" for small in element.iter("small")]
    is_name = element.tag == "th"
    lines = folded(text, WIDEST).split("\n") if is_name else [text]
    return Cell(
        lines, [line for words in below for line in words.split("\n")], shade(classes), "best" in classes.split()
    )


def _drawn(cell: Cell, box: tuple[float, float, float, float], *, at_left: bool) -> Iterator[Element]:
    x, y, width, height = box
    if cell.paper:
        sides = {"x": x + GAP / 2, "y": y + GAP / 2, "width": width - GAP, "height": height - GAP}
        yield Element("rect", {name: f"{side:.1f}" for name, side in sides.items()} | {"rx": "4", "fill": cell.paper})
    middle = y + (height - cell.height) / 2 + AROUND / 2
    for place, line in enumerate([*cell.lines, *cell.small]):
        is_small = place >= len(cell.lines)
        looks = {"font-size": "11" if is_small else "12.5", "fill": colour("quiet" if is_small else "ink")}
        looks |= {"font-weight": "bold"} if cell.strong and not is_small else {}
        looks |= {} if at_left else {"text-anchor": "middle"}
        at = {"x": f"{0 if at_left else x + width / 2:.1f}", "y": f"{middle + LINE * (place + 0.75):.1f}"}
        text = Element("text", at | looks)
        text.text = line
        yield text
