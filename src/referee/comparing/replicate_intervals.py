"""From the differences in bootstrap replicates to an interval and the p that belongs to it."""

from __future__ import annotations

from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing.comparison import Comparison
from referee.errors import Notice
from referee.records import dataclass

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing.design import Design


@dataclass(frozen=True)
class Correction:
    """Of bootstrap shares: none for percentiles, bias and acceleration for BCa."""

    bias: float = 0.0
    """The normal quantile of the share of replicates below the observed value."""
    acceleration: float = 0.0
    """How fast the standard error changes with the value: a sixth of the influences' skewness."""

    @property
    def mirrored(self) -> Correction:
        return Correction(-self.bias, -self.acceleration)

    def levels(self, replicates: int) -> Array:
        """The one-sided level of the interval whose lower end is the first, second ... of the ordered replicates.

        >>> Correction().levels(4)
        array([0.2, 0.4, 0.6, 0.8])
        """
        shares = np.arange(1, replicates + 1) / (replicates + 1)
        if not self.bias and not self.acceleration:
            return shares
        from scipy.special import ndtr, ndtri

        off = ndtri(shares) - self.bias
        scaled = 1 + self.acceleration * off
        with np.errstate(all="ignore"):
            # There are shares that the lower end cannot reach at any level: too low ones or too high ones.
            corrected = np.where(scaled > 0, off / scaled, np.copysign(np.inf, off))
        return np.maximum(ndtr(corrected - self.bias), shares[0])


def bias_and_acceleration(difference: float, each: Array, influences: Array) -> Correction:
    """Efron's (1987) correction; the influences stand for the jackknife's differences."""
    from scipy.special import ndtri

    ties = (each == difference).sum() / 2
    # Mirrored data must give the mirrored number to the last bit.
    below, above = ((side.sum() + ties + 0.5) / (len(each) + 1) for side in (each < difference, each > difference))
    squares, cubes = float((influences**2).sum()), float((influences**3).sum())
    acceleration = cubes / (6 * squares**1.5) if squares > 0 and np.isfinite(cubes) else 0.0
    return Correction(float(ndtri(below) - ndtri(above)) / 2, acceleration)


def by_replicates(difference: float, each: Array, design: Design, correction: Correction, **more: Any) -> Comparison:
    """Compare by the replicates' differences: p is the smallest alpha whose interval leaves 0 outside.

    Ends are replicates themselves, with so many beyond that p < alpha exactly if the interval leaves 0 outside; and
    the observed difference is always inside.
    """
    sign = -1.0 if difference < 0 else 1.0
    towards = correction.mirrored if sign < 0 else correction
    ordered, levels = np.sort(sign * each), towards.levels(len(each))
    across_zero = int(np.searchsorted(ordered, 0.0, side="right"))
    told_apart = difference != 0 and across_zero < len(each)
    p = min(1.0, 2 * float(levels[across_zero])) if told_apart else 1.0
    below, above = (_ranks_outside(side, design.alpha) for side in (levels, towards.mirrored.levels(len(each))))
    near = min(abs(difference), float(ordered[below - 1])) if below else -inf
    far = max(abs(difference), float(ordered[len(each) - above])) if above else inf
    low, high = sorted((sign * near, sign * far))
    with np.errstate(over="ignore"):  # values of 1e160
        error = float(np.std(each, ddof=1))
    return Comparison(
        difference,
        p,
        design.outcome(difference, p),
        low=low if isfinite(low) else None,
        high=high if isfinite(high) else None,
        standard_error=error,
        **_added(more, {"across_zero": across_zero}, _too_few(len(each), below, above, design)),
    )


def _added(more: dict[str, Any], details: dict[str, Any], warnings: tuple[Notice, ...]) -> dict[str, Any]:
    known = {"details": {}, "warnings": ()} | more
    return known | {"details": known["details"] | details, "warnings": (*known["warnings"], *warnings)}


def _ranks_outside(levels: Array, alpha: float) -> int:
    """The rank of the last replicate that can be an interval's end at this alpha; 0 if none can."""
    return int((2 * levels < alpha).sum())


def _too_few(replicates: int, below: int, above: int, design: Design) -> tuple[Notice, ...]:
    if below and above:
        return ()
    what = f"{replicates:,} bootstrap replicates are too few for alpha = {design.alpha:g}"
    return (Notice("W_REPLICATES", f"{what}: the interval has an open end"),)
