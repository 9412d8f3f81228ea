"""The spread of every metric's value, from what each row adds to it."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from referee.arrays import unscaled
from referee.engines import UnitSummary, engine_of, known_as
from referee.scoring.counted_intervals import counted_interval
from referee.scoring.formula import given_for_class, given_for_pool, given_whole
from referee.scoring.influences import influence
from referee.scoring.intervals import (
    Spread,
    bessel,
    df_from_moments,
    interval,
    is_at_an_end,
    median_interval,
    name_of_interval,
)
from referee.scoring.moments import Moments
from referee.scoring.pieces import pieces_of
from referee.scoring.ranked_intervals import ranked_interval
from referee.scoring.seed_spread import with_seeds
from referee.scoring.sensitivity import ByCell, ByStep, ByTerms, sensitivities
from referee.scoring.time_order import LongRun
from referee.scoring.unit_intervals import intervals_of_units

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.engines import Summary
    from referee.predictions import Predictions
    from referee.scoring.influences import Influence
    from referee.scoring.metric import Metric

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
    pieces: int | None = None
    """How many independent pieces rows in time hold; None for other rows."""


def uncertainty(summary: Any, metric: Metric, value: float, code: int | None, alpha: float) -> Uncertainty | None:
    """The interval and the standard error of a value; None where they cannot be known."""
    with np.errstate(all="ignore"):
        known = _of_overlapping_folds(summary.predictions, spread(summary, metric, code))
        if summary.predictions.has_seeds:
            known = with_seeds(known, summary.predictions, summary.rows.model.name)
    return _from_spread(summary, metric, value, code, alpha, known)


def uncertainties_of_units(
    summary: Summary, metric: Metric, values: Array, alpha: float, alone: Callable[[], list[Any]]
) -> list[Uncertainty | None]:
    """Those of all units in one run of the formula; `alone` gives the summary of each unit's own rows."""
    code = summary.predictions.positive if metric.of_one_class else None
    with np.errstate(all="ignore"):
        made = influence(summary, metric)
        equal = summary.predictions.weight is None and summary.predictions.has_independent_rows
        spreads = spreads_of_units(made, metric) if equal else _spreads_of_pieces(made, metric, code, alone())
    moments = np.array([(nan, nan) if known is None else (known.variance, known.df) for known in spreads])
    variances, df = moments.T
    variances[np.sqrt(variances) < DUST * np.abs(values)] = 0.0
    if _is_of_equal_rows(summary, metric):
        df = np.maximum(df, LEAST_DF)
    lows, highs, name = intervals_of_units(summary, metric, values, (variances, df), alpha)
    each = zip(values.tolist(), spreads, lows.tolist(), highs.tolist(), np.sqrt(variances).tolist(), strict=True)
    known_of_units: list[Uncertainty | None] = []
    for unit, (value, known, low, high, error) in enumerate(each):
        if not (isfinite(value) and isfinite(error)):
            known_of_units.append(None)
        elif low < high:
            known_of_units.append(Uncertainty(low, high, error, name, _pieces(known)))
        else:
            own = UnitSummary(summary, unit) if equal else alone()[unit]
            known_of_units.append(_from_spread(own, metric, value, code, alpha, known))
    return known_of_units


def _spreads_of_pieces(made: Influence, metric: Metric, code: int | None, alone: list[Any]) -> list[Spread | None]:
    """Of units whose rows have weights or belong to groups: each one's pieces of what its rows add."""
    changes, by = made.of_rows(), made.summary.by
    rows = np.split(np.argsort(by.codes, kind="stable"), np.cumsum(np.bincount(by.codes, minlength=len(by)))[:-1])
    return [
        None if unit is None else pieces_of(unit.predictions, unit.rows, metric, code).spread(changes[here])
        for unit, here in zip(alone, rows, strict=True)
    ]


def _from_spread(
    summary: Any, metric: Metric, value: float, code: int | None, alpha: float, known: Spread | None
) -> Uncertainty | None:
    if known is None or not isfinite(known.variance):
        return None
    if known.standard_error < DUST * abs(value):
        known = replace(known, variance=0.0)
    error, pieces = known.standard_error, _pieces(known)
    if counted := counted_interval(summary, metric, value, code, alpha):
        return Uncertainty(*counted[0], error, counted[1])
    if ends := _between_rows(summary, metric, alpha):
        return Uncertainty(*ends, error, "order statistics, exact for any distribution")
    if _is_of_equal_rows(summary, metric):
        # Few errors make long tails, which the scale of the interval takes care of.
        known = replace(known, df=max(known.df, LEAST_DF))
    counting = rows_that_count(summary, metric, code) if is_at_an_end(value, metric.range) else np.nan
    low, high = interval(value, known, metric.range, alpha, counting)
    if ranked := ranked_interval(summary, metric, value, code, alpha, (low, high)):
        return Uncertainty(*ranked[0], error, ranked[1])
    return Uncertainty(low, high, error, name_of_interval(value, metric.range) if low < high else None, pieces)


def _pieces(known: Spread | None) -> int | None:
    return known.pieces if isinstance(known, LongRun) else None


def _between_rows(summary: Any, metric: Metric, alpha: float) -> tuple[float, float] | None:
    """The interval of a median score from one row to another; it needs no density, but rows that count the same."""
    predictions = summary.predictions
    if metric.name != "median" or predictions.scored is None or not predictions.has_equal_rows:
        return None
    values, times = summary.rows.model.values, predictions.times_seen
    if times is not None and not np.array_equal(times, np.rint(times)):
        return None
    return median_interval(values if times is None else np.repeat(values, times.astype(int)), alpha)


def _of_overlapping_folds(predictions: Predictions, spread: Spread | None) -> Spread | None:
    """Where rows are scores of folds, their training sets overlap (Nadeau and Bengio, 2003)."""
    scored = predictions.scored
    if spread is None or scored is None or scored.kind != "folds":
        return spread
    if scored.overlap is None:
        return None
    df = spread.df if scored.folds is None else min(spread.df, scored.folds - 1.0)
    return Spread(spread.variance * (1 + predictions.rows * scored.overlap), df)


def _is_of_equal_rows(summary: Any, metric: Metric) -> bool:
    """Whether a value hangs on counts of rows that are all alike and belong to nobody."""
    return metric.summaries == ("counts",) and bool(summary.predictions.has_equal_rows)


def rows_that_count(summary: Any, metric: Metric, code: int | None) -> float:
    """How many rows could have shown an exception, where a value has come out as its best or worst possible.

    Rows of a group may all do the same, so that there are no more of them than independent pieces.
    """
    rows = _all_rows_that_count(summary, metric, code)
    if summary.predictions.has_independent_rows:
        return rows
    known = summary.kept.get(("groups", metric.full_name)) if not summary.predictions.has_rows else None
    pieces = pieces_of(summary.predictions, summary.rows, metric, code) if known is None else known
    return min(rows, float(pieces.most))


def _all_rows_that_count(summary: Any, metric: Metric, code: int | None) -> float:
    predictions = summary.predictions
    if not predictions.classes or "sums" in metric.summaries:
        weight = predictions.rows if predictions.weight is None else summary.total_weight[0]
        return float(weight / predictions.row_weight)
    if metric.summaries == ("counts",):
        (slopes,) = sensitivities(metric, _given(summary, metric, code))
        assert isinstance(slopes, ByCell)
        with np.errstate(invalid="ignore"):  # a class of next to no weight
            one_decision = np.ptp(slopes.change, axis=1).max() * predictions.row_weight
        return 1 / one_decision if one_decision > 0 else np.nan
    present = summary.class_weights[0]
    return float(present[present > 0].min() / predictions.row_weight)


def spread(summary: Any, metric: Metric, code: int | None = None) -> Spread | None:
    """The variance of a metric's value and its degrees of freedom; None where the engine cannot give it."""
    if summary.predictions.has_rows:
        return spread_of_influence(influence(summary, metric, code), metric, code)
    for name in _names_of_spread(summary, metric, code):
        if ("spread", name) in summary.kept:
            return summary.kept["spread", name]
    alike = summary.predictions.weight is None and summary.predictions.has_independent_rows
    if alike and metric.summaries == ("counts",) and engine_of(summary.predictions).IN_BATCHES:
        return spreads_of_units(influence(summary, metric, code), metric)[0]
    slopes = _alone(summary, metric, code) if alike else None
    return None if slopes is None else _by_summary(summary, metric, slopes)


def _names_of_spread(summary: Any, metric: Metric, code: int | None) -> list[object]:
    """What a spread may be kept under that was asked for together with others."""
    positive = summary.predictions.positive
    names: list[object] = [metric.full_name] if code in (None, positive) else []
    own = positive if code is None and "average" not in metric.settings else code
    return names + ([known_as(metric, own)] if own is not None else [])


def spread_of_influence(influence: Influence, metric: Metric, code: int | None = None) -> Spread | None:
    """Of rows in memory: from cells, if these say everything, else from the pieces that chance drew."""
    summary = influence.summary
    predictions = summary.predictions
    if predictions.weight is None and predictions.has_independent_rows:
        return spreads_of_units(influence, metric)[0]
    return pieces_of(predictions, summary.rows, metric, code).spread(influence.of_rows())


def spreads_of_units(influence: Influence, metric: Metric) -> list[Spread | None]:
    """Of independent rows that all count the same, in each unit."""
    moments = Moments.of_cells(influence, metric) or Moments.of_rows(influence.summary, metric, influence.of_rows)
    return moments.spreads(influence.summary)


def spread_of_difference(a: Influence, b: Influence, metric: Metric) -> Spread | None:
    """Of two models' values on the same rows, which all count the same."""
    with np.errstate(all="ignore"):
        moments = Moments.of_joint_cells(a, b, metric) or Moments.of_rows(
            a.summary, metric, lambda part: a.of_rows(part) - b.of_rows(part)
        )
        return moments.spreads(a.summary)[0]


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
    (slopes,) = sensitivities(metric, given)
    return slopes


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


def _by_summary(summary: Any, metric: Metric, slopes: ByCell | ByTerms | ByStep) -> Spread:
    """Where the rows are not in memory."""
    if isinstance(slopes, ByStep):
        return _by_steps(slopes)
    rows = float(summary.predictions.rows)
    if isinstance(slopes, ByCell):
        squares, fourths = (float((slopes.counts * slopes.change**power).sum()) for power in (2, 4))
    else:
        squares, fourths = np.maximum(summary.row_moments(metric, slopes.of_rows), 0.0)  # of sums, which round
    df = df_from_moments(rows, squares, fourths)
    squares = float(unscaled(np.array(squares), summary.scale, 2 * metric.units_power))
    return Spread(squares * bessel(rows), df)


def _by_steps(steps: ByStep) -> Spread:
    sides = [*zip((steps.ranking.negatives, steps.ranking.positives), steps.slopes, strict=True)]
    totals = [float(rows.sum()) for rows, _ in sides]
    # Influences add up to 0; those that are smoothed at a cut do so only on average.
    mean = sum(float((rows * slope).sum()) for rows, slope in sides) / sum(totals)
    sides = [(rows, slope - mean) for rows, slope in sides]
    squares, fourths = ([float((rows * slope**power).sum()) for rows, slope in sides] for power in (2, 4))
    variance = sum(square * bessel(total) for square, total in zip(squares, totals, strict=True))
    return Spread(variance, df_from_moments(sum(totals), sum(squares), sum(fourths)))
