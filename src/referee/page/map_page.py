"""The page of a regret map: for each goal, what choosing by it and by the best other metric costs, drawn."""

from __future__ import annotations

from math import isfinite, log10
from typing import TYPE_CHECKING

from markupsafe import Markup

from referee.document import element, part_html
from referee.document.svg import Plot, look
from referee.page.every_page import document_card, part_section
from referee.page.sections.curves import dotted_line, legend
from referee.page.shell import Section, figure, page, rendered, reproduction
from referee.paper import SHOWN, SIZES, best_other, own_levels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.document import Part
    from referee.paper import Level, RegretMap

QUESTION = "On how many rows is the goal itself the best metric to choose by?"
LEAD = (
    "0 is always choosing the best model, 1 a random choice; bands are 95% intervals over data sources, of which "
    "fewer have so many rows to the right."
)


def map_page(regret_map: RegretMap, *, command: str = "") -> str:
    """The whole as one self-contained HTML file; the same map gives the same bytes."""
    document = regret_map.document()
    first, *rest = document.parts
    facts = [
        ("Seed", str(regret_map.seed)),
        ("Training sets of each problem", str(regret_map.splits)),
        ("Holdout sets of every size", str(regret_map.draws)),
        ("Sources", ", ".join(regret_map.sources)),
    ]
    sections = [_drawn(regret_map, first), *map(part_section, rest), reproduction(command, facts)]
    return page(QUESTION, sections, opening=document_card(document, "The regret map", QUESTION, document.about))


def _drawn(regret_map: RegretMap, part: Part) -> Section:
    drawings = [_figure(regret_map, goal) for goal in SHOWN]
    pictures = rendered("section/pictures.html", pictures=drawings, table=part_html(part))
    body = element("div", legend(["the goal itself", "best other metric"]), pictures, class_="card", data_legend="")
    return Section("regret", part.title, body, LEAD, "Chart")


def _figure(regret_map: RegretMap, goal: str) -> Markup:
    other = best_other(regret_map, goal)
    title = f"Goal {SHOWN[goal]}; best other metric: {SHOWN[other]}"
    levels = [own_levels(regret_map, selector, goal) for selector in ("goal", other)]
    name = SHOWN[goal].split(",")[0].lower().replace(" ", "-")
    return figure(_chart(levels, f"Regret by holdout rows. {title}"), name=f"regret-{name}", title=title)


def _chart(lines: Sequence[Sequence[Level]], label: str) -> Markup:
    """Regret against holdout rows, which stand at equal ratios."""
    known = [[(log10(rows), level) for rows, level in zip(SIZES, line, strict=True) if level.sources] for line in lines]
    top = max((end for line in known for _, level in line for end in (level.value, level.high) if isfinite(end)))
    plot = Plot.of((log10(SIZES[0]) - 0.1, log10(SIZES[-1]) + 0.1), (0.0, max(1.05 * top, 0.1)), height=300)
    ticks = [
        element("text", f"{rows:,}", x=plot.x(log10(rows)), y=plot.y.start + 17, text_anchor="middle") for rows in SIZES
    ]
    bands = [_band(plot, place, line) for place, line in enumerate(known)]
    curves = [dotted_line(plot, place, [(x, level.value) for x, level in line]) for place, line in enumerate(known)]
    axes = plot.axes("Holdout rows", "Regret", along=False)
    return plot.drawn(axes, *ticks, *bands, *curves, label=label)


def _band(plot: Plot, place: int, line: Sequence[tuple[float, Level]]) -> Markup:
    inside = [(x, level) for x, level in line if isfinite(level.high)]
    there = [(x, level.high) for x, level in inside]
    back = [(x, max(level.low, 0.0)) for x, level in reversed(inside)]
    return plot.path([*there, *back], f"band {look(place)} model-{place}") if inside else Markup("")
