"""Ranks of the rows of a file among each other: of the sorted keys of all units, a stretch of scores at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.engines.memory import engine as memory
from referee.engines.rank_sums import rank_sums as summed_ranks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.engines.rank_sums import RankSums, Stretch
    from referee.engines.stream.summary import Summary

STRETCH = 1 << 20
"""Rows that are sorted at once, at most, unless more of them tie."""


def rank_sums(summary: Summary) -> Iterator[list[RankSums]]:
    """Of each column of scores, class by class; a constant ranks nothing."""
    if all(column.constant is not None for column in summary.model.given_columns()):  # type: ignore[attr-defined]
        return
    if summary.predictions.weight is not None:
        yield from memory.rank_sums(summary.whole)
        return
    for of_classes in summary.sorted_scores():
        yield [summed_ranks(_stretches(of_units), summary.units) for of_units in of_classes]


def _stretches(keys: Sequence[Array]) -> Iterator[Stretch]:
    """Between neighbouring edges a unit has no more than its share of the rows of a stretch."""
    step = max(STRETCH // len(keys), 1)
    several = sum(map(len, keys)) > STRETCH
    edges = np.unique(np.concatenate([column[step::step] for column in keys])) if several else np.empty(0)
    ends = [np.concatenate([[0], np.searchsorted(column, edges), [len(column)]]) for column in keys]
    for place in range(len(edges) + 1):
        parts = [column[end[place] : end[place + 1]] for column, end in zip(keys, ends, strict=True)]
        scores, unit = np.concatenate(parts), np.repeat(np.arange(len(keys)), [len(part) for part in parts])
        order = np.argsort(scores, kind="stable")
        yield scores[order], unit[order], None
