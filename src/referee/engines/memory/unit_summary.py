"""One unit of a summary of many, for what is asked of each unit by itself."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.ranking import Ranking
from referee.engines.summaries import Counts

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines.memory.summary import Summary
    from referee.predictions import Predictions


class UnitSummary:
    """One of the units of a summary, as if it were alone."""

    units = 1

    def __init__(self, summary: Summary, unit: int) -> None:
        self._summary, self._unit = summary, slice(unit, unit + 1)
        self.unit, self.kept = unit, summary.kept
        self.rows = summary.rows
        self.total_weight = summary.total_weight[self._unit]
        self.predictions = _UnitOfPredictions(summary.predictions, int(self.total_weight[0]))

    @cached_property
    def counts(self) -> Counts:
        return Counts(self._summary.counts.matrix[self._unit])

    @property
    def class_weights(self) -> Array:
        return self._summary.class_weights[self._unit]

    def ranking(self, positive: int, *, as_probability: bool = False) -> Ranking:
        ranking = self._summary.ranking(positive, as_probability=as_probability)
        first, end = ranking.starts[self._unit.start : self._unit.stop + 1]
        part = slice(first, end)
        columns = (ranking.scores[part], ranking.positives[part], ranking.negatives[part])
        return Ranking(*columns, np.array([0, end - first]))


class _UnitOfPredictions:
    """What is known of all rows, but for their number."""

    def __init__(self, predictions: Predictions, rows: int) -> None:
        self._predictions, self.rows = predictions, rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self._predictions, name)
