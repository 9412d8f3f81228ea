"""Whether another metric chooses better than the goal itself: how much it gains, how surely, and what would settle it.

The rule and its numbers are simulated in docs/simulations/own_study.md.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from referee.records import dataclass
from referee.scoring import quantile, tail

if TYPE_CHECKING:
    from referee.arrays import Array

DEALS = 16
"""How often the rows that a fit has not seen are dealt out into a holdout and a test part."""
BETWEEN = 0.2
"""The variance between data sets over that between the fits on one of them: what more fits do not take away."""
SURE = 0.8
"""The probability of choosing better from which on another metric is advised."""
WORTHWHILE = 0.05
"""The gain, as a share of a coin's cost, from which on it is worth the trouble."""
FEWEST_DIFFERENT = 10
"""Fits in which the two must choose differently."""
LEVEL = 0.8
"""Of the gain's interval."""


@dataclass(frozen=True)
class Gain:
    """What choosing by another metric saves against choosing by the goal, as a share of a coin's cost."""

    value: float
    low: float
    high: float
    probability: float
    """That it is above 0 on other data of this kind."""
    spread: float
    """Its standard deviation between fits."""
    fits: int
    different: int
    """Fits in which the two choose differently at least once."""

    @property
    def is_sure(self) -> bool:
        """Whether the metric is advised in place of the goal."""
        enough = self.different >= FEWEST_DIFFERENT
        return enough and self.value >= WORTHWHILE and self.probability > SURE

    @property
    def fits_to_settle(self) -> int | None:
        """About how many fits would make this gain sure; None where no number would, on these rows."""
        if self.value < WORTHWHILE:
            return None
        if self.different < FEWEST_DIFFERENT:
            return ceil(self.fits * FEWEST_DIFFERENT / max(1, self.different))
        left = (self.value / (self.spread * quantile(SURE, self.fits - 1))) ** 2 - BETWEEN
        return max(self.fits + 1, ceil(1 / left)) if left > 0 else None


def gain_over(own: Array, other: Array, coin: Array, *, different: int) -> Gain | None:
    """Of costs in each fit: of choosing by the goal, by another metric, and by a coin.

    >>> gain = gain_over(np.array([0.2, 0.4]), np.array([0.1, 0.1]), np.array([1.0, 1.0]), different=2)
    >>> round(gain.value, 3), round(gain.spread, 3), gain.is_sure
    (0.2, 0.141, False)
    """
    if len(own) < 2 or not coin.sum() > 0:
        return None
    saved = (own - other) / coin.mean()
    value, spread = float(saved.mean()), float(saved.std(ddof=1))
    error = spread * (1 / len(saved) + BETWEEN) ** 0.5
    reach = quantile((1 + LEVEL) / 2, len(saved) - 1) * error
    return Gain(
        value, value - reach, value + reach, _above(value, error, len(saved) - 1), spread, len(saved), different
    )


def _above(value: float, error: float, df: int) -> float:
    """The probability that the true gain is above 0."""
    if error == 0:
        return 0.5 if value == 0 else float(value > 0)
    beyond = tail(abs(value) / error, df)
    return float(1 - beyond if value > 0 else beyond)


def settled_by(gain: Gain) -> str:
    """What would settle whether a gain is there."""
    if gain.value < WORTHWHILE:
        return f"less than the {WORTHWHILE:g} that would be worthwhile"
    fits = gain.fits_to_settle
    if fits is None:
        return "not certain enough; more rows would settle it, more repetitions would not"
    return f"not certain enough: about {fits:,} repetitions would settle it"


def different_fits(chosen: Array, by_goal: Array) -> int:
    """The number of fits in which two choose differently in at least one deal: (fit, deal, model).

    >>> different_fits(np.array([[[1, 0]], [[0, 1]]]), np.array([[[1, 0]], [[1, 0]]]))
    1
    """
    apart = np.abs(np.nan_to_num(chosen) - np.nan_to_num(by_goal)) > 1e-9
    return int(apart.reshape(len(apart), -1).any(axis=1).sum())
