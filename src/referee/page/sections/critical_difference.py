"""The critical-difference diagram: mean ranks over data sets on one line, bars over those that are not told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document import element
from referee.document.svg import Scale, marker
from referee.page.shell import figure
from referee.wording import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from markupsafe import Markup

    from referee.comparing import Verdict
    from referee.page.subject import Subject

WIDTH, LEFT, RIGHT = 760, 150.0, 610.0
AXIS, BAR, LINE = 58, 9, 22
MOST_MODELS = 20
LONGEST_NAME = 18


def critical_difference(subject: Subject, verdict: Verdict) -> Markup | str:
    """Nothing where there are no mean ranks, or too many models to read them off."""
    if verdict.across is None or len(verdict.values) > MOST_MODELS:
        return ""
    details = verdict.across.details
    ranks = dict(sorted(details["mean_ranks"].items(), key=lambda item: item[1]))
    drawing = _drawn(subject, ranks, details["critical_difference"])
    title = "Mean ranks, best at the left; bars join models closer than the critical difference"
    return figure(drawing, name="critical-difference", title=title)


def level_stretches(ranks: Sequence[float], critical: float) -> list[tuple[int, int]]:
    """The longest stretches of rising ranks that are not told apart, from one place to another.

    >>> level_stretches([1.0, 1.5, 2.4, 4.0], 1.0)
    [(0, 1), (1, 2)]
    """
    ends = [
        max(last for last in range(len(ranks)) if ranks[last] - ranks[first] <= critical) for first in range(len(ranks))
    ]
    return [(first, last) for first, last in enumerate(ends) if last > first and (first == 0 or ends[first - 1] < last)]


def _drawn(subject: Subject, ranks: Mapping[str, float], critical: float) -> Markup:
    values = list(ranks.values())
    scale = Scale(1, len(ranks), LEFT, RIGHT)
    stretches = level_stretches(values, critical)
    top = AXIS + BAR * (len(stretches) + 1)
    half = (len(ranks) + 1) // 2
    parts = [*_axis(scale, len(ranks)), *_critical(scale, critical)]
    parts += [_stretch(scale, values, one, AXIS + BAR * (place + 1)) for place, one in enumerate(stretches)]
    for place, (name, rank) in enumerate(ranks.items()):
        row = place if place < half else len(ranks) - 1 - place
        parts += _model(subject, name, scale(rank), top + LINE * (row + 1), is_left=place < half, rank=rank)
    box = f"0 0 {WIDTH} {top + LINE * (half + 1)}"
    return element("svg", *parts, viewBox=box, role="img", aria_label="Critical-difference diagram")


def _axis(scale: Scale, models: int) -> Iterator[Markup]:
    yield element("line", x1=scale.start, x2=scale.end, y1=AXIS, y2=AXIS, class_="cursor")
    for rank in range(1, models + 1):
        yield element("line", x1=scale(rank), x2=scale(rank), y1=AXIS - 5, y2=AXIS, class_="cursor")
        yield element("text", str(rank), x=scale(rank), y=AXIS - 9, text_anchor="middle")


def _critical(scale: Scale, critical: float) -> Iterator[Markup]:
    """How far apart ranks must be, as long as it is on the axis."""
    end = min(scale(1 + critical), float(WIDTH))
    yield element("line", x1=scale.start, x2=end, y1=22, y2=22, class_="cursor")
    for x in (scale.start, end):
        yield element("line", x1=x, x2=x, y1=18, y2=26, class_="cursor")
    said = f"critical difference {critical:.2f}"
    yield element("text", said, x=(scale.start + end) / 2, y=13, text_anchor="middle")


def _stretch(scale: Scale, ranks: Sequence[float], places: tuple[int, int], y: float) -> Markup:
    first, last = (scale(ranks[place]) for place in places)
    return element("line", x1=first - 4, x2=last + 4, y1=y, y2=y, class_="level")


def _model(subject: Subject, name: str, x: float, y: float, *, is_left: bool, rank: float) -> Iterator[Markup]:
    edge, anchor = (LEFT - 14, "end") if is_left else (RIGHT + 14, "start")
    yield element("path", d=f"M{x:.1f} {AXIS}V{y}H{edge}", class_="lead")
    yield marker(subject.places[name], x, AXIS)
    label = f"{one_line(subject.labels[name], LONGEST_NAME)} {rank:.2f}"
    yield element("text", label, x=edge + (-4 if is_left else 4), y=y + 4, text_anchor=anchor, class_="label")
