"""One piece of the rows, summarised as if it were in memory alone, with what is known of all rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import memory
from referee.engines.baseline import Baseline
from referee.engines.rows import Rows
from referee.engines.stream_survey import units_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.engines.stream_survey import Cells
    from referee.metric import Metric
    from referee.predictions import Model, Predictions, Units


@dataclass(frozen=True)
class Known:
    """Of all rows."""

    scale: float
    are_probabilities: bool
    groups: Cells | None = None
    """Rows of each group that a baseline is the mean of, where a metric needs one."""


class PieceRows(Rows):
    """Rows of a piece."""

    def __init__(self, predictions: Predictions, model: Model, known: Known) -> None:
        super().__init__(predictions, model)
        self.__dict__.update(scale=known.scale, are_probabilities=known.are_probabilities)


class PieceBaseline(Baseline):
    """The mean over all rows, not over those of the piece."""

    def __init__(self, rows: Rows, by: Units | None, known: Cells | None) -> None:
        super().__init__(rows, by)
        self.known = known

    def _classes(self) -> tuple[Array, Array]:
        assert self.known is not None
        totals = self.known.weight.astype(float)
        return totals.sum(axis=1, keepdims=True), totals

    def _numbers(self) -> tuple[Array, Array]:
        assert self.known is not None
        return self.known.weight.astype(float), self.known.total


class Piece(memory.Summary):
    """The summaries of a piece."""

    def __init__(self, predictions: Predictions, model: Model, by: Units | None, known: Known) -> None:
        model, units = model_in(predictions, model), units_in(predictions, by)
        # Rows of its own: others are kept for the next grouping, but a piece is gone by then.
        super().__init__(predictions, model, units, PieceRows(predictions, model, known))
        self.baseline = PieceBaseline(self.rows, units, known.groups)

    def parts(self) -> Iterator[slice]:
        """Blocks of rows, so that what is made of them stays in the processor's cache."""
        return (slice(start, start + memory.BLOCK) for start in range(0, self.predictions.rows, memory.BLOCK))

    def terms(self, metric: Metric, part: slice) -> dict[str, Array]:
        return self.rows.row_terms(metric, self.baseline, part)

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
