"""Contender: one model on one metric, as a test of rows sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import engine_of
from referee.formula import values
from referee.influence.row_influences import row_changes
from referee.influence.standard_errors import pieces_of_variance, rows_that_count, spread_of_changes

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.influence.intervals import Spread
    from referee.metric import Metric
    from referee.predictions import Model, Predictions


@dataclass(frozen=True, eq=False)
class Contender:
    """The value of a metric for one model, and what each row adds to it; made when asked for, once.

    >>> from referee import Predictions, metrics
    >>> predictions = Predictions.from_arrays([1, 0, 1], {"m": [0.9, 0.2, 0.4]})
    >>> Contender(predictions, predictions.models[0], metrics["accuracy"]).value
    0.6666666666666666
    """

    predictions: Predictions
    model: Model
    metric: Metric
    _differences: dict[Contender, Spread | None] = field(default_factory=dict, init=False, repr=False)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def units(self) -> int:
        """How many independent pieces the rows are: the rows, or the groups that they come in."""
        clusters = self.predictions.clusters
        return round(self._rows.rows_seen) if clusters is None else len(clusters)

    @property
    def _rows(self) -> Predictions:
        """The rows with the weights that they came with."""
        return self.predictions

    @cached_property
    def summary(self) -> Any:
        return engine_of(self.predictions).summarise(self.predictions, self.model)

    @cached_property
    def value(self) -> float:
        """Nan where the metric is undefined."""
        return float(values(self.metric, self.summary, len(self.predictions.classes), self.predictions.positive)[0])

    @cached_property
    def changes(self) -> Array:
        """The derivative of the value by each row's weight."""
        with self.metric.answerable():
            return row_changes(self.summary, self.metric)

    @cached_property
    def correct(self) -> Array:
        """Whether each row's class was decided rightly."""
        return np.asarray(self.summary.rows.labels == self.predictions.truth)

    @cached_property
    def pieces(self) -> Array:
        """What the rows add to the value: the products with those of another model add up to the covariance."""
        return pieces_of_variance(self._rows, self.metric, self.changes)

    @cached_property
    def spread(self) -> Spread | None:
        return spread_of_changes(self._rows, self.metric, self.changes)

    def spread_of_difference(self, other: Contender) -> Spread | None:
        """Row by row: both models have seen the same rows."""
        if other not in self._differences:
            found = spread_of_changes(self._rows, self.metric, self.changes - other.changes)
            self._differences[other] = other._differences[self] = found
        return self._differences[other]

    @cached_property
    def rows_that_count(self) -> float:
        """How many rows could have shown a difference that none has shown."""
        return rows_that_count(self.summary, self.metric, None)

    @cached_property
    def rarer_class(self) -> tuple[str, int] | None:
        """The class with the fewest rows, and how many these are."""
        classes = self.predictions.classes
        if not classes:
            return None
        rows = self._rows.rows_of_classes
        return classes[int(rows.argmin())], int(rows.min())
