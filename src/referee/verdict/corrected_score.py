"""The score of the best of several models is optimistic; this is what it would be without having been chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from referee.influence.intervals import on_its_scale

if TYPE_CHECKING:
    from referee.arrays import Array

DRAWS = 20_000


@dataclass(frozen=True)
class CorrectedScore:
    """A value less its optimism, with an interval that holds for all models at once."""

    model: str
    value: float
    low: float
    high: float
    optimism: float
    """In the metric's own units: below 0 for a metric of which less is better."""


def corrected_score(
    values: dict[str, float], covariance: Array, best: str, ends: tuple[float, float], alpha: float, seed: int
) -> CorrectedScore | None:
    """Correct the best model's value; None where the values have no finite spread.

    >>> same = {f"m{i}": 0.8 for i in range(9)} | {"best": 0.86}
    >>> found = corrected_score(same, np.eye(10) * 0.0008, "best", (0, 1), 0.05, 0)
    >>> 0.8 < found.value < 0.84
    True
    """
    names = sorted(values)
    observed, winner = np.array([values[name] for name in names]), names.index(best)
    errors = np.sqrt(np.diag(covariance))
    if not np.isfinite(covariance).all() or not errors[winner] > 0:
        return None
    noise = _noise(covariance, seed)
    shrunk = _shrunk(observed, covariance)
    shown, sign = shrunk + noise, 1 if observed[winner] == observed.max() else -1
    chosen = (sign * shown).argmax(axis=1) == winner
    optimism = float(noise[chosen, winner].mean()) if chosen.any() else 0.0
    corrected = float(np.clip(observed[winner] - optimism, *ends))
    standard = np.where(errors > 0, errors, np.inf)
    reach = float(np.quantile(np.abs(noise / standard).max(axis=1), 1 - alpha)) * errors[winner]
    low, high = (corrected, corrected) if corrected in ends else on_its_scale(corrected, reach, *ends)
    return CorrectedScore(best, corrected, low, high, optimism)


def _noise(covariance: Array, seed: int) -> Array:
    generator = np.random.Generator(np.random.Philox(key=seed))
    sizes, directions = np.linalg.eigh(covariance)
    return np.asarray(generator.standard_normal((DRAWS, len(sizes))) * np.sqrt(np.clip(sizes, 0, None)) @ directions.T)


def _shrunk(observed: Array, covariance: Array) -> Array:
    """The values drawn to their mean by the part of their variance that is noise."""
    models = len(observed)
    variance = float(observed.var(ddof=1))
    noise = float((np.trace(covariance) - covariance.sum() / models) / (models - 1))
    keep = max(0.0, 1 - noise / variance) if variance > 0 else 0.0
    return np.asarray(observed.mean() + keep * (observed - observed.mean()))
