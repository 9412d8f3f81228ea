"""Score: one value of one metric; ScoreTable: all those of one model."""

from __future__ import annotations

from contextlib import suppress
from functools import cache, cached_property, partial
from math import isfinite, isinf
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import engine_of, known_as
from referee.records import dataclass
from referee.scoring.applicability import why_not
from referee.scoring.counted_changes import changes_of_tables
from referee.scoring.errors_in_place import units_with_errors
from referee.scoring.fold_scales import folds_of, why_not_pooled
from referee.scoring.formula import class_values, values
from referee.scoring.metric import AVERAGES
from referee.scoring.standard_errors import uncertainties_of_units, uncertainty
from referee.scoring.taped_steps import UnitByUnitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from referee.arrays import Array
    from referee.predictions import Facts, Model, Predictions, Units
    from referee.scoring.formula import Summary
    from referee.scoring.metric import Metric
    from referee.scoring.standard_errors import Uncertainty

MOST_ROWS = 2**62
"""Rows up to so many are whole numbers of 64 bits."""


@dataclass(frozen=True)
class Score:
    """One value of one metric; `class_`, `slice` and `unit` are None for the value on all rows.

    >>> from referee import evaluate
    >>> score = evaluate([0, 1] * 50, [0.2, 0.9, 0.6, 0.7] * 25, metrics="accuracy")["model", "accuracy"]
    >>> score.value, round(score.low, 2), round(score.high, 2)
    (0.75, 0.65, 0.83)
    """

    model: str
    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    class_: str | None = None
    slice: str | None = None
    unit: str | None = None
    threshold: float | None = None
    undefined: str | None = None
    interval: str | None = None
    """What kind of interval `low` and `high` are the ends of."""
    pieces: int | None = None
    """How many independent pieces rows in time hold, as this value sees them; None for other rows."""

    @property
    def overall(self) -> bool:
        return self.class_ is None and self.slice is None and self.unit is None

    def to_dict(self) -> dict[str, Any]:
        content = {key.rstrip("_"): value for key, value in vars(self).items()}
        if self.pieces is None:
            del content["pieces"]
        return content


@dataclass(frozen=True)
class ScoreTable:
    """The scores of one model: every metric, overall, per class and per unit."""

    predictions: Predictions
    model: Model
    metrics: Sequence[Metric]
    facts: Facts
    alpha: float = 0.05
    errors_of_units: bool = True
    """Whether folds and slices have standard errors of their own, which take a look at each one's rows."""
    in_full: Sequence[Metric] | None = None
    """The metrics that have standard errors and values of each class, if not all."""

    @cached_property
    def summary(self) -> Summary:
        return self._summary_of(None)

    def _prepared(self, summary: Summary) -> Summary:
        """A summary that is told what will be asked can make it all at once."""
        if prepare := getattr(summary, "prepare", None):
            prepare(self.applicable)
        return summary

    @property
    def confusion(self) -> Array:
        """The confusion matrix in the weights as they were given, as long as these are numbers; rows as whole ones."""
        matrix = self.summary.counts.matrix[0]
        with np.errstate(over="ignore"):
            given = matrix / self.predictions.weight_scale if self.predictions.weight_scale != 1 else matrix
        if not np.isfinite(given).all():
            return matrix
        counts_rows = self.predictions.weight is None or self.predictions.weight_kind == "frequency"
        whole = counts_rows and given.max() < MOST_ROWS and bool((given == np.floor(given)).all())
        return given.astype(np.int64) if whole else given

    def all_rows(
        self, groupings: dict[str, Units | None], *, averages: bool, of_classes: bool = True
    ) -> Iterator[Score]:
        yield from self.overall()
        if self.predictions.classes and of_classes:
            yield from self.by_class(averages=averages)
        for kind, units in groupings.items():
            if units is not None:
                yield from self.by_unit(units, kind)

    def overall(self) -> Iterator[Score]:
        for metric in self.metrics:
            if reason := why_not(metric, self.model, self.facts):
                yield Score(self.model.name, metric.full_name, None, undefined=f"not applicable: {reason}")
            else:
                yield self._pooled(metric, partial(self._value, metric), self.summary)

    def _value(self, metric: Metric) -> float:
        return float(self.values(metric, self.summary)[0])

    def _pooled(self, metric: Metric, value: Callable[[], float], *summary_and_code: Any, **place: Any) -> Score:
        """Of rows of all folds; ranks among them may mean nothing."""
        if metric.pools_ranks and (reason := self._why_not_pooled):
            return Score(self.model.name, metric.full_name, None, undefined=reason, **place)
        return self.score(metric, value(), *summary_and_code, **place)

    @cached_property
    def _why_not_pooled(self) -> str | None:
        return None if self.predictions.fold is None else why_not_pooled(self.predictions, self.model, self._by_fold)

    @cached_property
    def _by_fold(self) -> Any:
        return self._summary_of(folds_of(self.predictions))

    def _summary_of(self, units: Units | None) -> Any:
        return self._prepared(engine_of(self.predictions).summarise(self.predictions, self.model, units))

    def by_class(self, *, averages: bool) -> Iterator[Score]:
        """Each class against the rest, and in a table of all metrics the averages over the classes."""
        for metric in self.applicable:
            if not metric.per_class or "average" in metric.settings or not self._is_in_full(metric):
                continue
            for code, name in enumerate(self.predictions.classes):
                value = partial(self._value_of_class, metric, code)
                yield self._pooled(metric, value, self.summary, code, class_=name)
            for average in AVERAGES if averages and "sums" not in metric.summaries else ():
                averaged = metric.bind(average=average)
                yield self._pooled(averaged, partial(self._value, averaged), self.summary)

    def _value_of_class(self, metric: Metric, code: int) -> float:
        return float(class_values(metric, self.summary, code)[0])

    def by_unit(self, units: Units, kind: str) -> Iterator[Score]:
        summary = self._by_fold if kind == "unit" else self._summary_of(units)
        alone = cache(lambda: units_with_errors(self.predictions, self.model, units, self.metrics))
        for metric in self.applicable:
            if kind == "slice" and metric.pools_ranks and self._why_not_pooled:
                yield from (self._pooled(metric, partial(float, "nan"), slice=name) for name in units.names)
                continue
            each = self._values_of_units(metric, summary, alone)
            known = self._of_units(summary, metric, each, alone)
            threshold = self._threshold(metric)
            for name, value, of_unit in zip(units.names, each.tolist(), known, strict=True):
                yield self._score(metric, value, of_unit, {kind: name}, threshold)
            if kind == "unit":
                yield self.score(metric, each.mean(), unit="mean")

    def _values_of_units(self, metric: Metric, summary: Summary, alone: Callable[[], list[Summary | None]]) -> Array:
        """Of rankings in a database those that were asked for with their errors, so that no steps are fetched."""
        if engine_of(self.predictions).ANSWERS and "ranking" in metric.summaries and all(alone()):
            return np.concatenate([self.values(metric, of_unit) for of_unit in alone()])
        return self.values(metric, summary)

    def _of_units(
        self, summary: Any, metric: Metric, each: Array, alone: Callable[[], list[Summary | None]]
    ) -> list[Uncertainty | None]:
        """All units at once where a formula can be run for all, else each by itself."""
        if not self.errors_of_units:
            return [None] * len(each)
        predictions = self.predictions
        in_memory = predictions.has_rows and not predictions.has_seeds
        if in_memory and (predictions.scored is None or predictions.has_equal_rows):
            with suppress(UnitByUnitError), metric.answerable():
                return uncertainties_of_units(summary, metric, each, self.alpha, alone)
        return [
            None if of_unit is None or not np.isfinite(value) else self._known(of_unit, metric, float(value), None)
            for of_unit, value in zip(alone(), each, strict=True)
        ]

    @property
    def applicable(self) -> list[Metric]:
        return [metric for metric in self.metrics if not why_not(metric, self.model, self.facts)]

    def values(self, metric: Metric, summary: Any) -> Array:
        if metric.built_in and metric.summaries == ("counts",) and self.predictions.has_rows:
            changes_of_tables(summary, metric)  # whose run gives the values of all classes, too
        return values(metric, summary, len(self.predictions.classes), self.predictions.positive)

    def _is_in_full(self, metric: Metric) -> bool:
        return self.in_full is None or metric in self.in_full

    def score(
        self, metric: Metric, value: float, summary: Summary | None = None, code: int | None = None, **place: Any
    ) -> Score:
        """A value with its uncertainty; `summary` is of the rows that it is the value of, if that is to be known."""
        value = float(value)
        is_known = summary is not None and isfinite(value) and self._is_in_full(metric)
        known = self._known(summary, metric, value, code) if is_known else None
        return self._score(metric, value, known, place, self._threshold(metric))

    def _threshold(self, metric: Metric) -> float | None:
        by_threshold = metric.depends_on_threshold and self.predictions.decides_by_threshold(self.model)
        return self.predictions.threshold if by_threshold else None

    def _score(
        self, metric: Metric, value: float, known: Uncertainty | None, place: dict[str, Any], threshold: float | None
    ) -> Score:
        undefined = _why_undefined(metric, value, place)
        low, high, error, interval, pieces = (None, None, None, None, None) if known is None else known
        return Score(
            model=self.model.name,
            metric=metric.full_name,
            value=None if undefined else value,
            low=low,
            high=high,
            standard_error=error,
            threshold=threshold,
            undefined=undefined,
            interval=interval,
            pieces=pieces,
            **place,
        )

    def _known(self, summary: Any, metric: Metric, value: float, code: int | None) -> Uncertainty | None:
        with metric.answerable():
            return self._uncertainty(summary, metric, value, code)

    def _uncertainty(self, summary: Summary, metric: Metric, value: float, code: int | None) -> Uncertainty | None:
        """Made once for the positive class, whose value is the metric's own."""
        if code is None and metric.of_one_class:
            code = self.predictions.positive
        key = ("uncertainty", known_as(metric, code), self.alpha) if code is not None else None
        kept: dict[object, Uncertainty | None] = getattr(summary, "kept", {})
        if key is None or key not in kept:
            spread = uncertainty(summary, metric, value, code, self.alpha)
            kept |= {} if key is None else {key: spread}
            return spread
        return kept[key]


def _why_undefined(metric: Metric, value: float, place: dict[str, Any]) -> str | None:
    if isfinite(value):
        return None
    if isinf(value):
        return "infinite"
    return (metric.undefined_when or "not a number") + (" in at least one" if place.get("unit") == "mean" else "")
