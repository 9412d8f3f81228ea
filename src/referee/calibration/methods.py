"""Four ways to map scores to probabilities: Platt scaling, isotonic regression, temperature scaling and beta."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from referee.calibration.events import CLIP, Forecasts, first_of_blocks, shares
from referee.calibration.recalibration import fit_line, fit_logistic
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array


class Map(ABC):
    """A fitted method: columns of scores become columns of probabilities."""

    @abstractmethod
    def __call__(self, columns: list[Array]) -> list[Array]:
        """The probability of an event from its score; of all classes, where the method takes them at once."""

    @property
    def strictly_increasing(self) -> bool:
        """Whether a higher score always gives a higher probability: then the ranking is kept."""
        return False

    @property
    def constant(self) -> bool:
        """Whether every score gives the same probability."""
        return False

    def numbers(self) -> dict[str, float | list[float]]:
        """Its parameters."""
        return dict(vars(self))


@dataclass(frozen=True)
class Method:
    """What a method is called, what it assumes and how it is fitted.

    `fit(columns, truth, weight)` is given one column of scores and whether each row came true, or if `joint` the
    probabilities of all classes and the code of the true one; a weight is a number of rows.
    """

    name: str
    assumes: str
    needs: Literal["scores", "probabilities"]
    keeps_ranking: str
    """What it does to the ranking, in words."""
    fit: Callable[[list[Array], Array, Array], Map]
    restore: Callable[..., Map]
    """The map with the parameters given; raises ValueError where these are none of its kind."""
    joint: bool = False


def smoothed_outcomes(truth: Array, weight: Array) -> tuple[Array, Array]:
    """Platt (1999): what counts as come true and as failed, so that no finite sample makes a map certain."""
    positives, negatives = float(weight[truth].sum()), float(weight[~truth].sum())
    share = np.where(truth, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    return weight * share, weight * (1 - share)


def finite(name: str, value: object) -> float:
    """A parameter that was read from a file."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        raise ValueError(f"{name!r} is {value!r}, and must be a finite number")
    return float(value)


@dataclass(frozen=True)
class Line(Map):
    """probability = 1 / (1 + exp(-(intercept + slope x score))).

    Platt (1999), Probabilistic outputs for support vector machines, Advances in Large Margin Classifiers.
    """

    slope: float
    intercept: float

    def __call__(self, columns: list[Array]) -> list[Array]:
        from scipy.special import expit

        return [expit(self.intercept + self.slope * column) for column in columns]

    @property
    def strictly_increasing(self) -> bool:
        return self.slope > 0

    @property
    def constant(self) -> bool:
        return self.slope == 0

    @classmethod
    def fitted(cls, columns: list[Array], truth: Array, weight: Array) -> Line:
        (score,) = columns
        came_true, failed = smoothed_outcomes(truth, weight)
        return cls(*fit_line(score, weight, came_true, failed))

    @classmethod
    def restored(cls, slope: object, intercept: object) -> Line:
        return cls(finite("slope", slope), finite("intercept", intercept))


@dataclass(frozen=True)
class Stairs(Map):
    """Level on each block of scores, straight lines between the blocks, level beyond the first and the last.

    Zadrozny and Elkan (2002), Transforming classifier scores into accurate multiclass probability estimates, KDD.
    """

    scores: tuple[float, ...]
    probabilities: tuple[float, ...]

    def __call__(self, columns: list[Array]) -> list[Array]:
        return [np.interp(column, self.scores, self.probabilities) for column in columns]

    @property
    def constant(self) -> bool:
        return self.probabilities[0] == self.probabilities[-1]

    def numbers(self) -> dict[str, float | list[float]]:
        return {"scores": list(self.scores), "probabilities": list(self.probabilities)}

    @classmethod
    def fitted(cls, columns: list[Array], truth: Array, weight: Array) -> Stairs:
        (score,) = columns
        counted = weight > 0
        distinct, place = np.unique(score[counted], return_inverse=True)
        rows = np.bincount(place, weight[counted])
        forecasts = Forecasts(distinct, rows, np.bincount(place, (weight * truth)[counted]))
        first = first_of_blocks(forecasts)
        of_rows, came_true, _ = forecasts.blocks(first)
        last = np.append(first[1:], len(distinct)) - 1
        knots = np.unique(np.stack([first, last], axis=1).ravel())
        share = shares(came_true, of_rows)
        return cls(tuple(distinct[knots].tolist()), tuple(share[np.searchsorted(first, knots, "right") - 1].tolist()))

    @classmethod
    def restored(cls, scores: object, probabilities: object) -> Stairs:
        if not isinstance(scores, list) or not isinstance(probabilities, list) or len(scores) != len(probabilities):
            raise ValueError("'scores' and 'probabilities' must be lists of the same length")
        x = [finite("scores", score) for score in scores]
        y = [finite("probabilities", probability) for probability in probabilities]
        if not x or any(b <= a for a, b in pairwise(x)):
            raise ValueError("'scores' must rise")
        if any(b < a for a, b in pairwise(y)) or not (y[0] >= 0 and y[-1] <= 1):
            raise ValueError("'probabilities' must not fall, and lie between 0 and 1")
        return cls(tuple(x), tuple(y))


BEND = float(np.log(CLIP))
"""Below what log_loss believes a logarithm goes on falling, but as the logarithm of itself."""
OF_ZERO = float(np.log(np.nextafter(0, 1)) - np.log(2))
"""Half of the smallest number above 0."""
OF_ONE = float(np.log(1 - np.nextafter(1, 0)) - np.log(2))
"""Of what is left to 1: half of what the largest number below 1 leaves."""


def logs_of(probability: Array) -> tuple[Array, Array]:
    """The logarithms of probabilities and of their complements; 0 and 1 lie beyond all others.

    >>> low, _ = logs_of(np.array([0.0, 1e-300, 1e-200, 0.5]))
    >>> low.round(1).tolist()
    [-42.6, -42.5, -42.1, -0.7]
    """
    probability = np.asarray(probability, float)
    with np.errstate(divide="ignore"):
        low = np.where(probability > 0, np.log(probability), OF_ZERO)
        high = np.where(probability < 1, np.log1p(-probability), OF_ONE)
    return _bent(low), _bent(high)


def _bent(logarithm: Array) -> Array:
    beyond = np.maximum(BEND - logarithm, 0)
    return np.maximum(logarithm, BEND) - np.log1p(beyond)


def log_odds(probability: Array) -> Array:
    low, high = logs_of(probability)
    return low - high


LOG_LIMIT = 10.0
"""The temperature stays between exp(-10) and exp(10): of forecasts that are all right it would go to 0."""


@dataclass(frozen=True)
class Temperature(Map):
    """Probabilities in proportion to p^(1/temperature).

    Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks, ICML.
    """

    temperature: float

    def __call__(self, columns: list[Array]) -> list[Array]:
        from scipy.special import expit, softmax

        if len(columns) == 1:
            return [expit(log_odds(columns[0]) / self.temperature)]
        powers = np.stack([logs_of(column)[0] for column in columns])
        # The largest is 0, so that no temperature makes all of them infinite.
        return list(softmax((powers - powers.max(axis=0)) / self.temperature, axis=0))

    @property
    def strictly_increasing(self) -> bool:
        return True

    @classmethod
    def fitted(cls, columns: list[Array], truth: Array, weight: Array) -> Temperature:
        """The loss is convex in 1 / temperature, so its derivative has one root."""
        from scipy.optimize import brentq

        surplus = _surplus_of_event(columns[0], truth) if len(columns) == 1 else _surplus_of_classes(columns, truth)

        def slope(log_sharpness: float) -> float:
            return float(weight @ surplus(np.exp(log_sharpness)))

        if slope(-LOG_LIMIT) >= 0:
            return cls(float(np.exp(LOG_LIMIT)))
        if slope(LOG_LIMIT) <= 0:
            return cls(float(np.exp(-LOG_LIMIT)))
        return cls(float(np.exp(-brentq(slope, -LOG_LIMIT, LOG_LIMIT, xtol=1e-14))))

    @classmethod
    def restored(cls, temperature: object) -> Temperature:
        value = finite("temperature", temperature)
        if value <= 0:
            raise ValueError(f"'temperature' is {value!r}, and must be above 0")
        return cls(value)


def _surplus_of_event(probability: Array, truth: Array) -> Callable[[float], Array]:
    """What each row adds to the derivative of the loss by the sharpness, 1 / temperature."""
    from scipy.special import expit

    given = log_odds(probability)
    return lambda sharpness: given * (expit(sharpness * given) - truth)


def _surplus_of_classes(columns: list[Array], truth: Array) -> Callable[[float], Array]:
    from scipy.special import softmax

    powers = np.stack([logs_of(column)[0] for column in columns])
    of_truth = powers[truth, np.arange(len(truth))]
    return lambda sharpness: (softmax(sharpness * powers, axis=0) * powers).sum(axis=0) - of_truth


@dataclass(frozen=True)
class Beta(Map):
    """log odds = c + a log(p) - b log(1 - p), with a and b at least 0.

    Kull, Silva Filho and Flach (2017), Beta calibration, AISTATS, PMLR 54, 623-631.
    """

    a: float
    b: float
    c: float

    def __call__(self, columns: list[Array]) -> list[Array]:
        from scipy.special import expit

        logs = [logs_of(column) for column in columns]
        return [expit(self.a * low + self.b * -high + self.c) for low, high in logs]

    @property
    def strictly_increasing(self) -> bool:
        return self.a > 0 or self.b > 0

    @property
    def constant(self) -> bool:
        return self.a == 0 and self.b == 0

    @classmethod
    def fitted(cls, columns: list[Array], truth: Array, weight: Array) -> Beta:
        """With a or b below 0 the map would fall somewhere: then without it (Kull et al., section 4)."""
        came_true, failed = smoothed_outcomes(truth, weight)
        low, high = logs_of(columns[0])
        logs, ones = np.column_stack([low, -high]), np.ones((len(truth), 1))
        used = [0, 1] if np.ptp(columns[0]) > 0 else []
        while True:
            *slopes, c = fit_logistic(np.hstack([logs[:, used], ones]), came_true, failed).coefficients
            if not used or min(slopes) >= 0:
                break
            used.remove(used[int(np.argmin(slopes))])
        of_logs = dict(zip(used, slopes, strict=True))
        return cls(float(of_logs.get(0, 0.0)), float(of_logs.get(1, 0.0)), float(c))

    @classmethod
    def restored(cls, a: object, b: object, c: object) -> Beta:
        read = cls(finite("a", a), finite("b", b), finite("c", c))
        if min(read.a, read.b) < 0:
            raise ValueError("'a' and 'b' must not be below 0")
        return read


PLATT = Method(
    name="platt",
    assumes="the log odds are a straight line in the score as it stands; any score will do, but its maps do not "
    "include the one that leaves probabilities unchanged (those of beta do)",
    needs="scores",
    keeps_ranking="strictly increasing: keeps the ranking and AUC",
    fit=Line.fitted,
    restore=Line.restored,
)
ISOTONIC = Method(
    name="isotonic",
    assumes="only that the outcome is never less likely at a higher score; it needs many rows (about 1,000), and may "
    "give "
    "exactly 0 or 1",
    needs="scores",
    keeps_ranking="makes ties: scores of one block become the same probability, so AUC may change",
    fit=Stairs.fitted,
    restore=Stairs.restored,
)
TEMPERATURE = Method(
    name="temperature",
    assumes="all forecasts are too extreme, or too timid, by the same factor of their log odds, and right on average "
    "at one half",
    needs="probabilities",
    keeps_ranking=PLATT.keeps_ranking,
    fit=Temperature.fitted,
    restore=Temperature.restored,
    joint=True,
)
BETA = Method(
    name="beta",
    assumes="the forecasts of each outcome follow a beta distribution; it can bend both ends, or change nothing",
    needs="probabilities",
    keeps_ranking=PLATT.keeps_ranking,
    fit=Beta.fitted,
    restore=Beta.restored,
)
METHODS = {method.name: method for method in (PLATT, ISOTONIC, TEMPERATURE, BETA)}
