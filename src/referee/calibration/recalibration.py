"""Intercept and slope of the logistic recalibration: forecasts too high or too low, too extreme or too timid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.calibration.logistic import fit_logistic
from referee.engines.rows import rows_of

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.calibration.events import Event
    from referee.calibration.logistic import Fit


@dataclass(frozen=True)
class Recalibration:
    """log odds of the event = intercept + slope x log odds of the forecast (Cox 1958).

    `intercept` is that with the slope held at 1 (above 0: forecasts are too low), `slope` the one with a free
    intercept (below 1: forecasts are too extreme). `p` is of both at once, intercept 0 and slope 1: the likelihood
    ratio test with 2 degrees of freedom; with weights or groups a Wald test with robust standard errors.
    """

    intercept: float | None = None
    intercept_error: float | None = None
    slope: float | None = None
    slope_error: float | None = None
    test: str = "likelihood ratio"
    statistic: float | None = None
    df: int = 2
    p: float | None = None
    left_out: float = 0
    """Rows with forecasts of exactly 0 or 1, which have no log odds."""
    undefined: str | None = None
    """Why the slope, or both, do not exist."""

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def recalibration(event: Event) -> Recalibration:
    """Fit intercept and slope to one event."""
    given = event.forecasts
    inside = (given.forecast > 0) & (given.forecast < 1)
    left_out = float(given.rows[~inside].sum())
    forecast, rows, came_true = given.forecast[inside], given.rows[inside], given.came_true[inside]
    failed = rows - came_true
    if not came_true.sum() or not failed.sum():
        which = "forecasts between 0 and 1" if left_out else "the rows"
        return Recalibration(left_out=left_out, undefined=f"{which} hold only one outcome")
    log_odds = np.log(forecast) - np.log1p(-forecast)
    constant = np.ones((len(forecast), 1))
    alone = fit_logistic(constant, came_true, failed, offset=log_odds)
    error = float(np.sqrt(_covariance(event, alone, with_slope=False)[0, 0]))
    found: dict[str, Any] = {"intercept": float(alone.coefficients[0]), "intercept_error": error, "left_out": left_out}
    if reason := _why_no_slope(came_true, failed):
        return Recalibration(**found, undefined=reason)
    both = fit_logistic(np.column_stack([constant, log_odds]), came_true, failed)
    return Recalibration(**found, **_slope_and_test(event, both, log_odds, came_true, failed))


def _slope_and_test(event: Event, both: Fit, log_odds: Array, came_true: Array, failed: Array) -> dict[str, Any]:
    from scipy.special import chdtrc

    covariance = _covariance(event, both, with_slope=True)
    if _all_alike(event):
        as_given = float((came_true * np.logaddexp(0, -log_odds) + failed * np.logaddexp(0, log_odds)).sum())
        statistic = max(2 * (as_given - both.loss), 0.0)
    else:
        off = both.coefficients - [0, 1]
        statistic = float(off @ np.linalg.pinv(covariance, hermitian=True) @ off)
    return {
        "slope": float(both.coefficients[1]), "slope_error": float(np.sqrt(covariance[1, 1])),
        "test": "likelihood ratio" if _all_alike(event) else "Wald, robust",
        "statistic": statistic, "p": float(chdtrc(2, statistic)),
    }  # fmt: skip


def _why_no_slope(came_true: Array, failed: Array) -> str | None:
    """The likelihood has no maximum where a cut of the forecasts tells the outcomes apart."""
    if len(came_true) == 1:
        return "all forecasts are the same, which has no slope"
    true, false = np.flatnonzero(came_true), np.flatnonzero(failed)
    if true[0] >= false[-1] or false[0] >= true[-1]:
        return "a cut of the forecasts tells the outcomes apart, and then the slope is infinite"
    return None


def _all_alike(event: Event) -> bool:
    predictions = event.predictions
    as_counts = predictions.weight is None or predictions.weight_kind == "frequency"
    return as_counts and predictions.clusters is None


def _covariance(event: Event, fit: Fit, *, with_slope: bool) -> Array:
    """Of the coefficients: from the information, or robust against weights and dependence inside groups."""
    if _all_alike(event):
        return fit.covariance
    from scipy.special import expit

    predictions = event.predictions
    forecast = rows_of(predictions, event.model).score(predictions.positive, as_probability=True).astype(float)
    used = (forecast > 0) & (forecast < 1)
    x = np.log(forecast[used]) - np.log1p(-forecast[used])
    design = np.column_stack([np.ones(len(x)), x]) if with_slope else np.ones((len(x), 1))
    fitted = design @ fit.coefficients + (0 if with_slope else x)
    weight = np.ones(len(used)) if predictions.weight is None else predictions.weight
    residual = weight[used] * ((predictions.truth == predictions.positive)[used] - expit(fitted))
    scores = design * residual[:, np.newaxis]
    if (clusters := predictions.clusters) is not None:
        codes = clusters.codes[used]
        scores = np.stack([np.bincount(codes, column, len(clusters)) for column in scores.T], axis=1)
    units = max(len(scores), 2)
    return np.asarray(fit.covariance @ (scores.T @ scores) @ fit.covariance * units / (units - 1))
