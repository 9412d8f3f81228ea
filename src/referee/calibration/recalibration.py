"""Intercept and slope of the logistic recalibration: forecasts too high or too low, too extreme or too timid."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite
from typing import TYPE_CHECKING

import numpy as np

from referee.arrays import largest, scale_to_one
from referee.comparing import DUST
from referee.document import counted
from referee.engines import rows_of
from referee.errors import UndefinedError
from referee.records import dataclass
from referee.scoring import tail

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.calibration.events import Event, Forecasts

MOST_STEPS = 200
CLOSE = 1e-13
"""Newton's steps end where the next one would lower the loss by less than this share of it."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Coefficients of the columns of a design, the information about them, and the loss (minus log likelihood)."""

    coefficients: Array
    information: Array
    loss: float

    @property
    def covariance(self) -> Array:
        return np.linalg.pinv(self.information, hermitian=True)


def fit_logistic(design: Array, came_true: Array, failed: Array, offset: Array | float = 0.0) -> Fit:
    """Fit log odds = offset + design @ coefficients to the weights of both outcomes.

    >>> fit = fit_logistic(np.ones((1, 1)), np.array([3.0]), np.array([1.0]))
    >>> bool(np.isclose(fit.coefficients[0], np.log(3)))
    True
    """
    # Columns of the same size, so that the order of magnitude of scores does not matter.
    scale = np.sqrt((design**2).mean(axis=0))
    scale = np.where(scale > 0, scale, 1.0)
    scaled = design / scale
    coefficients = np.zeros(design.shape[1])
    loss = _loss(scaled @ coefficients + offset, came_true, failed)
    for _ in range(MOST_STEPS):
        log_odds = scaled @ coefficients + offset
        gradient, information = _derivatives(scaled, log_odds, came_true, failed)
        step = _within_reach(scaled, np.linalg.lstsq(information, gradient, rcond=None)[0], log_odds)
        if not float(gradient @ step) > CLOSE * max(
            loss, 1e-300
        ):  # the last step doubles the digits, though the loss may not show it
            coefficients = coefficients + step
            break
        coefficients, loss = _downhill(scaled, coefficients, step, loss, came_true, failed, offset)
    log_odds = scaled @ coefficients + offset
    information = _derivatives(scaled, log_odds, came_true, failed)[1]
    return Fit(coefficients / scale, information * np.outer(scale, scale), _loss(log_odds, came_true, failed))


def fit_line(score: Array, weight: Array, came_true: Array, failed: Array) -> tuple[float, float]:
    """Slope and intercept of log odds over scores of any size."""
    near_one = scale_to_one(largest(score))  # so that sums and differences are finite
    score = score * near_one
    # About their mean, so that scores far from 0 do not look alike.
    centre, scale = float(np.average(score, weights=weight)), float(np.ptp(score))
    if scale <= 0:
        return 0.0, float(fit_logistic(np.ones((len(score), 1)), came_true, failed).coefficients[0])
    design = np.column_stack([np.ones(len(score)), (score - centre) / scale])
    intercept, slope = map(float, fit_logistic(design, came_true, failed).coefficients)
    if not isfinite(slope / scale * near_one):
        raise UndefinedError("E_UNDEFINED", "the scores are too small for a map of them: multiply them by a number")
    return slope / scale * near_one, intercept - slope * centre / scale


FARTHEST = 40.0
"""How far one step goes in log odds, beyond where they are: shares of 1e-18 do not tell how far the next one is."""


def _within_reach(design: Array, step: Array, log_odds: Array) -> Array:
    longest = float(np.abs(design @ step).max())
    return step * min(1.0, (FARTHEST + float(np.abs(log_odds).max())) / longest) if longest > 0 else step


def _downhill(
    design: Array, start: Array, step: Array, loss: float, came_true: Array, failed: Array, offset: Array | float
) -> tuple[Array, float]:
    """Take Newton's step, or the half of it that lowers the loss."""
    for halving in range(60):
        coefficients = start + step / 2**halving
        lower = _loss(design @ coefficients + offset, came_true, failed)
        if lower <= loss:
            return coefficients, lower
    return start, loss


def _loss(log_odds: Array, came_true: Array, failed: Array) -> float:
    towards = np.log1p(np.exp(-np.abs(log_odds)))  # the loss of the outcome that the odds are for
    against = np.abs(log_odds) * np.where(log_odds > 0, failed, came_true)
    return float(((came_true + failed) * towards + against).sum())


def _derivatives(design: Array, log_odds: Array, came_true: Array, failed: Array) -> tuple[Array, Array]:
    from scipy.special import expit

    share = expit(log_odds)
    rows = came_true + failed
    gradient = design.T @ (came_true - rows * share)
    variance = np.maximum(share * expit(-log_odds), SMALLEST_VARIANCE)
    return gradient, (design * (rows * variance)[:, np.newaxis]).T @ design


SMALLEST_VARIANCE = 1e-200
"""Of an outcome; below it nothing can be divided by."""


FEWEST_UNITS = 5
"""Of fewer groups no spread between them can be told."""


@dataclass(frozen=True)
class Recalibration:
    """log odds of the event = intercept + slope x log odds of the forecast (Cox 1958).

    `intercept` is that with the slope held at 1 (above 0: forecasts are too low), `slope` the one with a free
    intercept (below 1: forecasts are too extreme). `p` is of both at once, intercept 0 and slope 1: the likelihood
    ratio test with 2 degrees of freedom; with unequal weights or groups Hotelling's test with robust standard errors.
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


def recalibration(event: Event) -> Recalibration:
    """Fit intercept and slope to one event."""
    given = event.forecasts
    inside = (given.forecast > 0) & (given.forecast < 1)
    left_out = float(sum(rows[~inside].sum() for rows in given.seen_rows))
    # In rows, as a likelihood counts them: the weight of one row is 1.
    rows, came_true = (weight[inside] / event.predictions.row_weight for weight in (given.rows, given.came_true))
    forecast = given.forecast[inside]
    failed = rows - came_true
    if not came_true.sum() or not failed.sum():
        which = "forecasts between 0 and 1" if left_out else "the rows"
        return Recalibration(left_out=left_out, undefined=f"{which} hold only one outcome")
    log_odds = np.log(forecast) - np.log1p(-forecast)
    alone = fit_logistic(np.ones((len(forecast), 1)), came_true, failed, offset=log_odds)
    line = Recalibration(float(alone.coefficients[0]), left_out=left_out)
    if not (reason := _why_no_slope(came_true, failed)):
        both = fit_logistic(np.column_stack([np.ones(len(forecast)), log_odds]), came_true, failed)
        line = replace(line, slope=float(both.coefficients[1]))
    if _all_alike(event):
        line = replace(line, intercept_error=float(alone.covariance[0, 0] ** 0.5))
        return replace(line, undefined=reason) if reason else _by_likelihood(line, both, log_odds, came_true, failed)
    units = _Units.of(event)
    if units.count < FEWEST_UNITS:
        return replace(line, undefined=reason or units.too_few)
    error = float(units.covariance(alone, with_slope=False)[0, 0] ** 0.5)
    line = replace(line, intercept_error=error, error_df=units.count - 1)
    return replace(line, undefined=reason) if reason else _by_units(line, both, units)


def _by_likelihood(line: Recalibration, both: Fit, log_odds: Array, came_true: Array, failed: Array) -> Recalibration:
    from scipy.special import chdtrc

    as_given = float((came_true * np.logaddexp(0, -log_odds) + failed * np.logaddexp(0, log_odds)).sum())
    statistic = max(2 * (as_given - both.loss), 0.0)
    error = float(both.covariance[1, 1] ** 0.5)
    return replace(line, slope_error=error, statistic=statistic, p=float(chdtrc(2, statistic)))


def _by_units(line: Recalibration, both: Fit, units: _Units) -> Recalibration:
    """Hotelling: the covariance is itself estimated, from few units if these are few groups."""
    from scipy.special import fdtrc

    covariance, off = units.covariance(both, with_slope=True), both.coefficients - [0, 1]
    df = units.count - 2
    statistic = float(off @ np.linalg.pinv(covariance, hermitian=True) @ off) * df / (2 * (units.count - 1))
    return replace(
        line, slope_error=max(float(covariance[1, 1]), 0.0) ** 0.5, test="Hotelling, robust", statistic=statistic,
        denominator_df=df, p=float(fdtrc(2, df, statistic)),
    )  # fmt: skip


def _why_no_slope(came_true: Array, failed: Array) -> str | None:
    """The likelihood has no maximum where a cut of the forecasts tells the outcomes apart."""
    if len(came_true) == 1:
        return "all forecasts are the same, so there is no slope"
    true, false = np.flatnonzero(came_true), np.flatnonzero(failed)
    if true[0] >= false[-1] or false[0] >= true[-1]:
        return "a threshold on the forecasts separates the outcomes, so the slope is infinite"
    return None


def _all_alike(event: Event) -> bool:
    return event.predictions.has_equal_weights and event.predictions.clusters is None


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
        weight = predictions.weights_in_rows
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
        units = counted(self.count, self.noun)
        return f"{units} with forecasts between 0 and 1: errors and p of intercept and slope need {FEWEST_UNITS}"

    def covariance(self, fit: Fit, *, with_slope: bool) -> Array:
        """Of the coefficients, robust against weights and dependence inside groups."""
        from scipy.special import expit

        design = np.column_stack([np.ones_like(self.log_odds), self.log_odds][: 1 + with_slope])
        fitted = design @ fit.coefficients + (0 if with_slope else self.log_odds)
        scores = design * (self.weight * (self.came_true - expit(fitted)))[:, np.newaxis]
        sums = np.stack([np.bincount(self.codes, column, self.count) for column in scores.T], axis=1)
        moved = sums @ fit.covariance
        with np.errstate(over="ignore"):  # forecasts that say next to nothing of a coefficient
            return np.asarray(moved.T @ moved * self.count / (self.count - 1))


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
    """How many forecasts of 0 or 1 were wrong."""
    df: float | None = None
    """Of Student's t, where rows come in groups; None is the normal distribution."""


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
        return Spiegelhalter(None, None, "every forecast is 0.5, so the Brier score is 0.25 whatever happens")
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
    failed, came_true = forecasts.seen_rows
    wrong = np.where(forecasts.forecast == 0, came_true, np.where(forecasts.forecast == 1, failed, 0))
    return round(float(wrong.sum()))


def _sums_of_groups(event: Event) -> Array:
    """What each group with rows that count adds to the numerator."""
    predictions, clusters = event.predictions, event.predictions.clusters
    assert clusters is not None
    forecast = rows_of(predictions, event.model).score(predictions.positive, as_probability=True).astype(float)
    of_rows = ((predictions.truth == predictions.positive) - forecast) * (1 - 2 * forecast)
    weight = np.ones(len(forecast)) if predictions.weight is None else predictions.weight
    sums = np.bincount(clusters.codes, of_rows * weight, len(clusters))
    return np.asarray(sums[np.bincount(clusters.codes, weight, len(clusters)) > 0])
