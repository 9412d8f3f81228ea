"""Contender: one model on one metric, as a test of rows sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import engine_of
from referee.formula import values
from referee.influence.groups import groups_of, spread_of_groups
from referee.influence.row_influences import row_changes
from referee.influence.standard_errors import pieces_of_variance, rows_that_count, spread_of_changes

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.influence.groups import Groups
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
        return (
            round(self.weighted_rows.rows_seen)
            if clusters is None
            else int(np.count_nonzero(np.bincount(clusters.codes)))
        )

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

    @property
    def weighted_rows(self) -> Predictions:
        """The rows with the weights by which `changes` are the derivative."""
        return self.predictions

    @cached_property
    def groups(self) -> Groups | None:
        """What each group holds of the rows that count, where rows come in groups."""
        grouped = self.predictions.clusters is not None
        return groups_of(self.predictions, self.summary.rows, self.metric) if grouped else None

    @cached_property
    def group_sums(self) -> Array:
        """What each group adds to the value."""
        assert self.groups is not None
        return self.groups.sums(self.changes)

    @cached_property
    def pieces(self) -> Array:
        """What the rows add to the value: the products with those of another model add up to the covariance."""
        if self.groups is not None:
            return self.groups.pieces(self.changes)
        return pieces_of_variance(self.weighted_rows, self.metric, self.changes)

    @cached_property
    def spread(self) -> Spread | None:
        if self.groups is None:
            return spread_of_changes(self.weighted_rows, self.metric, self.changes)
        return spread_of_groups(self.pieces, [self.groups]) if np.isfinite(self.changes).all() else None

    def spread_of_difference(self, other: Contender) -> Spread | None:
        """Row by row, or group by group: both models have seen the same rows."""
        if other not in self._differences:
            self._differences[other] = other._differences[self] = self._spread_against(other)
        return self._differences[other]

    def _spread_against(self, other: Contender) -> Spread | None:
        changes = self.changes - other.changes
        if self.groups is None or other.groups is None or not np.isfinite(changes).all():
            return spread_of_changes(self.weighted_rows, self.metric, changes)
        return spread_of_groups(self.pieces - other.pieces, [self.groups, other.groups])

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
        rows = [self._count(self.predictions.truth == code) for code in range(len(classes))]
        return classes[rows.index(min(rows))], min(rows)

    @cached_property
    def calls(self) -> dict[str, tuple[int, int]]:
        """Of each class whose calls carry the value: the rows called so, and how many of them rightly."""
        classes = self.predictions.classes
        if not classes or not self.metric.called_classes:
            return {}
        called = {code: self.summary.rows.labels == code for code in self._called_codes()}
        return {
            classes[code]: (self._count(rows), self._count(rows & (self.predictions.truth == code)))
            for code, rows in called.items()
        }

    def _called_codes(self) -> list[int]:
        classes, positive = self.predictions.classes, self.predictions.positive
        if positive is None or len(classes) > 2:
            return [*range(len(classes))]
        return [positive if side == 1 else 1 - positive for side in self.metric.called_classes]

    def _count(self, rows: Array) -> int:
        """How many there are: a frequency weight is so many, a row of weight 0 none, several predictions of one one."""
        predictions = self.weighted_rows
        times = 1.0 if predictions.example is None else predictions.rows / len(predictions.example)
        seen = rows if predictions.times_seen is None else predictions.times_seen[rows]
        return round(float(seen.sum()) / times)

    @cached_property
    def losses(self) -> Array | None:
        """What the rows lose, where a few of them can carry the value."""
        if self.metric.carried_by is None:
            return None
        losses = np.asarray(self.summary.rows.row_terms(self.metric, self.summary.baseline)[self.metric.carried_by])
        weight = self.predictions.weight
        return losses if weight is None else (losses * weight)[weight > 0]

    def facts_of_pair(self, other: Contender) -> dict[str, Any]:
        """What a test of the two rests on, beside its numbers: calls and hits of each, and who carries the losses."""
        facts: dict[str, Any] = {}
        if self.calls:
            facts["calls"] = {one.name: {k: list(v) for k, v in one.calls.items()} for one in (self, other)}
        if self.losses is not None and other.losses is not None:
            tails = {one.name: largest_share(one.losses) for one in (self, other) if one.losses is not None}
            facts["tails"] = {"models": tails, "difference": largest_share(np.abs(self.losses - other.losses))}
        return facts


def largest_share(losses: Array) -> float:
    """The share of a total that its largest 1 % of rows carry.

    >>> largest_share(np.array([1.0] * 99 + [101.0]))
    0.505
    """
    most = -(-len(losses) // 100)
    total = float(losses.sum())
    return float(np.partition(losses, -most)[-most:].sum()) / total if total > 0 else 0.0
