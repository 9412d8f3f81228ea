"""Calibration: does what is said to happen in 30 % of the cases do so? As delivered, and recalibrated."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from referee.applicability import why_not
from referee.calibration import calibrate, reliability
from referee.engines import engine_of
from referee.errors import RefereeError
from referee.metric import metrics
from referee.report.page.charts import Plot, figure
from referee.report.page.document import Section, rendered
from referee.report.page.elements import element, look
from referee.report.page.tables import Cell, Column, of_number, table
from referee.verdict.sentence import p_value
from referee.wording import number, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from referee.calibration import Calibration, Reliability
    from referee.predictions import Predictions
    from referee.report.page.subject import Subject

MOST_MODELS = 8
MOST_ROWS = 200_000
"""Beyond, maps are not fitted for the report: `referee calibrate` does that."""
METHODS = {"platt": "After Platt scaling", "isotonic": "After isotonic regression"}
FOLDS = 5


@dataclass(frozen=True, eq=False)
class Panel:
    """One model: its diagrams, and what recalibrating it would bring."""

    name: str
    place: int
    diagrams: dict[str, Reliability]
    found: Calibration | None

    @property
    def gain(self) -> str:
        """What the best map does to the log loss."""
        if self.found is None:
            return ""
        change = self.found.change(self.found.goal.full_name, self.found.best)
        p = change.comparison.p
        if change.before is None or change.after is None or p is None:
            return ""
        if change.after >= change.before or p >= self.found.alpha:
            return "recalibrating does not help significantly"
        cut = f"{100 * (1 - change.after / change.before):.0f} %"
        return (
            f"{self.found.best} would cut its log loss by {cut}, from {number(change.before)} to {number(change.after)}"
        )

    @property
    def helps(self) -> bool:
        return "would cut" in self.gain


def calibration_section(subject: Subject) -> Section | None:
    """For models that give probabilities."""
    panels = panels_of(subject)
    if not panels:
        return None
    body = rendered(
        "section/calibration.html",
        panels=[_shown(subject, panel) for panel in panels],
        how=next((panel.found.how for panel in panels if panel.found), ""),
        left=len(subject.names) - MOST_MODELS,
    )
    event = panels[0].diagrams["As delivered"].event
    what = "the most probable class" if subject.predictions.positive is None else f"class {one_line(event)!r}"
    lead = (
        f"When a model says 30 % for {what}, does it happen 30 % of the time? Dots on the diagonal: yes. Bars are "
        "95 % intervals of the share; a larger dot has more rows."
    )
    return Section(
        "calibration", "Calibration", body, lead.replace("95 %", f"{100 * (1 - subject.alpha):g} %"), "Calibration"
    )


def panels_of(subject: Subject) -> list[Panel]:
    """Made once."""
    if not subject.calibrated:
        subject.calibrated.extend(_panels(subject))
    return subject.calibrated


def _panels(subject: Subject) -> Iterator[Panel]:
    predictions = subject.predictions
    if predictions.task == "regression" or predictions.engine != "memory":
        return
    for name in subject.names[:MOST_MODELS]:
        model = predictions.model(name)
        if why_not(metrics["calibration_error"], model, engine_of(predictions).facts(predictions, model)):
            continue
        found = _recalibrated(subject, name)
        judged = predictions if found is None else found.predictions
        titles = {"As delivered": name} | (
            {} if found is None else {METHODS[m]: f.model.name for m, f in found.fitted.items()}
        )
        diagrams = {title: _diagram(subject, judged, one) for title, one in titles.items()}
        yield Panel(name, subject.places[name], diagrams, found)


def _diagram(subject: Subject, predictions: Predictions, name: str) -> Reliability:
    return reliability(predictions, name, method="mass", band="confidence", alpha=subject.alpha)


def _recalibrated(subject: Subject, name: str) -> Calibration | None:
    """Maps that are fitted and judged on different rows; None where that cannot be done."""
    if subject.predictions.rows > MOST_ROWS:
        return None
    try:
        return calibrate(
            subject.predictions,
            name,
            list(METHODS),
            metrics=["brier"],
            folds=FOLDS,
            alpha=subject.alpha,
            seed=subject.seed,
        )
    except RefereeError:
        return None


def _shown(subject: Subject, panel: Panel) -> dict[str, object]:
    charts = [
        figure(_drawn(found, panel.place), name=f"calibration-{panel.place + 1}-{rank}", title=title)
        for rank, (title, found) in enumerate(panel.diagrams.items(), 1)
    ]
    shown = {"charts": charts, "points": _points(panel), "table": _table(panel)}
    return shown | {"label": subject.labels[panel.name], "gain": panel.gain, "helps": panel.helps}


def _drawn(found: Reliability, place: int) -> Markup:
    plot = Plot.of((0, 1), (0, 1), width=320, height=310)
    largest = float(found.rows.max())
    points = [*zip(found.forecast.tolist(), found.observed.tolist(), strict=True)]
    ends = zip(points, found.low.tolist(), found.high.tolist(), strict=True)
    bars = "".join(f"M{plot.x(x):.1f} {plot.y(low):.1f}V{plot.y(high):.1f}" for (x, _), low, high in ends)
    dots = [
        element("circle", cx=plot.x(x), cy=plot.y(y), r=2.5 + 4.5 * sqrt(rows / largest))
        for (x, y), rows in zip(points, found.rows.tolist(), strict=True)
    ]
    parts = [
        plot.axes("Said", "Happened"),
        plot.segment((0, 0), (1, 1), "reference"),
        plot.path(points, f"curve faint {look(place)}"),
        element("path", d=bars, class_=f"error {look(place)}"),
        element("g", *dots, class_=f"dot {look(place)}"),
    ]
    return plot.drawn(*parts, label="Reliability diagram")


def _points(panel: Panel) -> Markup:
    """The points of all diagrams of a model."""
    columns = ["Diagram", "Said", "Happened", "Low", "High", "Rows"]
    rows = []
    for title, found in panel.diagrams.items():
        arrays = (found.forecast, found.observed, found.low, found.high)
        for *values, many in zip(*(array.tolist() for array in arrays), found.rows.tolist(), strict=True):
            rows.append([Cell(title), *(Cell(number(value)) for value in values), Cell(f"{many:,.6g}")])
    return table("Points of the reliability diagrams", columns, rows, name=f"reliability-{panel.place + 1}")


def _table(panel: Panel) -> Markup | str:
    """Log loss and Brier score before and after."""
    if panel.found is None:
        return ""
    columns: list[Column | str] = ["Map", Column("Metric", words=True), "Before", "After", "Change", "p"]
    rows: list[Sequence[Cell]] = []
    for change in panel.found.changes:
        p = change.comparison.p
        words = "–" if p is None else p_value(p)
        rows.append([Cell(METHODS[change.method]), Cell(change.metric.full_name), of_number(change.before),
                     of_number(change.after), of_number(change.comparison.difference), Cell(words, p)])  # fmt: skip
    return table("Before and after", columns, rows, name=f"recalibration-{panel.place + 1}")
