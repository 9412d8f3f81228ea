"""Rankings whose steps are made block by block from sorted keys, and never stand in memory all at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property, reduce
from math import fsum
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from referee.engines.kernels import COMPILE_FROM, compiled, deal_out, merge_steps, next_steps
from referee.engines.ranked_scores import BLOCK, Ranking, Steps
from referee.predictions import size_text, too_big
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from referee.arrays import Array

    Block = tuple[Array, Array, Array]
    """Scores, positives and negatives of some steps."""
    from referee.predictions import Layout


@dataclass(frozen=True)
class BlockSteps(Steps):
    """Steps of one unit that know what came before."""

    tp_before: int = 0
    fp_before: int = 0

    @cached_property
    def tp(self) -> Array:
        return np.cumsum(self.positives) + self.tp_before

    @cached_property
    def fp(self) -> Array:
        return np.cumsum(self.negatives) + self.fp_before


class BlockRanking(Ranking, ABC):
    """A ranking that gives its steps in blocks, unit by unit."""

    def __init__(self, positives: Sequence[int], negatives: Sequence[int]) -> None:
        # Ranking is frozen; the totals are known before any step is made.
        self.__dict__.update(P=np.array(positives, np.int64), N=np.array(negatives, np.int64))

    @abstractmethod
    def blocks_of(self, unit: int) -> Iterator[Block]:
        """The steps of one unit."""

    @property
    def units(self) -> int:
        return len(self.P)

    @cached_property
    def whole(self) -> Ranking:
        """The same with all steps at once, for few rows."""
        per_unit = [list(self.blocks_of(unit)) for unit in range(self.units)]
        lengths = [sum(len(scores) for scores, _, _ in blocks) for blocks in per_unit]
        every = [block for blocks in per_unit for block in blocks]
        empty = np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64)
        scores, positives, negatives = (np.concatenate(part) for part in zip(*(every or [empty]), strict=True))
        return Ranking(scores, positives, negatives, np.concatenate([[0], np.cumsum(lengths)]))

    # What a Ranking in memory holds.
    scores = property(lambda self: self.whole.scores)
    positives = property(lambda self: self.whole.positives)
    negatives = property(lambda self: self.whole.negatives)
    starts = property(lambda self: self.whole.starts)

    def blocks(self) -> Iterator[Steps]:
        for unit in range(self.units):
            yield from self._blocks_of(unit)

    def _blocks_of(self, unit: int) -> Iterator[Steps]:
        tp = fp = 0
        for scores, positives, negatives in self.blocks_of(unit):
            yield BlockSteps(_Part(scores, positives, negatives, self), slice(None), unit, tp, fp)
            tp, fp = tp + int(positives.sum()), fp + int(negatives.sum())

    def sum(self, term: Callable[[Steps], Array]) -> Array:
        return np.array([_total([term(block).sum() for block in self._blocks_of(u)]) for u in range(self.units)])

    def max(self, term: Callable[[Steps], Array]) -> Array:
        each = ([float(np.max(term(block))) for block in self._blocks_of(unit)] for unit in range(self.units))
        return np.array([max(parts) if parts else np.nan for parts in each])

    def pooled(self, parts: Sequence[Ranking]) -> Ranking:
        return PooledRanking(parts)


class _Part(Ranking):
    """The steps of a block, with the totals of all rows."""

    def __init__(self, scores: Array, positives: Array, negatives: Array, all_rows: Ranking) -> None:
        self.__dict__.update(scores=scores, positives=positives, negatives=negatives, P=all_rows.P, N=all_rows.N)


class SortedRanking(BlockRanking):
    """Of the rising keys of positives and negatives in each unit; a score is offset + sign * key."""

    def __init__(
        self, keys: Sequence[tuple[Array, Array]], *, sign: float = 1.0, offset: float = 0.0, steps: int = BLOCK
    ) -> None:
        super().__init__([len(positives) for positives, _ in keys], [len(negatives) for _, negatives in keys])
        self.__dict__.update(keys=keys, change=(offset, sign), most=steps)

    keys: Sequence[tuple[Array, Array]]
    change: tuple[float, float]
    most: int

    def blocks_of(self, unit: int) -> Iterator[Block]:
        keys = self.keys[unit]
        rows = len(keys[0]) + len(keys[1])
        kernel = compiled(next_steps) if rows >= COMPILE_FROM else next_steps
        kind = np.result_type(*keys) if self.change == (0.0, 1.0) else np.float64
        taken = np.zeros(2, np.int64)
        while taken.sum() < rows:
            size = min(self.most, rows - int(taken.sum()))
            steps = np.empty(size, kind), np.empty(size, np.int64), np.empty(size, np.int64)
            made = kernel(keys, taken, self.change, steps)
            yield steps[0][:made], steps[1][:made], steps[2][:made]


class PooledRanking(BlockRanking):
    """The rows of several rankings as those of one."""

    def __init__(self, parts: Sequence[Ranking]) -> None:
        super().__init__(sum(part.P for part in parts), sum(part.N for part in parts))  # type: ignore[arg-type]
        self.__dict__.update(parts=parts)

    parts: Sequence[BlockRanking]

    def blocks_of(self, unit: int) -> Iterator[Block]:
        first, *others = (part.blocks_of(unit) for part in self.parts)
        return reduce(_merged, others, first)


def _merged(a: Iterator[Block], b: Iterator[Block]) -> Iterator[Block]:
    """Two falling series as one: what lies above the lowest step known of both can be given away."""
    waiting: list[Block | None] = [next(a, None), next(b, None)]
    while waiting[0] is not None and waiting[1] is not None:
        lowest = max(waiting[0][0][-1], waiting[1][0][-1])
        ready: list[Block] = []
        for place, source in enumerate((a, b)):
            block = waiting[place]
            assert block is not None
            cut = len(block[0]) - int(np.searchsorted(block[0][::-1], lowest))
            ready.append((block[0][:cut], block[1][:cut], block[2][:cut]))
            left = block[0][cut:], block[1][cut:], block[2][cut:]
            waiting[place] = left if len(left[0]) else next(source, None)
        yield _merged_blocks(*ready)
    for block, source in zip(waiting, (a, b), strict=True):
        if block is not None:
            yield block
            yield from source


def _merged_blocks(a: Block, b: Block) -> Block:
    rows = len(a[0]) + len(b[0])
    steps = np.empty(rows, np.result_type(a[0], b[0])), np.empty(rows, np.int64), np.empty(rows, np.int64)
    made = (compiled(merge_steps) if rows >= COMPILED_MERGE else merge_steps)(a, b, steps)
    return steps[0][:made], steps[1][:made], steps[2][:made]


COMPILED_MERGE = 1 << 12


def _total(parts: list[Any]) -> float:
    exact = all(isinstance(part, np.integer) for part in parts)
    return sum(map(int, parts)) if exact else fsum(map(float, parts))


class Keys:
    """One column of all rows in groups; each group is a rising array once all rows are there."""

    def __init__(self, rows: Array, kind: np.dtype[Any]) -> None:
        self.starts = np.concatenate([[0], np.cumsum(rows)]).astype(np.int64)
        self.ends = self.starts[:-1].copy()
        self.values = np.empty(int(self.starts[-1]), kind)

    def add(self, values: Array, groups: Array) -> None:
        if len(self.values) >= COMPILE_FROM:
            compiled(deal_out)(values, groups, self.ends, self.values)
            return
        for group in np.unique(groups):
            chosen = values[groups == group]
            self.values[self.ends[group] : self.ends[group] + len(chosen)] = chosen
            self.ends[group] += len(chosen)

    def sort(self) -> None:
        for group in range(len(self.ends)):
            self.of(group).sort()

    def of(self, group: int) -> Array:
        return self.values[self.starts[group] : self.starts[group + 1]]


class Holder(ABC):
    """Something that holds keys, and can let go of them."""

    held: int = 0

    @abstractmethod
    def release(self) -> None:
        """Let go of the keys."""


class Budget:
    """The memory for the keys of one source: the oldest are given up first."""

    def __init__(self, source: str, limit: int) -> None:
        self.source, self.limit = source, limit
        self.holders: WeakSet[Holder] = WeakSet()
        self.order: list[int] = []

    def claim(self, holder: Holder, size: int, rows: int, passing: int = 0) -> None:
        """Make room, some of it for a short time only; E_TOOBIG if there is none even alone."""
        if holder.held + size > self.limit:
            what = f"{rows:,} rows need about {size_text(holder.held + size)} to be ranked"
            raise too_big(self.source, what, self.limit, or_else="--engine database sorts them on the disk, or ")
        others = sorted(self.holders - {holder}, key=lambda other: self.order.index(id(other)))
        while others and sum(other.held for other in others) + holder.held + size + passing > self.limit:
            oldest = others.pop(0)
            oldest.release()
            oldest.held = 0
            self.holders.discard(oldest)
        holder.held += size
        self.holders.add(holder)
        self.order = [known for known in self.order if known != id(holder)] + [id(holder)]


_budgets: WeakKeyDictionary[Layout, Budget] = WeakKeyDictionary()


def budget_of(layout: Layout) -> Budget:
    if layout not in _budgets:
        _budgets[layout] = Budget(layout.batches.name, layout.limit)
    return _budgets[layout]
