"""Formulas on summaries: the values of a metric, and what its formula shows about it."""

from __future__ import annotations

from functools import reduce
from math import isnan
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from referee.arrays import made_up, unscaled
from referee.catalogue import arguments_of
from referee.engines import Counts, RankedLists, Ranking, Sums, known_as, merge_rankings
from referee.errors import UsageError
from referee.predictions import Lists
from referee.records import dataclass
from referee.scoring.tape import Tape, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array
    from referee.predictions import Predictions
    from referee.scoring.metric import Metric


class Summary(Protocol):
    """What an engine gives for one model: the summaries of all units, each made when it is asked for."""

    units: int

    @property
    def scale(self) -> float: ...
    @property
    def predictions(self) -> Predictions: ...
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
        known: dict[object, Array] = getattr(summary, "known_values", {})
        if metric.full_name in known:
            return known[metric.full_name]
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


def formula_on_counts(metric: Metric, given: Any, positive: int) -> float:
    """The metric's value on a confusion matrix: rows are the true classes, columns the predicted ones."""
    matrix = _square(given)
    classes = len(matrix)
    if not 0 <= positive < classes:
        raise UsageError("E_COUNTS", f"positive={positive} is not a class of a {classes} x {classes} matrix")
    named = positive if metric.per_class or classes == 2 else None
    summary: Any = CountsAlone(Counts(matrix[None]))
    return float(values(metric, summary, classes, named)[0])


@dataclass(frozen=True)
class CountsAlone:
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
        raise UsageError("E_COUNTS", f"a confusion matrix must be square; this one has the shape {numeric.shape}")
    if not (np.isfinite(numeric) & (numeric >= 0)).all():
        raise UsageError("E_COUNTS", "the counts of a confusion matrix must be finite and not negative")
    return numeric.astype(int) if numeric.dtype.kind == "b" else numeric


def _apply(metric: Metric, available: dict[str, Callable[[], Any]], units: int) -> Array:
    with np.errstate(all="ignore"), metric.answerable():
        arguments, settings = arguments_of(metric.value, available), metric.formula_settings(metric.value)
        asked = {name: in_columns(argument) for name, argument in arguments.items()}
        try:
            result = np.asarray(plain(metric.value(**asked, **settings)), float)
        except TypeError:
            if asked == arguments:
                raise
            result = np.asarray(metric.value(**arguments, **settings), float)
        if result.shape != (units,):
            raise ValueError(f"numbers of shape {result.shape}, not {(units,)}: one per unit")
    return where_defined(metric, result)


def in_columns(summary: Any) -> Any:
    """Rankings whose steps stay in a database are asked what a formula wants; anything else is what it is."""
    if isinstance(summary, list):
        return [in_columns(each) for each in summary]
    if not hasattr(summary, "in_order") or summary.is_near:
        return summary
    from referee.scoring.ranked_columns import ColumnRanking

    return ColumnRanking(summary, Tape(), summary.row_weight)


def where_defined(metric: Metric, result: Array) -> Array:
    """With the value that was asked for in place of none."""
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
    return {known_as(metric, code): where_defined(metric, area(code)) for code in codes}


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
        "row_weight": lambda: summary.predictions.row_weight,
    }


def given_for_pool(summary: Summary, classes: int) -> dict[str, Callable[[], Any]]:
    """All decisions 'is it this class?' as if they were of one class (micro average)."""
    every = range(classes)
    return {
        "counts": lambda: reduce(Counts.merge, (summary.counts.against_rest(code) for code in every)),
        "ranking": lambda: _pooled_ranking(summary, every),
        "row_weight": lambda: summary.predictions.row_weight,
    }


def _pooled_ranking(summary: Summary, classes: Sequence[int]) -> Ranking:
    made: Ranking | None = getattr(summary, "pooled_ranking", None)  # where it was made before
    return merge_rankings([summary.ranking(code, as_probability=True) for code in classes]) if made is None else made


def _averaged(each: Array, weights: Array) -> Array:
    """The average over the classes that have weight; undefined if one of these is."""
    with np.errstate(all="ignore"):
        return np.where(weights > 0, each * weights, 0).sum(axis=1) / weights.sum(axis=1)


def is_additive(metric: Metric) -> bool:
    """Whether the value of two batches together is always the average of their values, each by its rows."""
    if metric.summaries == ("counts",):
        return all(_adds_up_on_counts(metric, seed) for seed in range(3))
    if metric.summaries == ("sums",):
        return all(_adds_up_on_sums(metric, seed) for seed in range(3))
    return False


def called_classes(metric: Metric) -> tuple[int, ...]:
    """The classes of which right calls move a value that is a share of the calls, and not of the true classes."""
    if metric.summaries != ("counts",) or metric.additive or not metric.depends_on_prevalence:
        return ()
    if metric.settings.get("average") == "micro":
        return ()  # every row is a call of one class or another
    both_averaged = metric.settings.get("average") in ("macro", "weighted")
    return (0, 1) if both_averaged else tuple(code for code in (0, 1) if _moves_with_hits(metric, code))


def needs_calls(metric: Metric) -> bool:
    """Whether it is undefined where nothing is called one of the classes."""
    if not metric.per_class or metric.summaries != ("counts",):
        return False
    alone = metric.bind(average=None) if "average" in metric.settings else metric
    return any(isnan(formula_on_counts(alone, table, 1)) for table in ([[5, 0], [5, 0]], [[0, 5], [0, 5]]))


def _moves_with_hits(metric: Metric, code: int) -> bool:
    matrix = np.array([[[50.0, 10.0], [15.0, 25.0]]])
    more = matrix.copy()
    more[0, code, code] += 5
    return _value(metric, counts=Counts(matrix)) != _value(metric, counts=Counts(more))


def averages_a_class(metric: Metric) -> bool:
    """Whether the value is an average over the rows of one true class, as recall is."""
    one_class = metric.summaries == ("counts",) and metric.per_class
    return one_class and any(all(_adds_up_on_counts(metric, seed, [row]) for seed in range(3)) for row in (0, 1))


def _adds_up_on_counts(metric: Metric, seed: int, classes: Sequence[int] = (0, 1)) -> bool:
    """Each batch by its rows of some true classes."""
    a, b = (Counts(np.floor(1 + 49 * made_up(1, 2, 2, after=8 * seed + 4 * batch))) for batch in range(2))
    both = a.merge(b)
    return _is_average(*(_value(metric, counts=part) * part.matrix[0, classes].sum() for part in (a, b, both)))


def _adds_up_on_sums(metric: Metric, seed: int) -> bool:
    terms = _terms(metric)
    a, b = (_made_up_sums(terms, 2 * seed + batch) for batch in range(2))
    both = a.merge(b)
    return _is_average(*(_value(metric, sums=part) * part.weight[0] for part in (a, b, both)))


def _is_average(a: float, b: float, both: float) -> bool:
    return bool(np.isclose(a + b, both, rtol=1e-9))


def _value(metric: Metric, **summary: Counts | Sums) -> float:
    # With the default settings: a cost matrix, say, would fix the number of classes.
    return float(metric.value(**summary)[0])


def _made_up_sums(terms: tuple[str, ...], batch: int) -> Sums:
    rows = 0.1 + 0.9 * made_up(20, len(terms), after=20 * len(terms) * batch)
    centred = rows - rows.mean(axis=0)
    return Sums(terms, np.array([20.0]), rows.mean(axis=0)[None], (centred.T @ centred)[None])


def _terms(metric: Metric) -> tuple[str, ...]:
    """The names of the row terms, from two made-up rows."""
    assert metric.row_terms is not None
    columns = [np.array([0.0, 1.0]), np.array([1.0, 0.0])]
    row = columns if metric.needs == "probabilities" or "multilabel" in metric.tasks else columns[0]
    available: dict[str, Callable[[], Any]] = {name: lambda: row for name in ("truth", "prediction", "baseline")}
    available |= {"levels": lambda: (0.25, 0.75), "order": lambda: (0, 1), "xp": lambda: np}
    available |= {"others": lambda: [row], "better": lambda: "higher"}
    available |= {"ranked": lambda: RankedLists.of(*(Lists.of([[1, 0], [0, 1]]) for _ in range(2)))}
    with np.errstate(all="ignore"):
        return tuple(metric.row_terms(**arguments_of(metric.row_terms, available)))
