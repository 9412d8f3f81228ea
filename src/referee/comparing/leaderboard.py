"""The leaderboard: tiers of models, and the ranks that each may have, all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from referee.comparing.comparison import adjusted
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from referee.arrays import Array
    from referee.comparing.all_pairs import AllPairs
    from referee.comparing.comparison import Comparison

Rule = Literal["draws", "holm", "posterior"]


@dataclass(frozen=True)
class Leaderboard:
    """Who is told apart from whom, by all pairs at once.

    >>> board = leaderboard_of(["a", "b", "c"], np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], bool), "holm")
    >>> board.tiers, board.ranks
    ((('a', 'b'), ('c',)), {'a': (1, 2), 'b': (1, 2), 'c': (3, 3)})
    """

    tiers: tuple[tuple[str, ...], ...]
    """Best first: a model is beaten by one in every tier above its own, and by none in its own."""
    ranks: Mapping[str, tuple[int, int]]
    """The best and the worst rank that each model may have; best value first."""
    rule: Rule
    """How pairs are told apart: by draws of equal models, by Holm's method, or each by its posterior probability."""
    critical: float | None = None
    """The |z| that a pair had to exceed last."""
    draws: int = 0

    @property
    def tier_of(self) -> dict[str, int]:
        return {name: number for number, names in enumerate(self.tiers, 1) for name in names}


def leaderboard_of(
    order: Sequence[str], beats: Array, rule: Rule, critical: float | None = None, draws: int = 0
) -> Leaderboard:
    """From who beats whom, both in this order.

    A model that is beaten by b others has at least rank b + 1, one that beats w of k has at most rank k - w (Mogstad,
    Romano, Shaikh and Wilhelm, 2024).
    """
    best, worst = 1 + beats.sum(axis=0), len(order) - beats.sum(axis=1)
    ranks = {name: (int(best[place]), int(worst[place])) for place, name in enumerate(order)}
    tiers = tuple(tuple(order[place] for place in places) for places in layers(beats))
    return Leaderboard(tiers, ranks, rule, critical, draws)


def layers(beats: Array) -> Iterable[list[int]]:
    """Those whom nobody beats; without them, those whom nobody is left to beat; and so on.

    >>> [*layers(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], bool))]
    [[0], [1, 2]]
    """
    left = np.ones(len(beats), bool)
    while left.any():
        top = left & ~beats[left].any(axis=0)
        if not top.any():  # single pairs that go round in a circle tell nobody apart
            top = left.copy()
        yield np.flatnonzero(top).tolist()
        left &= ~top


def by_draws(pairs: AllPairs, order: Sequence[str]) -> Leaderboard:
    """By one set of draws for all pairs; a model that is not among them is told apart from nobody."""
    known, critical = pairs.step_down()
    place = {name: number for number, name in enumerate(order)}
    places = np.array([place[name] for name in pairs.names])
    beats = np.zeros((len(order), len(order)), bool)
    beats[np.ix_(places, places)] = known
    return leaderboard_of(order, beats, "draws", critical, pairs.draws.shape[1])


def by_each_pair(comparisons: Mapping[frozenset[str], Comparison], order: Sequence[str], alpha: float) -> Leaderboard:
    """By Holm's method, whatever the pairs have to do with each other; posterior probabilities stand for themselves."""
    place = {name: number for number, name in enumerate(order)}
    beats = np.zeros((len(order), len(order)), bool)
    known = [pair for pair in comparisons.values() if not pair.undecided and not pair.undefined]
    has_p = any(pair.p is not None for pair in known)
    held = adjusted([pair.p for pair in known])
    for pair, p in zip(known, held, strict=True):
        if pair.winner is not None and (p is None or p < alpha):
            beats[place[pair.winner], place[pair.against(pair.winner)]] = True
    return leaderboard_of(order, beats, "holm" if has_p else "posterior")
