"""Leaderboard: tiers and rank intervals of many models, and how they are said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from referee.comparing.all_pairs import FEW_MODELS
from referee.comparing.comparison import adjusted
from referee.document import count, counted, level
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from referee.arrays import Array
    from referee.comparing.all_pairs import AllPairs
    from referee.comparing.comparison import Comparison
    from referee.comparing.verdict import Verdict


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


TIERS = "Tiers and ranks"
MOST_TIERS, FEW_NAMES = 3, 2
"""So many are named where somebody reads."""
MOGSTAD = (
    "M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm (2024). Inference for ranks with applications to mobility "
    "across neighbourhoods and academic achievement across countries. Review of Economic Studies 91, 476-518"
)
ROMANO_WOLF = (
    "J. P. Romano and M. Wolf (2005). Exact and approximate stepdown methods for multiple hypothesis testing. Journal "
    "of the American Statistical Association 100, 94-108"
)


def tiers_in_a_line(verdict: Verdict) -> list[str]:
    """Who is told apart, best first; nothing where nobody is, or so few models that their pairs say it."""
    board = verdict.leaderboard
    if board is None or len(verdict.values) < 4 or len(board.tiers) == 1:
        return []
    shown = [named_in_tier(names) for names in board.tiers[:MOST_TIERS]]
    left = len(board.tiers) - MOST_TIERS
    shown += [counted(left, "more tier")] if left > 0 else []
    return [f"tiers: {' > '.join(shown)}"]


def named_in_tier(names: Sequence[str]) -> str:
    """The models of a tier, or the first and how many more.

    >>> named_in_tier(["a", "b"]), named_in_tier([*"abcde"])
    ('a, b', 'a and 4 more')
    """
    return ", ".join(names) if len(names) <= FEW_NAMES else f"{names[0]} and {len(names) - 1:,} more"


def ranks_in_words(board: Leaderboard, names: Sequence[str]) -> str:
    """The ranks that these models may have."""
    best = min(board.ranks[name][0] for name in names)
    worst = max(board.ranks[name][1] for name in names)
    return str(best) if best == worst else f"{best} to {worst}"


def said_of_tiers(verdict: Verdict) -> str:
    """What may be read from the tiers, and what may not."""
    board = verdict.leaderboard
    if board is None or board.rule == "posterior":
        return "each pair by its posterior probability alone; within a tier no model beats another"
    return (
        f"ranks hold for all models at once ({level(verdict.alpha)}): no two models of a tier differ significantly, "
        "and models of different tiers need not"
    )


def tiers_in_methods(verdict: Verdict) -> Iterator[str]:
    """How pairs were told apart, for a paper."""
    board = verdict.leaderboard
    if board is None or len(verdict.values) == 2:
        return
    models = counted(len(verdict.values), "model")
    if board.rule == "posterior":
        yield "Tiers and ranks follow from which model beats which, pair by pair, and hold for each pair alone."
        return
    how = "Holm's method"
    if board.rule == "draws":
        how = (
            f"a step-down of the largest difference (Romano and Wolf, 2005) over {count(board.draws)} normal draws of "
            f"equal models with the covariance of the values{_by_influences(verdict)}"
        )
    yield (
        f"Tiers and ranks: all pairs of {models} were tested by {how}, so that the "
        f"probability of any false order is about {verdict.alpha:g} at most; a model that is beaten by b others has at "
        "least rank b + 1, and one that beats w others at most rank k - w of k (Mogstad et al., 2024)."
    )


def _by_influences(verdict: Verdict) -> str:
    """Of many models the pairs without the best one are not tested one by one."""
    is_own = not verdict.design.by_rows or verdict.test.name == "influence" or len(verdict.values) <= FEW_MODELS
    return "" if is_own else "; pairs without the best model by their row influences"


def goal_alone(verdict: Verdict) -> list[str]:
    """Why no other metric is there."""
    if not verdict.goal_alone:
        return []
    if not verdict.predictions.has_rows:
        return ["only the goal is computed, as the rows are not in memory; --metrics M1,M2 adds others"]
    return [f"with {len(verdict.values):,} models only the goal is judged; --metrics M1,M2 adds others"]


def rows_to_stand_out(verdict: Verdict) -> list[str]:
    """What it takes to tell the first two apart: as a pair that was named before, and among all that may be best."""
    pair, alone = verdict.rows_at_least, verdict.rows_to_stand_out
    if verdict.outcome != "tie" or pair is None or alone is None or alone <= verdict.predictions.rows:
        return []
    if pair <= verdict.predictions.rows:
        return [f"separating the first two needs at least {alone:,} rows after adjustment"]
    return [f"separating the first two needs at least {pair:,} rows ({alone:,} after adjustment)"]
