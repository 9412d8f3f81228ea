"""What decisions are worth: the metric on the rows that a threshold was not chosen on, and two models compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.contender import Contender
from referee.influence.intervals import interval
from referee.influence.row_influences import row_changes
from referee.predictions import Model
from referee.thresholds.objective import class_factors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.arrays import Array
    from referee.predictions import Predictions


@dataclass(frozen=True, eq=False)
class Decided(Contender):
    """A model's decisions on one metric; the shares of the classes are certain where they were given."""

    shares_given: bool = False

    @cached_property
    def changes(self) -> Array:
        changes = row_changes(self.summary, self.metric)
        return _within_classes(changes, self.predictions) if self.shares_given else changes

    def uncertainty(self, alpha: float) -> dict[str, float | None]:
        """The value with its interval; nothing where there is none."""
        known = {"value": self.value if np.isfinite(self.value) else None}
        unknown: dict[str, Any] = {"value_low": None, "value_high": None, "standard_error": None}
        with np.errstate(all="ignore"):
            spread = self.spread if known["value"] is not None else None
        if spread is None or not np.isfinite(spread.variance):
            return known | unknown
        low, high = interval(self.value, spread, self.metric.range, alpha, self.rows_that_count)
        return {**known, "value_low": low, "value_high": high, "standard_error": spread.standard_error}


def _within_classes(changes: Array, predictions: Predictions) -> Array:
    """Less the mean of the row's class: how many rows of a class there are does not matter any more."""
    truth = predictions.truth
    weight = np.ones(len(truth)) if predictions.weight is None else predictions.weight
    totals, rows = (np.bincount(truth, one, len(predictions.classes)) for one in (weight * changes, weight))
    means = np.divide(totals, rows, out=np.zeros(len(rows)), where=rows > 0)
    return np.asarray(changes - means[truth])


def decided(predictions: Predictions, called_positive: Mapping[str, Array], prevalence: float | None) -> Predictions:
    """The same rows with decisions instead of scores, weighted so that positives have the given share."""
    positive = predictions.positive
    assert positive is not None
    models = tuple(Model(name, labels=np.where(one, positive, 1 - positive)) for name, one in called_positive.items())
    return replace(predictions, models=models, weight=_weights(predictions, prevalence))


def _weights(predictions: Predictions, prevalence: float | None) -> Array | None:
    if prevalence is None:
        return predictions.weight
    is_positive = predictions.truth == predictions.positive
    weight = np.ones(predictions.rows) if predictions.weight is None else predictions.weight
    of_positive, of_negative = class_factors(weight[is_positive].sum(), weight[~is_positive].sum(), prevalence)
    return np.asarray(weight * np.where(is_positive, of_positive, of_negative))
