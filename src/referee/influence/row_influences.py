"""Row influences: how much each row moves a metric, and from them the metric's standard error.

A metric's value is a function of the rows' weights. Its derivative by a row's weight, times the total weight, is the
row's influence; their spread is the value's (STATISTICS: one theory for all metrics).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import unscaled
from referee.engines.memory import summarise
from referee.engines.row_order import steps_of_rows
from referee.formula import class_values, given_for_class, given_for_pool, given_whole, takes_areas, values
from referee.influence.sensitivity import ByCell, ByTerms, sensitivities
from referee.summaries import Sums

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.engines.baseline import Baseline
    from referee.engines.memory import Summary
    from referee.influence.sensitivity import Sensitivity
    from referee.metric import Metric
    from referee.predictions import Model, Predictions
    from referee.ranking import Ranking

    Given = dict[str, Callable[[], Any]]


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
