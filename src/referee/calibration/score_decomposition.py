"""A proper score taken apart: miscalibration, discrimination and uncertainty, by isotonic regression (CORP)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import total
from referee.calibration.events import event_of
from referee.engines import COMPILE_FROM, compiled
from referee.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.calibration.events import Forecasts
    from referee.predictions import Predictions


def first_of_blocks(forecasts: Forecasts) -> Array:
    """Where each block of the isotonic regression of outcomes on forecasts begins.

    >>> from referee.calibration.events import Forecasts
    >>> first_of_blocks(Forecasts(np.array([0.1, 0.2, 0.3]), np.array([1, 1, 1]), np.array([1, 0, 1])))
    array([0, 2])
    """
    came_true, rows = forecasts.came_true, forecasts.rows
    if len(rows) < COMPILE_FROM:
        from scipy.optimize import isotonic_regression

        blocks = isotonic_regression(came_true / rows, weights=rows).blocks[:-1]
        return _joined_where_equal(came_true, rows, blocks)
    first = np.empty(len(rows), np.int64)
    sums = np.empty(len(rows)), np.empty(len(rows))
    count = compiled(pool_adjacent)(came_true, rows, first, *sums)
    return first[:count].copy()


def pool_adjacent(came_true: Array, rows: Array, first: Array, pooled_true: Array, pooled_rows: Array) -> int:
    """Go up the forecasts, and join each to the blocks below as long as its share is not above theirs."""
    count = 0
    for step in range(len(rows)):
        true, weight, begin = float(came_true[step]), float(rows[step]), step
        # Shares are compared crosswise, which is exact for counts.
        while count > 0 and true * pooled_rows[count - 1] <= pooled_true[count - 1] * weight:
            count -= 1
            true += pooled_true[count]
            weight += pooled_rows[count]
            begin = first[count]
        first[count] = begin
        pooled_true[count] = true
        pooled_rows[count] = weight
        count += 1
    return count


def _joined_where_equal(came_true: Array, rows: Array, first: Array) -> Array:
    """Neighbouring blocks with the same share are one, as rounding may have kept them apart."""
    first = np.asarray(first, np.int64)
    of_true, of_rows = np.add.reduceat(came_true, first), np.add.reduceat(rows, first)
    new = np.ones(len(first), bool)
    new[1:] = of_true[1:] * of_rows[:-1] > of_true[:-1] * of_rows[1:]
    return first[new]


CLIP = 2.220446049250313e-16
"""The smallest probability that log_loss believes."""


@dataclass(frozen=True)
class Decomposition:
    """score = miscalibration - discrimination + uncertainty, all three at least 0.

    `miscalibration` is what the best rising map of the forecasts would save, `discrimination` what the forecasts,
    so mapped, save against always saying the share, `uncertainty` the score of always saying the share.

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0, 1, 1, 1], {"m": [0.5, 0.5, 0.5, 0.5]})
    >>> found = decomposition(predictions, "m")
    >>> found.miscalibration, found.discrimination, found.uncertainty
    (0.0625, 0.0, 0.1875)
    """

    model: str
    event: str
    metric: str
    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def decomposition(
    predictions: Predictions, model: str, metric: str = "brier", *, event: str | None = None
) -> Decomposition:
    """Take the Brier score or the log loss of a model apart.

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0, 1, 0, 1], {"m": [0.1, 0.4, 0.6, 0.9]})
    >>> found = decomposition(predictions, "m", "log_loss")
    >>> abs(found.miscalibration - found.discrimination + found.uncertainty - found.score) < 1e-15
    True
    """
    if metric not in SCORES:
        raise UsageError(
            "E_PARAMETER",
            f"metric={metric!r} is not taken apart; {did_you_mean(metric, SCORES)}",
            hint="the decomposition is one of strictly proper scores",
        )
    chosen = event_of(predictions, model, event)
    return decomposition_of(chosen.forecasts, metric, chosen.model.name, chosen.name)


def decomposition_of(forecasts: Forecasts, metric: str, model: str = "", event: str = "") -> Decomposition:
    """Take a score of forecasts apart."""
    first = first_of_blocks(forecasts)
    rows, came_true, _ = forecasts.blocks(first)
    score = _mean(SCORES[metric], forecasts.forecast, forecasts.rows, forecasts.came_true)
    recalibrated = min(_mean(SCORES[metric], came_true / rows, rows, came_true), score)
    uncertainty = _mean(
        SCORES[metric], np.array([forecasts.share]), np.array([rows.sum()]), np.array([came_true.sum()])
    )
    discrimination = max(uncertainty - recalibrated, 0.0)
    return Decomposition(model, event, metric, score, score - recalibrated, discrimination, uncertainty)


def _mean(loss: Callable[[Array, Array, Array], Array], forecast: Array, rows: Array, came_true: Array) -> float:
    return total(loss(forecast, came_true, rows - came_true)) / float(rows.sum())


def _squares(forecast: Array, came_true: Array, failed: Array) -> Array:
    return came_true * (1 - forecast) ** 2 + failed * forecast**2


def _surprises(forecast: Array, came_true: Array, failed: Array) -> Array:
    return -came_true * np.log(np.maximum(forecast, CLIP)) - failed * np.log(np.maximum(1 - forecast, CLIP))


SCORES = {"brier": _squares, "log_loss": _surprises}
