"""Rows in the order of time: how far a value is known where neighbours behave alike.

The lowest frequencies of what the rows add to a value, by a cosine transform, are about independent of each other, and
their squares are as large as the long-run variance (Lazarus, Lewis, Stock and Watson, 2018). How many of them are low
enough is found from how alike neighbours are: single rows, and blocks of 2, 4, 8 ... rows.
"""

from __future__ import annotations

from functools import cached_property
from math import isfinite, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.document import counted
from referee.records import dataclass
from referee.scoring.distributions import chi_square_tail
from referee.scoring.intervals import Spread, bessel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.predictions import Instants

SHARE, FEWEST, MOST = 0.4, 4, 4000
"""Pieces: at most so many times the moments to the power of 2/3, at least so many, and never more."""
BINS = 1 << 17
"""More moments than that are put into so many bins before they are transformed; the pieces do not notice."""
BLOCKS = 50
"""So many blocks are enough to see how alike neighbouring ones are."""
SEEN = 0.9
"""The mean share of the spectrum at 0 that the frequencies must still show."""
MOST_ALIKE = 0.97
FEW_PIECES = 10
"""With fewer, p and intervals are approximate."""
DUST = 1e-12


@dataclass(frozen=True)
class LongRun(Spread):
    """The spread of a value where neighbours behave alike."""

    moments: int = 0
    pieces: int = 0
    """How many independent pieces the moments are taken as."""
    share: float = 1.0
    """Of the long-run variance that these show; the variance was divided by it."""
    independent: float = 0.0
    """The variance that independent moments would have."""
    excess_kurtosis: float = 0.0
    """Of what the moments add; heavy tails leave fewer degrees of freedom than pieces."""

    @property
    def facts(self) -> dict[str, float]:
        return {"moments": self.moments, "pieces": self.pieces, "excess_kurtosis": self.excess_kurtosis,
                "times_wider": self.times_wider}  # fmt: skip

    @property
    def times_wider(self) -> float:
        """How much larger the standard error is than that of independent moments."""
        return sqrt(self.variance / self.independent) if self.independent else 1.0


@dataclass(frozen=True, eq=False)
class TimeOrder:
    """The rows that count, moment by moment."""

    moments: Instants
    weight: Array | None = None
    enlarged: Array | None = None
    """What the rows of each class are multiplied by, where classes lose a degree of freedom each."""

    @property
    def most(self) -> float:
        counting = self._counting
        return float(most_pieces(len(self.moments) if counting is None else int(np.count_nonzero(counting))))

    def sums(self, changes: Array) -> Array:
        """What each moment that has a row of some weight adds to a value, in the order of time."""
        with np.errstate(invalid="ignore"):  # an infinite change of a row that weighs nothing, or of an empty class
            weighed = changes if self.enlarged is None else changes * self.enlarged
            if self.weight is not None:
                weighed = np.where(self.weight > 0, weighed * self.weight, 0.0)
            added = self.moments.sums(weighed)
        return added if self._counting is None else added[self._counting]

    @cached_property
    def _counting(self) -> Array | None:
        """Whether each moment has a row of some weight; None: all have."""
        if self.weight is None or bool((self.weight > 0).all()):
            return None
        return np.asarray(self.moments.sums((self.weight > 0).astype(float)) > 0)

    def spread_of_difference(self, changes: Array, other: Any, of_other: Array) -> LongRun | None:  # noqa: ARG002
        with np.errstate(invalid="ignore"):  # of two infinite changes
            return self.spread(changes - of_other)

    def spread(self, changes: Array) -> LongRun | None:
        """The long-run variance; heavy tails leave fewer degrees of freedom than there are pieces."""
        sums = self.sums(changes)
        with np.errstate(over="ignore"):
            squares = sums * sums
            size = float(squares.sum())
        if len(sums) < 2 or not isfinite(size) or (not size and bool(sums.any())):
            return None
        pieces, share = independent_pieces(sums)
        heavy = len(sums) * _squared(squares / size) - 3 if size else 0.0
        df = 1 / (1 / pieces + max(heavy, 0.0) / (2 * len(sums)))  # 2 n / (kurtosis - 1) if each row is a piece
        variance = _squared(cosines(sums, pieces)) / share
        independent = size * bessel(len(sums))
        return LongRun(variance, max(1.0, df), len(sums), pieces, share, independent, max(heavy, 0.0))

    def pieces(self, changes: Array, spreads: Sequence[Spread | None] = ()) -> Array:
        """As many as the differences to other models have, the median of these; of one model alone, its own."""
        sums = self.sums(changes)
        known = [(spread.pieces, spread.share) for spread in spreads if isinstance(spread, LongRun)]
        known = known or [independent_pieces(sums)]
        number, share = np.median(np.array(known), axis=0).tolist()
        return cosines(sums, int(number)) / sqrt(share)


def _squared(values: Array) -> float:
    """The sum of squares, in an order of its own."""
    return float(np.einsum("i,i", values, values))


def in_pieces(pieces: float, rows: float) -> str:
    return f"{rows:,.0f} rows in time hold about {counted(round(pieces), 'independent piece')}"


def most_pieces(moments: int) -> int:
    return min(max(FEWEST, int(SHARE * moments ** (2 / 3))), MOST)


def pieces_expected(pieces: float, moments: float, of_moments: float) -> float:
    """How many pieces another number of moments holds, where some are known to hold so many.

    Dependence leaves so many in proportion to the moments, but the rule takes no more than its share of them.

    >>> pieces_expected(39, 1000, 8000), pieces_expected(10, 1000, 2000), pieces_expected(10, 1000, 100)
    (159, 20.0, 4)
    """
    most = most_pieces(round(of_moments))
    if pieces >= most_pieces(round(moments)):
        return most
    return max(FEWEST, min(most, pieces * of_moments / moments))


def cosines(sums: Array, pieces: int) -> Array:
    """The lowest frequencies of a series that adds up to 0, so large that their squares add up to its variance.

    >>> series = np.array([3.0, -1.0, 0.0, -2.0])
    >>> round(float((cosines(series, 3) ** 2).sum()), 9), float((series**2).sum()) * 4 / 3
    (18.666666667, 18.666666666666668)
    """
    series = _in_bins(sums)
    number, lowest = len(series), np.arange(1, pieces + 1)
    # The cosine transform by that of the even places, and then of the odd ones backwards (Makhoul, 1980).
    spectrum = np.fft.fft(np.concatenate([series[::2], series[1::2][::-1]]))[1 : pieces + 1]
    turned = (spectrum * np.exp(-0.5j * pi * lowest / number)).real
    return np.asarray(turned * sqrt(2 / number) * sqrt(_size(sums) / pieces))


def _in_bins(sums: Array) -> Array:
    """As few that their transform is quick, however many there are and whatever their number is divisible by."""
    if len(sums) <= BINS:
        return sums
    return np.add.reduceat(sums, np.arange(BINS) * len(sums) // BINS)


def _size(sums: Array) -> int:
    return min(len(sums), BINS)


def independent_pieces(sums: Array) -> tuple[int, float]:
    """How many of the lowest frequencies show the long-run variance, and what share of it they show.

    >>> independent_pieces(np.random.default_rng(0).normal(size=1000))[0]
    39
    >>> independent_pieces(np.random.default_rng(0).normal(size=1000).cumsum())[0]
    4
    """
    number = np.arange(1, most_pieces(len(sums)) + 1)
    shares = np.ones(len(number))
    for block, alike in _alikeness(sums):
        falling = (1 - alike) ** 2 / (1 - 2 * alike * np.cos(pi * number * block / len(sums)) + alike**2)
        shares = np.minimum(shares, np.cumsum(falling) / number)
    pieces = max(FEWEST, int(np.count_nonzero(shares >= SEEN)))
    pieces = min(pieces, len(sums) - 1)
    return pieces, float(shares[pieces - 1])


def _alikeness(sums: Array) -> Iterator[tuple[int, float]]:
    """The correlation of neighbouring blocks of 1, 2, 4 ... rows, without its bias (Marriott and Pope, 1954)."""
    block, means = 1, sums
    while block == 1 or len(means) >= BLOCKS:
        number, mean = len(means), float(means.mean())
        size = _squared(means) - number * mean**2
        product = float(np.einsum("i,i", means[1:], means[:-1]))
        product -= mean * (number * mean * 2 - float(means[0] + means[-1])) - (number - 1) * mean**2
        alike = product / size if size > DUST * number * mean**2 else 0.0  # else all are the same
        yield block, min(max(alike + (1 + 3 * alike) / len(means), 0.0), MOST_ALIKE)
        block, means = 2 * block, (means[: len(means) // 2 * 2 : 2] + means[1::2]) / 2


def ratio_to_independence(sums: Array) -> tuple[float, float]:
    """How much larger the error is than that of independent rows, and p: how often chance makes that of such rows."""
    sums = _carrying(sums) if len(sums) >= BLOCKS else sums[:0]
    size = _squared(sums) * bessel(len(sums)) if len(sums) >= FEW_CARRY else 0.0
    if not size or not isfinite(size):
        return 1.0, 1.0
    pieces = most_pieces(len(sums))
    ratio = _squared(cosines(sums, pieces)) / size
    return sqrt(ratio), chi_square_tail(pieces, pieces * ratio)


FEW_CARRY, CARRIED = 20, 0.95
"""Fewer rows with so much of a difference say nothing of neighbours: a few near the ends look like a trend."""


def _carrying(sums: Array) -> Array:
    """The rows that carry a value, about their mean, where these are less than half: so neighbours among them."""
    squares = sums * sums
    ordered = np.sort(squares)[::-1]
    carrying = int(np.searchsorted(np.cumsum(ordered), CARRIED * float(ordered.sum()))) + 1
    if 2 * carrying >= len(sums):
        return sums
    kept = sums[squares >= ordered[carrying - 1]]
    return np.asarray(kept - kept.mean())
