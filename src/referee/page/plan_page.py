"""The page of a plan: power against rows as a chart, and the parts of its document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document import element, number, part_html
from referee.document.svg import Plot
from referee.page.every_page import document_card, part_section
from referee.page.shell import Fact, Section, figure, page, rendered, reproduction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from referee.advice import Plan
    from referee.document import Part


def plan_page(plan: Plan, *, command: str = "") -> str:
    """A plan as one self-contained HTML file.

    >>> from referee import plan
    >>> text = plan_page(plan(goal="accuracy", margin=0.02, value=0.85, correlation=0.6))
    >>> 'data-name="power"' in text, "1,903 rows" in text
    (True, True)
    """
    document = plan.document()
    first, *rest = document.parts
    card = document_card(document, "Plan", plan.sentence, facts=_facts(plan))
    facts = [("Basis", plan.basis.said), ("Alpha", f"{plan.alpha:g}"), ("Power", f"{plan.power:g}")]
    again = [reproduction(command, facts)] if command else []
    return page(plan.sentence, [_drawn(plan, first), *map(part_section, rest), *again], opening=card)


def _facts(plan: Plan) -> Iterator[Fact]:
    if plan.units is not None:
        yield Fact(f"{plan.unit.capitalize()}s", f"{plan.units:,}")
    if plan.smallest_difference is not None:
        yield Fact("Smallest difference", number(plan.smallest_difference))


def _drawn(plan: Plan, part: Part) -> Section:
    drawing = figure(_chart(plan), name="power", title=part.title)
    body = rendered("section/pictures.html", pictures=[drawing], table=part_html(part))
    lead = "" if plan.low is None else "The band is what the pilot leaves possible: its standard error is an estimate."
    return Section("power", part.title, element("div", body, class_="card"), lead, "Power")


def _chart(plan: Plan) -> Markup:
    return _of_power(plan) if plan.margin is not None else _of_differences(plan)


def _of_power(plan: Plan) -> Markup:
    """Power against units, with the power that is asked for and the units that have it."""
    points = plan.traced()
    plot = Plot.of((0.0, float(points[-1].units)), (0.0, 1.0))
    parts = [plot.axes(f"{plan.unit.capitalize()}s", f"Power to find {plan.margin:g}")]
    if points[0].power_low is not None:
        there = [(point.units, point.power_low) for point in points]
        back = [(point.units, point.power_high) for point in reversed(points)]
        parts.append(plot.path([*there, *back], "band c0"))  # type: ignore[list-item]
    parts.append(plot.segment((0.0, plan.power), (points[-1].units, plan.power), "reference"))
    if plan.units is not None:
        parts.append(plot.segment((plan.units, 0.0), (plan.units, plan.power), "reference"))
    parts.append(plot.path([(point.units, point.power or 0.0) for point in points], "curve c0 s0"))
    return plot.drawn(*parts, label=f"Power against {plan.unit}s")


def _of_differences(plan: Plan) -> Markup:
    """The smallest difference against units, and what the given ones find."""
    points = [point for point in plan.traced() if point.units >= plan.curve[0].units]
    top = points[0].smallest_difference
    plot = Plot.of((0.0, float(points[-1].units)), (0.0, top))
    parts = [plot.axes(f"{plan.unit.capitalize()}s", f"Difference in {plan.goal.shown_name}")]
    if plan.given is not None and plan.smallest_difference is not None:
        parts.append(plot.segment((plan.given, 0.0), (plan.given, plan.smallest_difference), "reference"))
    parts.append(plot.path([(point.units, point.smallest_difference) for point in points], "curve c0 s0"))
    return plot.drawn(*parts, label=f"Smallest difference against {plan.unit}s")
