"""Learning curves: what more training rows would bring, where `select` was asked for them."""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING

from markupsafe import Markup

from referee.document import Cell, element, number_cell
from referee.document.svg import Plot, look, marker, spanning
from referee.fitting.selection_document import curve_remarks, growth_in_words, seconds
from referee.page.sections.curves import legend
from referee.page.shell import Section, figure, rendered, table
from referee.wording import message_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.comparing import Verdict
    from referee.fitting import CurvePoint, Tradeoff
    from referee.page.subject import Subject

LEAD = (
    "The goal on the same test rows after fewer training rows. A curve that still {} at its right end says that more "
    "rows would help; one that is level says that they would not."
)
STILL = {"higher": "climbs", "lower": "falls"}


def learning_curves_section(subject: Subject, verdict: Verdict) -> Section | None:
    rows = [row for row in (verdict.selection.tradeoffs if verdict.selection else ()) if row.learning_curve]
    if verdict.selection is None or not rows:
        return None
    goal = verdict.goal.shown_name
    charts = [
        _chart(subject, rows, f"{goal} on the test rows", "learning-curve", lambda point: point.test),
        _chart(
            subject,
            rows,
            "Time to fit, ms of CPU time",
            "learning-curve-time",
            lambda point: _milliseconds(point.fit_seconds),
        ),
    ]
    body = rendered(
        "section/learning_curves.html",
        legend=legend([subject.labels[name] for name in subject.shown]),
        charts=charts,
        table=_table(subject, rows, goal),
        remarks=[message_line(remark) for remark in curve_remarks(verdict.selection)],
    )
    return Section("learning", "Learning curves", body, LEAD.format(STILL[verdict.goal.better]), "Learning")


def _milliseconds(time: float | None) -> float | None:
    return None if time is None else 1000 * time


def _chart(
    subject: Subject, rows: Sequence[Tradeoff], title: str, name: str, value: Callable[[CurvePoint], float | None]
) -> Markup:
    drawn = {row.model: [(log10(p.rows), v) for p in row.learning_curve if (v := value(p)) is not None] for row in rows}
    drawn = {model: points for model, points in drawn.items() if points and model in subject.shown}
    across = spanning((x for points in drawn.values() for x, _ in points), 0, 1)
    up = spanning((y for points in drawn.values() for _, y in points), 0, 1)
    plot = Plot.of((across.low, across.high), (up.low, up.high), height=300, left=62)
    lines = [_line(plot, subject.places[model], points) for model, points in drawn.items()]
    sizes = sorted({point.rows for row in rows for point in row.learning_curve})
    ticks = [
        element("text", f"{size:,.0f}", x=plot.x(log10(size)), y=plot.y.start + 17, text_anchor="middle")
        for size in sizes
    ]
    axes = plot.axes("Training rows", "", along=False)
    return figure(plot.drawn(axes, *ticks, *lines, label=f"{title} by training rows"), name=name, title=title)


def _line(plot: Plot, place: int, points: Sequence[tuple[float, float]]) -> Markup:
    line = plot.path(points, f"curve {look(place)} model-{place}")
    style = f"dot {look(place)} model-{place}"
    return line + Markup("").join(marker(place, plot.x(x), plot.y(y), 4.0, class_=style) for x, y in points)


def _table(subject: Subject, rows: Sequence[Tradeoff], goal: str) -> Markup:
    columns = ["Model", "Training rows", f"{goal}, test", f"{goal}, training", "Fit", "Its time grows as"]
    cells = [
        [
            Cell(subject.labels[row.model], row.model),
            Cell(f"{point.rows:,.0f}", point.rows),
            *map(number_cell, (point.test, point.train)),
            Cell(seconds(point.fit_seconds), point.fit_seconds),
            Cell(growth_in_words(row.growth)),
        ]
        for row in rows
        for point in row.learning_curve
    ]
    return table("Learning curves", columns, cells, name="learning-curves", sortable=True)
