"""Bands around curves: how far off the height of the curve may be, at each point or at all of them together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing import normal_draws, random_numbers
from referee.engines import summarise
from referee.errors import UndefinedError, UsageError, did_you_mean
from referee.records import dataclass
from referee.scoring import Spread, derivative, df_from_moments, interval, window
from referee.thresholds.curve_kind import Kind, Place
from referee.thresholds.curve_kinds import kinds

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.predictions import Predictions
    from referee.thresholds.curve_points import Band, Curve


@dataclass(frozen=True)
class Cells:
    """Rows by class and by the thresholds that they lie between: first the positives from the top, then the others."""

    squares: Array
    """The squared weights in each cell: without weights, its rows."""
    fourths: Array
    rows: float
    groups: Array | None = None
    """The weight of each group in each cell, where rows belong together."""
    df: float | None = None
    """Degrees of freedom, where the groups give them."""

    @np.errstate(over="ignore", invalid="ignore")  # squares beyond all numbers leave the band open
    def covariance(self, changes: Array) -> Array:
        """Of sums over the rows of what a row of each cell changes: (place, cell) to (place, place)."""
        if self.groups is None:
            return (changes * self.squares) @ changes.T
        each = self.groups @ changes.T
        return np.asarray(each.T @ each) * len(each) / max(len(each) - 1, 1)


def cells_of(curve: Curve, predictions: Predictions, places: Array) -> Cells:
    order = places[np.argsort(curve.rank[places], kind="stable")]
    counted = predictions.weight is None or predictions.weight_kind == "frequency"
    if counted and predictions.clusters is None:
        rows = [
            np.diff(np.asarray(column[order], float), prepend=0, append=total)
            for column, total in ((curve.tp, curve.positives), (curve.fp, curve.negatives))
        ]
        size = predictions.row_weight
        # Each class loses a degree of freedom, as in DeLong's variance.
        squares = np.concatenate([steps * size * _bessel(steps.sum() / size) for steps in rows])
        return Cells(squares, np.concatenate(rows) * size**3, (curve.positives + curve.negatives) / size)
    return _weighted_cells(curve, predictions, order)


def _weighted_cells(curve: Curve, predictions: Predictions, order: Array) -> Cells:
    if not predictions.has_rows:
        raise UsageError(
            "E_BAND", "a band with weights or groups needs the rows in memory", hint="use a larger --max-memory"
        )
    assert curve.class_ is not None
    code = predictions.classes.index(curve.class_)
    model = predictions.model(curve.model)
    scores = np.asarray(summarise(predictions, model).rows.score(code), float)
    between = np.searchsorted(-np.asarray(curve.threshold[order], float), -scores)
    cell = np.where(predictions.truth == code, between, between + len(order) + 1)
    weight = np.ones(len(scores)) if predictions.weight is None else predictions.weight
    size = 2 * (len(order) + 1)
    squares, fourths = (np.bincount(cell, weight**power, size) for power in (2, 4))
    rows = float(np.count_nonzero(weight))
    if predictions.clusters is None:
        positives = int(np.count_nonzero(weight[predictions.truth == code]))
        of_class = np.repeat([_bessel(positives), _bessel(rows - positives)], size // 2)
        return Cells(squares * of_class, fourths, rows)
    groups_seen, group = np.unique(predictions.clusters.codes[weight > 0], return_inverse=True)
    groups = np.bincount(group * size + cell[weight > 0], weight[weight > 0], len(groups_seen) * size).reshape(-1, size)
    return Cells(squares, fourths, rows, groups, max(1.0, len(groups_seen) - 1.0))


def _bessel(rows: float) -> float:
    """For a variance about an estimated mean; a class of one row has none, and the band rests on the other class."""
    return rows / (rows - 1) if rows > 1 else 1.0


COUNTS = ("tp", "fp", "P", "N")


@dataclass(frozen=True)
class PlaceSlopes:
    """At each of several places: the change by one more row in each count, the place's own move along `x` included."""

    by_count: dict[str, Array]
    order: Array
    """The places from the highest threshold down."""
    certain_rows: Array
    """How many rows could have shown an exception, where the height is at an end of its range."""

    @property
    def by_cell(self) -> Array:
        """The change by one more row of a class between two neighbouring thresholds: (place, class and interval)."""
        count = len(self.order)
        rank = np.empty(count, int)
        rank[self.order] = np.arange(count)
        above = np.arange(count + 1)[None, :] <= rank[:, None]
        sides = (("tp", "P"), ("fp", "N"))
        return np.concatenate(
            [above * self.by_count[moved][:, None] + self.by_count[total][:, None] for moved, total in sides], axis=1
        )


def slopes_at(curve: Curve, kind: Kind, places: Array, row_weight: float) -> PlaceSlopes:
    """Differentiate the kind's formulas at some points of a curve."""
    at = _place(curve, places)
    by_y, by_x = _derivatives(kind.y, at), _derivatives(kind.x, at)
    hits = _hit_rates(curve, places, row_weight)
    along_y, along_x = (by["tp"] * hits + by["fp"] * (1 - hits) for by in (by_y, by_x))
    steepness = np.divide(along_y, along_x, out=np.zeros(len(places)), where=along_x != 0)
    changes = {name: by_y[name] - steepness * by_x[name] for name in COUNTS}
    largest = np.maximum(np.abs(by_y["tp"]), np.abs(by_y["fp"])) * row_weight
    certain = np.divide(1.0, largest, out=np.full(len(places), np.nan), where=largest > 0)
    return PlaceSlopes(changes, np.argsort(curve.rank[places], kind="stable"), certain)


def _place(curve: Curve, places: Array) -> Place:
    size = np.ones(len(places))
    tp, fp = (np.asarray(column[places], float) for column in (curve.tp, curve.fp))
    return Place(curve.threshold[places], tp, fp, curve.positives * size, curve.negatives * size, curve.x[places])


def _derivatives(formula: Callable[[Any], Array], at: Place) -> dict[str, Array]:
    def by(name: str) -> Array:
        def moved(column: Array) -> Array:
            changed: dict[str, Any] = {name: column}
            return np.asarray(formula(replace(at, **changed)))

        return derivative(moved, getattr(at, name))

    return {name: by(name) for name in COUNTS}


def _hit_rates(curve: Curve, places: Array, row_weight: float) -> Array:
    """The share of positives among the rows a little above and below each place: half a row of each is added."""
    rank, tp = np.asarray(curve.rank, float), np.asarray(curve.tp, float)
    order = np.argsort(rank, kind="stable")
    rows = curve.positives + curve.negatives
    reach = window(rows, row_weight)
    ends = [
        np.interp(rank[places] + side * reach, rank[order], tp[order], left=0, right=curve.positives)
        for side in (-1, 1)
    ]
    seen = np.clip(rank[places] + reach, 0, rows) - np.clip(rank[places] - reach, 0, rows)
    return np.asarray((ends[1] - ends[0] + 0.5 * row_weight) / (seen + row_weight))


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
    >>> from referee.thresholds import curve
    >>> predictions = Predictions.from_arrays([1, 0, 1, 0] * 25, {"m": [0.9, 0.7, 0.6, 0.1] * 25})
    >>> roc = banded(curve(predictions, "roc"), predictions)
    >>> roc.y[1], roc.low[1].round(2), roc.high[1].round(2)
    (np.float64(0.5), np.float64(0.36), np.float64(0.64))
    """
    kind = kinds[curve.kind]
    _refuse(band, method, alpha)
    _refuse_curve(curve, kind)
    places, again = _places(curve), 0
    if method == "bootstrap":
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


def _refuse_curve(curve: Curve, kind: Kind) -> None:
    if curve.is_hull:
        raise UsageError("E_BAND", "the hull has no band: its corners depend on chance", hint="the ROC curve has one")
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
    with np.errstate(over="ignore", invalid="ignore"):  # what is beyond all numbers has the fewest degrees of freedom
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


def ends_by_bootstrap(
    curve: Curve,
    kind: Kind,
    predictions: Predictions,
    places: Array,
    band: str,
    alpha: float,
    seed: int,
    replicates: int,
) -> tuple[Array, Array, int]:
    """Percentiles of the height at each place; of all places together by the largest deviation.

    And how many draws had no curve, as a class was missing: they are drawn again.
    """
    if predictions.weight is not None or predictions.clusters is not None:
        raise UsageError(
            "E_BAND", "the bootstrap band supports neither weights nor groups", hint="the influence band supports both"
        )
    if replicates < 100:
        raise UsageError("E_PARAMETER", f"replicates={replicates} must be at least 100")
    heights, again = _heights(curve, kind, places, random_numbers(seed), replicates)
    if band == "pointwise":
        low, high = np.nanquantile(heights, [alpha / 2, 1 - alpha / 2], axis=0)
        return low, high, again
    spread = np.nanstd(heights, axis=0, ddof=1)
    with np.errstate(all="ignore"):
        largest = np.nanmax(np.where(spread > 0, np.abs(heights - curve.y[places]) / spread, 0), axis=1)
    reach = float(np.quantile(largest, 1 - alpha)) * spread
    low, high = (np.clip(curve.y[places] + side * reach, *kind.y_range) for side in (-1, 1))
    return low, high, again


def _heights(
    curve: Curve, kind: Kind, places: Array, random: np.random.Generator, replicates: int
) -> tuple[Array, int]:
    """The height at the curve's own `x` in each replicate, (replicate, place); and the draws that had no curve."""
    order = np.argsort(curve.rank[places], kind="stable")
    sides = [(curve.tp[places][order], curve.positives), (curve.fp[places][order], curve.negatives)]
    rows = np.concatenate([np.diff(np.asarray(counts, float), prepend=0, append=total) for counts, total in sides])
    total = round(float(rows.sum()))
    wanted, heights = curve.x[places], np.empty((replicates, len(places)))
    made = again = 0
    while made < replicates:
        positives, negatives = np.split(random.multinomial(total, rows / rows.sum()).astype(float), 2)
        tp, fp = np.empty(len(order)), np.empty(len(order))
        tp[order], fp[order] = np.cumsum(positives)[:-1], np.cumsum(negatives)[:-1]
        at = Place(curve.threshold[places], tp, fp, positives.sum(), negatives.sum(), wanted)
        with np.errstate(all="ignore"):
            height = _at(wanted, np.broadcast_to(kind.x(at), len(wanted)), kind.y(at))
        if not positives.any() or not negatives.any() or height is None:
            again += 1
            if again > 10 * replicates:
                raise UndefinedError("E_ONECLASS", "hardly any draw of the rows has both classes: no bootstrap band")
            continue
        heights[made] = height
        made += 1
    return heights, again


def _at(wanted: Array, x: Array, y: Array) -> Array | None:
    """The height of a replicate's curve at given places; of points above each other the first counts."""
    if np.array_equal(wanted, x):
        return y
    known = np.isfinite(x) & np.isfinite(y)
    if not known.any():
        return None
    order = np.argsort(x[known], kind="stable")
    return np.interp(wanted, x[known][order], y[known][order])
