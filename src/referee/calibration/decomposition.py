"""A proper score taken apart: miscalibration, discrimination and uncertainty, by isotonic regression (CORP)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import total
from referee.calibration.events import event_of
from referee.calibration.pooling import first_of_blocks
from referee.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.calibration.forecasts import Forecasts
    from referee.predictions import Predictions

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
