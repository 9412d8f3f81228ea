"""The tie set: the models that could each be the best one, kept with probability about 1 - alpha."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array

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
    from scipy.special import ndtri

    if len(kept) == 2 or draws is None:
        return float(ndtri(1 - alpha / 2))
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
    return float(np.quantile(np.concatenate(largest), 1 - alpha))


def size_as_z(p: float | None) -> float:
    """A two-sided p as the normal quantile that it belongs to; 0 where there is none."""
    from scipy.special import ndtri

    return 0.0 if p is None else float(-ndtri(max(p, 5e-324) / 2))
