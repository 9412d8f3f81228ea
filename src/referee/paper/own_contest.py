"""Whether another metric chooses better than the goal itself: how much it gains, how surely, and what would settle it.

The rule and its numbers are simulated in docs/simulations/own_study.md.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from referee.records import dataclass
from referee.scoring import quantile, tail

if TYPE_CHECKING:
    from referee.arrays import Array

DEALS = 16
"""How often the rows that a fit has not seen are dealt out into a holdout and a test part."""
BETWEEN = 0.2
"""The variance between data sets over that between the fits on one of them: what more fits do not take away."""
FEWEST_DIFFERENT = 10
"""Fits in which the two must choose differently."""
FEW_ROWS = 200
"""Of the smaller part: with fewer, more is demanded of a gain (docs/decisions/0085)."""
LEVEL = 0.8
"""Of the gain's interval."""


class Demands(NamedTuple):
    """What a gain must reach before another metric is advised in place of the goal."""

    probability: float
    """Of choosing better."""
    gain: float
    """As a share of a coin's cost: below it is not worth the trouble."""


def demands(rows: int) -> Demands:
    """By the rows of the smaller part, holdout or test.

    >>> demands(75), demands(250)
    (Demands(probability=0.85, gain=0.075), Demands(probability=0.8, gain=0.05))
    """
    return Demands(0.85, 0.075) if rows < FEW_ROWS else Demands(0.8, 0.05)


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
    rows: int
    """Of the smaller part, holdout or test."""

    @property
    def is_sure(self) -> bool:
        """Whether the metric is advised in place of the goal."""
        enough, asked = self.different >= FEWEST_DIFFERENT, demands(self.rows)
        return enough and self.value >= asked.gain and self.probability > asked.probability

    @property
    def fits_to_settle(self) -> int | None:
        """About how many fits would make this gain sure; None where no number would, on these rows."""
        asked = demands(self.rows)
        if self.value < asked.gain:
            return None
        if self.different < FEWEST_DIFFERENT:
            return ceil(self.fits * FEWEST_DIFFERENT / max(1, self.different))
        left = (self.value / (self.spread * quantile(asked.probability, self.fits - 1))) ** 2 - BETWEEN
        return max(self.fits + 1, ceil(1 / left)) if left > 0 else None


def gain_over(own: Array, other: Array, coin: Array, *, different: int, rows: int) -> Gain | None:
    """Of costs in each fit: of choosing by the goal, by another metric, and by a coin.

    >>> gain = gain_over(np.array([0.2, 0.4]), np.array([0.1, 0.1]), np.array([1.0, 1.0]), different=2, rows=250)
    >>> round(gain.value, 3), round(gain.spread, 3), gain.is_sure
    (0.2, 0.141, False)
    """
    if len(own) < 2 or not coin.sum() > 0:
        return None
    saved = (own - other) / coin.mean()
    value, spread = float(saved.mean()), float(saved.std(ddof=1))
    error = spread * (1 / len(saved) + BETWEEN) ** 0.5
    reach = quantile((1 + LEVEL) / 2, len(saved) - 1) * error
    probability = _above(value, error, len(saved) - 1)
    return Gain(value, value - reach, value + reach, probability, spread, len(saved), different, rows)


def _above(value: float, error: float, df: int) -> float:
    """The probability that the true gain is above 0."""
    if error == 0:
        return 0.5 if value == 0 else float(value > 0)
    beyond = tail(abs(value) / error, df)
    return float(1 - beyond if value > 0 else beyond)


def settled_by(gain: Gain) -> str:
    """Why a gain is not enough, and what would settle it.

    >>> settled_by(Gain(0.02, -0.01, 0.05, 0.8, 0.1, 30, 12, 250))
    'less than the 5% that would make it worthwhile'
    """
    worthwhile = demands(gain.rows).gain
    if gain.value < worthwhile:
        return f"less than the {100 * worthwhile:g}% that would make it worthwhile"
    fits = gain.fits_to_settle
    if fits is None:
        return "but that is not certain: more rows would settle it, more repetitions would not"
    return f"but that is not certain: about {fits:,} repetitions would settle it"


def different_fits(chosen: Array, by_goal: Array) -> int:
    """The number of fits in which two choose differently in at least one deal: (fit, deal, model).

    >>> different_fits(np.array([[[1, 0]], [[0, 1]]]), np.array([[[1, 0]], [[1, 0]]]))
    1
    """
    apart = np.abs(np.nan_to_num(chosen) - np.nan_to_num(by_goal)) > 1e-9
    return int(apart.reshape(len(apart), -1).any(axis=1).sum())
