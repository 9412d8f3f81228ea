"""One piece of the rows, summarised as if it were in memory alone, with what is known of all rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import memory
from referee.engines.baseline import Baseline
from referee.engines.rows import ALL, Rows
from referee.engines.stream_survey import units_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.engines.stream_survey import Cells
    from referee.metric import Metric
    from referee.predictions import Model, Predictions, Units
    from referee.summaries import Sums


@dataclass(frozen=True)
class Known:
    """Of all rows."""

    scale: float
    are_probabilities: bool
    groups: Cells | None = None
    """Rows of each group that a baseline is the mean of, where a metric needs one."""


class PieceRows(Rows):
    """Rows whose columns are made once for all metrics."""

    def __init__(self, predictions: Predictions, model: Model, known: Known) -> None:
        super().__init__(predictions, model)
        self.__dict__.update(scale=known.scale, _are_probabilities=known.are_probabilities)
        self._part: slice | None = None
        self._columns: dict[str, Any] = {}

    def truth_columns(self, part: slice = ALL) -> Any:
        return self._once(part, "truth", lambda: super(PieceRows, self).truth_columns(part))

    def prediction_columns(self, metric: Metric, part: slice = ALL) -> Any:
        return self._once(part, metric.needs, lambda: super(PieceRows, self).prediction_columns(metric, part))

    def _once(self, part: slice, name: str, make: Any) -> Any:
        if part != self._part:
            self._part, self._columns = part, {}
        if name not in self._columns:
            self._columns[name] = make()
        return self._columns[name]


class PieceBaseline(Baseline):
    """The mean over all rows, not over those of the piece."""

    def __init__(self, rows: Rows, by: Units | None, known: Cells | None) -> None:
        super().__init__(rows, by)
        self.known = known

    @cached_property
    def _means(self) -> list[Array]:
        assert self.known is not None
        rows = self.known.weight.sum(axis=1)
        regression = self.predictions.task == "regression"
        totals = [self.known.total[:, 0]] if regression else list(self.known.weight.T)
        if self.predictions.fold is None:
            return [total / np.where(rows > 0, rows, 1) for total in totals]
        return [self._mean_of_others(rows, total) for total in totals]


class Piece(memory.Summary):
    """The summaries of a piece."""

    _large = True

    def __init__(self, predictions: Predictions, model: Model, by: Units | None, known: Known) -> None:
        # Not the parent's: it would keep the rows of every piece for the next grouping.
        self.predictions, self.weight = predictions, predictions.weight
        self.by = units_in(predictions, by)
        self.units = len(by) if by else 1
        self.rows = PieceRows(predictions, model_in(predictions, model), known)
        self.baseline = PieceBaseline(self.rows, self.by, known.groups)

    def parts(self) -> Iterator[slice]:
        """Blocks of rows; units are summed over all rows of the piece at once."""
        if self.by is not None:
            return iter([slice(0, self.predictions.rows)])
        return (slice(start, start + memory.BLOCK) for start in range(0, self.predictions.rows, memory.BLOCK))

    def exact(self, metric: Metric, part: slice) -> Sums:
        """The metric's sums over a part of the rows."""
        return self._exact(metric, part)

    @cached_property
    def cells(self) -> Array:
        """The unit and true class of each row, as one number."""
        offset: Any = self._unit_offset(len(self.predictions.classes) or 1)
        return np.broadcast_to(
            offset + (self.predictions.truth if self.predictions.classes else 0), self.predictions.rows
        )


def model_in(piece: Predictions, model: Model) -> Model:
    """What the model said of the rows of a piece."""

    def taken(column: Any) -> Any:
        return None if column is None else column.of(piece)

    return replace(
        model,
        scores=taken(model.scores),
        labels=taken(model.labels),
        values=taken(model.values),
        class_scores=model.class_scores and tuple(taken(column) for column in model.class_scores),
        quantiles=model.quantiles and {level: taken(column) for level, column in model.quantiles.items()},
    )
