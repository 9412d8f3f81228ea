"""Row influences: how each row moves a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import unscaled
from referee.catalogue import arguments_of
from referee.engines import Counts, Sums, steps_of_rows, summarise
from referee.scoring.derivatives import Slope, Tape, Traced, gradient
from referee.scoring.formula import class_values, given_for_class, given_for_pool, given_whole, takes_areas, values

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array, Column
    from referee.engines import Baseline, Ranking, Summary
    from referee.predictions import Model, Predictions
    from referee.scoring.metric import Metric

    Given = dict[str, Callable[[], Any]]


@dataclass(frozen=True)
class ByCell:
    """Through the confusion matrix: the change by one more row of each true and predicted class."""

    change: Array
    counts: Array


@dataclass(frozen=True)
class ByTerms:
    """Through the row terms: the change is linear in them and in the products of their deviations."""

    terms: tuple[str, ...]
    means: Array
    covariances: Array
    by_mean: Array
    by_covariance: Array
    weight: float

    def of_rows(self, terms: dict[str, Column]) -> Column:
        """The change by one more row with such terms; plain arithmetic, so that it runs in a database too."""
        off = [terms[name] - float(mean) for name, mean in zip(self.terms, self.means, strict=True)]
        total: Column = 0.0
        for i, a in enumerate(off):
            total = total + a * float(self.by_mean[i])
            for j, b in enumerate(off[: i + 1]):
                if self.by_covariance[i, j]:
                    total = total + (a * b - float(self.covariances[i, j])) * float(self.by_covariance[i, j])
        return total / self.weight


@dataclass(frozen=True)
class ByStep:
    """Through a ranking: the change by one more positive or negative row at each step."""

    ranking: Ranking
    slope: Slope
    place: tuple[int, ...]
    """The class it ranks, or the pair of classes."""


Sensitivity = ByCell | ByTerms | ByStep


def sensitivities(metric: Metric, given: dict[str, Callable[[], Any]], row_weight: float = 1.0) -> list[Sensitivity]:
    """Differentiate the formula by every summary that it takes; `given` makes them by the names of its arguments."""
    formula = _Formula(metric, given, row_weight)
    found: list[Sensitivity] = []
    for name, summary in formula.arguments.items():
        if isinstance(summary, Counts):
            found.append(formula.by_cell(name, summary))
        elif isinstance(summary, Sums):
            found.append(formula.by_terms(name, summary))
        elif name == "pairs":
            found += formula.by_pairs(summary)
        elif name == "ranking":
            found += formula.by_steps([summary], lambda traced: {"ranking": traced[0]})
    return found


class _Formula:
    def __init__(self, metric: Metric, given: dict[str, Callable[[], Any]], row_weight: float) -> None:
        self.metric = metric
        self.row_weight = row_weight
        self.arguments = arguments_of(metric.value, given)
        self.settings = metric.formula_settings(metric.value)

    def value(self, **moved: Any) -> Array:
        """The formula with some summaries moved; as many values as there are points."""
        with np.errstate(all="ignore"):
            return np.asarray(self.metric.value(**(self.arguments | moved), **self.settings))

    def by_cell(self, name: str, counts: Counts) -> ByCell:
        shape = counts.matrix.shape[1:]
        change = gradient(lambda m: self.value(**{name: Counts(m.reshape(-1, *shape))}), counts.matrix[0].reshape(-1))
        return ByCell(change.reshape(shape), counts.matrix[0])

    def by_terms(self, name: str, sums: Sums) -> ByTerms:
        weight = sums.weight[0]
        covariances = sums.moments[0] / weight
        size = len(sums.terms)

        def at(means: Array, spread: Array) -> Array:
            points = max(len(means), len(spread))
            means, spread = np.broadcast_to(means, (points, size)), np.broadcast_to(spread, (points, size, size))
            return self.value(**{name: Sums(sums.terms, np.full(points, weight), means, spread * weight)})

        by_mean = gradient(lambda points: at(points, covariances[None]), sums.means[0])
        lower = np.tril_indices(size)
        return ByTerms(
            sums.terms,
            sums.means[0],
            covariances,
            by_mean,
            _filled(gradient(lambda points: at(sums.means, _symmetric(points, size)), covariances[lower]), size),
            float(weight),
        )

    def by_pairs(self, pairs: list[list[Ranking | None]]) -> list[ByStep]:
        places = [(a, b) for a, row in enumerate(pairs) for b, ranking in enumerate(row) if ranking is not None]

        def put(traced: Sequence[Traced]) -> dict[str, Any]:
            moved: list[list[Any]] = [list(row) for row in pairs]
            for (a, b), one in zip(places, traced, strict=True):
                moved[a][b] = one
            return {"pairs": moved}

        return self.by_steps([ranking for row in pairs for ranking in row if ranking is not None], put, places)

    def by_steps(
        self,
        rankings: Sequence[Ranking],
        put: Callable[[Sequence[Traced]], dict[str, Any]],
        places: Sequence[tuple[int, ...]] = ((),),
    ) -> list[ByStep]:
        """Through all rankings at once: what the formula asks of them, and their totals, are numbers like others."""
        p, n = (np.array([float(totals[0]) for totals in each]) for each in _totals(rankings))

        def valued(tapes: Sequence[Tape], p: Array, n: Array) -> Array:
            columns = zip(rankings, tapes, p.T, n.T, strict=True)
            traced = [Traced(one, tape, (up, down), self.row_weight) for one, tape, up, down in columns]
            return self.value(**put(traced))

        tapes = [Tape() for _ in rankings]
        valued(tapes, p[None], n[None])
        ends = np.cumsum([len(tape.made) for tape in tapes])
        answers = np.array([np.real(answer[0]) for tape in tapes for answer in tape.made])

        def replayed(points: Array) -> Array:
            tapes = [Tape(part) for part in np.split(points, ends[:-1], axis=1)]
            return np.broadcast_to(valued(tapes, p[None], n[None]), len(points))

        def afresh(p: Array, n: Array) -> Array:
            return valued([Tape(cuts=tape.cuts) for tape in tapes], *np.broadcast_arrays(p, n))

        weights = np.split(gradient(replayed, answers), ends[:-1])
        by_p, by_n = gradient(lambda points: afresh(points, n), p), gradient(lambda points: afresh(p, points), n)
        found = []
        for one, tape, place, weight, up, down in zip(rankings, tapes, places, weights, by_p, by_n, strict=True):
            zeros = np.zeros(len(one.scores))
            slope = Slope(zeros + up, zeros + down, zeros)
            for size, of_answer in zip(weight, tape.slopes, strict=True):
                slope = slope + of_answer() * float(size)
            found.append(ByStep(one, slope, place))
        return found


def _totals(rankings: Sequence[Ranking]) -> tuple[list[Array], list[Array]]:
    return [ranking.P for ranking in rankings], [ranking.N for ranking in rankings]


def _symmetric(points: Array, size: int) -> Array:
    """Matrices from their lower halves."""
    matrices = np.zeros((len(points), size, size), points.dtype)
    i, j = np.tril_indices(size)
    matrices[:, i, j] = points
    matrices[:, j, i] = points
    return matrices


def _filled(lower: Array, size: int) -> Array:
    matrix = np.zeros((size, size))
    matrix[np.tril_indices(size)] = lower
    return matrix


def influences(predictions: Predictions, model: Model, metric: Metric, code: int | None = None) -> Array:
    """The influence of each row on a metric's value, or on its value for one class.

    >>> from referee import Predictions, metrics
    >>> predictions = Predictions.from_arrays([1, 0, 1, 1], {"m": [0.9, 0.2, 0.4, 0.7]})
    >>> influences(predictions, predictions.models[0], metrics["accuracy"])
    array([ 0.25,  0.25, -0.75,  0.25])
    """
    changes = row_changes(summarise(predictions, model), metric, code)
    weight = predictions.rows if predictions.weight is None else predictions.weight.sum()
    return changes * weight


def row_changes(summary: Summary, metric: Metric, code: int | None = None) -> Array:
    """The derivative of the value by the weight of each row; all weights times two change nothing, so they add to 0."""
    with np.errstate(all="ignore"):
        changes = _uncentred(summary, metric, code)
        return changes - summary.totals(changes) / summary.total_weight


def _uncentred(summary: Summary, metric: Metric, code: int | None) -> Array:
    positive, classes = summary.predictions.positive, len(summary.predictions.classes)
    average = metric.settings.get("average")
    if not metric.per_class:
        changes = _changes(summary, metric, given_whole(metric, summary, classes, positive))
        return unscaled(changes, summary.scale, metric.units_power)
    if code is None and average is None:
        code = positive
    if code is not None:
        return _changes(summary, metric, given_for_class(metric, summary, code), code)
    if average == "micro":
        return _pooled_changes(summary, metric, classes)
    return _averaged_changes(summary, metric, classes, weighted=average == "weighted")


def _averaged_changes(summary: Summary, metric: Metric, classes: int, *, weighted: bool) -> Array:
    each = [_changes(summary, metric, given_for_class(metric, summary, code), code) for code in range(classes)]
    if not weighted:
        return np.mean(each, axis=0)
    weights = summary.class_weights[0]
    total = sum(weight * changes for weight, changes in zip(weights, each, strict=True) if weight)
    # A row also makes its own class count more.
    value = values(metric, summary, classes, summary.predictions.positive)[0]
    of_class = np.array([class_values(metric, summary, code)[0] - value for code in range(classes)])
    return (total + of_class[summary.predictions.truth]) / weights.sum()


def _pooled_changes(summary: Summary, metric: Metric, classes: int) -> Array:
    """In the micro average each row takes part once for every class."""
    found = sensitivities(metric, given_for_pool(summary, classes), summary.predictions.row_weight)
    total: Array = np.zeros(summary.predictions.rows)
    for code in range(classes):
        total = total + sum(_on_rows(one, summary, metric, code, as_probability=True) for one in found)
    return total


def _changes(summary: Summary, metric: Metric, given: Given, code: int | None = None) -> Array:
    if "ranking" in metric.summaries and not metric.per_class:
        return _changes_of_median(summary, metric)
    if code is not None and takes_areas(metric) and (quick := summary.area_changes(metric, code)) is not None:
        return quick
    found = sensitivities(metric, given, summary.predictions.row_weight)
    as_probability = metric.needs == "probabilities"
    each = [_on_rows(one, summary, metric, code, as_probability=as_probability) for one in found]
    return np.sum(each, axis=0) + _changes_of_baseline(summary, metric)


def _on_rows(one: Sensitivity, summary: Summary, metric: Metric, code: int | None, *, as_probability: bool) -> Array:
    """A sensitivity, looked up for each row."""
    truth = summary.predictions.truth
    if isinstance(one, ByTerms):
        return np.asarray(one.of_rows(summary.rows.row_terms(metric, summary.baseline)))
    if isinstance(one, ByCell):
        if code is None:
            return one.change[truth, summary.rows.labels]
        return one.change[(truth == code).astype(int), (summary.rows.labels == code).astype(int)]
    positive, negative = one.place or (code, None)
    scores = summary.rows.score(positive, as_probability=as_probability)
    step = steps_of_rows(scores, one.ranking.scores).clip(0, len(one.ranking.scores) - 1)
    of_row = np.where(truth == positive, one.slope.positive[step], one.slope.negative[step])
    return of_row if negative is None else np.where((truth == positive) | (truth == negative), of_row, 0)


def _changes_of_median(summary: Summary, metric: Metric) -> Array:
    """A median moves by the side a row is on, over the density of rows there."""
    (term,) = summary.rows.row_terms(metric, summary.baseline).values()
    weight, row_weight = float(summary.total_weight[0]), summary.predictions.row_weight
    # Hall and Sheather (1988), for a median and 95 %.
    reach = min(0.97 * (weight / row_weight) ** (-1 / 3), 0.45)
    low, high = _quantiles(summary.ranking_of_term(metric), [0.5 - reach, 0.5 + reach], row_weight)
    median = values(metric, summary, 0, None)[0] * summary.scale**metric.units_power
    return (high - low) / (2 * reach) * np.sign(term - median) / 2 / weight


def _quantiles(falling: Ranking, levels: list[float], row_weight: float) -> Array:
    """Straight lines from row to row; rows that tie, or were seen several times, are a level stretch."""
    score, weight = falling.scores[::-1], falling.positives[::-1]
    last = np.cumsum(weight)
    first = last - weight + np.minimum(weight, row_weight)
    share = np.stack([first, last], axis=1).reshape(-1) / last[-1]
    return np.interp(levels, share, np.repeat(score, 2))


def _changes_of_baseline(summary: Summary, metric: Metric) -> Array | float:
    """Where the yardstick is the mean of the evaluated rows, a row moves it as well."""
    if not (summary.baseline.used_by(metric) and summary.baseline.is_estimated):
        return 0.0
    truth = summary.rows.truth_columns()
    total: Array = np.zeros(summary.predictions.rows)
    for place, column in enumerate([truth] if summary.predictions.task == "regression" else truth):
        mean = summary.totals(column) / summary.total_weight
        spread = float(np.sqrt(summary.totals((column - mean) ** 2) / summary.total_weight)[0])
        step = 1e-4 * max(spread, 1e-12)
        up, down = (_value_with(summary, metric, summary.baseline.shifted(place, s)) for s in (step, -step))
        total += (up - down) / (2 * step) * (column - mean) / summary.total_weight
    return total


def _value_with(summary: Summary, metric: Metric, baseline: Baseline) -> float:
    terms = summary.rows.row_terms(metric, baseline)
    means = np.stack([summary.totals(term) / summary.total_weight for term in terms.values()], axis=1)
    sums = Sums(tuple(terms), summary.total_weight, means, np.zeros((1, len(terms), len(terms))))
    return float(metric.value(sums, **metric.formula_settings(metric.value))[0])
