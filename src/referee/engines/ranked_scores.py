"""Ranking: the summary of scores. Distinct scores, highest first, with the positives and negatives at each."""

from __future__ import annotations

from collections import deque
from functools import cached_property
from math import fsum, inf
from sys import getrefcount
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from referee.arrays import Array

CHUNK = 1 << 14
"""Steps that a formula on the tape sees at once, so that all it makes of them stays in the processor's cache."""
BLOCK = 4 * CHUNK
"""Steps that a formula sees at once."""
FEW_STEPS = 1 << 15
"""Steps that are enough for a standard error."""
ROUNDING = 1e-12
"""What sums of weights may be off by, relative to their size."""


def _references_of_one_name() -> int:
    alone = np.empty(0)
    return getrefcount(alone)


UNUSED = _references_of_one_name()
"""References to an array that nobody else holds: a name for it, and before Python 3.14 the question."""


@dataclass(frozen=True)
class Ranking:
    """Distinct scores with the positives and negatives at each; units stand one after the other.

    Formulas are sums or maxima over steps: `ranking.sum(lambda at: at.negatives * at.tp_above)`.

    >>> ranking = Ranking(np.array([0.9, 0.4]), np.array([1, 1]), np.array([0, 2]), np.array([0, 2]))
    >>> ranking.sum(lambda at: at.negatives * at.tp_above)
    array([2])
    """

    scores: Array
    positives: Array
    negatives: Array
    starts: Array
    """Where each unit begins, and the end: (unit + 1)."""
    known_running: tuple[Array, Array] | None = None

    @property
    def units(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def P(self) -> Array:  # noqa: N802 (the lecture's letter)
        return self._reduce(np.add, self.positives, 0, _wide(self.positives))

    @cached_property
    def N(self) -> Array:  # noqa: N802
        return self._reduce(np.add, self.negatives, 0, _wide(self.negatives))

    @cached_property
    def running(self) -> tuple[Array, Array]:
        """The positives and negatives of its unit down to each step."""
        if self.known_running is not None:
            return self.known_running
        return self._running(self.positives), self._running(self.negatives)

    def _running(self, per_step: Array) -> Array:
        if self.units == 1:
            return np.cumsum(per_step, dtype=_wide(per_step))
        if per_step.dtype.kind == "f":  # subtracting what came before would round
            pieces = zip(self.starts, self.starts[1:], strict=False)
            return np.concatenate([np.cumsum(per_step[a:b]) for a, b in pieces])
        running, totals = np.cumsum(per_step, dtype=np.int64), self._reduce(np.add, per_step, 0, np.int64)
        running -= np.repeat(np.cumsum(totals) - totals, np.diff(self.starts))
        return running

    def running_in(self, part: slice, side: int) -> Array:
        """The same of some steps; of a block without making that of all, as new memory takes longer than the sums."""
        per_step = (self.positives, self.negatives)[side]
        is_block = part.start is not None and part.start % CHUNK == 0
        if (
            not is_block
            or self.units > 1
            or self.known_running
            or "running" in vars(self)
            or per_step.dtype.kind == "f"
        ):
            return self.running[side][part]
        running = per_step[part].astype(np.int64)  # before, as sums of narrow numbers take half as long again
        np.cumsum(running, out=running)
        running += self._above_chunks[side][part.start // CHUNK]
        return running

    @cached_property
    def _above_chunks(self) -> tuple[Array, Array]:
        """The positives and negatives above every CHUNK steps."""
        whole, both = len(self.scores) // CHUNK * CHUNK, (self.positives, self.negatives)
        each = (rows[:whole].reshape(-1, CHUNK).sum(axis=1, dtype=np.int64) for rows in both)
        positives, negatives = (np.cumsum(np.concatenate([[0], sums])) for sums in each)
        return positives, negatives

    def sum(self, term: Callable[[Steps], Array]) -> Array:
        """Add a term up over the steps of each unit."""
        if self._in_one_piece:
            return self._reduce(np.add, term(self.steps), 0)
        parts = [term(block).sum() for block in self.blocks()]
        exact = all(isinstance(part, np.integer) for part in parts)
        return np.array([sum(map(int, parts)) if exact else fsum(parts)])

    def max(self, term: Callable[[Steps], Array]) -> Array:
        """The largest value over the steps of each unit; nan for a unit without rows."""
        if self._in_one_piece:
            return self._reduce(np.maximum, np.asarray(term(self.steps), float), np.nan)
        return np.array([max(float(np.max(term(block))) for block in self.blocks())])

    def highest(self, objective: Callable[[Steps], Array], where: Callable[[Steps], Array], at_least: float) -> Array:
        """The largest objective over the steps where something else is large enough; 0 if it nowhere is."""

        def allowed(at: Steps) -> Array:
            value = objective(at)
            return np.where(reaches(where(at), at_least), value, 0 * value)

        return self.max(allowed)

    def hits(self, rows: Array) -> Array:
        """Count the positives among so many rows from the top; those that tie at the cut are shared in proportion."""

        def reached(at: Steps) -> Array:
            left = rows[at.unit] - at.tp_above - at.fp_above
            return at.positives * np.clip(left / at.rows, 0, 1)

        return self.sum(reached)

    def binned(self, bin_of: Callable[[Steps], Array], bins: int) -> Ranking:
        """Join the steps of each unit that fall into the same bin; its score is the mean score of its rows."""
        totals = np.zeros((3, self.units * bins))
        for at in self.blocks():
            key = at.unit * bins + bin_of(at)
            if not len(key):
                continue
            # Neighbouring steps are mostly in one bin, so most adding is done before looking the bin up.
            first = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
            for total, each in zip(totals, (at.rows, at.positives, at.rows * at.score), strict=True):
                np.add.at(total, key[first], np.add.reduceat(each, first))
        rows, positives, scores = totals
        filled = rows > 0
        starts = np.concatenate([[0], np.cumsum(filled)])[::bins]
        return Ranking(scores[filled] / rows[filled], positives[filled], (rows - positives)[filled], starts)

    @cached_property
    def coarse(self) -> Ranking:
        """The same rows with neighbouring steps joined to about FEW_STEPS, each with about as many rows."""
        per_row = FEW_STEPS / float(self.P[0] + self.N[0])
        return self.binned(lambda at: ((at.tp + at.fp - at.rows / 2) * per_row).astype(np.int64), FEW_STEPS)

    def best(self, term: Callable[[Steps], Array]) -> dict[str, Array]:
        """What is counted down to the step of the only unit where a term is largest; of equal ones the first."""
        at, step = self.steps, int(np.argmax(reaches(term(self.steps), np.max(term(self.steps)))))
        return {"tp": at.tp[[step]], "fp": at.fp[[step]]}

    def turned(self, *, complement: bool) -> Ranking:
        """One unit's rows ranked for the other class, by -score or by 1 - score."""
        scores = (1 - self.scores.astype(float, copy=False) if complement else -self.scores)[::-1]
        turned = Ranking(scores, self.negatives[::-1], self.positives[::-1], self.starts)
        vars(turned)["_rooms"] = self._rooms
        if complement and (scores[1:] == scores[:-1]).any():
            return joined_steps(scores, turned.positives, turned.negatives, np.arange(len(scores)), None, 1)
        return turned

    def of_unit(self, unit: int) -> Ranking:
        """One of the units by itself; its totals are known."""
        first, end = self.starts[unit : unit + 2].tolist()
        columns = (self.scores[first:end], self.positives[first:end], self.negatives[first:end])
        alone = Ranking(*columns, np.array([0, end - first]))
        vars(alone).update(P=self.P[unit : unit + 1], N=self.N[unit : unit + 1])
        return alone

    def merge(self, other: Ranking) -> Ranking:
        return merge_rankings([self, other])

    @property
    def steps(self) -> Steps:
        """All steps at once."""
        return self.steps_in(slice(None))

    def steps_in(self, part: slice) -> Steps:
        """Some of them."""
        return Steps(self, part, None if self.units > 1 else 0)

    @property
    def room(self) -> Array:
        """Memory for two numbers of each step, which may have been somebody's before: new memory takes long to get."""
        try:
            kept = self._rooms.pop()  # before it is looked at, so that no other thread is given it
        except IndexError:
            kept = np.empty((2, 0))
        if getrefcount(kept) > UNUSED or kept.shape[1] != len(self.scores):
            kept = np.empty((2, len(self.scores)))
        self._rooms.append(kept)
        return kept

    @cached_property
    def _rooms(self) -> deque[Array]:
        return deque(maxlen=1)

    @cached_property
    def unit_of_steps(self) -> Array:
        return np.repeat(np.arange(self.units), np.diff(self.starts))

    def blocks(self) -> Iterator[Steps]:
        """The steps in pieces, each knowing what came before."""
        if self._in_one_piece:
            yield self.steps
            return
        for start in range(0, len(self.scores), BLOCK):
            yield self.steps_in(slice(start, start + BLOCK))

    @property
    def _in_one_piece(self) -> bool:
        return self.units != 1 or len(self.scores) <= BLOCK

    def _reduce(self, operation: np.ufunc, per_step: Array, empty: float, dtype: Any = None) -> Array:
        if self.units == 1 and len(per_step) and per_step.dtype.kind != "f":  # whose sums depend on their order
            return operation.reduce(per_step, dtype=dtype, keepdims=True)  # in a third of the time
        filled = self.starts[:-1] < self.starts[1:]
        result = np.full(len(filled), empty, np.result_type(per_step, type(empty)))
        if filled.any():
            result[filled] = operation.reduceat(per_step, self.starts[:-1][filled], dtype=dtype)
        return result


@dataclass(frozen=True)
class Steps:
    """What is known at each distinct score, going down: `tp` and `fp` include the step, `tp_above` does not."""

    ranking: Ranking
    part: slice
    only_unit: int | None

    @property
    def unit(self) -> Array | int:
        """The unit of each step; 0 where there is only one."""
        return self.ranking.unit_of_steps[self.part] if self.only_unit is None else self.only_unit

    @property
    def score(self) -> Array:
        return self.ranking.scores[self.part]

    @property
    def positives(self) -> Array:
        return self.ranking.positives[self.part]

    @property
    def negatives(self) -> Array:
        return self.ranking.negatives[self.part]

    @property
    def rows(self) -> Array:
        return self.positives + self.negatives

    @cached_property
    def tp(self) -> Array:
        return self.ranking.running_in(self.part, 0)

    @cached_property
    def fp(self) -> Array:
        return self.ranking.running_in(self.part, 1)

    @property
    def tp_above(self) -> Array:
        return self.tp - self.positives

    @property
    def fp_above(self) -> Array:
        return self.fp - self.negatives

    @property
    def P(self) -> Array:  # noqa: N802 (the lecture's letter)
        return self.ranking.P[self.unit]

    @property
    def N(self) -> Array:  # noqa: N802
        return self.ranking.N[self.unit]


def reaches(value: Array | float, limit: Array | float) -> Array:
    """Whether it is at least so large; sums of weights round where counts of rows do not."""
    return np.asarray(value >= just_below(limit))


def just_below(limit: Array | float) -> Array | float:
    """As large as it is, but for rounding."""
    return limit - ROUNDING * np.abs(limit)


def medians_of(ranking: Ranking) -> tuple[Array, Array]:
    """The lower and the upper median of a row term; rows stand in falling order and all count as positive."""
    upper = ranking.max(lambda at: np.where(reaches(2 * at.tp, at.P), at.score, -inf))
    lower = -ranking.max(lambda at: np.where(reaches(at.P, 2 * at.tp_above), -at.score, -inf))
    return lower, upper


def median_of(ranking: Ranking) -> Array:
    """The mean of both medians."""
    lower, upper = medians_of(ranking)
    return lower + (upper - lower) / 2


def _wide(counts: Array) -> Any:
    """Counts as they are kept may be narrow; their sums are not."""
    return counts.dtype if counts.dtype.kind == "f" else np.int64


def merge_rankings(parts: Sequence[Ranking]) -> Ranking:
    """Rank the rows of several rankings together, unit by unit."""
    if (pooled := getattr(parts[0], "pooled", None)) is not None:  # steps that are not in memory
        return pooled(parts)
    unit = np.concatenate([np.broadcast_to(part.steps.unit, len(part.scores)) for part in parts])
    scores, positives, negatives = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("scores", "positives", "negatives")
    )
    if parts[0].units == 1:  # a stable sort merges what is sorted already
        return joined_steps(scores, positives, negatives, np.argsort(-scores, kind="stable"), None, 1)
    return joined_steps(scores, positives, negatives, np.lexsort((-scores, unit)), unit, parts[0].units)


def joined_steps(
    scores: Array, positives: Array, negatives: Array, order: Array | slice, unit: Array | None, units: int
) -> Ranking:
    """Bring rows into their order, by unit and falling score, and join those that tie."""
    scores, positives, negatives = scores[order], positives[order], negatives[order]
    new = np.ones(len(scores), bool)
    new[1:] = scores[1:] != scores[:-1]
    if unit is not None:
        unit = unit[order]
        new[1:] |= unit[1:] != unit[:-1]
    first = np.flatnonzero(new)
    starts = np.array([0, len(first)]) if unit is None else np.searchsorted(unit[first], np.arange(units + 1))
    if len(first):
        positives, negatives = np.add.reduceat(positives, first), np.add.reduceat(negatives, first)
    return Ranking(scores[first], positives, negatives, starts)
