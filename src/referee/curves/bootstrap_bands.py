"""Bands from rows that are drawn again: by name only, as influences say the same at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.curves.kind import Place
from referee.errors import UndefinedError, UsageError
from referee.verdict.confidence_set import random_numbers

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.curves.curve import Curve
    from referee.curves.kind import Kind
    from referee.predictions import Predictions


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
            "E_BAND", "the bootstrap band knows neither weights nor groups", hint="the influence band knows both"
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
            found = _at(wanted, np.broadcast_to(kind.x(at), len(wanted)), kind.y(at))
        if not positives.any() or not negatives.any() or found is None:
            again += 1
            _refuse_too_few(again, replicates)
            continue
        heights[made] = found
        made += 1
    return heights, again


def _refuse_too_few(again: int, replicates: int) -> None:
    if again > 10 * replicates:
        raise UndefinedError("E_ONECLASS", "hardly any draw of the rows has both classes: no bootstrap band")


def _at(wanted: Array, x: Array, y: Array) -> Array | None:
    """The height of a replicate's curve at given places; of points above each other the first counts."""
    if np.array_equal(wanted, x):
        return y
    known = np.isfinite(x) & np.isfinite(y)
    if not known.any():
        return None
    order = np.argsort(x[known], kind="stable")
    return np.interp(wanted, x[known][order], y[known][order])
