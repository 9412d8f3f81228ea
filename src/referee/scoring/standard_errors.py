"""The spread of every metric's value, from what each row adds to it."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from referee.arrays import total, unscaled
from referee.engines import UnitSummary
from referee.records import dataclass
from referee.scoring.counted_intervals import counted_interval
from referee.scoring.formula import given_for_class, given_for_pool, given_whole
from referee.scoring.groups import groups_of, spread_of_groups
from referee.scoring.influences import influence
from referee.scoring.intervals import (
    Spread,
    bessel,
    degrees_of_freedom,
    df_from_moments,
    interval,
    is_at_an_end,
    median_interval,
    name_of_interval,
)
from referee.scoring.ranked_intervals import ranked_interval
from referee.scoring.seed_spread import with_seeds
from referee.scoring.sensitivity import ByCell, ByStep, ByTerms, sensitivities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from referee.arrays import Array
    from referee.engines import Summary
    from referee.predictions import Predictions
    from referee.scoring.influences import Influence
    from referee.scoring.metric import Metric

    Block = tuple[Array, Array | None, Array | int, Array | int]
    """What some rows or cells add, the weight of each, its unit, and its unit and class as one number."""

BLOCK = 1 << 15
"""Rows that are looked at together."""
FEW_CELLS = 1 << 12

LEAST_DF = 10
DUST = 1e-15
"""A standard error that is smaller than this share of its value is rounding."""


class Uncertainty(NamedTuple):
    """How sure a value is."""

    low: float
    high: float
    standard_error: float
    interval: str | None
    """What kind of interval it is; None where it has no width."""


def uncertainty(summary: Any, metric: Metric, value: float, code: int | None, alpha: float) -> Uncertainty | None:
    """The interval and the standard error of a value; None where they cannot be known."""
    with np.errstate(all="ignore"):
        known = _of_overlapping_folds(summary.predictions, spread(summary, metric, code))
        if summary.predictions.has_seeds:
            known = with_seeds(known, summary.predictions, summary.rows.model.name)
    return _from_spread(summary, metric, value, code, alpha, known)


def uncertainties_of_units(summary: Summary, metric: Metric, values: Array, alpha: float) -> list[Uncertainty | None]:
    """Those of all units, whose rows are independent and count the same, in one run of the formula."""
    with np.errstate(all="ignore"):
        spreads = spreads_of_units(influence(summary, metric), metric)
    code = summary.predictions.positive if metric.of_one_class else None
    return [
        _from_spread(UnitSummary(summary, unit), metric, value, code, alpha, known) if np.isfinite(value) else None
        for unit, (value, known) in enumerate(zip(values.tolist(), spreads, strict=True))
    ]


def _from_spread(
    summary: Any, metric: Metric, value: float, code: int | None, alpha: float, known: Spread | None
) -> Uncertainty | None:
    if known is None or not isfinite(known.variance):
        return None
    if known.standard_error < DUST * abs(value):
        known = replace(known, variance=0.0)
    if counted := counted_interval(summary, metric, value, code, alpha):
        return Uncertainty(*counted[0], known.standard_error, counted[1])
    if ends := _between_rows(summary, metric, alpha):
        return Uncertainty(*ends, known.standard_error, "order statistics, exact for any distribution")
    if _is_of_equal_rows(summary, metric):
        # Few errors make long tails, which the scale of the interval takes care of.
        known = replace(known, df=max(known.df, LEAST_DF))
    counting = rows_that_count(summary, metric, code) if is_at_an_end(value, metric.range) else np.nan
    low, high = interval(value, known, metric.range, alpha, counting)
    if ranked := ranked_interval(summary, metric, value, code, alpha, (low, high)):
        return Uncertainty(*ranked[0], known.standard_error, ranked[1])
    return Uncertainty(low, high, known.standard_error, name_of_interval(value, metric.range) if low < high else None)


def _between_rows(summary: Any, metric: Metric, alpha: float) -> tuple[float, float] | None:
    """The interval of a median score from one row to another; it needs no density, but rows that count the same."""
    predictions = summary.predictions
    if metric.name != "median" or predictions.scored is None or not predictions.has_equal_rows:
        return None
    values, times = summary.rows.model.values, predictions.times_seen
    if times is not None and not np.array_equal(times, np.rint(times)):
        return None
    return median_interval(values if times is None else np.repeat(values, times.astype(int)), alpha)


def _of_overlapping_folds(predictions: Predictions, found: Spread | None) -> Spread | None:
    """Where rows are scores of folds, their training sets overlap (Nadeau and Bengio, 2003)."""
    scored = predictions.scored
    if found is None or scored is None or scored.kind != "folds":
        return found
    if scored.overlap is None:
        return None
    df = found.df if scored.folds is None else min(found.df, scored.folds - 1.0)
    return Spread(found.variance * (1 + predictions.rows * scored.overlap), df)


def _is_of_equal_rows(summary: Any, metric: Metric) -> bool:
    """Whether a value hangs on counts of rows that are all alike and belong to nobody."""
    return metric.summaries == ("counts",) and bool(summary.predictions.has_equal_rows)


def rows_that_count(summary: Any, metric: Metric, code: int | None) -> float:
    """How many rows could have shown an exception, where a value has come out as its best or worst possible.

    Rows of a group may all do the same, so that there are no more of them than groups.
    """
    rows = _all_rows_that_count(summary, metric, code)
    if summary.predictions.clusters is None:
        return rows
    groups = groups_of(summary.predictions, summary.rows, metric, code)
    return rows if groups is None else min(rows, float(groups.reach.groups))


def _all_rows_that_count(summary: Any, metric: Metric, code: int | None) -> float:
    predictions = summary.predictions
    if not predictions.classes or "sums" in metric.summaries:
        weight = predictions.rows if predictions.weight is None else summary.total_weight[0]
        return float(weight / predictions.row_weight)
    if metric.summaries == ("counts",):
        (found,) = sensitivities(metric, _given(summary, metric, code))
        assert isinstance(found, ByCell)
        one_decision = np.ptp(found.change, axis=1).max() * predictions.row_weight
        return 1 / one_decision if one_decision > 0 else np.nan
    present = summary.class_weights[0]
    return float(present[present > 0].min() / predictions.row_weight)


def spread(summary: Any, metric: Metric, code: int | None = None) -> Spread | None:
    """The variance of a metric's value and its degrees of freedom; None where the engine cannot give it."""
    if summary.predictions.has_rows:
        return spread_of_influence(influence(summary, metric, code), metric, code)
    alike = summary.predictions.weight is None and summary.predictions.clusters is None
    found = _alone(summary, metric, code) if alike else None
    return None if found is None else _by_summary(summary, metric, found)


def spread_of_influence(found: Influence, metric: Metric, code: int | None = None) -> Spread | None:
    """Of rows in memory: from cells, if these say everything, else row by row, or group by group."""
    summary = found.summary
    predictions = summary.predictions
    if predictions.weight is None and predictions.clusters is None:
        return spreads_of_units(found, metric)[0]
    changes = found.of_rows()
    groups = groups_of(predictions, summary.rows, metric, code)
    if groups is None or not np.isfinite(changes).all():
        return spread_of_changes(predictions, metric, changes)
    return spread_of_groups(groups.pieces(changes), [groups])


def spreads_of_units(found: Influence, metric: Metric) -> list[Spread | None]:
    """Of independent rows that all count the same, in each unit."""
    moments = Moments.of_cells(found, metric) or Moments.of_rows(found.summary, metric, found.of_rows)
    return moments.spreads(found.summary)


def spread_of_difference(a: Influence, b: Influence, metric: Metric) -> Spread | None:
    """Of two models' values on the same rows, which all count the same."""
    with np.errstate(all="ignore"):
        moments = Moments.of_joint_cells(a, b, metric) or Moments.of_rows(
            a.summary, metric, lambda part: a.of_rows(part) - b.of_rows(part)
        )
        return moments.spreads(a.summary)[0]


@dataclass(frozen=True)
class Moments:
    """Sums over rows that all count the same: of the squares of their changes, in each class, and of fourth powers."""

    squares: Array
    """(unit, class), or (unit, 1) where classes are not compared."""
    fourths: Array
    too_small: Array
    """Whether changes are something, but their squares are not."""

    @classmethod
    def of_cells(cls, found: Influence, metric: Metric) -> Moments | None:
        """From tables; None where these do not say everything about a row."""
        cells, predictions = found.cells, found.summary.predictions
        by_class = _compares_classes(predictions, metric)
        if cells is None or (by_class and not cells.has_truth):
            return None
        classes = len(predictions.classes) if by_class else 1
        parts = cells.parts(classes, BLOCK)
        blocks = ((found.of_cells(part), cells.weight[part], unit, key) for part, unit, key in parts)
        return cls.of_blocks(blocks, found.summary.units, classes)

    @classmethod
    def of_joint_cells(cls, a: Influence, b: Influence, metric: Metric) -> Moments | None:
        """From the cells that rows fall into by both models; None where these are more than rows."""
        of_a, of_b = a.cells, b.cells
        if of_a is None or of_b is None or _compares_classes(a.summary.predictions, metric):
            return None
        size = len(of_a) * len(of_b)
        if size > max(a.summary.predictions.rows, FEW_CELLS):
            return None
        key = ("joint", b.summary.rows.model)
        if key not in a.summary.kept:
            a.summary.kept[key] = np.bincount(of_a.place * len(of_b) + of_b.place, minlength=size)
        differences = (a.of_cells()[:, None] - b.of_cells()).reshape(-1)
        return cls.of_blocks([(differences, a.summary.kept[key], 0, 0)], 1, 1)

    @classmethod
    def of_rows(cls, summary: Summary, metric: Metric, changes: Callable[[slice], Array]) -> Moments:
        """Row by row."""
        predictions, units = summary.predictions, summary.units
        classes = len(predictions.classes) if _compares_classes(predictions, metric) else 1

        def blocks() -> Iterator[Block]:
            for start in range(0, predictions.rows, BLOCK):
                part = slice(start, start + BLOCK)
                unit = 0 if summary.by is None else summary.by.codes[part]
                yield changes(part), None, unit, unit if classes == 1 else unit * classes + predictions.truth[part]

        return cls.of_blocks(blocks(), units, classes)

    @classmethod
    def of_blocks(cls, blocks: Iterable[Block], units: int, classes: int) -> Moments:
        """Block by block, so that what is made of changes stays in the processor's cache."""
        squares, fourths, sizes = np.zeros(units * classes), np.zeros(units), np.zeros(units)
        for changes, weight, unit, key in blocks:
            squared = changes * changes
            weighed = squared if weight is None else squared * weight
            if weight is not None and np.isnan(weighed.sum()):  # what no row has may be no number
                squared, weighed = (np.where(weight > 0, numbers, 0.0) for numbers in (squared, weighed))
            _add_up(weighed, key, squares)
            _add_up(np.multiply(squared, weighed, out=squared), unit, fourths)
            if not weighed.any():
                _add_up(np.abs(changes) * (1.0 if weight is None else weight > 0), unit, sizes)
        by_class = squares.reshape(units, classes)
        return cls(by_class, fourths, (sizes > 0) & ~by_class.any(axis=1))

    def spreads(self, summary: Summary) -> list[Spread | None]:
        """None where a change is no number, or all are too small for their squares."""
        rows = summary.class_weights if self.squares.shape[1] > 1 else summary.total_weight[:, None]
        enlarged = self.squares * np.divide(rows, rows - 1, out=np.full(rows.shape, np.inf), where=rows > 1)
        variances = np.where(rows > 0, enlarged, 0.0).sum(axis=1).tolist()
        totals, seen = self.squares.sum(axis=1).tolist(), summary.total_weight.tolist()
        each = zip(variances, totals, seen, self.fourths.tolist(), self.too_small.tolist(), strict=True)
        return [
            None if too_small or not isfinite(total) else Spread(variance, df_from_moments(number, total, fourth))
            for variance, total, number, fourth, too_small in each
        ]


def _add_up(values: Array, key: Array | int, totals: Array) -> None:
    totals[key if isinstance(key, int) else ...] += (
        values.sum() if isinstance(key, int) else np.bincount(key, values, len(totals))
    )


def spread_of_changes(predictions: Predictions, metric: Metric, changes: Array) -> Spread | None:
    """From the derivative of a value, or of a difference of two, by the weight of each of independent rows."""
    if not np.isfinite(changes if predictions.weight is None else changes[predictions.weight > 0]).all():
        return None
    with np.errstate(over="ignore"):
        pieces = pieces_of_variance(predictions, metric, changes)
        variance = total(pieces**2)
        too_small = not variance and bool(pieces.any())  # for the squares of such numbers
        return None if too_small else Spread(variance, _degrees_of_freedom(predictions, changes))


def pieces_of_variance(predictions: Predictions, metric: Metric, changes: Array) -> Array:
    """What each of independent rows adds to the value, so large that the squares add up to the variance."""
    weight = predictions.weight
    with np.errstate(all="ignore"):
        enlarged = np.sqrt(_bessel_of_rows(predictions, metric))
        if weight is None:
            return np.asarray(changes * enlarged)
        of_one = np.sqrt(weight * predictions.row_weight) if predictions.weight_kind == "frequency" else weight
        return np.asarray(np.where(weight > 0, changes * of_one * enlarged, 0.0))


def _bessel_of_rows(predictions: Predictions, metric: Metric) -> float | Array:
    if not _compares_classes(predictions, metric):
        return bessel(predictions.rows_seen)
    return np.array([bessel(rows) for rows in predictions.rows_of_classes])[predictions.truth]


def _compares_classes(predictions: Predictions, metric: Metric) -> bool:
    """Rankings compare classes, each of which loses a degree of freedom: with AUC this is DeLong's variance."""
    return bool(predictions.classes and {"ranking", "pairs"} & set(metric.summaries))


def _degrees_of_freedom(predictions: Predictions, changes: Array) -> float:
    weight = predictions.weight
    if weight is None:
        return degrees_of_freedom(changes)
    if predictions.weight_kind == "frequency":
        times, squares = (weight / predictions.row_weight)[weight > 0], changes[weight > 0] ** 2
        return df_from_moments(predictions.rows_seen, total(times * squares), total(times * squares**2))
    return degrees_of_freedom((weight * changes)[weight > 0])


def _alone(summary: Any, metric: Metric, code: int | None) -> ByCell | ByTerms | ByStep | None:
    """The only way in which rows reach the value, if there is only one."""
    of_one_class = code is not None or (summary.predictions.positive is not None and "average" not in metric.settings)
    if len(metric.summaries) > 1 or metric.summaries == ("pairs",) or _has_own_path(metric):
        return None
    if metric.per_class and not of_one_class:
        return None
    given = _given(summary, metric, code)
    if metric.summaries == ("ranking",):
        joined = given["ranking"]().coarse
        given = given | {"ranking": lambda: joined}
    (found,) = sensitivities(metric, given)
    return found


def _given(summary: Any, metric: Metric, code: int | None) -> dict[str, Callable[[], Any]]:
    """The summaries that a formula takes, for one class where it speaks of one."""
    predictions = summary.predictions
    code = predictions.positive if code is None else code
    if metric.per_class and code is not None:
        return given_for_class(metric, summary, code)
    if metric.per_class:
        return given_for_pool(summary, len(predictions.classes))
    return given_whole(metric, summary, len(predictions.classes), predictions.positive)


def _has_own_path(metric: Metric) -> bool:
    """Medians, and yardsticks that move with the rows, need the rows themselves."""
    return metric.row_terms is not None and ("ranking" in metric.summaries or "baseline" in metric.row_arguments)


def _by_summary(summary: Any, metric: Metric, found: ByCell | ByTerms | ByStep) -> Spread:
    """Where the rows are not in memory."""
    if isinstance(found, ByStep):
        return _by_steps(found)
    rows = float(summary.predictions.rows)
    if isinstance(found, ByCell):
        squares, fourths = (float((found.counts * found.change**power).sum()) for power in (2, 4))
    else:
        squares, fourths = summary.row_moments(metric, found.of_rows)
    df = df_from_moments(rows, squares, fourths)
    squares = float(unscaled(np.array(squares), summary.scale, 2 * metric.units_power))
    return Spread(squares * bessel(rows), df)


def _by_steps(found: ByStep) -> Spread:
    sides = [*zip((found.ranking.negatives, found.ranking.positives), found.slopes, strict=True)]
    totals = [float(rows.sum()) for rows, _ in sides]
    # Influences add up to 0; those that are smoothed at a cut do so only on average.
    mean = sum(float((rows * slope).sum()) for rows, slope in sides) / sum(totals)
    sides = [(rows, slope - mean) for rows, slope in sides]
    squares, fourths = ([float((rows * slope**power).sum()) for rows, slope in sides] for power in (2, 4))
    variance = sum(square * bessel(total) for square, total in zip(squares, totals, strict=True))
    return Spread(variance, df_from_moments(sum(totals), sum(squares), sum(fourths)))
