"""Calibration: does what is said to happen in 30% of the cases do so? As delivered, and recalibrated."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from referee.calibration import Calibration, Change, Reliability, Settings, calibration_of, reliability
from referee.document import Cell, Column, element, level, message_line, number, number_cell, one_line, short_p
from referee.document.svg import Plot, look
from referee.engines import engine_of
from referee.errors import RefereeError
from referee.page.shell import Section, figure, rendered, table
from referee.records import dataclass
from referee.scoring import metrics, why_not

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

    from referee.page.subject import Subject
    from referee.predictions import Predictions

MOST_ROWS = 200_000
"""Beyond, maps are not fitted for the report: `referee calibrate` does that."""
METHODS = {"platt": "Platt scaling", "isotonic": "isotonic regression"}
FOLDS = 5
DIGITS = 6
"""Of the points of a drawing, which a CSV file has."""


@dataclass(frozen=True, eq=False)
class Panel:
    """One model: its diagrams, and what recalibrating it would bring."""

    name: str
    place: int
    diagrams: dict[str, Reliability]
    recalibration: Calibration | None
    reason: str = ""
    """Why no map was fitted, where none was."""

    @property
    def change(self) -> Change | None:
        """What the best map does to the log loss, where both are known and compared."""
        if self.recalibration is None:
            return None
        change = self.recalibration.change(self.recalibration.goal.full_name, self.recalibration.best)
        return None if None in (change.before, change.after, change.comparison.p) else change

    @property
    def helps(self) -> bool:
        return self.change is not None and self.change.comparison.outcome == "a"

    @property
    def gain(self) -> str:
        if self.recalibration is None or self.change is None:
            return ""
        before, after = self.change.before or 0.0, self.change.after or 0.0
        if not self.helps:
            return "recalibration does not help significantly"
        cut = f"{100 * (1 - after / before):.0f}%"
        method = METHODS[self.recalibration.best]
        return f"{method} would cut its log loss by {cut}, from {number(before)} to {number(after)}"


def calibration_section(subject: Subject) -> Section | None:
    """For models that give probabilities."""
    panels = subject.calibrated
    if not panels:
        return None
    body = rendered(
        "section/calibration.html",
        panels=[_shown(subject, panel) for panel in panels],
        how=next((panel.recalibration.how for panel in panels if panel.recalibration), ""),
        left_out=subject.left_out,
    )
    event = panels[0].diagrams["As delivered"].event
    what = "the most probable class" if subject.predictions.positive is None else f"class {one_line(event)!r}"
    lead = (
        f"When a model says 30% for {what}, does it happen 30% of the time? On the diagonal, it does. Bars are 95% "
        "intervals of the share; larger dots have more rows."
    )
    return Section("calibration", "Calibration", body, lead.replace("95%", level(subject.alpha)), "Calibration")


def panels_of(subject: Subject) -> list[Panel]:
    """Of the models that give probabilities, where the rows are in memory."""
    predictions = subject.predictions
    if not predictions.classes or not predictions.has_rows:
        return []
    models = [predictions.model(name) for name in subject.detailed]
    facts = engine_of(predictions).facts
    return [
        _panel(subject, model.name)
        for model in models
        if not why_not(metrics["calibration_error"], model, facts(predictions, model))
    ]


def _panel(subject: Subject, name: str) -> Panel:
    recalibration = _recalibrated(subject, name)
    if isinstance(recalibration, str):
        diagrams = {"As delivered": _diagram(subject, subject.predictions, name)}
        return Panel(name, subject.places[name], diagrams, None, recalibration)
    titles = {"As delivered": name} | {
        f"After {METHODS[method]}": fitted.model.name for method, fitted in recalibration.fitted.items()
    }
    diagrams = {title: _diagram(subject, recalibration.predictions, model) for title, model in titles.items()}
    return Panel(name, subject.places[name], diagrams, recalibration)


def _diagram(subject: Subject, predictions: Predictions, name: str) -> Reliability:
    return reliability(predictions, name, method="mass", band="confidence", alpha=subject.alpha)


def _recalibrated(subject: Subject, name: str) -> Calibration | str:
    """Maps that are fitted and judged on different rows; or why there are none."""
    if subject.predictions.rows > MOST_ROWS:
        return f"the page does this for up to {MOST_ROWS:,} rows, `referee calibrate` for more"
    try:
        settings = Settings([*METHODS], metrics=["brier"], folds=FOLDS, alpha=subject.alpha, seed=subject.seed)
        return calibration_of(subject.predictions, name, settings)
    except RefereeError as error:
        return error.message


def _shown(subject: Subject, panel: Panel) -> dict[str, object]:
    maps = [f"-{method}" for method in (panel.recalibration.fitted if panel.recalibration else ())]
    charts = [
        figure(diagram({panel.place: bins}), name=f"calibration-{panel.place + 1}{which}", title=title)
        for which, (title, bins) in zip(("", *maps), panel.diagrams.items(), strict=True)
    ]
    shown = {"charts": charts, "points": _points(panel), "table": _table(panel)}
    said = {"gain": panel.gain, "helps": panel.helps, "reason": message_line(panel.reason).rstrip(".")}
    return shown | said | {"label": subject.labels[panel.name]}


def diagram(each: Mapping[int, Reliability]) -> Markup:
    """What was said against what happened, by the places of the models; of one model with intervals."""
    plot = Plot.of((0, 1), (0, 1), width=320, height=310)
    lines = [_line(plot, place, bins, whiskers=len(each) == 1) for place, bins in reversed([*each.items()])]
    return plot.drawn(
        plot.axes("Forecast", "Observed"),
        plot.segment((0, 0), (1, 1), "reference"),
        *lines,
        label="Reliability diagram",
    )


def _line(plot: Plot, place: int, bins: Reliability, *, whiskers: bool) -> Markup:
    points = [*zip(bins.forecast.tolist(), bins.observed.tolist(), strict=True)]
    ends = zip(points, bins.low.tolist(), bins.high.tolist(), strict=True)
    bars = "".join(f"M{plot.x(x):.1f} {plot.y(low):.1f}V{plot.y(high):.1f}" for (x, _), low, high in ends)
    sizes = [2.5 + 4.5 * sqrt(rows) for rows in (bins.rows / bins.rows.max()).tolist()]
    dots = [element("circle", cx=plot.x(x), cy=plot.y(y), r=size) for (x, y), size in zip(points, sizes, strict=True)]
    parts = [
        plot.path(points, f"curve faint {look(place)}"),
        element("path", d=bars, class_=f"error {look(place)}") if whiskers else "",
        element("g", *dots, class_=f"dot {look(place)}"),
    ]
    return element("g", *parts, class_=f"model-{place}")


def _points(panel: Panel) -> Markup:
    """The points of all diagrams of a model."""
    columns = ["Diagram", "Forecast", "Observed", "Low", "High", "Rows"]
    rows = []
    for title, bins in panel.diagrams.items():
        arrays = (bins.forecast, bins.observed, bins.low, bins.high)
        for *values, many in zip(*(array.tolist() for array in arrays), bins.rows.tolist(), strict=True):
            drawn = (Cell(number(value), float(f"{value:.{DIGITS}g}")) for value in values)
            rows.append([Cell(title), *drawn, Cell(f"{many:,.6g}", many)])
    return table("Points of the reliability diagrams", columns, rows, name=f"reliability-{panel.place + 1}")


def _table(panel: Panel) -> Markup | str:
    """Log loss and Brier score before and after."""
    if panel.recalibration is None:
        return ""
    columns: list[Column | str] = ["Map", Column("Metric", words=True), "Before", "After", "Change", "p"]
    rows: list[Sequence[Cell]] = []
    for change in panel.recalibration.changes:
        p = change.comparison.p
        words = "–" if p is None else short_p(p)
        numbers = map(number_cell, (change.before, change.after, change.comparison.difference))
        rows.append([Cell(f"After {METHODS[change.method]}"), Cell(change.metric.shown_name), *numbers, Cell(words, p)])
    return table("Before and after", columns, rows, name=f"recalibration-{panel.place + 1}")
