"""One unit of a summary of many, for what is asked of each unit by itself."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines.memory.summary import Summary
    from referee.engines.ranked_scores import Ranking
    from referee.engines.summaries import Counts
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
        return self._summary.counts.of_unit(self.unit)

    @property
    def class_weights(self) -> Array:
        return self._summary.class_weights[self._unit]

    def ranking(self, positive: int, *, as_probability: bool = False) -> Ranking:
        return self._summary.ranking(positive, as_probability=as_probability).of_unit(self.unit)


class _UnitOfPredictions:
    """What is known of all rows, but for their number."""

    def __init__(self, predictions: Predictions, rows: int) -> None:
        self._predictions, self.rows = predictions, rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self._predictions, name)
