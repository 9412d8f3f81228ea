"""A small picture of each metric, drawn from what its formula does: which kind follows from what the metric needs.

Decisions: which cells of the confusion matrix raise the value, and which lower it. Rankings: the value over the place
of the only positive. Probabilities: the value over the probability that is predicted where 7 of 10 come true. Numbers:
the value over one prediction while the others are right. Intervals: the value over the place of the truth. Several
labels: the value over the number of wrong labels in one row.
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.document import element
from referee.document.svg import Plot, Scale, spanning, tick_label
from referee.engines import engine_of
from referee.errors import RefereeError
from referee.predictions import Predictions
from referee.records import dataclass
from referee.scoring import values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from markupsafe import Markup

    from referee.scoring import Metric, Summary

WIDTH, HEIGHT = 190.0, 120.0
ROWS = 20
"""Among which a positive has its place."""
CLASSES = 5
DUST = 1e-12
CALLED = np.array([[40, 20], [10, 30]])
ORDERED = np.array([[20, 6, 3, 1], [6, 20, 6, 3], [3, 6, 20, 6], [1, 3, 6, 20]])
"""Rows of each class in truth, by the class that is named."""
LABELLED = ((1, 1, 0, 0), (0, 1, 0, 1), (1, 0, 1, 0), (0, 0, 1, 1))
"""Four rows, and whether each of four labels is true of them."""


@dataclass(frozen=True)
class Varied:
    """What is changed step by step, the truth, and what is then predicted."""

    title: str
    steps: tuple[float, ...]
    truth: tuple[Any, ...]
    predicted: Callable[[float], Any]
    asked: Mapping[str, Any] = field(default_factory=dict)
    """What else is said of the rows."""

    @cached_property
    def predictions(self) -> Predictions:
        """A model for each step: all of them are read at once."""
        models = {str(step): self.predicted(step) for step in self.steps}
        return Predictions.from_arrays(self.truth, models, **self.asked)

    @cached_property
    def summaries(self) -> list[Summary]:
        return [engine_of(self.predictions).summarise(self.predictions, model) for model in self.predictions.models]

    def values(self, metric: Metric) -> list[float]:
        """Of a metric at each step; nan where it has none."""
        if "others" in metric.row_arguments:  # steps are not rivals: each column is compared with 0
            return [metric(self.truth, self.predicted(step)) for step in self.steps]
        classes, positive = len(self.predictions.classes), self.predictions.positive
        return [float(values(metric, summary, classes, positive)[0]) for summary in self.summaries]


def _place_of_positive(place: float) -> list[float]:
    """One positive, before the others in the truth, with so many of them above it."""
    return [0.5 - place, *(float(-row) for row in range(1, ROWS))]


def _place_of_true_class(place: float) -> list[list[float]]:
    """Of the first row; all others are right."""
    others = [0.3, 0.25, 0.2, 0.15, 0.1]
    own = others.pop(int(place) - 1)
    return [[own, *others], *np.eye(CLASSES).tolist()]


def _score_of_true_class(score: float) -> list[list[float]]:
    """Of the first row of three classes; the scores of the other rows are fixed."""
    fixed = [[0.6, 0.3, 0.1], [0.4, 0.5, 0.1], [0.1, 0.6, 0.3], [0.3, 0.1, 0.6], [0.2, 0.3, 0.5]]
    return [[score, (1 - score) / 2, (1 - score) / 2], *fixed]


def _wrong_labels(wrong: float) -> list[list[int]]:
    """So many labels of the first row; all others are right."""
    return [[label ^ (place < wrong) for place, label in enumerate(LABELLED[0])], *map(list, LABELLED[1:])]


def _between(low: float, high: float, steps: int = 24) -> tuple[float, ...]:
    return tuple(low + (high - low) * step / steps for step in range(steps + 1))


PLACES, FIRST = tuple(map(float, range(1, ROWS + 1))), (1, *[0] * (ROWS - 1))
ONE_QUERY = {"query": [0] * ROWS, "task": "ranking"}
VARIED = {
    ("scores", "binary"): Varied("place of the only positive", PLACES, FIRST, _place_of_positive),
    ("scores", "multiclass"): Varied(
        "score of the true class, one row", _between(0, 1), (0, 0, 1, 1, 2, 2), _score_of_true_class
    ),
    ("labels", "multilabel"): Varied(
        "wrong labels in one row of 4", (0.0, 1.0, 2.0, 3.0, 4.0), LABELLED, _wrong_labels
    ),
    ("scores", "ranking"): Varied("place of the only hit", PLACES, FIRST, _place_of_positive, ONE_QUERY),
    ("probabilities", "binary"): Varied(
        "predicted; 7 of 10 come true", _between(0.02, 0.98), (1,) * 7 + (0,) * 3, lambda said: [said] * 10
    ),
    ("probabilities", "multiclass"): Varied(
        "place of the true class", PLACES[:CLASSES], (0, *range(CLASSES)), _place_of_true_class
    ),
    ("values", "regression"): Varied(
        "one prediction, of 3", _between(0, 6), (1.0, 2.0, 3.0, 4.0, 5.0), lambda value: [1.0, 2.0, value, 4.0, 5.0]
    ),
    ("values", "scores"): Varied(
        "one score", _between(-3, 3), (0.0,) * 5, lambda value: [-2.0, -1.0, value, 1.0, 2.0], {"task": "regression"}
    ),
    ("quantiles", "regression"): Varied(
        "truth; 80% from -1 to 1",
        _between(-3, 3),
        (0.0,),
        lambda truth: {0.1: [-1 - truth], 0.5: [-truth], 0.9: [1 - truth]},
    ),
}


def metric_picture(metric: Metric) -> Markup | None:
    """What the metric looks at; None where no kind of picture fits, or the metric cannot be asked so."""
    try:
        return _picture(metric)
    except (RefereeError, ArithmeticError, LookupError, TypeError, ValueError):  # a metric of somebody's own
        return None


def _picture(metric: Metric) -> Markup | None:
    if metric.needs == "labels" and "multilabel" not in metric.tasks:
        return _cells(metric, CALLED if "binary" in metric.tasks else ORDERED)
    varied = VARIED.get((metric.needs, metric.tasks[0]))
    return None if varied is None else _line(metric, varied)


def slopes(metric: Metric, counts: Any) -> Any:
    """How much the value changes with one more row in each cell: of a truth (row) that is called so (column).

    >>> from referee import metrics
    >>> (slopes(metrics["recall"], CALLED) > 0).tolist()
    [[True, False], [False, False]]
    """
    before = metric.of_counts(counts)
    more = [counts + added.reshape(counts.shape) for added in np.eye(counts.size, dtype=int)]
    return np.array([metric.of_counts(table) - before for table in more]).reshape(counts.shape)


def _cells(metric: Metric, counts: Any) -> Markup:
    change, size = slopes(metric, counts), 92.0 / len(counts)
    largest, left, top = abs(change).max(), (WIDTH - 92) / 2 + 10, 20.0
    parts = [element("text", "called", x=left + 46, y=13.0, text_anchor="middle")]
    turned = f"translate({left - 8:g} {top + 46:g}) rotate(-90)"
    parts.append(element("text", "true", transform=turned, text_anchor="middle"))
    names = np.array([["TP", "FN"], ["FP", "TN"]]) if len(counts) == 2 else np.full(counts.shape, "")
    for (row, column), slope in np.ndenumerate(change):
        x, y, share = left + size * column, top + size * row, abs(slope) / largest
        style = "still" if share < 1e-9 else "raises" if slope > 0 else "lowers"
        opacity = f"{0.25 + 0.75 * share:.2f}" if style != "still" else None
        box = {"x": x + 1, "y": y + 1, "width": size - 2, "height": size - 2, "rx": 3}
        parts.append(element("rect", **box, class_=f"cell {style}", fill_opacity=opacity))
        mark = {"still": "", "raises": "+", "lowers": "−"}[style]
        words = f"{names[row, column]} {mark}".strip()
        middle = {"x": x + size / 2, "y": y + size / 2 + 4, "text_anchor": "middle"}
        parts.append(element("text", words, **middle, class_="label halo"))
    return _drawn(parts, f"{metric.title}: cells of the confusion matrix that raise (+) or lower (−) it")


def _line(metric: Metric, varied: Varied) -> Markup | None:
    points = [point for point in zip(varied.steps, varied.values(metric), strict=True) if isfinite(point[1])]
    if not points:
        return None
    heights = [value for _, value in points]
    up = spanning(heights, HEIGHT - 34, 8.0)
    plot = Plot(Scale(min(varied.steps), max(varied.steps), 34.0, WIDTH - 8), up, WIDTH, HEIGHT)
    ends = [min(heights), max(heights)] if max(heights) > min(heights) else heights[:1]
    parts = [
        element("path", d=f"M34 {plot.y.start:g}H{WIDTH - 8:g}", class_="grid"),
        *(element("text", tick_label(_short(v)), x=30.0, y=plot.y(v) + 4, text_anchor="end") for v in ends),
        *(element("text", tick_label(v), x=plot.x(v), y=HEIGHT - 20, text_anchor="middle") for v in plot.x.ticks(4)),
        element("text", varied.title, x=(34 + WIDTH - 8) / 2, y=HEIGHT - 4, text_anchor="middle"),
        *_drawn_points(plot, points, single=len(varied.steps) <= ROWS),
    ]
    return _drawn(parts, f"{metric.title} over {varied.title}")


def _short(value: float) -> float:
    """Two digits, and no dust of rounding."""
    return 0.0 if abs(value) < DUST else float(f"{value:.2g}")


def _drawn_points(plot: Plot, points: list[tuple[float, float]], *, single: bool) -> list[Markup]:
    """Of places dots, of numbers a line."""
    if not single:
        return [plot.path(points, "curve c0")]
    return [element("circle", cx=plot.x(x), cy=plot.y(y), r=2.5, class_="dot c0") for x, y in points]


def _drawn(parts: list[Markup], label: str) -> Markup:
    return element("svg", *parts, viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}", role="img", aria_label=label)
