"""What else matters where models were fitted here: speed, size, robustness, and what more rows would bring."""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING

from referee.document import Cell, Column, as_sentence, element, message_line, number_cell
from referee.document.svg import Plot, Scale, marker, spanning
from referee.fitting.selection_document import (
    breaker_in_words,
    change_in_words,
    curve_remarks,
    growth_in_words,
    mix_name,
    nested_in_words,
    penalty_remarks,
    penalty_rows,
    sampled_in_words,
    seconds,
    size_in_words,
)
from referee.page.sections.curves import dotted_line, legend
from referee.page.shell import Section, figure, rendered, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from referee.comparing import Verdict
    from referee.fitting import PenaltyChoice, Selection, Tradeoff
    from referee.page.subject import Subject


LEAD = (
    "Where models tie on the goal, these may decide; they are shown, never applied silently. Times are CPU time, "
    "medians over the splits."
)
SHORTEST = 1e-7
FEWEST_TICKS = 3
DIGITS = 12


def tradeoffs_section(subject: Subject, verdict: Verdict) -> Section | None:
    if verdict.selection is None or not verdict.selection.tradeoffs:
        return None
    rows = verdict.selection.tradeoffs
    times = {"fit_seconds": "Time to fit", "predict_seconds": "Time to predict"}
    body = rendered(
        "section/tradeoffs.html",
        charts=[_chart(subject, verdict, rows, field, title) for field, title in times.items()],
        table=_table(subject, verdict, rows),
        robustness=_robustness(subject, verdict, rows) if rows[0].robustness else "",
        penalty=_penalty(subject, verdict.selection.penalty) if verdict.selection.penalty else "",
        remarks=[message_line(remark) for remark in _remarks(verdict.selection, verdict)],
    )
    return Section("tradeoffs", "Speed, size and robustness", body, LEAD, "Trade-offs")


def _chart(subject: Subject, verdict: Verdict, rows: Sequence[Tradeoff], field: str, title: str) -> Markup:
    known = [(row, log10(max(getattr(row, field), SHORTEST)), row.value) for row in rows if row.value is not None]
    across = spanning((time for _, time, _ in known), 0, 1, around=0.15)
    up = spanning((value for _, _, value in known), 0, 1, around=0.12)
    plot = Plot.of((across.low, across.high), (up.low, up.high), height=290, left=62)
    times = {seconds(time): log10(time) for time in _round_times(across.low, across.high)}
    ticks = [
        element("text", words, x=plot.x(time), y=plot.y.start + 17, text_anchor="middle")
        for words, time in times.items()
    ]
    dots = [_dot(subject, plot, row, time, value) for row, time, value in known]
    axes = plot.axes(f"{title}, CPU time", verdict.goal.shown_name, along=False)
    label = f"{title} vs {verdict.goal.shown_name}"
    return figure(plot.drawn(axes, *ticks, *dots, label=label), name=title.lower().replace(" ", "-"), title=title)


def _round_times(low: float, high: float) -> list[float]:
    """Powers of ten between two logarithms, or more where these are few."""
    for factors in ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 5, 7)):
        times = [factor * 10.0**power for power in range(-8, 8) for factor in factors]
        within = [time for time in times if low <= log10(time) <= high]
        if len(within) >= FEWEST_TICKS:
            return within
    return Scale(10.0**low, 10.0**high, 0, 1).ticks(FEWEST_TICKS)


def _dot(subject: Subject, plot: Plot, row: Tradeoff, time: float, value: float) -> Markup:
    x, y = plot.x(time), plot.y(value)
    to_the_right = x < (plot.x.start + plot.x.end) / 2
    side = {"x": x + 10, "text_anchor": "start"} if to_the_right else {"x": x - 10, "text_anchor": "end"}
    return marker(subject.places[row.model], x, y) + element(
        "text", subject.labels[row.model], y=y - 8, class_="label", **side
    )


def _table(subject: Subject, verdict: Verdict, rows: Sequence[Tradeoff]) -> Markup:
    columns: list[Column | str] = ["Model", Column("Pareto optimal", words=True)]
    mix = None if verdict.selection is None else mix_name(verdict.selection)
    columns += ["Test", *([mix] if mix else []), "Training", "Training minus test", "Fit", "Predict", "Size"]
    caption = f"{verdict.goal.shown_name}, time and size of each model"
    return table(
        caption,
        columns,
        [_cells(subject, row, mixed=mix is not None) for row in rows],
        name="trade-offs",
        sortable=True,
    )


def _cells(subject: Subject, row: Tradeoff, *, mixed: bool) -> list[Cell]:
    gap = None if row.test is None or row.train is None else round(row.train - row.test, DIGITS)
    return [
        subject.cell(row.model),
        Cell("yes" if row.efficient else ""),
        *(number_cell(value) for value in (row.test, *([row.combined] if mixed else []), row.train, gap)),
        *(Cell(seconds(value), value) for value in (row.fit_seconds, row.predict_seconds)),
        Cell(size_in_words(row)),
    ]


def _robustness(subject: Subject, verdict: Verdict, rows: Sequence[Tradeoff]) -> Markup:
    noises = [f"{noise.kind}={noise.rate:g}" for noise in rows[0].robustness]
    cells = [
        [
            subject.cell(row.model),
            *(Cell(change_in_words(noise), noise.change, hint=noise.undefined or "") for noise in row.robustness),
        ]
        for row in rows
    ]
    caption = f"How far {verdict.goal.shown_name} moves with noise in the data"
    return table(caption, ["Model", *noises], cells, name="robustness", sortable=True)


def _penalty(subject: Subject, choice: PenaltyChoice) -> Markup:
    columns = ["Model", choice.kind.misfit, choice.kind.complexity, choice.kind.title, "Above the smallest"]
    rows = penalty_rows(choice, subject.cell)
    return table(f"{choice.kind.title} of each model, fitted on all rows", columns, rows, name="penalty", sortable=True)


def _remarks(selection: Selection, verdict: Verdict) -> Iterator[str]:
    """What decides a tie for those who want that, and what selecting is worth."""
    for breaker in selection.tie_breakers:
        yield f"Of the tied models, {breaker_in_words(breaker)}."
    if selection.one_standard_error is not None:
        yield as_sentence(selection.one_standard_error.sentence)
    if selection.penalty is not None:
        yield from map(as_sentence, penalty_remarks(selection.penalty))
    yield from map(as_sentence, sampled_in_words(selection.tradeoffs[0]))
    if selection.nested is not None:
        yield from map(as_sentence, nested_in_words(selection.nested, verdict.goal))


CURVES_LEAD = (
    "The goal on the same test rows with fewer training rows. A curve that still {} at its right end suggests that "
    "more rows would help; a flat one suggests that they would not."
)
STILL = {"higher": "climbs", "lower": "falls"}


def learning_curves_section(subject: Subject, verdict: Verdict) -> Section | None:
    rows = [row for row in (verdict.selection.tradeoffs if verdict.selection else ()) if row.learning_curve]
    if verdict.selection is None or not rows:
        return None
    goal = verdict.goal.shown_name
    charts = [
        _curve_chart(subject, rows, f"{goal} on the test rows", "learning-curve", "test"),
        _curve_chart(subject, rows, "Time to fit, ms of CPU time", "learning-curve-time", "fit_seconds", times=1000),
    ]
    body = rendered(
        "section/learning_curves.html",
        legend=legend([subject.labels[name] for name in subject.shown]),
        charts=charts,
        table=_curves_table(subject, rows, goal),
        remarks=[message_line(remark) for remark in curve_remarks(verdict.selection)],
    )
    return Section("learning", "Learning curves", body, CURVES_LEAD.format(STILL[verdict.goal.better]), "Learning")


def _curve_chart(
    subject: Subject, rows: Sequence[Tradeoff], title: str, name: str, field: str, times: float = 1
) -> Markup:
    drawn: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        known = [(point.rows, value) for point in row.learning_curve if (value := getattr(point, field)) is not None]
        if known and row.model in subject.shown:
            drawn[row.model] = [(log10(size), times * value) for size, value in known]
    across = spanning((x for points in drawn.values() for x, _ in points), 0, 1)
    up = spanning((y for points in drawn.values() for _, y in points), 0, 1)
    plot = Plot.of((across.low, across.high), (up.low, up.high), height=300, left=62)
    lines = [dotted_line(plot, subject.places[model], points) for model, points in drawn.items()]
    sizes = sorted({point.rows for row in rows for point in row.learning_curve})
    ticks = [
        element("text", f"{size:,.0f}", x=plot.x(log10(size)), y=plot.y.start + 17, text_anchor="middle")
        for size in sizes
    ]
    axes = plot.axes("Training rows", "", along=False)
    return figure(plot.drawn(axes, *ticks, *lines, label=f"{title} by training rows"), name=name, title=title)


def _curves_table(subject: Subject, rows: Sequence[Tradeoff], goal: str) -> Markup:
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
