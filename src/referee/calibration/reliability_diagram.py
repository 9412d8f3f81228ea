"""Reliability diagrams: forecasts against what happened; and the error that calibrated forecasts would show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from referee.calibration.events import Event, Forecasts, event_of, first_of_blocks
from referee.comparing import Contender
from referee.engines import bins_by_mass, bins_by_width
from referee.errors import UsageError, did_you_mean
from referee.records import dataclass
from referee.scoring import metrics, quantile, tail, wilson

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.predictions import Predictions


HALVINGS = 50
"""Bisections of an interval of length 1: down to the last bit."""


def consistency_of_bins(forecast: Array, rows: Array, alpha: float) -> tuple[Array, Array]:
    """The binomial quantiles of each bin's share, if its mean forecast is right.

    >>> low, high = consistency_of_bins(np.array([0.5]), np.array([100.0]), 0.05)
    >>> low.tolist(), high.tolist()
    ([0.4], [0.6])
    """
    rows = _whole(rows)
    return binomial_quantile(alpha / 2, rows, forecast) / rows, binomial_quantile(1 - alpha / 2, rows, forecast) / rows


def _whole(rows: Array) -> Array:
    """At least one, and not more or fewer because sums of weights round."""
    return np.maximum(np.round(np.round(rows, 9)), 1)


def binomial_quantile(level: float, rows: Array, share: Array) -> Array:
    """The smallest count that is reached with at least the probability `level`."""
    from scipy.special import bdtrik

    with np.errstate(all="ignore"):
        near = np.floor(np.nan_to_num(bdtrik(level, rows, np.clip(share, 0, 1)), nan=0.0))
    candidates = np.clip(near + np.array([[-1.0], [0.0], [1.0], [2.0]]), 0, rows)
    reached = _at_most(candidates, rows, share) >= level
    return np.where(reached.any(axis=0), np.take_along_axis(candidates, reached.argmax(axis=0)[None], 0)[0], rows)


def _at_most(count: Array, rows: Array, share: Array) -> Array:
    """The binomial distribution function."""
    from scipy.special import betainc

    with np.errstate(all="ignore"):
        return np.where(count >= rows, 1.0, betainc(np.maximum(rows - count, 1), count + 1, 1 - share))


def confidence_of_bins(observed: Array, rows: Array, alpha: float) -> tuple[Array, Array]:
    """Wilson's interval of each bin's share.

    >>> low, high = confidence_of_bins(np.array([0.5]), np.array([100.0]), 0.05)
    >>> round(float(low[0]), 4), round(float(high[0]), 4)
    (0.4038, 0.5962)
    """
    both = zip((observed * rows).tolist(), rows.tolist(), strict=True)
    low, high = np.transpose([wilson(came_true, units, alpha) for came_true, units in both])
    # Of rows that are all alike one end is theirs, without rounding.
    return np.where(observed > 0, low, 0.0), np.where(observed < 1, high, 1.0)


def consistency_of_isotonic(forecasts: Forecasts, at: Array, alpha: float) -> tuple[Array, Array]:
    """Where the isotonic regression of calibrated forecasts lies, pointwise, by a formula.

    The regression at a forecast pools its neighbours: so many that what it gains in noise it loses in bias. The band
    is as wide as the binomial spread of the rows inside it: the smallest w with w² rows(w) >= z² variance, upwards
    and downwards by themselves. Where forecasts are dense this is the limit of the estimator, Chernoff's
    distribution (at 95% within 2%); where each is given to many rows it is the binomial interval.
    """
    z = quantile(1 - alpha / 2, np.inf)
    return at - _reach(forecasts, at, -1, z), at + _reach(forecasts, at, 1, z)


def _reach(forecasts: Forecasts, at: Array, side: int, z: float) -> Array:
    weights = np.concatenate([[0], np.cumsum(forecasts.rows)])
    noise = np.concatenate([[0], np.cumsum(forecasts.noise)])
    low, high = np.zeros(len(at)), 1 - at if side > 0 else at.copy()
    for _ in range(HALVINGS):
        reach = (low + high) / 2
        end = at + side * reach
        a, b = (at, end) if side > 0 else (end, at)
        first, last = np.searchsorted(forecasts.forecast, a), np.searchsorted(forecasts.forecast, b, "right")
        rows = (weights[last] - weights[first]) ** 2 / np.maximum(noise[last] - noise[first], np.finfo(float).tiny)
        enough = reach**2 * rows >= z**2 * np.maximum(end * (1 - end), at * (1 - at))
        low, high = np.where(enough, low, reach), np.where(enough, reach, high)
    return high


Method = Literal["isotonic", "width", "mass"]
Band = Literal["consistency", "confidence"]


@dataclass(frozen=True, eq=False)
class Reliability:
    """The points of a reliability diagram, from the lowest forecast to the highest; all arrays have one value each.

    `forecast` is the mean forecast of the rows of a point, `observed` the share of them that came true, `rows` how
    many they are (their weight), `first` and `last` the lowest and highest forecast among them. `low` to `high` is
    where `observed` lies with probability 1 - alpha if the forecasts are calibrated (band "consistency": look whether
    a point leaves the band around the diagonal), or the interval of the true share (band "confidence": look whether
    it holds the diagonal). Both are pointwise. With isotonic regression `observed` rises, and between `first` and
    `last` it is level.

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0, 0, 1, 1], {"m": [0.1, 0.2, 0.6, 0.9]})
    >>> bins = reliability(predictions, "m", method="width", bins=2)
    >>> bins.observed.tolist(), bins.rows.tolist()
    ([0.0, 1.0], [2, 2])
    """

    model: str
    event: str
    """The class that is forecast, or "top label"."""
    method: Method
    band: Band
    alpha: float
    forecast: Array
    observed: Array
    rows: Array
    first: Array
    last: Array
    low: Array
    high: Array

    def __len__(self) -> int:
        return len(self.forecast)

    @property
    def outside(self) -> Array:
        """Points that leave the consistency band, or whose confidence interval misses the forecast."""
        compared = self.observed if self.band == "consistency" else self.forecast
        slack = 1e-12
        return (compared < self.low - slack) | (compared > self.high + slack)

    def to_dict(self) -> dict[str, Any]:
        columns = ("forecast", "observed", "rows", "first", "last", "low", "high")
        points = zip(*(getattr(self, name).tolist() for name in columns), strict=True)
        head = {name: getattr(self, name) for name in ("model", "event", "method", "band", "alpha")}
        return head | {"points": [dict(zip(columns, point, strict=True)) for point in points]}


def reliability(
    predictions: Predictions,
    model: str,
    *,
    method: Method = "isotonic",
    bins: int = 10,
    event: str | None = None,
    band: Band = "consistency",
    alpha: float = 0.05,
) -> Reliability:
    """The reliability diagram of a model; `bins` matters to "width" and "mass" only.

    Of several classes, `event` names one of them; without it the diagram is that of the top label.

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0, 1, 0, 1], {"m": [0.2, 0.4, 0.6, 0.8]})
    >>> reliability(predictions, "m").observed.tolist()
    [0.0, 0.5, 1.0]
    """
    return reliability_of(event_of(predictions, model, event), method, bins, band, alpha)


def reliability_of(event: Event, method: Method, bins: int, band: Band, alpha: float) -> Reliability:
    """The reliability diagram of one event."""
    _refuse_unknown(method, band)
    forecasts = event.forecasts
    starts = _starts(event, method, bins)
    rows, came_true, forecast = forecasts.blocks(starts)
    ends = np.append(starts[1:], len(forecasts.forecast)) - 1
    first, last = forecasts.forecast[starts], forecasts.forecast[ends]
    forecast = np.clip(forecast, first, last)  # a mean of equal numbers may be rounded
    observed = came_true / rows
    with np.errstate(all="ignore"):  # squares of extreme weights, which say nothing
        effective = np.nan_to_num(rows * (rows / np.add.reduceat(forecasts.noise, starts)), posinf=0.0)
    if method == "isotonic":
        low, high = consistency_of_isotonic(forecasts, forecast, alpha)
    elif band == "consistency":
        low, high = consistency_of_bins(forecast, effective, alpha)
    else:
        low, high = confidence_of_bins(observed, effective, alpha)
    return Reliability(
        event.model.name, event.name, method, band, alpha, forecast, observed, rows, first, last, low, high
    )


def _starts(event: Event, method: Method, bins: int) -> Array:
    """The first forecast of each point."""
    forecasts = event.forecasts
    if method == "isotonic":
        return first_of_blocks(forecasts)
    if not (isinstance(bins, int | np.integer) and bins >= 1):
        raise UsageError("E_PARAMETER", f"bins={bins!r} must be a whole number, at least 1")
    if method == "width":
        place = bins_by_width(forecasts.forecast, bins)
    else:
        above = forecasts.total - np.cumsum(forecasts.rows) + forecasts.rows / 2
        place = bins_by_mass(above / forecasts.total, bins)
    return np.flatnonzero(np.concatenate([[True], np.diff(place) > 0]))


def _refuse_unknown(method: str, band: str) -> None:
    for name, value, known in (
        ("method", method, ("isotonic", "width", "mass")),
        ("band", band, ("consistency", "confidence")),
    ):
        if value not in known:
            raise UsageError("E_PARAMETER", f"{name}={value!r}: {did_you_mean(str(value), known)}")
    if method == "isotonic" and band == "confidence":
        raise UsageError(
            "E_PARAMETER",
            "isotonic regression has a consistency band only: its blocks are chosen by looking at what happened",
            hint='method="mass" or "width" has confidence intervals',
        )


@dataclass(frozen=True)
class CalibrationError:
    """The calibration error of one event in four ways, and what it is if nothing but chance makes it.

    `plain`, `debiased` and `largest` are the metrics calibration_error, calibration_error(debiased=true) and
    max_calibration_error. `expected` is the mean of `plain` for calibrated forecasts as many and as high as these,
    `limit` what it stays below with probability 1 - alpha, by the normal distribution, which `p` is of too.
    """

    bins: int
    mass: bool
    plain: float
    debiased: float
    largest: float
    expected: float
    limit: float
    p: float | None = None
    """How often calibrated forecasts show as much; None where they can show nothing else."""

    @property
    def as_expected(self) -> bool:
        """Whether chance alone explains it."""
        return self.plain <= self.limit

    def to_dict(self) -> dict[str, Any]:
        return vars(self) | {"as_expected": self.as_expected}


def calibration_error_of(event: Event, bins: int, *, mass: bool, alpha: float) -> CalibrationError:
    """All kinds of calibration error of one event."""
    settings = f"bins={bins}, mass={str(mass).lower()}"
    names = ("calibration_error({})", "calibration_error({}, debiased=true)", "max_calibration_error({})")
    asked = [metrics[name.format(settings)] for name in names]
    plain, debiased, largest = (Contender(event.predictions, event.model, metric).value for metric in asked)
    mean, deviation = expected_error(event, bins, mass=mass)
    limit = mean + quantile(1 - alpha, np.inf) * deviation
    p = tail((plain - mean) / deviation, np.inf) if deviation > 0 else None
    return CalibrationError(bins, mass, plain, debiased, largest, mean, limit, p)


def expected_error(event: Event, bins: int, *, mass: bool) -> tuple[float, float]:
    """Mean and standard deviation of the calibration error of calibrated forecasts."""
    points = reliability_of(event, "mass" if mass else "width", bins, "consistency", 0.05)
    forecasts = event.forecasts
    first = np.searchsorted(forecasts.forecast, points.first)
    with np.errstate(all="ignore"):  # squares of extreme weights, which say nothing
        noise = np.add.reduceat(forecasts.noise * forecasts.variance, first) / points.rows / points.rows
        effective = points.rows / (np.add.reduceat(forecasts.noise, first) / points.rows)
        deviation = mean_deviation(points.forecast, effective, noise)
    share = points.rows / points.rows.sum()
    mean, variance = float(share @ deviation), float(share**2 @ (noise - deviation**2))
    return mean, max(variance, 0.0) ** 0.5


def mean_deviation(forecast: Array, rows: Array, variance: Array) -> Array:
    """The mean distance of an observed share from its mean forecast.

    De Moivre's formula for a binomial share; rows of one bin with different forecasts vary a little less, and the
    distance shrinks as the standard deviation does.

    >>> mean_deviation(np.array([0.5]), np.array([2.0]), np.array([0.125])).round(12).tolist()
    [0.25]
    """
    from scipy.special import betaln, xlog1py, xlogy

    rows = _whole(rows)
    above = np.floor(rows * forecast) + 1
    inside = (forecast > 0) & (forecast < 1) & (above <= rows)
    above = np.where(inside, above, 1)
    chosen = -np.log(rows + 1) - betaln(above + 1, rows - above + 1)
    log_term = chosen + xlogy(above, forecast) + xlog1py(rows - above + 1, -forecast)
    binomial = np.where(inside, 2 * above * np.exp(np.where(inside, log_term, 0)) / rows, 0.0)
    of_binomial = forecast * (1 - forecast) / rows
    return binomial * np.sqrt(np.divide(variance, of_binomial, out=np.ones_like(variance), where=of_binomial > 0))
