"""Stretches of a ranking's steps: what makes a curve of many thresholds quick, and which of its points are needed."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import BlockRanking, Ranking
from referee.errors import UsageError
from referee.records import dataclass
from referee.thresholds.curve_kind import Kind, Place, above_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.thresholds.curve_points import Curve

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
        expanded = []
        first = 0
        for scores, positives, negatives in pieces(self.ranking):
            count = -(-len(scores) // self.stride)
            some = which[(which >= first) & (which < first + count)]
            expanded.append(self._expanded(some, (some - first) * self.stride, (scores, positives, negatives)))
            first += count
        score, tp, fp, below, number = (np.concatenate(parts) for parts in zip(*expanded, strict=True))
        return self._place(score, tp, fp), below, number

    def _expanded(self, which: Array, starts: Array, piece: Piece) -> tuple[Array, ...]:
        scores, positives, negatives = piece
        places = starts[:, None] + np.arange(self.stride)
        real = np.arange(self.stride) < self.lengths[which][:, None]
        places = np.minimum(places, len(scores) - 1)
        counts = [
            (before[which][:, None] + np.cumsum(np.where(real, rows[places], 0), axis=1))[real]
            for before, rows in ((self.tp, positives), (self.fp, negatives))
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
    lengths, first, last, positives, negatives = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    tp, fp = (np.concatenate([[0], np.cumsum(rows, dtype=_wide(rows))]) for rows in (positives, negatives))
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


TOLERANCE = 1 / 2000
"""Half a pixel of a picture that is a thousand pixels wide."""
FEWEST = 10
MOST_EXTREME = 1e-6
"""The rate next to 0 or 1 that is told from it on normal scales."""
COLUMNS = ("x", "y", "threshold", "tp", "fp", "low", "high")


def thinned(curve: Curve, tolerance: float = TOLERANCE, *, points: int | None = None) -> Curve:
    """Leave out points that are nearer to one that is kept than the tolerance, as a share of each axis.

    `points` asks for at most so many: then the tolerance grows until they are. The area stays that of all points.

    >>> from referee import Predictions
    >>> from referee.thresholds import curve
    >>> scores = np.linspace(0, 1, 2000)
    >>> roc = curve(Predictions.from_arrays((scores > 0.5).astype(int), {"m": scores}), "roc")
    >>> len(roc), len(thinned(roc, 0.01)), thinned(roc, 0.01).area == roc.area
    (2001, 401, True)
    """
    refuse_tolerance(tolerance)
    if points is not None and points < FEWEST:
        raise UsageError("E_PARAMETER", f"points={points} must be at least {FEWEST}")
    kept = kept_as_drawn(curve.x, curve.y, curve.scale, tolerance) if tolerance else np.arange(len(curve))
    while points is not None and len(kept) > points:
        tolerance = 1.5 * tolerance or TOLERANCE
        kept = kept_as_drawn(curve.x, curve.y, curve.scale, tolerance)
    columns = {name: getattr(curve, name) for name in COLUMNS}
    cut: dict[str, Any] = {name: None if column is None else column[kept] for name, column in columns.items()}
    return replace(curve, **cut, tolerance=curve.tolerance + tolerance)


def refuse_tolerance(tolerance: float) -> None:
    if not 0 <= tolerance < 1:
        raise UsageError("E_PARAMETER", f"tolerance={tolerance} must be at least 0 and below 1")


def kept_as_drawn(x: Array, y: Array, scale: str, tolerance: float) -> Array:
    """Points that are needed on plain axes, and those that only the scale of the picture shows apart."""
    kept = kept_points(x, y, tolerance)
    return kept if scale == "linear" else np.union1d(kept, kept_points(probit(x), probit(y), tolerance))


def probit(rate: Array) -> Array:
    """The normal quantile of a rate; 0 and 1 stay on the picture."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(rate, MOST_EXTREME, 1 - MOST_EXTREME)))


def kept_points(x: Array, y: Array, tolerance: float) -> Array:
    """The places of points such that every other one is within the tolerance of one of them, on each axis."""
    cells = [np.floor(column / (tolerance / 2 * (extent(column) or 1.0))) for column in (x, y)]
    near = ends_of_runs(*cells)
    return near[_moves(cells[0][near], cells[1][near])]


def extent(column: Array) -> float:
    return float(column.max() - column.min())


def ends_of_runs(*columns: Array) -> Array:
    """The first and the last place of each run of equal values."""
    new = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(np.concatenate([[True], new]) | np.concatenate([new, [True]]))


def _moves(x: Array, y: Array) -> Array:
    """Of points that go to and fro between neighbouring cells keep those that leave; and the point before."""
    kept, (last_x, last_y) = [0], (x[0], y[0])
    for place, (at_x, at_y) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        if abs(at_x - last_x) > 1 or abs(at_y - last_y) > 1:
            kept += [place - 1, place]
            last_x, last_y = at_x, at_y
    return np.unique([*kept, len(x) - 1])


FEW_POINTS = 10_000
"""Up to here a curve has all its points, unless it is asked for fewer."""

STEP_COLUMNS = ("score", "tp", "fp")

PASSED_OVER = 0.25
"""The part of the tolerance that a stretch of steps may move by without a closer look."""


def places_of(ranking: Ranking, kind: Kind, tolerance: float | None) -> tuple[Place, int, float]:
    """Every threshold that has a point, or those that are needed for the picture; and how many there were."""
    stretches = stretches_of(ranking)
    points = _steps_with_a_point(stretches, kind) + kind.begins_empty
    if tolerance is None:
        tolerance = TOLERANCE if points > FEW_POINTS else 0.0
    refuse_tolerance(tolerance)
    at = _needed(stretches, kind, tolerance)
    if kind.begins_empty:
        at = _joined(above_all(ranking), at)
    if not tolerance:
        return at, len(at.tp), 0.0
    # The rest of the tolerance was spent on the stretches that were passed over.
    kept = kept_as_drawn(kind.x(at), kind.y(at), kind.scale, (1 - PASSED_OVER) * tolerance)
    return _some(at, kept), points, tolerance


def _needed(stretches: Stretches, kind: Kind, tolerance: float) -> Place:
    """The ends of stretches that move by less than can be seen, and all steps of the others."""
    if stretches.stride == 1:
        return _inside(stretches.ends, kind)
    small = _are_small(stretches, kind, PASSED_OVER * tolerance)
    others, _, numbers = stretches.inside(np.flatnonzero(~small))
    order = np.argsort(np.concatenate([stretches.number[small], numbers]), kind="stable")
    return _inside(_some(_joined(_some(stretches.ends, small), others), order), kind)


def _are_small(stretches: Stretches, kind: Kind, tolerance: float) -> Array:
    """Both axes rise or fall with each count, so that a stretch lies in the box of its extreme counts."""
    small = np.full(len(stretches.score), tolerance > 0)
    with np.errstate(all="ignore"):
        for axis in (kind.x, kind.y):
            corners = np.array([axis(box) for box in stretches.boxes()])
            known = axis(_inside(stretches.ends, kind))
            for on_scale in (np.asarray, probit) if kind.scale == "probit" else (np.asarray,):
                reach = tolerance * extent(on_scale(known[np.isfinite(known)]))
                small &= np.ptp(on_scale(corners), axis=0) <= reach
    return small


def _steps_with_a_point(stretches: Stretches, kind: Kind) -> int:
    """Once a threshold has one, all lower ones do."""
    if kind.inside is None:
        return stretches.steps
    first = int(np.argmax(kind.inside(stretches.ends)))
    steps, _, _ = stretches.inside(np.array([first]))
    return int(np.count_nonzero(kind.inside(steps)) + stretches.lengths[first + 1 :].sum())


def _inside(at: Place, kind: Kind) -> Place:
    return at if kind.inside is None else _some(at, np.flatnonzero(kind.inside(at)))


def _joined(first: Place, then: Place) -> Place:
    return replace(then, **{name: np.concatenate([getattr(first, name), getattr(then, name)]) for name in STEP_COLUMNS})


def _some(at: Place, places: Array) -> Place:
    return replace(at, **{name: getattr(at, name)[places] for name in STEP_COLUMNS})
