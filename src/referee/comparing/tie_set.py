"""The score of the best model corrected for having been chosen, and the power to tell models apart."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf
from typing import TYPE_CHECKING

import numpy as np

from referee.arrays import quantile_of
from referee.comparing.all_pairs import draws_for, normal_draws, random_numbers
from referee.scoring import on_its_scale, quantile

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing.comparison import Comparison
    from referee.comparing.contest import Contest


@dataclass(frozen=True)
class CorrectedScore:
    """A value without most of its optimism, with an interval that holds for all models at once.

    In simulations 6 to 20 % of the optimism was left (docs/validity.md); the interval then still held the true value in
    all but a few cases.
    """

    model: str
    value: float
    low: float
    high: float
    optimism: float
    """In the metric's own units: below 0 for a metric of which less is better."""


def corrected_score(contest: Contest, best: str, df: float = inf) -> CorrectedScore | None:
    """Correct the best model's value; None where the values have no finite spread."""
    design = contest.design
    given = Given(dict(contest.values), contest.covariance, contest.metric.range, design.better, df)
    return corrected(given, best, design.alpha, design.seed)


@dataclass(frozen=True)
class Given:
    """The models' values with their covariance, and what is known of them."""

    values: dict[str, float]
    covariance: Array
    """In the order of the models' names."""
    ends: tuple[float, float]
    better: str = "higher"
    df: float = inf


def corrected(given: Given, best: str, alpha: float, seed: int) -> CorrectedScore | None:
    """Take off what the best of several equal values would show by luck.

    >>> same = {f"m{i}": 0.8 for i in range(9)} | {"best": 0.86}
    >>> found = corrected(Given(same, np.eye(10) * 0.0008, (0, 1)), "best", 0.05, 0)
    >>> 0.8 < found.value < 0.84
    True
    """
    names = sorted(given.values)
    observed, winner = np.array([given.values[name] for name in names]), names.index(best)
    errors = np.sqrt(np.diag(given.covariance))
    if not np.isfinite(given.covariance).all() or not errors[winner] > 0:
        return None
    generator = random_numbers(seed)
    noise = normal_draws(given.covariance, generator, draws_for(len(names)))
    sign = 1 if given.better == "higher" else -1
    chosen = (sign * (_shrunk(observed, given.covariance) + noise)).argmax(axis=1) == winner
    luck = float(noise[chosen, winner].mean()) if chosen.any() else 0.0
    optimism = sign * max(sign * luck, 0.0)  # being chosen never makes a value look worse
    value = float(np.clip(observed[winner] - optimism, *given.ends))
    widest = np.abs(noise / np.where(errors > 0, errors, np.inf)).max(axis=1)
    if given.df < inf:
        widest /= np.sqrt(generator.chisquare(given.df, len(widest)) / given.df)
    reach = quantile_of(widest, 1 - alpha) * errors[winner]
    low, high = (value, value) if value in given.ends else on_its_scale(value, reach, *given.ends)
    return CorrectedScore(best, value, low, high, optimism)


def _shrunk(observed: Array, covariance: Array) -> Array:
    """The values drawn to their mean by the part of their variance that is noise."""
    models = len(observed)
    variance = float(observed.var(ddof=1))
    noise = float((np.trace(covariance) - covariance.sum() / models) / (models - 1))
    keep = max(0.0, 1 - noise / variance) if variance > 0 else 0.0
    return np.asarray(observed.mean() + keep * (observed - observed.mean()))


POWER = 0.8
MOST_TIMES = 1e6


def smallest_difference(comparison: Comparison, critical: float | None = None) -> float | None:
    """The true difference that such a comparison finds in 80 % of the cases; None where its error is unknown."""
    if not comparison.standard_error:
        return None
    df = inf if comparison.df is None else comparison.df
    needed = quantile(1 - comparison.alpha / 2, df) if critical is None else critical
    return (needed + quantile(POWER, inf)) * comparison.standard_error


def rows_to_separate(
    rows: int, comparison: Comparison, delta: float | None, critical: float | None = None
) -> int | None:
    """How many rows would find a true difference of `delta` in 80 % of the cases; `critical` is of more than a pair.

    >>> from referee.comparing import Comparison
    >>> rows_to_separate(1000, Comparison(0.01, 0.3, "tie", standard_error=0.01), delta=0.01)
    7849
    """
    smallest = smallest_difference(comparison, critical)
    if smallest is None or not delta:
        return None
    times = smallest / abs(delta)
    return ceil(rows * times**2) if times < MOST_TIMES else None


def rows_to_pass(rows: int, comparison: Comparison, room: float) -> int | None:
    """How many rows would show, one-sided and in 80 % of the cases, that a difference stays clear of a bound.

    `room` is how far off the bound the true difference is.
    """
    if not comparison.standard_error or not room:
        return None
    df = inf if comparison.df is None else comparison.df
    times = (quantile(1 - comparison.alpha, df) + quantile(POWER, inf)) * comparison.standard_error / abs(room)
    return ceil(rows * times**2) if times < MOST_TIMES else None


def rows_at_least(rows: int, comparison: Comparison, critical: float | None = None) -> int | None:
    """For the observed difference only a lower bound: what the far end of its interval would need."""
    if comparison.low is None or comparison.high is None:
        return None
    return rows_to_separate(rows, comparison, max(abs(comparison.low), abs(comparison.high)), critical)
