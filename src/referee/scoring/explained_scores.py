"""Scores explained as a lecture would: each metric's formula with the numbers of these rows put in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.catalogue import brief, in_symbols, is_number, names_in, worked_form
from referee.document import Lines, Part, one_line
from referee.engines import Counts, engine_of, medians_of
from referee.records import dataclass
from referee.scoring.formula import CountsAlone, class_values, values
from referee.scoring.metric import Metric, metrics
from referee.scoring.shown_scores import overall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.arrays import Array
    from referee.engines import Ranking
    from referee.predictions import Predictions
    from referee.scoring.formula import Summary
    from referee.scoring.score_table import Score
    from referee.scoring.scores import Scores

CELLS = ("TP", "FN", "FP", "TN")
MOST_CLASSES = 10
"""An average over more is explained in words."""


def explained_scores(scores: Scores) -> tuple[Part, ...]:
    """For each model the cells that its decisions fall into, and the formula of each metric with its numbers."""
    return tuple(_explained_model(scores, place) for place in range(len(scores.predictions.names)))


def _explained_model(scores: Scores, place: int) -> Part:
    predictions = scores.predictions
    model = predictions.models[place]
    known = KnownNumbers(predictions, engine_of(predictions).summarise(predictions, model))
    lines = [*_cells_in_words(known)] if any(metric.depends_on_threshold for metric in scores.metrics) else []
    lines += [_explained(row.name, row.metric, row.models[place], known) for row in overall(scores)]
    return Part(f"{one_line(model.name)}, with the numbers filled in", (Lines(tuple(lines), "formulas"),), asked=True)


def _cells_in_words(known: KnownNumbers) -> Iterator[str]:
    """The four cells, where there are two classes."""
    predictions = known.predictions
    if predictions.positive is None:
        return
    cells = ", ".join(f"{name} = {brief(known.number(name) or 0)}" for name in CELLS)
    yield f"{cells}; positive is {one_line(predictions.classes[predictions.positive])!r}"


def _explained(name: str, metric: Metric, score: Score, known: KnownNumbers) -> str:
    """Name, formula, numbers and value; where the numbers are not known, what the formula is in words."""
    if score.undefined is not None and score.undefined.startswith("not applicable"):
        return f"{name}: {score.undefined}"
    value = "undefined" if score.value is None else brief(score.value)
    symbols, numbers = worked_metric(metric, known)
    ending = f": {score.undefined}" if score.value is None else ""
    return " = ".join([name, symbols, *([numbers] if numbers else []), value]) + ending


def worked_metric(metric: Metric, known: KnownNumbers) -> tuple[str, str]:
    """A metric's formula, and the same with numbers; without these where they are not known."""
    if metric.per_class and (metric.settings.get("average") or known.code is None):
        return _average(metric, known)
    if formula := worked_form("", metric.formula, known.of_formula(metric)):
        return formula.symbols, formula.numbers
    symbols = in_symbols(metric.formula)[0]
    if metric.summaries == ("sums",) and metric.additive and (rows := known.rows_of(metric)):
        total = float(values(metric, known.summary, len(known.predictions.classes), known.code)[0]) * rows
        return symbols, f"{brief(total)} / {brief(rows)}"
    return symbols, ""


def worked_on_counts(metric: Metric, predictions: Predictions, *, tp: float, fp: float, fn: float, tn: float) -> str:
    """A metric's formula with the cells of one threshold put in."""
    matrix = np.array([[tn, fp], [fn, tp]])
    summary: Any = CountsAlone(Counts((matrix if predictions.positive == 1 else matrix[::-1, ::-1])[None]))
    return " = ".join(filter(None, worked_metric(metric, KnownNumbers(predictions, summary))))


def _average(metric: Metric, known: KnownNumbers) -> tuple[str, str]:
    """Over the classes, each against the rest."""
    average = metric.settings.get("average") or "macro"
    alone = metric.bind(average=None) if "average" in metric.settings else metric
    classes = known.predictions.classes
    words = {
        "macro": "mean over the classes",
        "weighted": "mean over the classes, weighted by their rows",
        "micro": "of all decisions pooled",
    }[average]
    if average == "micro" or len(classes) > MOST_CLASSES:
        return words, ""
    each = [float(class_values(alone, known.summary, code)[0]) for code in range(len(classes))]
    if not np.isfinite(each).all():
        return words, ""
    if average == "macro":
        return words, f"({' + '.join(map(brief, each))}) / {len(each)}"
    rows = [float(weight) / known.scale for weight in known.summary.class_weights[0]]
    products = [f"{brief(many)} x {brief(value)}" for many, value in zip(rows, each, strict=True)]
    return words, f"({' + '.join(products)}) / {brief(sum(rows))}"


@dataclass(frozen=True, eq=False)
class KnownNumbers:
    """What a formula may name: cells, pairs of rows, sums of row terms, other metrics, and the metric's settings."""

    predictions: Predictions
    summary: Summary
    of_class: int | None = None
    """The class that it is about, if not the positive one."""

    @property
    def code(self) -> int | None:
        return self.predictions.positive if self.of_class is None else self.of_class

    @property
    def scale(self) -> float:
        """What the weights were multiplied by in reading."""
        return self.predictions.weight_scale

    def of_formula(self, metric: Metric) -> dict[str, float]:
        """The numbers that the metric's formula names; none where a setting replaces some of them, such as costs."""
        settings = metric.defaults | dict(metric.settings)
        if any(value is not None and not is_number(value) for value in metric.settings.values()):
            return {}
        known = {name: self._named(name, metric, settings) for name in names_in(metric.formula)}
        return {name: value for name, value in known.items() if value is not None and is_number(value)}

    def _named(self, name: str, metric: Metric, settings: dict[str, Any]) -> float | None:
        kind, _, term = name.partition("_")
        if name in settings:
            return settings[name]
        if name in metrics:
            return self._value(metrics[name])
        if name in OF_METRIC:
            return self._of_metric(name, metric, settings)
        if "sums" in metric.summaries and (kind in ("sum", "products") or name == "rows"):
            return self._of_sums(kind, term, metric)
        return self.number(name)

    def _of_metric(self, name: str, metric: Metric, settings: dict[str, Any]) -> float | None:
        """A number of one metric alone: of its ranking, and of its value where that is the number over something."""
        if self.scale != 1:
            return None
        if not metric.per_class:
            return float(OF_METRIC[name](self.summary.ranking_of_term(metric), settings, np.nan)[0])
        if self.code is None:
            return None
        ranking = self.summary.ranking(self.code, as_probability=metric.needs == "probabilities")
        return float(OF_METRIC[name](ranking, settings, class_values(metric, self.summary, self.code))[0])

    def number(self, name: str) -> float | None:
        """A count of rows or of pairs of rows."""
        if name in OF_COUNTS:
            return self._counted(OF_COUNTS[name](self.summary.counts)) if self.predictions.classes else None
        if self.code is None:
            return None
        if name in CELLS:
            return self._counted(getattr(self.summary.counts.against_rest(self.code), name.lower()))
        return float(OF_RANKING[name](self.summary.ranking(self.code))[0]) if self.scale == 1 else None

    def _counted(self, given: Array) -> float:
        return float(given[0]) / self.scale

    def _value(self, metric: Metric) -> float | None:
        code = self.code
        if metric.per_class:
            return None if code is None else float(class_values(metric, self.summary, code)[0])
        return float(values(metric, self.summary, len(self.predictions.classes), code)[0])

    def rows_of(self, metric: Metric) -> float | None:
        """The rows that a metric's terms are summed over; None where numbers had to be scaled."""
        if self.summary.scale != 1:
            return None
        return self._counted(self.summary.sums(metric).weight)

    def _of_sums(self, kind: str, term: str, metric: Metric) -> float | None:
        rows, sums = self.rows_of(metric), self.summary.sums(metric)
        if rows is None or kind == "rows":
            return rows
        if kind == "sum":
            return float(sums.mean(term)[0]) * rows
        a, _, b = term.partition("_")
        return float(sums.covariance(a, b)[0]) * rows


def _chance(counts: Counts) -> Array:
    return (counts.true * counts.predicted).sum(axis=1) / counts.total**2.0


def _ordered(ranking: Ranking) -> Array:
    return ranking.sum(lambda at: at.negatives * at.tp_above)


def _tied(ranking: Ranking) -> Array:
    return ranking.sum(lambda at: at.negatives * at.positives)


def _at_largest_gap(ranking: Ranking) -> tuple[Array, Array]:
    """The shares of the positives and of the negatives above the threshold where these are farthest apart."""
    with np.errstate(invalid="ignore"):  # without positives or negatives there is no gap
        shares = tuple(each / of_all for each, of_all in zip(ranking.running, (ranking.P, ranking.N), strict=True))
    at = int(np.argmax(abs(shares[0] - shares[1])))
    return shares[0][at : at + 1], shares[1][at : at + 1]


OF_METRIC: dict[str, Callable[[Ranking, dict[str, Any], Any], Array]] = {
    "sum_of_precisions": lambda ranking, _s, _v: ranking.sum(lambda at: at.tp / (at.tp + at.fp) * at.positives),
    "tpr_at_gap": lambda ranking, _s, _v: _at_largest_gap(ranking)[0],
    "fpr_at_gap": lambda ranking, _s, _v: _at_largest_gap(ranking)[1],
    "hits_at_top": lambda ranking, settings, _v: ranking.hits(settings["top"] * (ranking.P + ranking.N)),
    "area_of_part": lambda _r, settings, value: value * (settings["high"] - settings["low"]),
    "sum_of_gaps": lambda ranking, _s, value: value * (ranking.P + ranking.N),
    "rows_of_bins": lambda ranking, _s, _v: ranking.P + ranking.N,
    "lower_median": lambda ranking, _s, _v: medians_of(ranking)[0],
    "upper_median": lambda ranking, _s, _v: medians_of(ranking)[1],
}
OF_COUNTS = {
    "all": lambda counts: counts.total,
    "correct": lambda counts: counts.correct,
    "wrong": lambda counts: counts.total - counts.correct,
    "chance": _chance,
}
OF_RANKING = {
    "positives": lambda ranking: ranking.P,
    "negatives": lambda ranking: ranking.N,
    "share_of_positives": lambda ranking: ranking.P / (ranking.P + ranking.N),
    "share_of_negatives": lambda ranking: ranking.N / (ranking.P + ranking.N),
    "ordered_pairs": _ordered,
    "tied_pairs": _tied,
}
