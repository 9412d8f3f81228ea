"""Spiegelhalter's test: whether the Brier score is what it is if every forecast comes true as often as it says."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.rows import rows_of
from referee.student_t import tail
from referee.unit_differences import DUST

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.calibration.events import Event
    from referee.calibration.forecasts import Forecasts


@dataclass(frozen=True)
class Spiegelhalter:
    """z = sum of (y - p)(1 - 2p) / its standard deviation under calibration; p is two-sided.

    Spiegelhalter (1986), Probabilistic prediction in patient management and clinical trials, Statistics in Medicine 5.
    A forecast of 0 or 1 that was wrong refutes calibration without a test: then p is 0. Rows in groups: Student's t of
    the groups' sums, with groups less one degrees of freedom.
    """

    statistic: float | None
    p: float | None
    undefined: str | None = None
    refuted: int = 0
    """How many forecasts of 0 or 1 were wrong (their weight, rounded up)."""
    df: float | None = None
    """Of Student's t, where rows come in groups; None is the normal distribution."""

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def spiegelhalter(event: Event) -> Spiegelhalter:
    """The test for one event; rows that belong together are taken together."""
    forecasts = event.forecasts
    if wrong := _impossible(forecasts):
        return Spiegelhalter(None, 0.0, refuted=wrong)
    lever = 1 - 2 * forecasts.forecast
    variance = float((forecasts.noise * lever**2 * forecasts.variance).sum())
    if not variance > 0:
        if not (forecasts.variance > 0).any():
            return Spiegelhalter(None, 1.0)  # certain, and right each time
        return Spiegelhalter(None, None, "every forecast is 0.5, and then the Brier score is 0.25 whatever happens")
    if event.predictions.clusters is not None:
        return _of_groups(_sums_of_groups(event))
    z = float(((forecasts.came_true - forecasts.rows * forecasts.forecast) * lever).sum()) / variance**0.5
    return Spiegelhalter(z, 2 * tail(abs(z), inf))


def _of_groups(sums: Array) -> Spiegelhalter:
    """Rows of a group depend on each other in a way that calibration says nothing about: their sums show it."""
    groups = len(sums)
    if groups < 2:
        return Spiegelhalter(None, None, "all rows belong to one group, which Spiegelhalter's test cannot judge")
    error = float(sums.std(ddof=1)) * groups**0.5
    if error <= DUST * abs(float(sums.sum())):
        return Spiegelhalter(None, None, "all groups have the same sum, which Spiegelhalter's test cannot judge")
    t = float(sums.sum()) / error
    return Spiegelhalter(t, 2 * tail(abs(t), groups - 1), df=groups - 1)


def _impossible(forecasts: Forecasts) -> int:
    failed = forecasts.rows - forecasts.came_true
    wrong = np.where(forecasts.forecast == 0, forecasts.came_true, np.where(forecasts.forecast == 1, failed, 0))
    return int(np.ceil(wrong.sum()))


def _sums_of_groups(event: Event) -> Array:
    """What each group with rows that count adds to the numerator."""
    predictions, clusters = event.predictions, event.predictions.clusters
    assert clusters is not None
    forecast = rows_of(predictions, event.model).score(predictions.positive, as_probability=True).astype(float)
    of_rows = ((predictions.truth == predictions.positive) - forecast) * (1 - 2 * forecast)
    weight = np.ones(len(forecast)) if predictions.weight is None else predictions.weight
    sums = np.bincount(clusters.codes, of_rows * weight, len(clusters))
    return np.asarray(sums[np.bincount(clusters.codes, weight, len(clusters)) > 0])
