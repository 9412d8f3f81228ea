"""What decisions are worth: the metric on the rows that a threshold was not chosen on, and two models compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from referee.comparing import Contender
from referee.engines import Ranking, steps_of_rows
from referee.predictions import Model
from referee.scoring import (
    ByCell,
    given_for_class,
    given_whole,
    groups_of,
    interval,
    row_changes,
    rows_that_count,
    sensitivities,
    uncertainty,
)
from referee.thresholds.objective import class_factors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.predictions import Predictions
    from referee.scoring import Groups, Metric


@dataclass(frozen=True, eq=False)
class Decided(Contender):
    """A model's decisions on one metric; the shares of the classes are certain where they were given."""

    class_factor: Array | None = None
    """What the rows of each class count beside their weight, where the share of positives was given."""

    @property
    def has_equal_rows(self) -> bool:
        return self.class_factor is None and super().has_equal_rows

    @cached_property
    def changes(self) -> Array:
        """By the row's own weight."""
        changes = row_changes(self.summary, self.metric)
        if self.class_factor is None:
            return changes
        return _within_classes(changes, self.predictions) * self.class_factor[self.predictions.truth]

    @cached_property
    def weighted_rows(self) -> Predictions:
        """With the weights that they came with: how often a row was seen has nothing to do with its class."""
        weight = self.predictions.weight
        if self.class_factor is None or weight is None:
            return self.predictions
        own = weight / self.class_factor[self.predictions.truth]
        return replace(self.predictions, weight=own.round(9) if self.predictions.weight_kind == "frequency" else own)

    @cached_property
    def groups(self) -> Groups | None:
        shares_given = self.class_factor is not None
        return groups_of(self.weighted_rows, self.summary.rows, self.metric, shares_given=shares_given)

    @cached_property
    def rows_that_count(self) -> float:
        """Rows that were seen, whatever their class counts."""
        if self.class_factor is None:
            return rows_that_count(self.summary, self.metric, None)
        positive, metric = self.predictions.positive, self.metric
        assert positive is not None
        of_class = metric.per_class
        given = (
            given_for_class(metric, self.summary, positive)
            if of_class
            else given_whole(metric, self.summary, 2, positive)
        )
        (found,) = sensitivities(metric, given)
        assert isinstance(found, ByCell)
        factors = self.class_factor[[1 - positive, positive]] if of_class else self.class_factor
        one_decision = float((np.ptp(found.change, axis=1) * factors).max()) * self.weighted_rows.row_weight
        rows = 1 / one_decision if one_decision > 0 else np.nan
        return rows if self.groups is None else min(rows, float(self.groups.reach.groups))

    def uncertainty(self, alpha: float) -> dict[str, float | None]:
        """The value with its interval; nothing where there is none."""
        if not np.isfinite(self.value):
            return {"value": None, "value_low": None, "value_high": None, "standard_error": None}
        low, high, error = self._interval(alpha) or (None, None, None)
        return {"value": self.value, "value_low": low, "value_high": high, "standard_error": error}

    def _interval(self, alpha: float) -> tuple[float, float, float] | None:
        if self.class_factor is None:
            known = uncertainty(self.summary, self.metric, self.value, None, alpha)
            return None if known is None else known[:3]
        with np.errstate(all="ignore"):
            spread = self.spread
        if spread is None or not np.isfinite(spread.variance):
            return None
        low, high = interval(self.value, spread, self.metric.range, alpha, self.rows_that_count)
        return low, high, spread.standard_error


def _within_classes(changes: Array, predictions: Predictions) -> Array:
    """Less the mean of the row's class: how many rows of a class there are does not matter any more."""
    truth = predictions.truth
    weight = np.ones(len(truth)) if predictions.weight is None else predictions.weight
    totals, rows = (np.bincount(truth, one, len(predictions.classes)) for one in (weight * changes, weight))
    means = np.divide(totals, rows, out=np.zeros(len(rows)), where=rows > 0)
    return np.asarray(changes - means[truth])


def decided(
    predictions: Predictions, called_positive: Mapping[str, Array], metric: Metric, prevalence: float | None
) -> dict[str, Decided]:
    """The same rows with decisions instead of scores, weighted so that positives have the given share."""
    positive = predictions.positive
    assert positive is not None
    models = tuple(Model(name, labels=np.where(one, positive, 1 - positive)) for name, one in called_positive.items())
    factor = _class_factor(predictions, prevalence)
    own = 1.0 if predictions.weight is None else predictions.weight
    weight = predictions.weight if factor is None else own * factor[predictions.truth]
    rows = replace(predictions, models=models, weight=weight)
    return {model.name: Decided(rows, model, metric, class_factor=factor) for model in models}


def _class_factor(predictions: Predictions, prevalence: float | None) -> Array | None:
    """What the rows of each class count, so that positives have a given share."""
    if prevalence is None:
        return None
    rows = np.bincount(predictions.truth, predictions.weight, 2).astype(float)
    positive = predictions.positive or 0
    factors = class_factors(rows[positive], rows[1 - positive], prevalence)
    return np.array(factors if positive == 0 else factors[::-1])


def training_rankings(
    scores: Array, ranking: Ranking, is_positive: Array, weight: Array | None, fold: Array
) -> Sequence[Ranking]:
    """The ranking of all rows without those of each fold; nothing is sorted again."""
    # A row without weight may have a score that is no step.
    step = steps_of_rows(scores, ranking.scores).clip(0, len(ranking.scores) - 1)
    every = ranking.positives, ranking.negatives
    found = []
    for number in range(int(fold.max()) + 1):
        inside = fold == number
        left = [
            np.asarray(all_rows, float) - _by_step(step, weight, inside & of_class, len(ranking.scores))
            for all_rows, of_class in zip(every, (is_positive, ~is_positive), strict=True)
        ]
        # What was subtracted in weights may leave the rounding of 0.
        kept = left[0] + left[1] > 1e-12 * (np.asarray(every[0], float) + every[1])
        positives, negatives = (np.where(one > 0, one, 0)[kept] for one in left)
        found.append(Ranking(ranking.scores[kept], positives, negatives, np.array([0, int(kept.sum())])))
    return found


def decisions(scores: Array, fold: Array, thresholds: Sequence[float]) -> Array:
    """Whether each row reaches the threshold of its fold."""
    return np.asarray(scores >= np.asarray(thresholds, float)[fold])


def _by_step(step: Array, weight: Array | None, rows: Array, steps: int) -> Array:
    return np.bincount(step[rows], None if weight is None else weight[rows], steps)
