"""What else matters where models were fitted here: time against the goal, and learning curves."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from referee.fitting.selection_document import seconds
from referee.report.figures.looks import look, mark
from referee.report.figures.pictures import Picture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from referee.fitting import CurvePoint, Tradeoff
    from referee.page.subject import Subject

SHORTEST = 1e-7
TIMES = {"fit_seconds": "time to fit", "predict_seconds": "time to predict"}


def tradeoff_pictures(subject: Subject) -> Iterator[Picture]:
    rows = [row for row in _rows(subject) if row.value is not None]
    if subject.verdict is None or not rows:
        return
    goal = subject.verdict.goal
    panels = [partial(_draw, subject, rows, field, goal.shown_name) for field in TIMES]
    legend = {subject.labels[row.model]: mark(subject.places[row.model]) for row in rows}
    title = f"Time against {goal.shown_name}, {goal.better} is better"
    yield Picture("tradeoffs", title, panels, legend, across=2, width=3.8, height=3.4)


def learning_curve_pictures(subject: Subject) -> Iterator[Picture]:
    rows = [row for row in _rows(subject) if row.learning_curve]
    if subject.verdict is None or not rows:
        return
    goal = subject.verdict.goal.shown_name
    panels = [
        partial(_draw_growth, subject, rows, f"{goal} on the test rows", lambda point: point.test),
        partial(_draw_growth, subject, rows, "time to fit", lambda point: point.fit_seconds),
    ]
    legend = {subject.labels[row.model]: mark(p) | look(p) for row in rows for p in [subject.places[row.model]]}
    yield Picture("learning_curve", "Learning curves", panels, legend, across=2, width=3.8, height=3.4)


def _rows(subject: Subject) -> list[Tradeoff]:
    selection = subject.verdict.selection if subject.verdict else None
    return [row for row in (selection.tradeoffs if selection else ()) if row.model in subject.shown]


def _draw(subject: Subject, rows: Sequence[Tradeoff], field: str, goal: str, axes: Any) -> None:
    for row in rows:
        place, time = subject.places[row.model], max(getattr(row, field), SHORTEST)
        axes.plot([time], [row.value], markersize=8, gid=f"model-{place}", **mark(place))
    axes.set(xscale="log", xlabel=f"{TIMES[field]}, CPU time", ylabel=goal)
    axes.margins(0.12)
    _in_seconds(axes.xaxis)


def _draw_growth(
    subject: Subject, rows: Sequence[Tradeoff], title: str, value: Callable[[CurvePoint], float | None], axes: Any
) -> None:
    for row in reversed(rows):
        place = subject.places[row.model]
        points = [(point.rows, found) for point in row.learning_curve if (found := value(point)) is not None]
        if points:
            axes.plot(*zip(*points, strict=True), gid=f"model-{place}", **mark(place) | look(place))
    axes.set(xscale="log", title=title, xlabel="training rows")
    sizes = sorted({point.rows for row in rows for point in row.learning_curve})
    axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes], rotation=90 if len(sizes) > 5 else 0)
    axes.set_xticks([], minor=True)
    if title == "time to fit":
        axes.set_yscale("log")
        _in_seconds(axes.yaxis)


def _in_seconds(axis: Any) -> None:
    """Round times in words; matplotlib would write powers as mathematics, which is off."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 500 else (1,)))
    axis.set_major_formatter(FuncFormatter(lambda time, _: seconds(time)))
    axis.set_minor_formatter(NullFormatter())
