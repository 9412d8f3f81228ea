"""Forecasts: what calibration is measured on. Distinct forecasts with how often each was made and came true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from referee.engines import engine_of
from referee.engines.row_order import steps_of_rows

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.predictions import Model, Predictions


@dataclass(frozen=True, eq=False)
class Forecasts:
    """Distinct forecasts, rising; `rows` counts weights where rows have them.

    >>> found = Forecasts(np.array([0.2, 0.7]), np.array([5, 10]), np.array([1, 7]))
    >>> found.total, found.share
    (15.0, 0.5333333333333333)
    """

    forecast: Array
    rows: Array
    came_true: Array
    squares: Array | None = None
    """The squared weights at each forecast, where a weight is not a number of rows."""

    @classmethod
    def of(cls, predictions: Predictions, model: Model) -> Forecasts:
        """A model's forecasts of the positive class."""
        assert predictions.positive is not None
        ranking = (
            engine_of(predictions).summarise(predictions, model).ranking(predictions.positive, as_probability=True)
        )
        # Counts as they are kept may be too narrow for their squares.
        positives, negatives = (
            column[::-1].astype(float if column.dtype.kind == "f" else np.int64)
            for column in (ranking.positives, ranking.negatives)
        )
        squares = None
        if predictions.weight is not None and predictions.weight_kind != "frequency":
            squares = _squared_weights(predictions, model, ranking.scores)[::-1]
        return cls(ranking.scores[::-1].astype(float), positives + negatives, positives, squares)._that_count()

    def _that_count(self) -> Forecasts:
        """Without forecasts whose rows all have weight 0."""
        counted = self.rows > 0
        if counted.all():
            return self
        squares = None if self.squares is None else self.squares[counted]
        return Forecasts(self.forecast[counted], self.rows[counted], self.came_true[counted], squares)

    @property
    def total(self) -> float:
        return float(self.rows.sum())

    @property
    def share(self) -> float:
        """How often the event came true."""
        return float(self.came_true.sum()) / self.total

    @property
    def variance(self) -> Array:
        """Of the rows at each forecast, if they come true as often as forecast: forecast times its complement."""
        return self.forecast * (1 - self.forecast)

    @property
    def noise(self) -> Array:
        """What the rows at each forecast add to the variance of a weighted sum of outcomes, per unit variance."""
        return self.rows if self.squares is None else self.squares

    def blocks(self, first: Array) -> tuple[Array, Array, Array]:
        """The rows, those that came true and the mean forecast of neighbours that are taken together."""
        rows, came_true = np.add.reduceat(self.rows, first), np.add.reduceat(self.came_true, first)
        return rows, came_true, np.add.reduceat(self.rows * self.forecast, first) / rows


def _squared_weights(predictions: Predictions, model: Model, scores: Array) -> Array:
    from referee.engines.rows import rows_of

    assert predictions.weight is not None
    of_rows = rows_of(predictions, model).score(predictions.positive, as_probability=True)
    step = steps_of_rows(of_rows, scores)
    return np.bincount(step, predictions.weight**2, len(scores))
