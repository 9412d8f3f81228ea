"""ROC and precision-recall curves of all models, with a read-out at every threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.document import Cell, element, number_cell
from referee.document.svg import Plot, look, short_path, simplified
from referee.page.sections.rankings import MOST_CLASSES, plain_counts, ranked_models
from referee.page.shell import Section, figure, rendered, table
from referee.wording import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from referee.arrays import Array
    from referee.curve_points import Curve
    from referee.page.sections.rankings import Ranked
    from referee.page.subject import Subject

RARE = 0.2
"""Below this share of positives the precision-recall curve says more."""
TOLERANCE = 0.001
"""How far a drawn curve may be from the exact one, as a share of each axis: less than half a pixel."""


def curves_section(subject: Subject) -> Section | None:
    """Of the positive class, or of each class against the rest."""
    groups = {code: models for code in shown_classes(subject) if (models := _ranked(subject, code))}
    if not groups:
        return None
    classes = subject.predictions.classes
    charts = [
        {"title": one_line(classes[code]), "body": _charts(subject, models, place)}
        for place, (code, models) in enumerate(groups.items())
    ]
    data = [counts_of(subject, models) for models in groups.values()]
    shown = [subject.labels[name] for name in subject.shown]
    body = rendered("section/curves.html", groups=charts, several=len(charts) > 1, legend=legend(shown))
    return Section("curves", "ROC and precision-recall", body, _lead(subject, groups), "Curves", data)


def shown_classes(subject: Subject) -> list[int]:
    predictions = subject.predictions
    if predictions.positive is not None:
        return [predictions.positive]
    if not subject.scores.confusion:
        return []
    rows = next(iter(subject.scores.confusion.values())).sum(axis=1)
    return sorted(np.argsort(-rows, kind="stable")[:MOST_CLASSES].tolist())


def _ranked(subject: Subject, code: int) -> list[Ranked]:
    return subject.ranked if code == subject.predictions.positive else ranked_models(subject, code)


def _lead(subject: Subject, groups: dict[int, list[Ranked]]) -> str:
    text = "Point at a curve, or focus a chart and use the arrow keys, to read what a threshold does."
    if subject.predictions.positive is None:
        more = len(subject.predictions.classes) - len(groups)
        return f"Each class against the rest. {text}" + (f" {more} rarer classes are left out." if more > 0 else "")
    first = next(iter(groups.values()))[0]
    share = first.positives / (first.positives + first.negatives)
    rare = f" With {100 * share:.3g} % positives the precision-recall curve tells more." if share < RARE else ""
    return text + rare


def legend(labels: Sequence[str]) -> Markup:
    """What the colours and dashes mean; the script makes switches of it."""
    keys = [
        element(
            "svg",
            element("line", x1=0, x2=30, y1=5, y2=5, class_=f"curve {look(place)}"),
            class_="key",
            aria_hidden="true",
        )
        for place in range(len(labels))
    ]
    return rendered("section/legend.html", entries=[*zip(labels, keys, strict=True)])


def counts_of(subject: Subject, models: Sequence[Ranked]) -> dict[str, Any]:
    """What the scripts need: exact counts at each threshold, for each model."""
    first = models[0]
    totals = plain_counts(np.array([first.positives, first.negatives]))
    return {"positives": totals[0], "negatives": totals[1], "models": [_counts(subject, model) for model in models]}


def _counts(subject: Subject, model: Ranked) -> dict[str, Any]:
    """At the thresholds that change something; for the slider also at round ones, the given and the cheapest ones."""
    predictions = subject.predictions
    scores, kept = model.read_off(), np.array([predictions.threshold])
    if predictions.positive is not None:
        round_ones = np.arange(21) / 20
        kept = np.append(kept, round_ones[(round_ones >= scores[-1]) & (round_ones <= scores[0])])
        scores = np.union1d(scores, model.cheapest())
    thresholds = np.union1d(model.told_apart(scores), kept)[::-1]
    tp, fp = model.counts_at(thresholds)
    chosen = np.concatenate([[True], (np.diff(tp) != 0) | (np.diff(fp) != 0)]) | np.isin(thresholds, kept)
    return {
        "place": subject.places[model.name],
        "look": look(subject.places[model.name]),
        "name": subject.labels[model.name],
        "t": thresholds[chosen].tolist(),
        "tp": plain_counts(tp[chosen]),
        "fp": plain_counts(fp[chosen]),
    }


def _charts(subject: Subject, models: Sequence[Ranked], place: int) -> Markup:
    suffix = f"-{place + 1}" if place else ""
    pictures = []
    for kind, name in (("precision_recall", "precision-recall"), ("roc", "roc")):
        curves = {model.name: getattr(model, kind) for model in models}
        drawing = _reader(_drawn(subject, curves), kind, place, next(iter(curves.values())).title)
        pictures.append(figure(drawing, name=name + suffix, title=next(iter(curves.values())).title))
    return rendered("section/pictures.html", pictures=pictures, table=_areas(subject, models, suffix))


def _reader(drawing: Markup, kind: str, place: int, title: str) -> Markup:
    return rendered("section/reader.html", drawing=drawing, kind=kind, place=place, title=title)


def _drawn(subject: Subject, curves: dict[str, Curve]) -> Markup:
    first = next(iter(curves.values()))
    plot = Plot.of((0, 1), (0, 1))
    guessing = plot.path(zip(first.guessing.x, first.guessing.y, strict=True), "reference")
    lines = [_line(plot, drawn_points(curve), subject.places[name]) for name, curve in reversed(curves.items())]
    ring = element("circle", r=6, class_="ring off")
    axes = plot.axes(axis_title(first.x_title), axis_title(first.y_title))
    where = f"{plot.x.start:g} {plot.x.end:g} {plot.y.start:g} {plot.y.end:g}"
    return plot.drawn(axes, guessing, *lines, ring, label=f"{first.title} of {len(curves)} models", data_plot=where)


def _line(plot: Plot, points: list[tuple[float, float]], place: int) -> Markup:
    path = short_path((plot.x(x), plot.y(y)) for x, y in points)
    return element("path", d=path, class_=f"curve {look(place)} model-{place}")


def axis_title(words: str) -> str:
    """With a capital letter."""
    return words[:1].upper() + words[1:]


def drawn_points(curve: Curve) -> list[tuple[float, float]]:
    """The points to join, without those that nobody would miss."""
    x, y = joined_points(curve)
    kept = simplified(x, y, TOLERANCE)
    return [*zip(x[kept].tolist(), y[kept].tolist(), strict=True)]


def joined_points(curve: Curve, heights: Array | None = None) -> tuple[Array, Array]:
    """All points to join, at the curve's heights or at others; steps go from the axis to each point at its height."""
    x, y = curve.x, curve.y if heights is None else heights
    if curve.drawn == "linear":
        return x, y
    return np.concatenate([[0.0], np.repeat(x, 2)[:-1]]), np.repeat(y, 2)


def _areas(subject: Subject, models: Sequence[Ranked], suffix: str) -> Markup:
    rows = [
        [Cell(subject.labels[model.name], model.name, hint=subject.full(model.name)), number_cell(model.roc.area),
         number_cell(model.precision_recall.area), Cell(f"{model.roc.points:,}", float(model.roc.points))]
        for model in models
    ]  # fmt: skip
    columns = ["Model", "ROC AUC", "Average precision", "Points of its ROC curve"]
    return table("Areas under the curves", columns, rows, name=f"areas{suffix}", sortable=True)
