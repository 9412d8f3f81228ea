"""The score of the best model, corrected for having been chosen."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from referee.arrays import quantile_of
from referee.comparing.all_pairs import draws_for, normal_draws, random_numbers
from referee.records import dataclass
from referee.scoring import on_its_scale

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing.contest import Contest


@dataclass(frozen=True)
class CorrectedScore:
    """A value without most of its optimism, with an interval that holds for all models at once.

    In simulations 6 to 20% of the optimism was left (docs/validity.md); the interval then still held the true value in
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
    >>> honest = corrected(Given(same, np.eye(10) * 0.0008, (0, 1)), "best", 0.05, 0)
    >>> 0.8 < honest.value < 0.84
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
