"""The tie set, and the score of the best corrected for having been chosen."""

from __future__ import annotations

from itertools import combinations
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from referee.arrays import quantile_of
from referee.records import dataclass
from referee.scoring import normal_quantile, on_its_scale

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array
    from referee.comparing.contest import Contest

DRAWS = 20_000
AT_ONCE = 2_000
ROUNDING = 1e-12


def confidence_set(
    names: Sequence[str], z: Array, loses: Callable[[int, int], int], covariance: Array, alpha: float, seed: int
) -> list[str]:
    """Drop the model that is beaten most clearly, as long as the largest |z| of all pairs is too large for chance.

    `z` holds the size of each pair's difference as a normal quantile, from its own test's p; `covariance` is that of
    the models' values. What chance makes of the largest of them is simulated (Hansen, Lunde and Nason, 2011).
    """
    kept, draws = list(range(len(names))), None
    while len(kept) > 1:
        a, b = max(combinations(kept, 2), key=lambda pair: (z[pair], names[pair[0]], names[pair[1]]))
        if len(kept) > 2 and draws is None:
            draws = normal_draws(covariance, random_numbers(seed))
        if not z[a, b] > _largest_by_chance(kept, draws, covariance, alpha):
            break
        kept.remove(loses(a, b))
    return [names[place] for place in kept]


def random_numbers(seed: int) -> np.random.Generator:
    """A stream of its own for each seed, whatever its sign."""
    return np.random.Generator(np.random.Philox(key=seed % 2**64))


def normal_draws(covariance: Array, generator: np.random.Generator) -> Array:
    """Values that equal models might show: normal, with the covariance of theirs."""
    sizes, directions = np.linalg.eigh(covariance)
    independent = generator.standard_normal((DRAWS, len(sizes)))
    return np.asarray(independent * np.sqrt(np.clip(sizes, 0, None)) @ directions.T)


def _largest_by_chance(kept: Sequence[int], draws: Array | None, covariance: Array, alpha: float) -> float:
    """The 1 - alpha quantile of the largest |z| of all pairs; of one pair it is the normal distribution's."""
    if len(kept) == 2 or draws is None:
        return normal_quantile(1 - alpha / 2)
    pairs = list(combinations(kept, 2))
    first, second = (np.array(places) for places in zip(*pairs, strict=True))
    of_both = covariance[first, first] + covariance[second, second]
    variance = of_both - 2 * covariance[first, second]
    # Of models that predict the same only rounding is left.
    scale = np.sqrt(np.where(variance > ROUNDING * of_both, variance, np.inf))
    largest = [
        (np.abs(some[:, first] - some[:, second]) / scale).max(axis=1)
        for some in np.array_split(draws, len(draws) // AT_ONCE)
    ]
    return quantile_of(np.concatenate(largest), 1 - alpha)


def size_as_z(p: float | None) -> float:
    """A two-sided p as the normal quantile that it belongs to; 0 where there is none."""
    return 0.0 if p is None else -normal_quantile(max(p, 5e-324) / 2)


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
    noise = normal_draws(given.covariance, generator)
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
