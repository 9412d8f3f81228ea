"""Errors of numbers: actual and predicted, residuals, and the error in each tenth of the truth."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.page.sections.residuals import Rows
from referee.report.figures.looks import REFERENCE, look, mark
from referee.report.figures.pictures import Picture
from referee.scoring import residual_summary, tenths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.page.subject import Subject

MOST_POINTS = 3000
SMALL: dict[str, Any] = {"across": 3, "width": 3.2, "height": 3.2}


def residual_pictures(subject: Subject) -> Iterator[Picture]:
    """For numbers, where the rows are in memory."""
    if subject.predictions.task != "regression" or not subject.predictions.has_rows:
        return
    rows = Rows.of(subject)
    if not rows.said:
        return
    sample = _sample(rows.truth)
    detailed = [name for name in subject.detailed if name in rows.said]
    of_some = f", {len(sample):,} of {len(rows.truth):,} rows" if len(sample) < len(rows.truth) else ""
    for name, title, draw in (
        ("actual_and_predicted", "Actual and predicted", _draw_actual),
        ("residuals", "Residuals: actual less predicted", _draw_residuals),
    ):
        panels = [
            partial(draw, truth=rows.truth[sample], said=rows.said[one][sample], place=subject.places[one],
                    title=subject.labels[one])
            for one in detailed
        ]  # fmt: skip
        yield Picture(name, title + of_some, panels, **SMALL)
    legend = {subject.labels[name]: look(subject.places[name]) for name in rows.said}
    yield Picture("error_by_tenth", "Error in each tenth of the truth", [partial(_draw_tenths, subject, rows)], legend)


def _sample(truth: Array) -> Array:
    """Some rows, evenly over the order of the truth, with both ends."""
    order = np.argsort(truth, kind="stable")
    return order[np.linspace(0, len(order) - 1, min(len(order), MOST_POINTS)).round().astype(int)]


def _draw_actual(axes: Any, truth: Array, said: Array, place: int, title: str) -> None:
    ends = min(truth.min(), said.min()), max(truth.max(), said.max())
    axes.plot(ends, ends, **REFERENCE)
    axes.plot(said, truth, markersize=2.5, alpha=0.5, gid=f"model-{place}", **mark(place))
    axes.set(title=title, xlabel="predicted", ylabel="actual")


def _draw_residuals(axes: Any, truth: Array, said: Array, place: int, title: str) -> None:
    axes.axhline(0, **REFERENCE)
    axes.plot(said, truth - said, markersize=2.5, alpha=0.5, gid=f"model-{place}", **mark(place))
    axes.set(title=title, xlabel="predicted", ylabel="residual")


def _draw_tenths(subject: Subject, rows: Rows, axes: Any) -> None:
    groups = [*tenths(rows.truth, rows.weight)]
    for name, said in reversed(rows.said.items()):
        place = subject.places[name]
        errors = [residual_summary(rows.truth[g], said[g], rows.weight_of(g)).absolute for g in groups]
        style = mark(place) | look(place)
        axes.plot(range(1, len(groups) + 1), errors, gid=f"model-{place}", **style)
    axes.set(xlabel="tenth of the truth, from the smallest", ylabel="mean absolute error")
    axes.set_xticks(range(1, len(groups) + 1))
    axes.set_ylim(bottom=0)
