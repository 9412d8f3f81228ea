"""Charts as hand-written SVG: a plot with two axes, and the frame with a caption and the numbers behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from referee.report.page.document import rendered
from referee.report.page.elements import element
from referee.report.page.scales import Scale, tick_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


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
                *(element("line", class_="grid", x1=left, x2=right, y1=y, y2=y) for y in map(self.y, heights)),
                *(element("text", tick_label(v), x=left - 7, y=self.y(v) + 4, text_anchor="end") for v in heights),
                *(element("text", tick_label(v), x=self.x(v), y=bottom + 17, text_anchor="middle") for v in places),
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


def figure(drawing: Markup, *, name: str, title: str = "", behind: str = "") -> Markup:
    """A chart in its frame: saved as `name`.svg, and with the table of its numbers `behind` it.

    >>> "<figure" in figure(element("svg"), name="roc", title="ROC")
    True
    """
    return rendered("figure.html", drawing=drawing, name=name, title=title, behind=behind)
