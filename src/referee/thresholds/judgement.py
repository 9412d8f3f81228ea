"""How thresholds are judged on rows that did not choose them, and which model is recommended at which threshold."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import inf, isfinite
from typing import TYPE_CHECKING

import numpy as np

from referee.comparing import Contender
from referee.document import number
from referee.engines import Ranking, engine_of, steps_of_rows
from referee.errors import InputError, Notice, UndefinedError, UsageError
from referee.fitting import stratified_folds
from referee.predictions import Model, Predictions, marked_rows
from referee.records import dataclass
from referee.scoring import (
    ByCell,
    given_for_class,
    given_whole,
    groups_of,
    interval,
    refuse_scales,
    row_changes,
    rows_that_count,
    sensitivities,
    uncertainty,
)
from referee.thresholds.objective import class_factors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from referee.arrays import Array
    from referee.predictions import Predictions
    from referee.scoring import Groups, Metric
    from referee.thresholds.objective import Objective
    from referee.thresholds.thresholds import Threshold, Thresholds


@dataclass(frozen=True, eq=False)
class Parts:
    chosen_on: Predictions
    judged: Predictions
    how: str
    fold: Array | None = None
    """The fold of each row, where choosing and judging take turns."""
    folds: int = 0
    notices: tuple[Notice, ...] = ()


def parts_of(predictions: Predictions, chosen_on: Predictions | tuple[str, str] | None, folds: int, seed: int) -> Parts:
    """What was asked for, or the reason why it cannot be."""
    _refuse(predictions)
    if isinstance(chosen_on, tuple):
        _refuse_elsewhere(predictions)
        rows = marked_rows(predictions, *chosen_on)
        return Parts(predictions.part(rows), predictions.part(~rows), "other_rows")
    if chosen_on is not None:
        _refuse(chosen_on)
        _refuse_others(predictions, chosen_on)
        _refuse_elsewhere(predictions)
        _refuse_elsewhere(chosen_on)
        return Parts(chosen_on, predictions, "other_rows")
    return _cross_fitted(predictions, folds, seed)


def _cross_fitted(predictions: Predictions, folds: int, seed: int) -> Parts:
    if folds < 0 or folds == 1:
        raise UsageError(
            "E_PARAMETER",
            f"folds={folds}: use at least 2, or 0 to evaluate on the rows that the threshold is chosen on",
        )
    if folds == 0:
        alone = "" if predictions.has_rows else "; intervals need the rows in memory"
        return Parts(predictions, predictions, "same_rows", notices=(_same_rows(f"as requested{alone}"),))
    _refuse_elsewhere(predictions)
    predictions = predictions.with_rows_that_count().in_canonical_order()
    fold = stratified_folds(predictions, folds, seed)
    if fold is None:
        return Parts(predictions, predictions, "same_rows", notices=(_same_rows("a class is too rare for two folds"),))
    made = int(fold.max()) + 1
    fewer = Notice("W_FOLDS", f"{made} folds instead of {folds}: no more can have a row of each class")
    return Parts(predictions, predictions, "cross_fitted", fold, made, (fewer,) if made < folds else ())


def _refuse_elsewhere(predictions: Predictions) -> None:
    if not predictions.has_rows:
        raise UsageError(
            "E_CROSSFIT",
            "evaluating on rows that the threshold was not chosen on needs the rows in memory",
            hint="--folds 0 evaluates on the rows that the threshold is chosen on; --max-memory allows more",
        )


def _same_rows(why: str) -> Notice:
    what = "the values come from the rows that the thresholds were chosen on, so they are optimistic"
    return Notice("W_SAMEROWS", f"{what} ({why})")


def _refuse(predictions: Predictions) -> None:
    """Stop where there is no threshold to choose."""
    if not predictions.classes:
        raise UndefinedError(
            "E_CONTINUOUS", f"column {predictions.truth_column!r} holds numbers: thresholds are for classes"
        )
    if predictions.positive is None:
        raise UsageError(
            "E_POSITIVE",
            f"column {predictions.truth_column!r} has {len(predictions.classes)} classes, and a threshold is for two",
            hint="--positive LABEL takes one class (or several: A,B) against the rest",
        )
    for model in predictions.models:
        if model.scores is None and model.class_scores is None:
            raise InputError(
                "E_NOSCORE", f"{model.place}: a threshold needs scores, and the model gives decisions only"
            )
        refuse_scales(predictions, model)


def _refuse_others(judged: Predictions, chosen_on: Predictions) -> None:
    if set(judged.names) != set(chosen_on.names) or judged.classes != chosen_on.classes:
        raise UsageError("E_PARTS", "the rows to choose on have other models or classes than those to evaluate on")


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
        (slope,) = sensitivities(metric, given)
        assert isinstance(slope, ByCell)
        factors = self.class_factor[[1 - positive, positive]] if of_class else self.class_factor
        one_decision = float((np.ptp(slope.change, axis=1) * factors).max()) * self.weighted_rows.row_weight
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
    totals, rows = (np.bincount(truth, amount, len(predictions.classes)) for amount in (weight * changes, weight))
    means = np.divide(totals, rows, out=np.zeros(len(rows)), where=rows > 0)
    return np.asarray(changes - means[truth])


def decided(
    predictions: Predictions, called_positive: Mapping[str, Array], metric: Metric, prevalence: float | None
) -> dict[str, Decided]:
    """The same rows with decisions instead of scores, weighted so that positives have the given share."""
    positive = predictions.positive
    assert positive is not None
    models = tuple(
        Model(name, labels=np.where(calls, positive, 1 - positive)) for name, calls in called_positive.items()
    )
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
    rankings = []
    for part in range(int(fold.max()) + 1):
        inside = fold == part
        left = [
            np.asarray(all_rows, float) - _by_step(step, weight, inside & of_class, len(ranking.scores))
            for all_rows, of_class in zip(every, (is_positive, ~is_positive), strict=True)
        ]
        # What was subtracted in weights may leave the rounding of 0.
        kept = left[0] + left[1] > 1e-12 * (np.asarray(every[0], float) + every[1])
        positives, negatives = (np.where(rows > 0, rows, 0)[kept] for rows in left)
        rankings.append(Ranking(ranking.scores[kept], positives, negatives, np.array([0, int(kept.sum())])))
    return rankings


def _by_step(step: Array, weight: Array | None, rows: Array, steps: int) -> Array:
    return np.bincount(step[rows], None if weight is None else weight[rows], steps)


def values_as_given(judged: Predictions, models: Iterable[str], objective: Objective) -> dict[str, float | None]:
    """What each model is worth on the judged rows at the threshold that was given, such as 0.5."""
    positive = judged.positive
    assert positive is not None
    rows = {name: engine_of(judged).summarise(judged, judged.model(name)).rows for name in models}
    called = {name: each.score(positive) >= judged.threshold for name, each in rows.items()}
    known = decided(judged, called, objective.metric, objective.prevalence)
    values = {name: float(contender.value) for name, contender in known.items()}
    return {name: value if isfinite(value) else None for name, value in values.items()}


def recommended(thresholds: Thresholds) -> Threshold | None:
    """The model with the best value on rows that its threshold was not chosen on; none where no threshold will do."""
    known = [chosen for chosen in thresholds.chosen if chosen.reached and chosen.value is not None]
    sign = 1 if thresholds.objective.better == "higher" else -1
    return max(known, key=lambda chosen: sign * (chosen.value or 0.0), default=None)


def recommendation(thresholds: Thresholds) -> str:
    """In a sentence, without its full stop; nothing where no threshold will do."""
    chosen = recommended(thresholds)
    if chosen is None:
        return ""
    return f"{_use(chosen)}: {_worth(thresholds, chosen)}" if _gains(thresholds, chosen) else _keep(thresholds, chosen)


def _gains(thresholds: Thresholds, chosen: Threshold) -> bool:
    """Whether the chosen threshold is at least as good as the given one, on rows that it was not chosen on."""
    if chosen.value is None or chosen.value_as_given is None or thresholds.objective.limits:
        return True
    gain = chosen.value - chosen.value_as_given
    return gain >= 0 if thresholds.objective.better == "higher" else gain <= 0


def _keep(thresholds: Thresholds, chosen: Threshold) -> str:
    """A choice that does worse on other rows than the threshold that was given is not recommended."""
    metric, given = thresholds.objective.metric, thresholds.predictions.threshold
    values = f"{number(chosen.value_as_given)} vs {number(chosen.value)}"
    what = f"{metric.shown_name} {values}"
    return f"Keep {chosen.model} at {given:g}: {what} on other rows at the threshold chosen for it"


def _use(chosen: Threshold) -> str:
    if chosen.threshold == inf:
        return f"Use {chosen.model} to call no row positive"
    if chosen.threshold == -inf:
        return f"Use {chosen.model} to call every row positive"
    return f"Use {chosen.model} at {number(chosen.threshold)}"


def _worth(thresholds: Thresholds, chosen: Threshold) -> str:
    """The value; of costs, which have a zero, how much less that is."""
    metric, at = thresholds.objective.metric, f"at {thresholds.predictions.threshold:g}"
    value, given = chosen.value, chosen.value_as_given
    costs = metric.name == "expected_cost"
    said = f"costs {number(value)} a row" if costs else f"{metric.shown_name} {number(value)}"
    if given is None or value is None:
        return said
    if not costs:
        return f"{said} vs {number(given)} {at}"
    if number(value) == number(given) or not given:
        return f"{said}, as {at}" if number(value) == number(given) else f"{said} vs {number(given)} {at}"
    return f"{said}, {100 * abs(value - given) / given:.0f}% {'less' if value < given else 'more'} than {at}"
