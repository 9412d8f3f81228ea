"""Errors of numbers: actual against predicted, residuals, and the error in each tenth of the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.document import Cell, Column, element, number_cell
from referee.document.svg import Plot, look, spanning
from referee.page.sections.curves import dotted_line, legend
from referee.page.shell import Section, figure, rendered, table
from referee.records import dataclass
from referee.scoring import QUANTILES, residual_summary, tenths

if TYPE_CHECKING:
    from markupsafe import Markup

    from referee.arrays import Array
    from referee.page.subject import Subject

MOST_POINTS = 400
LEAD = (
    "On the diagonal, and at a residual of 0, a prediction is right. A residual is the true value minus the "
    "predicted one: above 0, the prediction was too low."
)
PERCENTAGES = [f"{100 * q:g}%" for q in QUANTILES]


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows that count: those with weight, where rows have weights."""

    truth: Array
    said: dict[str, Array]
    """What each model predicted."""
    weight: Array | None

    @classmethod
    def of(cls, subject: Subject) -> Rows:
        predictions = subject.predictions
        if predictions.weight is not None:
            predictions = predictions.part(np.flatnonzero(predictions.weight > 0))
        given = {name: predictions.model(name).values for name in subject.shown}
        said = {name: np.asarray(values, float) for name, values in given.items() if values is not None}
        return cls(np.asarray(predictions.truth, float), said, predictions.weight)

    def weight_of(self, places: Array) -> Array | None:
        return None if self.weight is None else self.weight[places]


def residuals_section(subject: Subject) -> Section | None:
    """For numbers, where the rows are in memory."""
    if subject.predictions.task != "regression" or not subject.predictions.has_rows:
        return None
    rows = Rows.of(subject)
    if not rows.said:
        return None
    sample = _sample(rows.truth)
    body = rendered(
        "section/residuals.html",
        panels=[_panel(subject, rows, name, sample) for name in subject.detailed if name in rows.said],
        legend=legend([subject.labels[name] for name in subject.shown]),
        tenths=_by_tenth(subject, rows),
        table=_table(subject, rows),
        sampled=len(sample) if len(sample) < len(rows.truth) else 0,
        rows=len(rows.truth),
        left_out=subject.left_out,
    )
    return Section("residuals", "Errors", body, LEAD, "Errors")


def _sample(truth: Array) -> Array:
    """Some rows, evenly over the order of the truth, with both ends."""
    order = np.argsort(truth, kind="stable")
    if len(order) <= MOST_POINTS:
        return order
    return order[np.linspace(0, len(order) - 1, MOST_POINTS).round().astype(int)]


def _panel(subject: Subject, rows: Rows, name: str, sample: Array) -> dict[str, object]:
    place = subject.places[name]
    charts = _charts(rows.truth[sample], rows.said[name][sample], place)
    return {"label": subject.labels[name], "charts": charts, "behind": _by_prediction(rows, name, place)}


def _charts(truth: Array, said: Array, place: int) -> list[Markup]:
    both = spanning([*truth.tolist(), *said.tolist()], 0, 1)
    square = Plot.of((both.low, both.high), (both.low, both.high), left=66)
    residual = truth - said
    up, across = spanning(residual.tolist(), 0, 1), spanning(said.tolist(), 0, 1)
    flat = Plot.of((across.low, across.high), (up.low, up.high), left=66)
    actual = square.drawn(
        square.axes("Predicted", "Actual"), square.segment((both.low, both.low), (both.high, both.high), "reference"),
        _cloud(square, said, truth, place), label="Actual against predicted values",
    )  # fmt: skip
    left_over = flat.drawn(
        flat.axes("Predicted", "Residual"), flat.segment((across.low, 0.0), (across.high, 0.0), "reference"),
        _cloud(flat, said, residual, place), label="Residuals against predicted values",
    )  # fmt: skip
    return [
        figure(actual, name=f"actual-{place + 1}", title="Actual and predicted"),
        figure(left_over, name=f"residuals-{place + 1}", title="Residuals"),
    ]


def _cloud(plot: Plot, x: Array, y: Array, place: int) -> Markup:
    """All dots as one path, which is short: each a line of no length with a round cap."""
    dots = "".join(f"M{plot.x(a):.1f} {plot.y(b):.1f}h0" for a, b in zip(x.tolist(), y.tolist(), strict=True))
    return element("path", d=dots, class_=f"cloud {look(place)}")


def _by_prediction(rows: Rows, name: str, place: int) -> Markup:
    """What both clouds show, for those who cannot see them: all rows, in tenths of what was predicted."""
    truth, said = rows.truth, rows.said[name]
    cells = []
    for rank, within in enumerate(tenths(said, rows.weight), 1):
        weight = rows.weight_of(within)
        means = [float(np.average(each[within], weights=weight)) for each in (said, truth)]
        residuals = residual_summary(truth[within], said[within], weight)
        cells.append([Cell(str(rank)), Cell(f"{len(within):,}", len(within)),
                      *map(number_cell, (*means, residuals.mean, *residuals.quantiles))])  # fmt: skip
    columns = ["Tenth", "Rows", "Predicted, mean", "Actual, mean", "Residual, mean", *PERCENTAGES]
    return table("Residuals by tenth of the predictions", columns, cells, name=f"by-prediction-{place + 1}")


def _by_tenth(subject: Subject, rows: Rows) -> Markup:
    groups = [*tenths(rows.truth, rows.weight)]
    errors = {
        name: [residual_summary(rows.truth[g], said[g], rows.weight_of(g)).absolute for g in groups]
        for name, said in rows.said.items()
    }
    highest = max(max(each) for each in errors.values()) * 1.05 or 1.0
    plot = Plot.of((0.5, len(groups) + 0.5), (0.0, highest), width=760, height=300, left=66)
    lines = [dotted_line(plot, subject.places[name], [*enumerate(each, 1)]) for name, each in errors.items()]
    axes = plot.axes("Tenth of the truth, from the smallest", "Mean absolute error", ticks=min(5, len(groups)))
    title = "Mean absolute error by tenth of the truth"
    cells = [
        [Cell(str(rank + 1)), number_cell(float(rows.truth[g].min())), number_cell(float(rows.truth[g].max())),
         Cell(f"{len(g):,}", len(g)), *(number_cell(each[rank]) for each in errors.values())]
        for rank, g in enumerate(groups)
    ]  # fmt: skip
    columns: list[Column | str] = ["Tenth", "Truth from", "to", "Rows", *map(subject.column, errors)]
    behind = table(title, columns, cells, name="error-by-tenth")
    return figure(plot.drawn(axes, *lines, label=title), name="error-by-tenth", title=title, behind=behind)


def _table(subject: Subject, rows: Rows) -> Markup:
    cells = []
    for name, said in rows.said.items():
        residuals = residual_summary(rows.truth, said, rows.weight)
        numbers = map(number_cell, (residuals.mean, *residuals.quantiles))
        cells.append([subject.cell(name), *numbers])
    columns = ["Model", "Mean", *PERCENTAGES]
    return table("Residuals: their mean and quantiles", columns, cells, name="residuals", sortable=True)
