"""ROC and precision-recall curves of all models, with a read-out at a few hundred thresholds."""

from __future__ import annotations

from functools import cached_property
from math import floor, inf, isfinite, log10
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from referee.document import Cell, element, number_cell, one_line
from referee.document.svg import Plot, look, marker, short_path, simplified
from referee.engines import Ranking, engine_of
from referee.page.shell import Section, figure, rendered, table
from referee.records import dataclass
from referee.scoring import why_not_pooled
from referee.thresholds import Curve, curve_of_ranking, hull_places, kinds, thinned

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.page.subject import Subject


MOST_CLASSES = 12
MOST_AT_ONCE = 3
"""Of more models, the first two are drawn at first, and the others when their names are clicked."""
MOST_POINTS = 3000
"""Where all curves together can be read off, unless these are so many that each could be at too few places."""
FEWEST_POINTS, MOST_OF_ONE = 40, 200
FEWEST_DIGITS, MOST_DIGITS = 4, 17
"""Significant ones of a threshold: as many as tell it from the next score, and what a float needs at most."""
EXACT_DIGITS = 12
"""Of sums of weights, which the scripts subtract from each other."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """A model's rows ranked by its scores for one class."""

    name: str
    ranking: Ranking
    points: int
    """At how many places each of its curves can be read off."""

    @property
    def positives(self) -> float:
        return float(self.ranking.P[0])

    @property
    def negatives(self) -> float:
        return float(self.ranking.N[0])

    @cached_property
    def roc(self) -> Curve:
        return curve_of_ranking(self.ranking, kinds["roc"], self.name)

    @cached_property
    def precision_recall(self) -> Curve:
        return curve_of_ranking(self.ranking, kinds["precision_recall"], self.name)

    def read_off(self) -> Array:
        """Scores along both curves: the thresholds that can be read off; highest first."""
        both = [thinned(curve, points=self.points).threshold for curve in (self.roc, self.precision_recall)]
        return _finite(np.concatenate(both))

    def cheapest(self) -> Array:
        """For any costs of the two mistakes one of these scores is the best threshold, and for F1, too."""
        return _finite(hull_places(self.ranking).score)

    def told_apart(self, thresholds: Array) -> Array:
        """Thresholds of few digits at which exactly the same rows are called positive."""
        below = self._next_scores(thresholds)
        return np.array([fewest_digits(*both) for both in zip(thresholds.tolist(), below.tolist(), strict=True)])

    def _next_scores(self, thresholds: Array) -> Array:
        """The highest score below each threshold."""
        below = np.full(len(thresholds), -inf)
        for at in self.ranking.blocks():
            steps = np.searchsorted(-at.score.astype(float), -thresholds, side="right")
            new = (below == -inf) & (steps < len(at.score))
            below[new] = at.score[steps[new]]
        return below

    def counts_at(self, thresholds: Array) -> tuple[Array, Array]:
        """True and false positives among the rows whose score is at least the threshold."""
        tp, fp = np.zeros(len(thresholds)), np.zeros(len(thresholds))
        for at in self.ranking.blocks():
            steps = np.searchsorted(-at.score.astype(float), -thresholds, side="right")
            reached = steps > 0
            tp[reached], fp[reached] = at.tp[steps[reached] - 1], at.fp[steps[reached] - 1]
        return tp, fp


def _finite(scores: Array) -> Array:
    return np.unique(scores[np.isfinite(scores)].astype(float))[::-1]


def fewest_digits(value: float, below: float) -> float:
    """The number with the fewest digits, but four, that is at most the value and above what lies below it.

    >>> fewest_digits(0.489371, 0.4), fewest_digits(0.99999123, 0.999991), fewest_digits(0.5, 0.4999999999)
    (0.4893, 0.9999912, 0.5)
    """
    for digits in range(FEWEST_DIGITS, MOST_DIGITS):
        if (shorter := rounded_down(value, digits)) > below:
            return shorter
    return value


def rounded_down(value: float, digits: int) -> float:
    """The next number below that has so many significant digits.

    >>> rounded_down(0.48937, 4), rounded_down(-0.48937, 2), rounded_down(0.0, 4)
    (0.4893, -0.49, 0.0)
    """
    nearest = float(f"{value:.{digits}g}")
    if nearest <= value:
        return nearest
    return float(f"{nearest - 10.0 ** (floor(log10(abs(value))) - digits + 1):.{digits}g}")


def in_full(threshold: float) -> str:
    """A threshold with all of its digits.

    >>> in_full(0.5), in_full(0.9999912), in_full(3.0), in_full(1e12 + 0.25)
    ('0.5', '0.9999912', '3', '1000000000000.25')
    """
    return repr(float(threshold)).removesuffix(".0")


def ranked_models(subject: Subject, code: int) -> list[Ranked]:
    """The models that are drawn and have scores for a class; none where the truth has one class only."""
    predictions, names = subject.predictions, subject.shown
    charts = 1 if predictions.positive is not None else min(len(predictions.classes), MOST_CLASSES)
    points = max(FEWEST_POINTS, min(MOST_OF_ONE, MOST_POINTS // (2 * len(names) * charts)))
    models = [predictions.model(name) for name in names]
    scored = [model for model in models if model.scores is not None or model.class_scores is not None]
    scored = [model for model in scored if not why_not_pooled(predictions, model)]
    summaries = {model.name: engine_of(predictions).summarise(predictions, model) for model in scored}
    ranked = [Ranked(name, summary.ranking(code), points) for name, summary in summaries.items()]
    return [model for model in ranked if model.positives > 0 and model.negatives > 0]


def plain_counts(counts: Array) -> list[Any]:
    """As short as JSON can have them: whole numbers, or so many digits of weights that none is missed."""
    return [
        int(count) if float(count).is_integer() else float(f"{count:.{EXACT_DIGITS}g}") for count in counts.tolist()
    ]


RARE = 0.2
"""Below this share of positives the precision-recall curve says more."""
TOLERANCE = 0.001
"""How far a drawn curve may be from the exact one, as a share of each axis: less than half a pixel."""


def curves_section(subject: Subject) -> Section | None:
    """Of the positive class, or of each class against the rest."""
    positive, classes = subject.predictions.positive, subject.predictions.classes
    every = {c: subject.ranked if c == positive else ranked_models(subject, c) for c in shown_classes(subject)}
    groups = {code: models for code, models in every.items() if models}
    if not groups:
        return None
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


def _lead(subject: Subject, groups: dict[int, list[Ranked]]) -> str:
    text = "Point at a curve, or focus a chart and use the arrow keys, to see what each threshold does."
    if subject.predictions.positive is None:
        more = len(subject.predictions.classes) - len(groups)
        return f"Each class vs the rest. {text}" + (f" {more} rarer classes are left out." if more > 0 else "")
    first = next(iter(groups.values()))[0]
    share = first.positives / (first.positives + first.negatives)
    rare = f" With {100 * share:.3g}% positives the precision-recall curve is more informative." if share < RARE else ""
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
    return rendered("section/legend.html", entries=[*zip(labels, keys, strict=True)], few=len(labels) <= MOST_AT_ONCE)


def dotted_line(plot: Plot, place: int, points: Sequence[tuple[float, float]]) -> Markup:
    """A model's few points, joined."""
    line = plot.path(points, f"curve {look(place)} model-{place}")
    style = f"dot {look(place)} model-{place}"
    return line + Markup("").join(marker(place, plot.x(x), plot.y(y), 4.0, class_=style) for x, y in points)


def counts_of(subject: Subject, models: Sequence[Ranked], also: Mapping[str, float] | None = None) -> dict[str, Any]:
    """What the scripts need: exact counts at each threshold, for each model; `also` at one that was chosen for it."""
    first = models[0]
    totals = plain_counts(np.array([first.positives, first.negatives]))
    each = [_counts(subject, model, (also or {}).get(model.name, inf)) for model in models]
    return {"positives": totals[0], "negatives": totals[1], "models": each}


def _counts(subject: Subject, model: Ranked, also: float) -> dict[str, Any]:
    """At the thresholds that change something; for the slider also at round ones, the given and the cheapest ones."""
    predictions = subject.predictions
    scores, kept = model.read_off(), np.array([predictions.threshold])
    kept = np.append(kept, model.told_apart(np.array([also]))) if isfinite(also) else kept
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
        title = next(iter(curves.values())).title
        drawn = _drawn(subject, curves)
        reader = rendered("section/reader.html", drawing=drawn, kind=kind, place=place, title=title)
        pictures.append(figure(reader, name=name + suffix, title=title))
    return rendered("section/pictures.html", pictures=pictures, table=_areas(subject, models, suffix))


def _drawn(subject: Subject, curves: dict[str, Curve]) -> Markup:
    first = next(iter(curves.values()))
    plot = Plot.of((0, 1), (0, 1))
    guessing = plot.path(zip(first.guessing.x, first.guessing.y, strict=True), "reference")
    lines = [_line(plot, drawn_points(curve), subject.places[name]) for name, curve in reversed(curves.items())]
    ring = element("circle", r=6, class_="ring off")
    axes = element("g", plot.axes(axis_title(first.x_title), axis_title(first.y_title)), class_="axes")
    where = f"{plot.x.start:g} {plot.x.end:g} {plot.y.start:g} {plot.y.end:g}"
    drawn = element("g", guessing, *lines, class_="lines")
    return plot.drawn(axes, drawn, ring, label=f"{first.title} of {len(curves)} models", data_plot=where)


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
        [subject.cell(model.name), number_cell(model.roc.area),
         number_cell(model.precision_recall.area), Cell(f"{model.roc.points:,}", float(model.roc.points))]
        for model in models
    ]  # fmt: skip
    columns = ["Model", "ROC AUC", "Average precision", "Points of its ROC curve"]
    return table("Areas under the curves", columns, rows, name=f"areas{suffix}", sortable=True)
