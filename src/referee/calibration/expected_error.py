"""The calibration error that calibrated forecasts would show: never 0, as shares of few rows are noisy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.calibration.reliability_diagram import reliability_of
from referee.comparing import Contender
from referee.scoring import metrics, quantile, tail

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.calibration.events import Event


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
    mean, limit = expected_error(event, bins, mass=mass, alpha=alpha)
    _, deviation = _moments(event, bins, mass=mass)
    p = tail((plain - mean) / deviation, np.inf) if deviation > 0 else None
    return CalibrationError(bins, mass, plain, debiased, largest, mean, limit, p)


def expected_error(event: Event, bins: int, *, mass: bool, alpha: float) -> tuple[float, float]:
    """The mean of the calibration error of calibrated forecasts, and its 1 - alpha quantile (normal, as a sum)."""
    mean, deviation = _moments(event, bins, mass=mass)
    return mean, mean + quantile(1 - alpha, np.inf) * deviation


def _moments(event: Event, bins: int, *, mass: bool) -> tuple[float, float]:
    """Mean and standard deviation of the calibration error of calibrated forecasts."""
    points = reliability_of(event, "mass" if mass else "width", bins, "consistency", 0.05)
    forecasts = event.forecasts
    first = np.searchsorted(forecasts.forecast, points.first)
    noise = np.add.reduceat(forecasts.noise * forecasts.variance, first) / points.rows**2
    effective = points.rows**2 / np.add.reduceat(forecasts.noise, first)
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

    rows = np.maximum(np.round(rows), 1)
    above = np.floor(rows * forecast) + 1
    inside = (forecast > 0) & (forecast < 1) & (above <= rows)
    above = np.where(inside, above, 1)
    chosen = -np.log(rows + 1) - betaln(above + 1, rows - above + 1)
    log_term = chosen + xlogy(above, forecast) + xlog1py(rows - above + 1, -forecast)
    binomial = np.where(inside, 2 * above * np.exp(np.where(inside, log_term, 0)) / rows, 0.0)
    of_binomial = forecast * (1 - forecast) / rows
    return binomial * np.sqrt(np.divide(variance, of_binomial, out=np.ones_like(variance), where=of_binomial > 0))
