"""Intercept and slope of the logistic recalibration: forecasts too high or too low, too extreme or too timid."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.calibration.logistic import fit_logistic
from referee.engines.rows import rows_of
from referee.wording import counted

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.calibration.events import Event
    from referee.calibration.logistic import Fit

FEWEST_UNITS = 5
"""Of fewer groups no spread between them can be told."""


@dataclass(frozen=True)
class Recalibration:
    """log odds of the event = intercept + slope x log odds of the forecast (Cox 1958).

    `intercept` is that with the slope held at 1 (above 0: forecasts are too low), `slope` the one with a free
    intercept (below 1: forecasts are too extreme). `p` is of both at once, intercept 0 and slope 1: the likelihood
    ratio test with 2 degrees of freedom; with weights or groups Hotelling's test with robust standard errors.
    """

    intercept: float | None = None
    intercept_error: float | None = None
    slope: float | None = None
    slope_error: float | None = None
    error_df: float | None = None
    """The degrees of freedom of both errors: groups, or weighted rows, less one; None is the normal distribution."""
    test: str = "likelihood ratio"
    statistic: float | None = None
    df: int = 2
    denominator_df: float | None = None
    p: float | None = None
    left_out: float = 0
    """Rows with forecasts of exactly 0 or 1, which have no log odds."""
    undefined: str | None = None
    """Why the slope, or both, or their errors and p, do not exist."""

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
    alone = fit_logistic(np.ones((len(forecast), 1)), came_true, failed, offset=log_odds)
    found = Recalibration(float(alone.coefficients[0]), left_out=left_out)
    if not (reason := _why_no_slope(came_true, failed)):
        both = fit_logistic(np.column_stack([np.ones(len(forecast)), log_odds]), came_true, failed)
        found = replace(found, slope=float(both.coefficients[1]))
    if _all_alike(event):
        found = replace(found, intercept_error=float(alone.covariance[0, 0] ** 0.5))
        return replace(found, undefined=reason) if reason else _by_likelihood(found, both, log_odds, came_true, failed)
    units = _Units.of(event)
    if units.count < FEWEST_UNITS:
        return replace(found, undefined=reason or units.too_few)
    error = float(units.covariance(alone, with_slope=False)[0, 0] ** 0.5)
    found = replace(found, intercept_error=error, error_df=units.count - 1)
    return replace(found, undefined=reason) if reason else _by_units(found, both, units)


def _by_likelihood(found: Recalibration, both: Fit, log_odds: Array, came_true: Array, failed: Array) -> Recalibration:
    from scipy.special import chdtrc

    as_given = float((came_true * np.logaddexp(0, -log_odds) + failed * np.logaddexp(0, log_odds)).sum())
    statistic = max(2 * (as_given - both.loss), 0.0)
    error = float(both.covariance[1, 1] ** 0.5)
    return replace(found, slope_error=error, statistic=statistic, p=float(chdtrc(2, statistic)))


def _by_units(found: Recalibration, both: Fit, units: _Units) -> Recalibration:
    """Hotelling: the covariance is itself estimated, from few units if these are few groups."""
    from scipy.special import fdtrc

    covariance, off = units.covariance(both, with_slope=True), both.coefficients - [0, 1]
    df = units.count - 2
    statistic = float(off @ np.linalg.pinv(covariance, hermitian=True) @ off) * df / (2 * (units.count - 1))
    return replace(
        found, slope_error=float(covariance[1, 1] ** 0.5), test="Hotelling, robust", statistic=statistic,
        denominator_df=df, p=float(fdtrc(2, df, statistic)),
    )  # fmt: skip


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


@dataclass(frozen=True, eq=False)
class _Units:
    """What is independent: groups, or rows with weights."""

    log_odds: Array
    came_true: Array
    weight: Array
    codes: Array
    """The unit of each row."""
    noun: str

    @classmethod
    def of(cls, event: Event) -> _Units:
        predictions, clusters = event.predictions, event.predictions.clusters
        forecast = rows_of(predictions, event.model).score(predictions.positive, as_probability=True).astype(float)
        weight = np.ones(len(forecast)) if predictions.weight is None else predictions.weight
        used = (forecast > 0) & (forecast < 1) & (weight > 0)
        codes = np.flatnonzero(used) if clusters is None else clusters.codes[used]
        log_odds = np.log(forecast[used]) - np.log1p(-forecast[used])
        happened = (predictions.truth == predictions.positive)[used]
        return cls(
            log_odds, happened, weight[used], np.unique(codes, return_inverse=True)[1],
            "row" if clusters is None else "group",
        )  # fmt: skip

    @property
    def count(self) -> int:
        return int(self.codes.max(initial=-1)) + 1

    @property
    def too_few(self) -> str:
        found = counted(self.count, self.noun)
        return f"{found} with forecasts between 0 and 1: errors and p of intercept and slope need {FEWEST_UNITS}"

    def covariance(self, fit: Fit, *, with_slope: bool) -> Array:
        """Of the coefficients, robust against weights and dependence inside groups."""
        from scipy.special import expit

        design = np.column_stack([np.ones_like(self.log_odds), self.log_odds][: 1 + with_slope])
        fitted = design @ fit.coefficients + (0 if with_slope else self.log_odds)
        scores = design * (self.weight * (self.came_true - expit(fitted)))[:, np.newaxis]
        sums = np.stack([np.bincount(self.codes, column, self.count) for column in scores.T], axis=1)
        return np.asarray(fit.covariance @ (sums.T @ sums) @ fit.covariance * self.count / (self.count - 1))
