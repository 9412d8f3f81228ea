"""Names for the arrays that flow through the engine, and how extreme ones are tamed."""

from __future__ import annotations

from math import frexp, fsum, isfinite, ldexp
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
else:
    Array = Any

Column: TypeAlias = Any
"""A column of rows: an array in memory, an expression in a database."""

EXTREME_EXPONENT = 300
EXACT_ROWS = 100_000
"""Up to here sums are rounded once, whatever the order of the rows."""


def largest(values: Array) -> float:
    """The largest size of a number in an array."""
    return max(float(values.max(initial=0)), -float(values.min(initial=0)))


def total(values: Array) -> float:
    """The sum; of not too many numbers rounded once, so that their order does not matter."""
    exact = len(values) <= EXACT_ROWS and bool(isfinite(values.sum()))
    return fsum(values.tolist()) if exact else float(values.sum())


def unscaled(values: Array, scale: float, power: int) -> Array:
    """Bring a value of scaled numbers back, one power at a time, as the power itself may be no number."""
    for _ in range(power):
        values = values / scale
    return values


def scale_to_one(size: float) -> float:
    """1, or the power of two that brings an extreme size near 1, where squares and sums stay finite.

    >>> scale_to_one(1e6), scale_to_one(2.0**600) == 2.0**-600
    (1.0, True)
    """
    exponent = frexp(size)[1] - 1 if size else 0
    return ldexp(1.0, min(-exponent, 1023)) if abs(exponent) > EXTREME_EXPONENT else 1.0
