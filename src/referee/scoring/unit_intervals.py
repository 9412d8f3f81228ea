"""Intervals of all units (slices, folds) at once; what a few units need beyond that is left to each by itself."""

from __future__ import annotations

from math import isfinite, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from referee.scoring.counted_changes import ROUNDING, rows_in_cells, run_with_added
from referee.scoring.counted_intervals import EXACT, JOINED, SMOOTHED, is_mean_of_recalls, share_cells
from referee.scoring.distributions import normal_quantile
from referee.scoring.intervals import are_at_an_end, name_of_interval
from referee.scoring.many_quantiles import beta_quantiles, t_quantiles
from referee.scoring.ranked_intervals import is_ranked

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.scoring.metric import Metric

    Range = tuple[float, float]


class Intervals(NamedTuple):
    """One for each unit; nan where a unit is to be looked at by itself."""

    low: Array
    high: Array
    name: str


def intervals_of_units(
    summary: Any, metric: Metric, values: Array, spread: tuple[Array, Array], alpha: float
) -> Intervals:
    """Those of values with such variances and degrees of freedom."""
    with np.errstate(all="ignore"):
        if metric.summaries == ("counts",) and summary.predictions.has_equal_rows:
            made = _counted(summary, metric, values, alpha)
            if made is not None:
                return made
        variances, df = spread
        reach = t_quantiles(df, 1 - alpha / 2) * np.sqrt(variances)
        low, high = _on_their_scale(values, reach, metric.range)
        usual = (variances > 0) & ~are_at_an_end(values, metric.range)
        if is_ranked(summary.predictions, metric, None):
            usual &= _is_wide_enough(summary, metric, low, high, alpha)
        return _where(usual, low, high, name_of_interval(nan, metric.range))


def _where(usual: Array, low: Array, high: Array, name: str) -> Intervals:
    return Intervals(np.where(usual, low, nan), np.where(usual, high, nan), name)


def _counted(summary: Any, metric: Metric, values: Array, alpha: float) -> Intervals | None:
    """Of shares, and of what is joined from shares; None where a value is something else."""
    tables = _tables(summary, metric)
    if tables is None:
        is_share = share_cells(metric, 2) is not None or is_mean_of_recalls(metric)
        return _where(np.zeros(len(values), bool), values, values, EXACT) if is_share else None
    if is_mean_of_recalls(metric):
        hits, rows = np.diagonal(tables, axis1=1, axis2=2), tables.sum(axis=2)
        return _placed(metric, values, hits, rows, _mover(hits, rows, alpha), JOINED)
    if (cells := share_cells(metric, tables.shape[1])) is not None:
        hits, rows = (tables[:, side].sum(axis=1) for side in cells)
        return _placed(metric, values, hits[:, None], rows[:, None], _clopper_pearson(hits, rows, alpha), EXACT)
    return _with_added(summary, metric, values, tables, alpha) if metric.cells_added and tables.shape[1] == 2 else None


def _tables(summary: Any, metric: Metric) -> Array | None:
    """What the formula is given of each unit, if that is one table."""
    predictions = summary.predictions
    if metric.per_class and ("average" in metric.settings or predictions.positive is None):
        return None
    counts = summary.counts.against_rest(predictions.positive) if metric.per_class else summary.counts
    return rows_in_cells(counts.matrix, predictions.row_weight)


def _placed(metric: Metric, values: Array, hits: Array, rows: Array, ends: tuple[Array, Array], name: str) -> Intervals:
    """Along the metric's range, where the values are those of the shares."""
    low, high = metric.range
    same = np.abs(values - low - (high - low) * (hits / rows).mean(axis=1)) < ROUNDING
    return _where(same, low + (high - low) * ends[0], low + (high - low) * ends[1], name)


def _clopper_pearson(hits: Array, rows: Array, alpha: float) -> tuple[Array, Array]:
    low = _quantiles(hits, rows - hits + 1, alpha / 2)
    high = _quantiles(hits + 1, rows - hits, 1 - alpha / 2)
    return np.where(hits > 0, low, 0.0), np.where(hits < rows, high, 1.0)


def _jeffreys(hits: Array, rows: Array, alpha: float) -> tuple[Array, Array]:
    low, high = (_quantiles(hits + 0.5, rows - hits + 0.5, level) for level in (alpha / 2, 1 - alpha / 2))
    return np.where(hits > 0, low, 0.0), np.where(hits < rows, high, 1.0)


def _mover(hits: Array, rows: Array, alpha: float) -> tuple[Array, Array]:
    """Of the mean of independent shares (Zou and Donner, 2008)."""
    shares, mean = hits / rows, (hits / rows).mean(axis=1)
    below, above = (
        np.sqrt(((shares - ends) ** 2).sum(axis=1)) / shares.shape[1] for ends in _jeffreys(hits, rows, alpha)
    )
    return np.maximum(0.0, mean - below), np.minimum(1.0, mean + above)


def _quantiles(a: Array, b: Array, p: float) -> Array:
    """Of beta distributions; 0 where there is none."""
    made, there = np.zeros(a.shape), (a > 0) & (b > 0)
    made[there] = beta_quantiles(a[there], b[there], p)
    return made


def _with_added(summary: Any, metric: Metric, values: Array, tables: Array, alpha: float) -> Intervals | None:
    """With a little in each cell, for the centre and for its variance."""
    known = run_with_added(summary, metric, None, slice(None))
    if known is None:
        return None
    (centres, slopes), rows = known, tables + metric.cells_added
    change = slopes - ((slopes * rows).sum(axis=(1, 2)) / rows.sum(axis=(1, 2)))[:, None, None]
    reach = normal_quantile(1 - alpha / 2) * np.sqrt((rows * change**2).sum(axis=(1, 2)))
    low, high = _on_their_scale(centres, reach, metric.range)
    usual = (reach > 0) & ~are_at_an_end(centres, metric.range)
    return _where(usual, np.minimum(low, values), np.maximum(high, values), SMOOTHED)


def _on_their_scale(values: Array, reach: Array, ends: Range) -> tuple[Array, Array]:
    """On the logit scale between two finite ends, on the log scale above or below one, as they are without."""
    low, high = ends
    if isfinite(low) and isfinite(high):
        scaled, width = (values - low) / (high - low), high - low
        centre, step = np.log(scaled / (1 - scaled)), reach / width / (scaled * (1 - scaled))
        return low + width / (1 + np.exp(step - centre)), low + width / (1 + np.exp(-step - centre))
    if isfinite(low):
        away = values - low
        return low + away * np.exp(-reach / away), low + away * np.exp(reach / away)
    if isfinite(high):
        away = high - values
        return high - away * np.exp(reach / away), high - away * np.exp(-reach / away)
    return values - reach, values + reach


def _is_wide_enough(summary: Any, metric: Metric, low: Array, high: Array, alpha: float) -> Array:
    """Whether an interval of an AUC is no surer than that of a perfect ranking; others are looked at one by one."""
    if metric.name != "roc_auc":
        return np.zeros(len(low), bool)
    ranking = summary.ranking(summary.predictions.positive)
    rows = np.stack([ranking.P, ranking.N]) / summary.predictions.row_weight
    least = np.where(rows >= 1, _quantiles(np.rint(rows) + 0.5, np.full(rows.shape, 0.5), alpha / 2), 0.0)
    room = np.hypot(*(1 - least)) / 2
    return (low <= 1 - room) & (high >= room)
