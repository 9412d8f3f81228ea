"""Evidence that may be looked at whenever one likes: confidence sequences, the Beta mixture and bets."""

from __future__ import annotations

from math import ceil, exp, inf, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array

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
