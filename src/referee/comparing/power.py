"""The power to tell two models apart: how sure a difference is after so many units, and how many of them it takes."""

from __future__ import annotations

from math import ceil, inf, isfinite, sqrt
from typing import TYPE_CHECKING, Any, Literal

from referee.records import dataclass
from referee.scoring import normal_quantile, pieces_expected, quantile, t_power

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from referee.comparing.comparison import Comparison

POWER = 0.8
MOST_TIMES = 1e6
EXACT = 1e-12
MOST_STEPS, ROUNDS = 100, 8
Sides = Literal[1, 2]


@dataclass(frozen=True)
class InTime:
    """What units in the order of time hold."""

    moments: float
    pieces: float
    excess_kurtosis: float = 0.0
    times_wider: float = 1.0
    """How much larger the error is than that of independent moments."""

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> InTime | None:
        """Of a difference, or of one model's value; None for rows without an order."""
        names = ("moments", "pieces", "excess_kurtosis", "times_wider")
        return cls(*(facts[name] for name in names)) if "times_wider" in facts else None

    def degrees_of_freedom(self, times: float) -> float:
        """Of so many times the moments: as many as pieces, fewer with heavy tails."""
        return 1 / (1 / self.pieces_of(times) + self.excess_kurtosis / (2 * times * self.moments))

    def pieces_of(self, times: float) -> float:
        """So many times the moments hold so many pieces."""
        return pieces_expected(self.pieces, self.moments, times * self.moments)


@dataclass(frozen=True)
class Precision:
    """The variance of a difference after so many units: a part that falls with their number, and one that does not.

    >>> Precision(100, 0.0004, 99).standard_error(400)
    0.01
    """

    units: float
    """Rows, items, groups or repeats that the variance was seen on."""
    variance: float
    """The part that falls with their number."""
    df: float = inf
    floor: float = 0.0
    """The part that more units do not lower: seeds, or training sets that overlap."""
    floor_df: float = inf
    fixed_df: float | None = None
    """Degrees of freedom that do not grow with the units, where that is so."""
    in_time: InTime | None = None
    """The pieces of units in the order of time, which grow more slowly than the units."""

    @classmethod
    def of(cls, units: float, comparison: Comparison) -> Precision | None:
        """That of a comparison; None where its standard error is unknown or nothing."""
        error, df = comparison.standard_error, comparison.df
        if not error or not isfinite(error):
            return None
        if seeds := comparison.details.get("seeds"):
            floor = error * error - seeds["items_variance"]
            return cls(units, seeds["items_variance"], seeds["items_df"], max(floor, 0.0), seeds["seeds_df"])
        variance = error * error  # a power that is too large would fail
        return cls(units, variance, inf if df is None else df, in_time=InTime.of(comparison.details))

    def standard_error(self, units: float) -> float:
        return sqrt(self.variance * self.units / units + self.floor)

    def degrees_of_freedom(self, units: float) -> float:
        """Satterthwaite's, where there are two parts."""
        if self.fixed_df is not None:
            return self.fixed_df
        own = max(1.0, min(units - 1, (self.df + 1) * units / self.units - 1)) if isfinite(self.df) else inf
        if self.in_time is not None:
            own = max(1.0, self.in_time.degrees_of_freedom(units / self.units))
        if not self.floor:
            return own
        falling = self.variance * self.units / units
        scatter = falling**2 / own + self.floor**2 / self.floor_df
        return (falling + self.floor) ** 2 / scatter if scatter else inf

    def power(self, units: float, difference: float, alpha: float, sides: Sides = 2) -> float:
        """The probability that a test with so many units finds a true difference, and its sign."""
        df = self.degrees_of_freedom(units)
        return t_power(df, abs(difference) / self.standard_error(units), quantile(1 - alpha / sides, df))

    def smallest_difference(self, units: float, power: float, alpha: float, sides: Sides = 2) -> float:
        """The true difference that a test with so many units finds with that power."""
        df = self.degrees_of_freedom(units)
        return _shift(power, df, quantile(1 - alpha / sides, df)) * self.standard_error(units)

    def units_for(self, difference: float, power: float, alpha: float, sides: Sides = 2) -> int | None:
        """How many units find a true difference; None where no number does, or more than anybody has."""
        if not difference or not self.variance:
            return None
        most = ceil(self.units * MOST_TIMES**2)
        about = self._about_units(abs(difference), power, alpha, sides)
        return _first(lambda units: self.power(units, difference, alpha, sides) >= power, min(about, most), most)

    def _about_units(self, difference: float, power: float, alpha: float, sides: Sides) -> float:
        """So many by the approximation to the noncentral t; endless where the floor alone hides the difference."""
        units = self.units
        for _ in range(ROUNDS):
            df = self.degrees_of_freedom(units)
            shift = difference / _about_shift(power, df, quantile(1 - alpha / sides, df))
            falling = shift * shift - self.floor  # a square that is too large is infinite, a power would fail
            if falling <= 0:
                return inf
            units = max(self.variance * self.units / falling, 1.0)
        return units


def _first(is_enough: Callable[[int], bool], about: float, most: int) -> int | None:
    """The least number that is enough, searched for in growing steps from about where it is."""
    low, high, step = 0, most + 1, 1
    middle = max(int(about), 1)
    while high - low > 1:
        enough = is_enough(middle)
        low, high = (low, middle) if enough else (middle, high)
        beyond = middle - step if enough else middle + step
        middle, step = (beyond, 2 * step) if low < beyond < high else ((low + high) // 2, step)
    return high if high <= most else None


def _shift(power: float, df: float, critical: float) -> float:
    """The noncentrality that has the power: by secants, as its normal quantile is all but a straight line."""
    wanted, shift = normal_quantile(power), _about_shift(power, df, critical)
    low, high, slope = 0.0, inf, 1 / sqrt(1 + critical**2 / (2 * df))
    for _ in range(MOST_STEPS):
        miss = normal_quantile(t_power(df, shift, critical)) - wanted
        low, high = (low, shift) if miss >= 0 else (shift, high)
        following = shift - miss / slope
        if not low < following < high:
            following = (low + high) / 2 if high < inf else 2 * low
        if abs(following - shift) <= EXACT * shift:
            break
        slope = (normal_quantile(t_power(df, following, critical)) - wanted - miss) / (following - shift) or slope
        shift = following
    return shift


def _about_shift(power: float, df: float, critical: float) -> float:
    """Johnson and Kraemer's normal approximation to the noncentral t."""
    return max(critical * (1 - 1 / (4 * df)) + normal_quantile(power) * sqrt(1 + critical**2 / (2 * df)), EXACT)


def smallest_difference(comparison: Comparison) -> float | None:
    """The true difference that such a comparison finds in 80% of the cases; None where its error is unknown."""
    error, df = comparison.standard_error, comparison.df
    if not error or not isfinite(error):
        return None
    of_one = Precision(1, 1.0, fixed_df=inf if df is None else df).smallest_difference(1, POWER, comparison.alpha)
    return of_one * error if isfinite(of_one * error) else None


def rows_to_separate(rows: int, comparison: Comparison, delta: float | None, alpha: float | None = None) -> int | None:
    """How many rows would find a true difference of `delta` in 80% of the cases; `alpha` is that of one of many pairs.

    >>> from referee.comparing import Comparison
    >>> rows_to_separate(1000, Comparison(0.01, 0.3, "tie", standard_error=0.01), delta=0.01)
    7849
    """
    precision = Precision.of(rows, comparison)
    return precision.units_for(delta, POWER, alpha or comparison.alpha) if precision and delta else None


def rows_to_pass(rows: int, comparison: Comparison, room: float) -> int | None:
    """How many rows would show, one-sided and in 80% of the cases, that a difference stays clear of a bound.

    `room` is how far off the bound the true difference is.
    """
    precision = Precision.of(rows, comparison)
    return precision.units_for(room, POWER, comparison.alpha, sides=1) if precision and room else None


def rows_at_least(rows: int, comparison: Comparison, alpha: float | None = None) -> int | None:
    """For the observed difference only a lower bound: what the far end of its interval would need."""
    if comparison.low is None or comparison.high is None:
        return None
    return rows_to_separate(rows, comparison, max(abs(comparison.low), abs(comparison.high)), alpha)
