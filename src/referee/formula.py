"""A metric's formula applied to a summary: one value per unit, per class where the metric has classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from referee.arguments import arguments_of
from referee.arrays import unscaled
from referee.errors import UsageError
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
        given = given_whole(metric, summary, classes, positive)
        with np.errstate(over="ignore"):
            return unscaled(_apply(metric, given, summary.units), summary.scale, metric.units_power)
    average = metric.settings.get("average")
    if average is None and positive is not None:
        return class_values(metric, summary, positive)
    if average == "micro":
        return _apply(metric, given_for_pool(summary, classes), summary.units)
    each = np.stack([class_values(metric, summary, code) for code in range(classes)], axis=1)
    return _averaged(each, summary.class_weights if average == "weighted" else np.ones_like(each))


def class_values(metric: Metric, summary: Summary, code: int) -> Array:
    """The metric's value for one class against the rest, in each unit."""
    known: dict[object, Array] = getattr(summary, "known_values", {})  # kept where each costs a pass over all rows
    key = known_as(metric, code)
    if key not in known:
        known[key] = _apply(metric, given_for_class(metric, summary, code), summary.units)
    return known[key]


def known_as(metric: Metric, code: int) -> object:
    """What a metric's value for one class is kept under, whatever average it is a part of."""
    return metric.name, code, repr({**metric.settings, "average": None})


def formula_on_counts(metric: Metric, given: Any, positive: int) -> float:
    """The metric's value on a confusion matrix: rows are the true classes, columns the predicted ones."""
    matrix = _square(given)
    classes = len(matrix)
    if not 0 <= positive < classes:
        raise UsageError("E_COUNTS", f"positive={positive} is no class of a {classes} x {classes} matrix")
    named = positive if metric.per_class or classes == 2 else None
    summary: Any = _CountsAlone(Counts(matrix[None]))
    return float(values(metric, summary, classes, named)[0])


@dataclass(frozen=True)
class _CountsAlone:
    """A summary of which only the confusion matrix is known."""

    counts: Counts
    units: int = 1
    scale: float = 1.0

    @property
    def class_weights(self) -> Array:
        return self.counts.true


def _square(given: Any) -> Array:
    try:
        matrix = np.asarray(given)
        numeric = matrix if matrix.dtype.kind in "biuf" else matrix.astype(float)
    except (TypeError, ValueError):
        raise UsageError("E_COUNTS", "the confusion matrix is not a table of numbers") from None
    if numeric.ndim != 2 or numeric.shape[0] != numeric.shape[1] or not numeric.size:
        raise UsageError("E_COUNTS", f"a confusion matrix is square; this one has the shape {numeric.shape}")
    if not (np.isfinite(numeric) & (numeric >= 0)).all():
        raise UsageError("E_COUNTS", "the counts of a confusion matrix are finite and not negative")
    return numeric.astype(int) if numeric.dtype.kind == "b" else numeric


def _apply(metric: Metric, available: dict[str, Callable[[], Any]], units: int) -> Array:
    with np.errstate(all="ignore"), metric.answerable():
        arguments = arguments_of(metric.value, available)
        result = np.asarray(metric.value(**arguments, **metric.formula_settings(metric.value)), float)
        if result.shape != (units,):
            raise ValueError(f"numbers of shape {result.shape}, not {(units,)}: one per unit")
    return _where_defined(metric, result)


def _where_defined(metric: Metric, result: Array) -> Array:
    undefined = metric.settings.get("undefined")
    return result if undefined is None else np.where(np.isnan(result), float(undefined), result)


def takes_areas(metric: Metric) -> bool:
    """Whether areas under ROC curves are all it needs: then no formula has to look at every step of a ranking."""
    return metric.name == "roc_auc" and metric.built_in and metric.settings.get("average") != "micro"


def known_areas(
    metric: Metric, area: Callable[[int], Array], classes: int, positive: int | None
) -> dict[object, Array]:
    """The values that a summary may know beforehand, if it has a quick way to the area of a class."""
    if not takes_areas(metric):
        return {}
    alone = positive is not None and metric.settings.get("average") is None
    codes = [code for code in range(classes) if not alone or code == positive]
    return {known_as(metric, code): _where_defined(metric, area(code)) for code in codes}


def given_whole(metric: Metric, summary: Summary, classes: int, positive: int | None) -> dict[str, Callable[[], Any]]:
    """The arguments that a formula over all classes may ask for, each made when it is."""

    def pairs() -> list[list[Ranking | None]]:
        return [[summary.pair_ranking(a, b) if a != b else None for b in range(classes)] for a in range(classes)]

    return {
        "counts": lambda: summary.counts,
        "sums": lambda: summary.sums(metric),
        "ranking": lambda: summary.ranking_of_term(metric),
        "pairs": pairs,
        "positive": lambda: positive,
    }


def given_for_class(metric: Metric, summary: Summary, code: int) -> dict[str, Callable[[], Any]]:
    """The arguments of a formula for one class against the rest."""
    return {
        "counts": lambda: summary.counts.against_rest(code),
        "sums": lambda: summary.sums(metric),
        "ranking": lambda: summary.ranking(code, as_probability=metric.needs == "probabilities"),
    }


def given_for_pool(summary: Summary, classes: int) -> dict[str, Callable[[], Any]]:
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
