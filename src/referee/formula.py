"""A metric's formula applied to a summary: one value per unit, per class where the metric has classes."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from referee.arguments import arguments_of
from referee.ranking import Ranking, merge_rankings
from referee.summaries import Counts, Sums

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.metric import Metric


class Summary(Protocol):
    """What an engine gives for one model: the summaries of all units, each made when it is asked for."""

    units: int

    @property
    def scale(self) -> float: ...
    @property
    def counts(self) -> Counts: ...
    @property
    def class_weights(self) -> Array: ...
    def ranking(self, positive: int, *, as_probability: bool = False) -> Ranking: ...
    def pair_ranking(self, positive: int, negative: int) -> Ranking: ...
    def ranking_of_term(self, metric: Metric) -> Ranking: ...
    def sums(self, metric: Metric) -> Sums: ...


def values(metric: Metric, summary: Summary, classes: int, positive: int | None) -> Array:
    """The metric's value in each unit; nan where it is undefined."""
    if not metric.per_class:
        return _apply(metric, _whole(metric, summary, classes, positive)) / summary.scale**metric.units_power
    average = metric.settings.get("average")
    if average is None and positive is not None:
        return class_values(metric, summary, positive)
    if average == "micro":
        return _apply(metric, _pooled(summary, classes))
    each = np.stack([class_values(metric, summary, code) for code in range(classes)], axis=1)
    return _averaged(each, summary.class_weights if average == "weighted" else np.ones_like(each))


def class_values(metric: Metric, summary: Summary, code: int) -> Array:
    """The metric's value for one class against the rest, in each unit."""
    return _apply(metric, _against_rest(metric, summary, code))


def formula_on_counts(metric: Metric, matrix: Array, positive: int) -> Array:
    """The metric's value on confusion matrices: (unit, true class, predicted class)."""
    counts = Counts(matrix)
    return _apply(
        metric,
        {
            "counts": lambda: counts.against_rest(positive) if metric.per_class else counts,
            "positive": lambda: positive if matrix.shape[1] == 2 else None,
        },
    )


def _apply(metric: Metric, available: dict[str, Callable[[], Any]]) -> Array:
    with np.errstate(all="ignore"):
        arguments = arguments_of(metric.value, available)
        result = np.asarray(metric.value(**arguments, **metric.formula_settings(metric.value)), float)
    undefined = metric.settings.get("undefined")
    return result if undefined is None else np.where(np.isnan(result), float(undefined), result)


def _whole(metric: Metric, summary: Summary, classes: int, positive: int | None) -> dict[str, Callable[[], Any]]:
    def pairs() -> list[list[Ranking | None]]:
        return [[summary.pair_ranking(a, b) if a != b else None for b in range(classes)] for a in range(classes)]

    return {
        "counts": lambda: summary.counts,
        "sums": lambda: summary.sums(metric),
        "ranking": lambda: summary.ranking_of_term(metric),
        "pairs": pairs,
        "positive": lambda: positive,
    }


def _against_rest(metric: Metric, summary: Summary, code: int) -> dict[str, Callable[[], Any]]:
    return {
        "counts": lambda: summary.counts.against_rest(code),
        "sums": lambda: summary.sums(metric),
        "ranking": lambda: summary.ranking(code, as_probability=metric.needs == "probabilities"),
    }


def _pooled(summary: Summary, classes: int) -> dict[str, Callable[[], Any]]:
    """All decisions 'is it this class?' as if they were of one class (micro average)."""
    every = range(classes)
    return {
        "counts": lambda: reduce(Counts.merge, (summary.counts.against_rest(code) for code in every)),
        "ranking": lambda: merge_rankings([summary.ranking(code, as_probability=True) for code in every]),
    }


def _averaged(each: Array, weights: Array) -> Array:
    """The average over the classes that have weight; undefined if one of these is."""
    with np.errstate(all="ignore"):
        return np.where(weights > 0, each * weights, 0).sum(axis=1) / weights.sum(axis=1)
