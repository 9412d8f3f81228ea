"""Boundaries that all looks together cross by chance with probability alpha: planned, or valid at any time."""

from __future__ import annotations

from functools import cache
from math import ceil, exp, inf, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from referee.errors import UsageError
from referee.records import dataclass
from referee.scoring import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array


LOWEST = -8.0
"""Below it no path of chance is followed."""
FEWEST_NODES, MOST_NODES = 160, 1200
NEGLIGIBLE, PRECISE = 1e-13, 1e-8
MOST_LOOKS = 1000


def obrien_fleming(looks: int, alpha: float) -> list[float]:
    """The z that each of so many equally spaced looks has to exceed, one-sided: a constant over the root of its share.

    >>> [round(z, 3) for z in obrien_fleming(5, 0.025)]  # Jennison and Turnbull (2000), table 2.3
    [4.562, 3.226, 2.634, 2.281, 2.04]
    """
    constant = _constant(looks, alpha)
    return [constant / sqrt(look / looks) for look in range(1, looks + 1)]


def lan_demets(shares: Sequence[float], alpha: float) -> list[float]:
    """The z of looks at any shares of the rows, where alpha is spent as O'Brien and Fleming's boundaries nearly do.

    >>> [round(z, 3) for z in lan_demets([0.2, 0.4, 0.6, 0.8, 1.0], 0.025)]
    [4.877, 3.357, 2.68, 2.29, 2.031]
    """
    return spending_boundaries(shares, lambda share: obrien_fleming_spending(share, alpha))


def obrien_fleming_spending(share: float, alpha: float) -> float:
    """How much of alpha may be spent when this share of the rows has come (Lan and DeMets, 1983)."""
    return 2 * _normal_tail(normal_quantile(1 - alpha / 2) / sqrt(share)) if share > 0 else 0.0


@dataclass(frozen=True)
class LookPlan:
    """So many looks until so many rows, and the error that may have been spent at any number of rows.

    At equally spaced looks that is what O'Brien and Fleming's boundaries spend, so that these come out; in between it
    grows as Lan and DeMets's function does. It depends on the plan alone, and so it holds for any looks.
    """

    looks: int
    until: int
    alpha: float

    def __post_init__(self) -> None:
        if not 1 <= self.looks <= MOST_LOOKS:
            raise UsageError("E_LOOKS", f"--looks {self.looks}: a plan has 1 to {MOST_LOOKS:,} looks")
        if self.until < 2:
            raise UsageError("E_LOOKS", f"--until {self.until}: a plan needs at least two rows")

    def spent(self, rows: float) -> float:
        """The error that may have been spent at so many rows."""
        share = min(1.0, rows / self.until)
        planned = _spent_by_plan(self.looks, self.alpha)
        place = min(int(share * self.looks + 1e-9), self.looks - 1)
        low, high = (obrien_fleming_spending(step / self.looks, self.alpha) for step in (place, place + 1))
        part = (obrien_fleming_spending(share, self.alpha) - low) / (high - low) if high > low else share == 1
        return planned[place] + (planned[place + 1] - planned[place]) * float(part)

    def boundaries(self, rows: Sequence[int]) -> list[float]:
        """The z that each look has to exceed, at so many rows each, the last ones perhaps beyond the end."""
        return spending_boundaries(rows, self.spent)


@cache
def _spent_by_plan(looks: int, alpha: float) -> list[float]:
    """What O'Brien and Fleming's boundaries have spent before the first look, after it, and so on."""
    crossed = crossing_probabilities(range(1, looks + 1), obrien_fleming(looks, alpha))
    spent = [0.0, *np.cumsum(crossed).tolist()]
    return [*spent[:-1], alpha]


@cache
def _constant(looks: int, alpha: float) -> float:
    """By secants on the normal scale, on which the error is nearly a line."""
    wanted = normal_quantile(1 - alpha)

    def off(constant: float) -> float:
        shares = range(1, looks + 1)
        crossed = sum(crossing_probabilities(shares, [constant / sqrt(share / looks) for share in shares]))
        return normal_quantile(1 - crossed) - wanted

    last, constant = wanted, wanted + (0.1 if looks > 1 else 0.0)
    off_last, off_now = off(last), off(constant)
    while abs(off_now) > PRECISE:
        last, constant = constant, constant - off_now * (constant - last) / (off_now - off_last)
        off_last, off_now = off_now, off(constant)
    return constant


def crossing_probabilities(information: Sequence[float], boundaries: Sequence[float]) -> list[float]:
    """The probability that a path of chance exceeds its boundary first at each look (Armitage, McPherson and Rowe).

    >>> [round(p, 4) for p in crossing_probabilities([1, 2], [1.96, 1.96])]
    [0.025, 0.0166]
    """
    path, crossed = _Path(), []
    for amount, boundary in zip(information, boundaries, strict=True):
        crossed.append(path.beyond(amount, boundary))
        path = path.below(amount, boundary)
    return crossed


def spending_boundaries(information: Sequence[float], spent: Callable[[float], float]) -> list[float]:
    """The boundary of each look by which the error has grown to what may be spent by then."""
    path, already, bounds = _Path(), 0.0, []
    for amount in information:
        if amount == path.amount:  # rows without weight say nothing new
            bounds.append(inf)
            continue
        allowed = spent(amount) - already
        boundary = _where_crossed(path, amount, allowed)
        already += path.beyond(amount, boundary)
        path = path.below(amount, boundary)
        bounds.append(boundary)
    return bounds


def _where_crossed(path: _Path, amount: float, allowed: float) -> float:
    if allowed < NEGLIGIBLE:
        return inf
    low, high = LOWEST, -LOWEST
    while high - low > 1e-10:
        middle = (low + high) / 2
        low, high = (middle, high) if path.beyond(amount, middle) > allowed else (low, middle)
    return (low + high) / 2


@dataclass(frozen=True)
class _Path:
    """Where a path of chance is that has not been stopped yet: nodes of z with what each weighs."""

    amount: float = 0.0
    nodes: Array | None = None
    """None where nothing was stopped so far, so that z is normal."""
    weights: Array | None = None

    def beyond(self, amount: float, boundary: float) -> float:
        """How likely the path is beyond a boundary at the next look."""
        if self.nodes is None or self.weights is None:
            return _normal_tail(boundary)
        step = sqrt(amount - self.amount)
        return float(self.weights @ _tails((boundary * sqrt(amount) - self.nodes * sqrt(self.amount)) / step))

    def below(self, amount: float, boundary: float) -> _Path:
        """The path from there on if it is not stopped."""
        if boundary >= -LOWEST:
            if self.nodes is None:
                return _Path(amount)
            boundary = -LOWEST
        if self.nodes is None or self.weights is None:
            nodes, lengths = _nodes(boundary, FEWEST_NODES)
            return _Path(amount, nodes, lengths * np.exp(-nodes * nodes / 2) / sqrt(2 * np.pi))
        step = sqrt(amount - self.amount)
        wanted = ceil(4 * (boundary - LOWEST) * sqrt(amount) / step)  # a step's width has several nodes
        nodes, lengths = _nodes(boundary, wanted)
        apart = (nodes[:, None] * sqrt(amount) - self.nodes * sqrt(self.amount)) / step
        density = np.exp(-apart * apart / 2) @ self.weights * (sqrt(amount) / (step * sqrt(2 * np.pi)))
        return _Path(amount, nodes, lengths * density)


def _nodes(boundary: float, wanted: int) -> tuple[Array, Array]:
    """Gauss and Legendre's, from the lowest place to a boundary."""
    places, lengths = _legendre(min(MOST_NODES, max(FEWEST_NODES, 1 << (wanted - 1).bit_length())))
    half = (boundary - LOWEST) / 2
    return LOWEST + half * (places + 1), half * lengths


@cache
def _legendre(nodes: int) -> tuple[Array, Array]:
    from scipy.special import roots_legendre

    places, lengths = roots_legendre(nodes)
    return places, lengths


def _tails(values: Array) -> Array:
    from scipy.special import ndtr

    return np.asarray(ndtr(-values))


def _normal_tail(value: float) -> float:
    return float(_tails(np.array(value)))


PRIOR = 5.0
"""Wins and losses that the mixture begins with: it looks for shares of wins that are not far from a half."""
BETS = 21
FEWEST_ROWS, FEWEST_OF_CLASS = 100, 20
"""Below, the confidence sequence by influences is not yet to be trusted."""


def sequence_reach(rows: float, alpha: float, best_at: float, *, two_sided: bool = False) -> float:
    """How many standard errors the confidence sequence reaches at so many rows, on one side or on both.

    It is narrowest at about `best_at` rows (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, 2024).

    >>> round(sequence_reach(1000, 0.05, 1000, two_sided=True), 3)
    3.035
    """
    spread = (-2 * log(alpha) + log(1 - 2 * log(alpha))) / best_at
    grown = rows * spread + 1
    level = log(sqrt(grown) / alpha) if two_sided else log(1 + sqrt(grown) / (2 * alpha))
    return sqrt(2 * grown / (rows * spread) * level)


def beta_mixture(wins: int, discordant: int) -> float:
    """The logarithm of the evidence that one model wins more of the rows on which only one is right than the other.

    It is at least log(1 / alpha) with probability alpha at most, if both win as often, whenever one looks.

    >>> round(beta_mixture(40, 50), 2)
    7.08
    """
    from scipy.special import betaln

    losses = discordant - wins
    return float(betaln(wins + PRIOR, losses + PRIOR) - betaln(PRIOR, PRIOR) + discordant * log(2))


def bets(largest: float) -> Array:
    """Sizes of bets, from half of the largest that cannot ruin down to a two-thousandth."""
    return np.asarray(largest * 2.0 ** -(np.arange(BETS) / 2 + 1))


def log_wealth(gains: Array, lowest: float) -> list[float]:
    """What each bet has made of rows with these gains, none below `lowest`, as logarithms; those of shards add up.

    >>> log_wealth(np.array([0.0, 0.0]), -1.0)[:2]
    [0.0, 0.0]
    """
    return [float(np.log1p(bet * gains).sum()) for bet in bets(-1 / lowest)]


def log_evidence(wealth: Sequence[float]) -> float:
    """Of all bets with equal shares: at least log(1 / alpha) with probability alpha at most, if no gain is expected."""
    top = max(wealth)
    return top + log(sum(exp(each - top) for each in wealth) / len(wealth)) if top > -inf else -inf


def anytime_p(evidence: float) -> float:
    """A p value that holds whenever one looks."""
    return min(1.0, exp(-evidence))


def default_until(rows: int) -> int:
    """Rows to plan for where nobody has said: ten times those of the first look."""
    return ceil(10 * rows)
