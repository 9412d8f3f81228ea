"""Names for the arrays that flow through the engine, and how extreme ones are tamed."""

from __future__ import annotations

from math import frexp, fsum, isfinite, ldexp, prod
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
else:
    Array = Any

Column: TypeAlias = Any
"""A column of rows: an array in memory, an expression in a database."""

EXTREME_EXPONENT = 300
LARGEST = 1e300
FEW = 256
"""Numbers that are added up one by one."""
BLOCK = 1 << 15
"""Numbers that are added up at once, so that they stay in the processor's cache."""
GOLDEN = 0.6180339887498949
LEAST_EXPONENT = -1022
"""Of numbers that are not denormal; those below are added up without rounding."""


def largest(values: Array) -> float:
    """The largest size of a number in an array."""
    return max(float(values.max(initial=0)), -float(values.min(initial=0)))


def distinct(values: Array) -> Array:
    """The values that occur, rising; before its first answer np.unique imports masked arrays.

    >>> import numpy as np
    >>> distinct(np.array([2.0, 1.0, 2.0]))
    array([1., 2.])
    """
    import numpy as np

    rising = np.sort(values)
    return rising[np.concatenate([rising[:1] == rising[:1], rising[1:] != rising[:-1]])]


def made_up(*shape: int, after: int = 0) -> Array:
    """Numbers between 0 and 1 in no order, to try a formula on; NumPy's generators load a library of ciphers.

    >>> made_up(3).round(3), made_up(1, after=2).round(3)
    (array([0.618, 0.472, 0.562]), array([0.562]))
    """
    import numpy as np

    places = np.arange(after + 1, after + 1 + prod(shape))
    return (places**2 * GOLDEN % 1).reshape(shape)


def quantile_of(values: Array, level: float) -> float:
    """As np.quantile gives it, without the masked arrays that this imports.

    >>> import numpy as np
    >>> quantile_of(np.array([3.0, 1.0, 2.0]), 0.75)
    2.5
    """
    import numpy as np

    place = level * (len(values) - 1)
    first = int(place)
    last = min(first + 1, len(values) - 1)
    part, share = np.partition(values, (first, last)), place - first
    low, high = float(part[first]), float(part[last])
    return low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share)


class ExactSum:
    """Adds up numbers that come in blocks, and rounds once, so that neither their order nor the blocks matter."""

    def __init__(self) -> None:
        self._parts: list[float] = []
        self._plain = 0.0
        self._exact = True

    def add(self, values: Array) -> None:
        values = values.astype(float, copy=False)
        blocks = [values[start : start + BLOCK] for start in range(0, len(values), BLOCK)]
        sizes = [largest(block) for block in blocks]
        # Sums of extreme sizes, and of what is not a number, are left to plain adding.
        if self._exact and all(size < LARGEST / len(values) for size in sizes):
            for block, size in zip(blocks, sizes, strict=True):
                self._parts += _exact_parts(block, size)
        else:
            self._plain, self._exact = self.total + float(values.sum()), False

    @property
    def total(self) -> float:
        return fsum(self._parts) if self._exact else self._plain


def total(values: Array) -> float:
    """The sum, rounded once, so that the order of the numbers does not matter.

    >>> import numpy as np
    >>> total(np.array([1e16, 1.0, -1e16] * 200))
    200.0
    """
    if len(values) <= FEW:
        plain = float(values.sum())
        return fsum(values.tolist()) if isfinite(plain) else plain
    running = ExactSum()
    running.add(values)
    return running.total


def totals_by_key(values: Array, key: Array, keys: int) -> Array:
    """The same of the numbers of each key.

    >>> import numpy as np
    >>> totals_by_key(np.array([1e16, 5.0, 1.0, -1e16]), np.array([0, 2, 0, 0]), 3).tolist()
    [1.0, 0.0, 5.0]
    """
    import numpy as np

    size = largest(values)
    if not size < LARGEST / max(1, len(values)):
        order = np.argsort(key, kind="stable")
        ends = np.cumsum(np.bincount(key, minlength=keys))
        return np.array([total(part) for part in np.split(values[order], ends[:-1])])
    parts = _exact_parts(values, size, lambda high: np.bincount(key, high, keys))
    # The sum of two numbers is rounded once anyway.
    totals = np.add.reduce(parts[:2], axis=0) if parts else np.zeros(keys)
    for of_key in np.flatnonzero(np.any(parts[2:], axis=0)) if parts[2:] else ():
        totals[of_key] = fsum(part[of_key] for part in parts)
    return np.asarray(totals)


def _exact_parts(
    values: Array, size: float, added_up: Callable[[Array], Any] = lambda high: float(high.sum())
) -> list[Any]:
    """Numbers with the same sum: all are cut at a common digit, above which they are added up without rounding.

    Rump, Ogita and Oishi (2008). Accurate floating-point summation, part I.
    """
    import numpy as np

    parts: list[Any] = []
    exponent, step = frexp(size)[1] + len(values).bit_length(), 53 - len(values).bit_length()
    high = left = None  # in place from the second round on, as new memory takes longer than the sum
    while size if left is None else left.any():
        cut, values = ldexp(1.0, exponent), values if left is None else left
        high = np.add(values, cut, out=high)
        high -= cut
        parts.append(added_up(high))
        left = np.subtract(values, high, out=left)
        exponent = max(exponent - step, LEAST_EXPONENT)  # what is left is below half of the last digit of the cut
    return parts


def unscaled(values: Array, scale: float, power: int) -> Array:
    """Bring a value of scaled numbers back, one power at a time, as the power itself may be no number."""
    for _ in range(power):
        values = values / scale
    return values


def deviation(values: Array) -> Array:
    """The standard deviation of each column of a sample, also where the squares of its numbers are none.

    >>> import numpy as np
    >>> float(deviation(np.array([1e200, 3e200])) / 1e200)
    1.4142135623730951
    """
    scale = scale_to_one(largest(values))
    near_one: Array = values * scale
    return near_one.std(axis=0, ddof=1) / scale


def scale_to_one(size: float) -> float:
    """1, or the power of two that brings an extreme size near 1, where squares and sums stay finite.

    >>> scale_to_one(1e6), scale_to_one(2.0**600) == 2.0**-600
    (1.0, True)
    """
    exponent = frexp(size)[1] - 1 if size else 0
    return ldexp(1.0, min(-exponent, 1023)) if abs(exponent) > EXTREME_EXPONENT else 1.0


def joint(a: Array, b: Array, rows: Array | None = None) -> Array:
    """How many rows have both, one or none of two properties: (first, second).

    >>> import numpy as np
    >>> joint(np.array([True, True, False]), np.array([True, False, False])).tolist()
    [[1, 0], [1, 1]]
    """
    import numpy as np

    return np.bincount(2 * a + b, rows, 4).astype(np.int64).reshape(2, 2)
