"""How the height of a curve at a fixed `x` changes with one more row: positive or negative, above or below."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.curve_points.kind import Place
from referee.engines import BlockRanking
from referee.scoring import derivative, window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.arrays import Array
    from referee.curve_points.kind import Kind
    from referee.curve_points.points import Curve
    from referee.engines import Ranking

    Piece = tuple[Array, Array, Array]
    """Scores, positives and negatives of some steps."""

COUNTS = ("tp", "fp", "P", "N")


@dataclass(frozen=True)
class PlaceSlopes:
    """At each of several places: the change by one more row in each count, the place's own move along `x` included."""

    by_count: dict[str, Array]
    order: Array
    """The places from the highest threshold down."""
    certain_rows: Array
    """How many rows could have shown an exception, where the height is at an end of its range."""

    @property
    def by_cell(self) -> Array:
        """The change by one more row of a class between two neighbouring thresholds: (place, class and interval)."""
        count = len(self.order)
        rank = np.empty(count, int)
        rank[self.order] = np.arange(count)
        above = np.arange(count + 1)[None, :] <= rank[:, None]
        sides = (("tp", "P"), ("fp", "N"))
        return np.concatenate(
            [above * self.by_count[moved][:, None] + self.by_count[total][:, None] for moved, total in sides], axis=1
        )


def slopes_at(curve: Curve, kind: Kind, places: Array, row_weight: float) -> PlaceSlopes:
    """Differentiate the kind's formulas at some points of a curve."""
    at = _place(curve, places)
    by_y, by_x = _derivatives(kind.y, at), _derivatives(kind.x, at)
    hits = _hit_rates(curve, places, row_weight)
    along_y, along_x = (by["tp"] * hits + by["fp"] * (1 - hits) for by in (by_y, by_x))
    steepness = np.divide(along_y, along_x, out=np.zeros(len(places)), where=along_x != 0)
    changes = {name: by_y[name] - steepness * by_x[name] for name in COUNTS}
    largest = np.maximum(np.abs(by_y["tp"]), np.abs(by_y["fp"])) * row_weight
    certain = np.divide(1.0, largest, out=np.full(len(places), np.nan), where=largest > 0)
    return PlaceSlopes(changes, np.argsort(curve.rank[places], kind="stable"), certain)


def _place(curve: Curve, places: Array) -> Place:
    size = np.ones(len(places))
    tp, fp = (np.asarray(column[places], float) for column in (curve.tp, curve.fp))
    return Place(curve.threshold[places], tp, fp, curve.positives * size, curve.negatives * size, curve.x[places])


def _derivatives(formula: Callable[[Any], Array], at: Place) -> dict[str, Array]:
    from dataclasses import replace

    def by(name: str) -> Array:
        def moved(column: Array) -> Array:
            changed: dict[str, Any] = {name: column}
            return np.asarray(formula(replace(at, **changed)))

        return derivative(moved, getattr(at, name))

    return {name: by(name) for name in COUNTS}


def _hit_rates(curve: Curve, places: Array, row_weight: float) -> Array:
    """The share of positives among the rows a little above and below each place: half a row of each is added."""
    rank, tp = np.asarray(curve.rank, float), np.asarray(curve.tp, float)
    order = np.argsort(rank, kind="stable")
    rows = curve.positives + curve.negatives
    reach = window(rows, row_weight)
    ends = [
        np.interp(rank[places] + side * reach, rank[order], tp[order], left=0, right=curve.positives)
        for side in (-1, 1)
    ]
    seen = np.clip(rank[places] + reach, 0, rows) - np.clip(rank[places] - reach, 0, rows)
    return np.asarray((ends[1] - ends[0] + 0.5 * row_weight) / (seen + row_weight))


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
