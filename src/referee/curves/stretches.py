"""Stretches: the steps of a ranking some at a time, with the counts at the ends of each; most need no closer look."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from referee.curves.kind import Place
from referee.engines.stream_ranking import BlockRanking

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.ranking import Ranking

    Piece = tuple[Array, Array, Array]
    """Scores, positives and negatives of some steps."""

FEW_ROWS = 20_000
"""Up to here every step is a stretch of its own."""
STRIDE = 32


@dataclass(frozen=True, eq=False)
class Stretches:
    """Where each stretch ends, after the beginning at which no row is called positive."""

    ranking: Ranking
    stride: int
    lengths: Array
    """Steps in each stretch."""
    highest: Array
    """The first score of each stretch, and minus infinity."""
    score: Array
    """The last score of each stretch."""
    tp: Array
    """Down to the end of each stretch, with a 0 in front."""
    fp: Array

    @property
    def steps(self) -> int:
        return int(self.lengths.sum())

    @property
    def ends(self) -> Place:
        return self._place(self.score, self.tp[1:], self.fp[1:])

    @property
    def below(self) -> Array:
        """The next lower score of each end."""
        return self.highest[1:]

    @cached_property
    def number(self) -> Array:
        """The step that each stretch ends with, counted from 0."""
        return np.cumsum(self.lengths) - 1

    def boxes(self) -> Iterator[Place]:
        """The four combinations of the fewest and the most true and false positives inside each stretch."""
        for tp in (self.tp[:-1], self.tp[1:]):
            for fp in (self.fp[:-1], self.fp[1:]):
                yield self._place(self.score, tp, fp)

    def inside(self, which: Array) -> tuple[Place, Array, Array]:
        """All steps of some stretches, with the next lower score of each, and its number."""
        found = []
        first = 0
        for scores, positives, negatives in pieces(self.ranking):
            count = -(-len(scores) // self.stride)
            some = which[(which >= first) & (which < first + count)]
            found.append(self._expanded(some, (some - first) * self.stride, (scores, positives, negatives)))
            first += count
        score, tp, fp, below, number = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return self._place(score, tp, fp), below, number

    def _expanded(self, which: Array, starts: Array, piece: Piece) -> tuple[Array, ...]:
        scores, positives, negatives = piece
        places = starts[:, None] + np.arange(self.stride)
        real = np.arange(self.stride) < self.lengths[which][:, None]
        places = np.minimum(places, len(scores) - 1)
        counts = [
            (before[which][:, None] + np.cumsum(np.where(real, one[places], 0), axis=1))[real]
            for before, one in ((self.tp, positives), (self.fp, negatives))
        ]
        below = np.where(
            np.arange(self.stride) + 1 < self.lengths[which][:, None],
            scores[np.minimum(places + 1, len(scores) - 1)],
            self.highest[which + 1][:, None],
        )
        number = (self.number[which] - self.lengths[which] + 1)[:, None] + np.arange(self.stride)
        return scores[places][real], *counts, below[real], number[real]

    def _place(self, score: Array, tp: Array, fp: Array) -> Place:
        return Place(score, tp, fp, self.ranking.P[0], self.ranking.N[0])


def stretches_of(ranking: Ranking) -> Stretches:
    """Made once: the ranking keeps them itself."""
    kept: dict[str, Stretches] = vars(ranking)
    if "_stretches" not in kept:
        kept["_stretches"] = _made(ranking)
    return kept["_stretches"]


def pieces(ranking: Ranking) -> Iterator[Piece]:
    """The steps in memory at once, or those that are not, block by block."""
    if isinstance(ranking, BlockRanking):
        yield from ranking.blocks_of(0)
    else:
        yield ranking.scores, ranking.positives, ranking.negatives


def _made(ranking: Ranking) -> Stretches:
    stride = STRIDE if ranking.P[0] + ranking.N[0] > FEW_ROWS else 1
    parts = [_summed(piece, stride) for piece in pieces(ranking)]
    lengths, first, last, positives, negatives = (np.concatenate(one) for one in zip(*parts, strict=True))
    tp, fp = (np.concatenate([[0], np.cumsum(one, dtype=_wide(one))]) for one in (positives, negatives))
    return Stretches(ranking, stride, lengths, np.append(first, -inf), last, tp, fp)


def _summed(piece: Piece, stride: int) -> tuple[Array, ...]:
    scores, positives, negatives = piece
    starts = np.arange(0, len(scores), stride)
    ends = np.minimum(starts + stride, len(scores))
    sums = (
        (positives, negatives)
        if stride == 1
        else (np.add.reduceat(positives, starts), np.add.reduceat(negatives, starts))
    )
    return ends - starts, scores[starts], scores[ends - 1], *sums


def _wide(counts: Array) -> type:
    return np.float64 if counts.dtype.kind == "f" else np.int64
