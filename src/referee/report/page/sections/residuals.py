"""Errors of numbers: actual against predicted, residuals, and the error in each tenth of the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.report.page.charts import Plot, figure
from referee.report.page.document import Section, rendered
from referee.report.page.elements import element, look, marker
from referee.report.page.scales import spanning
from referee.report.page.sections.curves import legend
from referee.report.page.tables import Cell, of_number, table

if TYPE_CHECKING:
    from markupsafe import Markup

    from referee.arrays import Array
    from referee.report.page.subject import Subject

MOST_POINTS = 400
MOST_MODELS = 8
TENTHS = 10
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
LEAD = (
    "On the diagonal, and at a residual of 0, a prediction is right. A residual is what was true less what was "
    "predicted: above 0 the prediction was too low."
)


def residuals_section(subject: Subject) -> Section | None:
    """For numbers, where the rows are in memory."""
    predictions = subject.predictions
    if predictions.task != "regression" or predictions.engine != "memory":
        return None
    said = {name: values for name in subject.shown if (values := predictions.model(name).values) is not None}
    if not said:
        return None
    truth = np.asarray(predictions.truth, float)
    sample = _sample(truth)
    panels = [
        {
            "label": subject.labels[name],
            "charts": _charts(truth[sample], np.asarray(said[name], float)[sample], subject.places[name]),
        }
        for name in [*said][:MOST_MODELS]
    ]
    tenths = _tenths(truth)
    body = rendered(
        "section/residuals.html",
        panels=panels,
        legend=legend([subject.labels[name] for name in subject.shown]),
        tenths=_by_tenth(subject, truth, said, tenths),
        table=_table(subject, truth, said),
        sampled=len(sample) if len(sample) < len(truth) else 0,
        rows=len(truth),
    )
    return Section("residuals", "Errors", body, LEAD, "Errors")


def _sample(truth: Array) -> Array:
    """Some rows, evenly over the order of the truth, with both ends."""
    order = np.argsort(truth, kind="stable")
    if len(order) <= MOST_POINTS:
        return order
    return order[np.linspace(0, len(order) - 1, MOST_POINTS).round().astype(int)]


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


def _tenths(truth: Array) -> Array:
    """Which tenth of the truth each row is in; rows with the same truth are in the same one."""
    edges = np.quantile(truth, np.arange(1, TENTHS) / TENTHS)
    return np.searchsorted(np.unique(edges), truth, side="left")


def _by_tenth(subject: Subject, truth: Array, said: dict[str, Array], tenths: Array) -> Markup:
    weight = np.ones(len(truth)) if subject.predictions.weight is None else subject.predictions.weight
    groups, tenth = np.unique(tenths, return_inverse=True)
    total = np.bincount(tenth, weight)
    errors = {name: np.bincount(tenth, weight * np.abs(truth - values)) / total for name, values in said.items()}
    highest = max(float(each.max()) for each in errors.values()) * 1.05 or 1.0
    plot = Plot.of((0.5, len(groups) + 0.5), (0.0, highest), width=760, height=300, left=66)
    lines = [part for name, each in errors.items() for part in _error_line(plot, each, subject.places[name])]
    axes = plot.axes("Tenth of the truth, from the smallest", "Mean absolute error", ticks=min(5, len(groups)))
    title = "Mean absolute error by tenth of the truth"
    ends = [(truth[tenth == group], int((tenth == group).sum())) for group in range(len(groups))]
    rows = [
        [Cell(str(rank + 1)), of_number(float(within.min())), of_number(float(within.max())), Cell(f"{many:,}", many),
         *(of_number(float(each[rank])) for each in errors.values())]
        for rank, (within, many) in enumerate(ends)
    ]  # fmt: skip
    columns = ["Tenth", "Truth from", "to", "Rows", *(subject.labels[name] for name in errors)]
    behind = table(title, columns, rows, name="error-by-tenth")
    return figure(plot.drawn(axes, *lines, label=title), name="error-by-tenth", title=title, behind=behind)


def _error_line(plot: Plot, errors: Array, place: int) -> list[Markup]:
    points = [(rank + 1.0, error) for rank, error in enumerate(errors.tolist())]
    style = f"dot {look(place)} model-{place}"
    dots = [marker(place, plot.x(x), plot.y(y), 4.0, class_=style) for x, y in points]
    return [plot.path(points, f"curve {look(place)} model-{place}"), *dots]


def _table(subject: Subject, truth: Array, said: dict[str, Array]) -> Markup:
    rows = []
    for name, values in said.items():
        residual = truth - values
        cells = [of_number(float(residual.mean())), *(of_number(float(q)) for q in np.quantile(residual, QUANTILES))]
        rows.append([Cell(subject.labels[name], name, hint=subject.full(name)), *cells])
    columns = ["Model", "Mean", *(f"{100 * q:g} %" for q in QUANTILES)]
    return table("Residuals: their mean and quantiles", columns, rows, name="residuals", sortable=True)
