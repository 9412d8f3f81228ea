"""The scores of all rows, dealt out to units and classes, sorted, and kept as long as the memory allows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from referee.engines.kernels import COMPILE_FROM, compiled, deal_out
from referee.engines.sorting import sort_floats
from referee.readers.memory import size_text, too_big

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.columns.stream_layout import Layout


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
            sort_floats(self.of(group))

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
            raise too_big(self.source, what, self.limit)
        others = sorted((one for one in self.holders if one is not holder), key=lambda one: self.order.index(id(one)))
        while others and sum(one.held for one in others) + holder.held + size + passing > self.limit:
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
