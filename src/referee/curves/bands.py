"""Bands around curves: how far off the height of the curve may be, at each point or at all of them together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from referee.curves.kind import kinds
from referee.curves.row_cells import Cells, cells_of
from referee.curves.slopes import PlaceSlopes, slopes_at
from referee.errors import UsageError, did_you_mean
from referee.influence.intervals import Spread, df_from_moments, interval
from referee.verdict.confidence_set import normal_draws, random_numbers

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.curves.curve import Band, Curve
    from referee.curves.kind import Kind
    from referee.predictions import Predictions

MOST_PLACES = 250
"""Points at which a band is made; between them it is a straight line."""
LEAST_DF = 10.0
"""Fewer make the band of a height near 0 or 1 useless, and no surer (docs/simulations/band_coverage.py)."""
METHODS = ("influence", "bootstrap")
BANDS = ("pointwise", "simultaneous")


def banded(
    curve: Curve,
    predictions: Predictions,
    band: Band = "pointwise",
    *,
    method: str = "influence",
    alpha: float = 0.05,
    seed: int = 0,
    replicates: int = 2000,
) -> Curve:
    """Add a 1 - alpha band of the height at fixed `x`: at each point by itself, or of the whole curve at once.

    From row influences, on the scale that suits the height, with weights and groups; `method="bootstrap"` draws the
    rows again instead.

    >>> from referee import Predictions
    >>> from referee.curves import curve
    >>> predictions = Predictions.from_arrays([1, 0, 1, 0] * 25, {"m": [0.9, 0.7, 0.6, 0.1] * 25})
    >>> found = banded(curve(predictions, "roc"), predictions)
    >>> found.y[1], found.low[1].round(2), found.high[1].round(2)
    (np.float64(0.5), np.float64(0.36), np.float64(0.64))
    """
    _refuse(band, method, alpha)
    kind = kinds[curve.kind]
    _refuse_kind(kind)
    if curve.is_hull:
        raise UsageError("E_BAND", "the hull has no band: chance chooses its corners", hint="the ROC curve has one")
    places, again = _places(curve), 0
    if method == "bootstrap":
        from referee.curves.bootstrap_bands import ends_by_bootstrap

        low, high, again = ends_by_bootstrap(curve, kind, predictions, places, band, alpha, seed, replicates)
    else:
        cells = cells_of(curve, predictions, places)
        slopes = slopes_at(curve, kind, places, predictions.row_weight)
        ends = _ends(kind, curve.y[places], slopes, cells, band, alpha, seed)
        # All rows are called positive there, whatever the scores: nothing is left to chance.
        certain = (kind.slope != "any") & (curve.rank[places] >= curve.positives + curve.negatives)
        low, high = (np.where(certain, curve.y[places], end) for end in ends)
        low, high = _one_way(low, high, kind.slope)
    low, high = (np.interp(np.arange(len(curve)), places, end) for end in (low, high))
    # Between the places the curve itself may leave a straight line.
    ends = np.minimum(low, curve.y), np.maximum(high, curve.y)
    return replace(curve, low=ends[0], high=ends[1], band=band, band_method=method, redrawn=again, alpha=alpha)


def _refuse_kind(kind: Kind) -> None:
    if not kind.has_bands:
        raise UsageError(
            "E_USAGE",
            f"a {kind.title.lower()} has no band here",
            hint="`referee calibrate` shows what calibrated forecasts would give",
        )


def _places(curve: Curve) -> Array:
    """Points that are spread evenly along the curve."""
    if len(curve) <= MOST_PLACES:
        return np.arange(len(curve))
    return np.unique(np.linspace(0, len(curve) - 1, MOST_PLACES).round().astype(int))


def _ends(
    kind: Kind, value: Array, slopes: PlaceSlopes, cells: Cells, band: Band, alpha: float, seed: int
) -> tuple[Array, Array]:
    """The interval of each height, at the level that the whole band needs."""
    changes = slopes.by_cell
    covariance = cells.covariance(changes)
    level = alpha if band == "pointwise" else level_of_all(covariance, alpha, seed)
    squares, fourths = (changes**2 @ cells.squares, changes**4 @ cells.fourths)
    each = []
    for place, at in enumerate(value):
        variance = max(float(covariance[place, place]), 0.0)
        df = cells.df or max(LEAST_DF, df_from_moments(cells.rows, float(squares[place]), float(fourths[place])))
        with np.errstate(all="ignore"):
            each.append(interval(float(at), Spread(variance, df), kind.y_range, level, slopes.certain_rows[place]))
    low, high = np.array(each).T
    return low, high


def _one_way(low: Array, high: Array, slope: str) -> tuple[Array, Array]:
    """A curve that only rises is at least as high as its lower end was before, and at most as its upper end will be."""
    if slope == "any":
        return low, high
    if slope == "falling":
        low, high = _one_way(1 - high, 1 - low, "rising")
        return 1 - high, 1 - low
    return np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]


def level_of_all(covariance: Array, alpha: float, seed: int) -> float:
    """The level of each interval such that all of them hold together: what chance makes of the largest |z|."""
    from scipy.special import ndtr

    spread = np.sqrt(np.clip(np.diag(covariance), 0, None))
    moves = spread > 1e-9 * spread.max(initial=0)
    if not moves.any():
        return alpha
    correlation = covariance[np.ix_(moves, moves)] / np.outer(spread[moves], spread[moves])
    largest = np.abs(normal_draws(correlation, random_numbers(seed))).max(axis=1)
    return float(2 * ndtr(-np.quantile(largest, 1 - alpha)))


def _refuse(band: str, method: str, alpha: float) -> None:
    for name, word, known in (("band", band, BANDS), ("method", method, METHODS)):
        if word not in known:
            raise UsageError("E_PARAMETER", f"there is no {name} {word!r}; {did_you_mean(str(word), known)}")
    if not 0 < alpha < 1:
        raise UsageError("E_PARAMETER", f"alpha={alpha} must lie between 0 and 1")
