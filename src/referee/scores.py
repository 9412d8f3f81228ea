"""Scores: every metric of every model, overall and for each class, slice and fold; `evaluate` makes them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.applicability import chosen_metrics, refuse_unless_applicable, why_not
from referee.cautions import cautions
from referee.engines import engine_of
from referee.errors import Notice, UndefinedError, UsageError, did_you_mean
from referee.facts import Facts
from referee.formula import class_values, formula_on_counts, values
from referee.guessing import guess
from referee.influence.standard_errors import uncertainty
from referee.metric import AVERAGES, Metric
from referee.metric import metrics as catalogue
from referee.predictions import Model, Predictions, Units

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.formula import Summary


@dataclass(frozen=True)
class Score:
    """One value of one metric; `class_`, `slice` and `unit` are None for the value on all rows."""

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

    @property
    def overall(self) -> bool:
        return self.class_ is None and self.slice is None and self.unit is None

    def to_dict(self) -> dict[str, Any]:
        return {key.rstrip("_"): value for key, value in vars(self).items()}


@dataclass(frozen=True)
class Scores:
    """Tidy rows of scores, the same for guessing, and the predictions they came from.

    >>> scores = evaluate(Predictions.from_arrays([0, 1, 1], {"a": [0.1, 0.8, 0.4]}), metrics=["accuracy"])
    >>> scores["a", "accuracy"].value
    0.6666666666666666
    """

    predictions: Predictions
    metrics: tuple[Metric, ...]
    rows: tuple[Score, ...]
    baseline: tuple[Score, ...]
    confusion: dict[str, Array]
    notices: tuple[Notice, ...] = ()

    def __iter__(self) -> Iterator[Score]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: tuple[str, str | Metric]) -> Score:
        """The overall score of (model, metric)."""
        model, metric = key
        name = metric.full_name if isinstance(metric, Metric) else metric
        if all(name != row.metric for row in self.rows):
            name = catalogue[name].full_name
        for row in self.rows:
            if (row.model, row.metric) == (model, name) and row.overall:
                return row
        raise KeyError(key)

    def to_dict(self) -> dict[str, Any]:
        """The parts of the contract's JSON that scores give."""
        predictions, classes = self.predictions, list(self.predictions.classes)
        return {
            "rows": predictions.rows,
            "task": predictions.task,
            "positive": None if predictions.positive is None else classes[predictions.positive],
            "fingerprint": predictions.fingerprint,
            "scores": [row.to_dict() for row in self.rows],
            "baseline": [row.to_dict() for row in self.baseline],
            "confusion": [
                {"model": name, "classes": classes, "counts": matrix.tolist()}
                for name, matrix in self.confusion.items()
            ],
            "warnings": [vars(notice) for notice in self.notices],
        }


def evaluate(
    predictions: Predictions,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    by: str | Sequence[str] = (),
    *,
    alpha: float = 0.05,
) -> Scores:
    """Score every model on the metrics given, or on all that apply, overall and by slice and fold.

    Each score has its standard error and its 1 - alpha interval.

    >>> predictions = Predictions.from_arrays([1, 0, 1, 0], {"a": [0.9, 0.2, 0.6, 0.7]})
    >>> round(evaluate(predictions, ["brier"])["a", "brier"].value, 4)
    0.175
    """
    chosen = chosen_metrics(predictions, metrics)
    engine = engine_of(predictions)
    facts = {model.name: engine.facts(predictions, model) for model in predictions.models}
    if metrics is not None:
        for model in predictions.models:
            for metric in chosen:
                refuse_unless_applicable(metric, model, facts[model.name])
    groupings = {"slice": _slices(predictions, [by] if isinstance(by, str) else by), "unit": _folds(predictions)}
    tables = [_Table(predictions, model, chosen, facts[model.name], alpha) for model in predictions.models]
    class_weights = None if predictions.task == "regression" else tables[0].summary.class_weights[0]
    guessing = _Table(predictions, guess(predictions, class_weights), chosen, Facts(predictions.rows), alpha)
    scores = Scores(
        predictions,
        chosen,
        rows=tuple(row for table in tables for row in table.all_rows(groupings, averages=metrics is None)),
        baseline=tuple(guessing.overall()),
        confusion={} if class_weights is None else {t.model.name: t.confusion for t in tables},
    )
    if metrics is not None:
        _refuse_if_all_undefined(scores, class_weights)
    return replace(scores, notices=(*predictions.notices, *cautions(scores, class_weights, facts)))


def score_arrays(metric: Metric, truth: Any, prediction: Any, weight: Any, **options: Any) -> float:
    """Score one model given as arrays."""
    predictions = Predictions.from_arrays(truth, {"prediction": prediction}, weight=weight, metric=metric, **options)
    (model,) = predictions.models
    chosen_metrics(predictions, [metric])
    facts = engine_of(predictions).facts(predictions, model)
    refuse_unless_applicable(metric, model, facts)
    table = _Table(predictions, model, [metric], facts)
    value = float(table.values(metric, table.summary)[0])
    if np.isnan(value):
        reason = metric.undefined_when or "not a number"
        warnings.warn(f"{metric.full_name} is undefined: {reason}", RuntimeWarning, stacklevel=3)
    return value


def score_counts(metric: Metric, matrix: Any, positive: int) -> float:
    """Score a confusion matrix."""
    if metric.summaries != ("counts",):
        raise UsageError("E_NOTCOUNTS", f"{metric.name} is not a function of the confusion matrix")
    return formula_on_counts(metric, matrix, positive)


@dataclass(frozen=True)
class _Table:
    """The scores of one model: every metric, overall, per class and per unit."""

    predictions: Predictions
    model: Model
    metrics: Sequence[Metric]
    facts: Facts
    alpha: float = 0.05

    @cached_property
    def summary(self) -> Summary:
        return self._prepared(engine_of(self.predictions).summarise(self.predictions, self.model))

    def _prepared(self, summary: Summary) -> Summary:
        """A summary that is told what will be asked can make it all at once."""
        if prepare := getattr(summary, "prepare", None):
            prepare(self.applicable)
        return summary

    @property
    def confusion(self) -> Array:
        """The confusion matrix in the weights as they were given, as long as these are numbers."""
        matrix = self.summary.counts.matrix[0]
        with np.errstate(over="ignore"):
            given = matrix / self.predictions.weight_scale if self.predictions.weight_scale != 1 else matrix
        return given if np.isfinite(given).all() else matrix

    def all_rows(self, groupings: dict[str, Units | None], *, averages: bool) -> Iterator[Score]:
        yield from self.overall()
        if self.predictions.task != "regression":
            yield from self.by_class(averages=averages)
        for kind, units in groupings.items():
            if units is not None:
                yield from self.by_unit(units, kind)

    def overall(self) -> Iterator[Score]:
        for metric in self.metrics:
            if reason := why_not(metric, self.model, self.facts):
                yield Score(self.model.name, metric.full_name, None, undefined=f"not applicable: {reason}")
            else:
                yield self.score(metric, self.values(metric, self.summary)[0], self.summary)

    def by_class(self, *, averages: bool) -> Iterator[Score]:
        """Each class against the rest, and in a table of all metrics the averages over the classes."""
        for metric in self.applicable:
            if not metric.per_class or "average" in metric.settings:
                continue
            for code, name in enumerate(self.predictions.classes):
                yield self.score(metric, class_values(metric, self.summary, code)[0], self.summary, code, class_=name)
            for average in AVERAGES if averages and "sums" not in metric.summaries else ():
                averaged = metric.bind(average=average)
                yield self.score(averaged, self.values(averaged, self.summary)[0], self.summary)

    def by_unit(self, units: Units, kind: str) -> Iterator[Score]:
        engine = engine_of(self.predictions)
        summary = self._prepared(engine.summarise(self.predictions, self.model, units))
        alone = list(engine.units_alone(self.predictions, self.model, units))
        for metric in self.applicable:
            each = self.values(metric, summary)
            for name, value, of_unit in zip(units.names, each, alone, strict=True):
                place: dict[str, Any] = {kind: name}
                yield self.score(metric, value, of_unit, **place)
            if kind == "unit":
                yield self.score(metric, each.mean(), unit="mean")

    @property
    def applicable(self) -> list[Metric]:
        return [metric for metric in self.metrics if not why_not(metric, self.model, self.facts)]

    def values(self, metric: Metric, summary: Summary) -> Array:
        return values(metric, summary, len(self.predictions.classes), self.predictions.positive)

    def score(
        self, metric: Metric, value: float, summary: Summary | None = None, code: int | None = None, **place: Any
    ) -> Score:
        """A value with its uncertainty; `summary` is of the rows that it is the value of, if that is to be known."""
        by_threshold = metric.depends_on_threshold and self.predictions.decides_by_threshold(self.model)
        undefined = _why_undefined(metric, value, place)
        low = high = error = None
        if summary is not None and undefined is None:
            with metric.answerable():
                low, high, error = uncertainty(summary, metric, float(value), code, self.alpha) or (None, None, None)
        return Score(
            model=self.model.name,
            metric=metric.full_name,
            value=None if undefined else float(value),
            low=low,
            high=high,
            standard_error=error,
            threshold=self.predictions.threshold if by_threshold else None,
            undefined=undefined,
            **place,
        )


def _why_undefined(metric: Metric, value: float, place: dict[str, Any]) -> str | None:
    if np.isinf(value):
        return "infinite"
    if not np.isnan(value):
        return None
    return (metric.undefined_when or "not a number") + (" in at least one" if place.get("unit") == "mean" else "")


def _slices(predictions: Predictions, by: Sequence[str]) -> Units | None:
    for name in by:
        if name not in predictions.slices:
            raise UsageError("E_NOCOL", f"there is no column {name!r}; {did_you_mean(name, predictions.slices)}")
    return engine_of(predictions).crossed([predictions.slices[name] for name in by])


def _folds(predictions: Predictions) -> Units | None:
    return engine_of(predictions).crossed(
        [units for units in (predictions.repeat, predictions.fold) if units is not None]
    )


def _refuse_if_all_undefined(scores: Scores, class_weights: Array | None) -> None:
    """Stop where nothing that was asked for by name exists on these data."""
    overall = [row for row in scores if row.overall]
    if any(row.value is not None or row.undefined == "infinite" for row in overall):
        return
    predictions, first = scores.predictions, scores.metrics[0]
    place = ": ".join(filter(None, [predictions.source, f"column {predictions.truth_column!r}"]))
    present = np.flatnonzero(class_weights) if class_weights is not None else np.array([], int)
    if len(present) == 1:
        only = predictions.classes[present[0]]
        raise UndefinedError(
            "E_ONECLASS",
            f"{place}: only one class, {only!r}, so {first.name} ({first.title}) is undefined",
            hint="accuracy, log_loss and brier are defined with one class",
        )
    raise UndefinedError("E_UNDEFINED", f"{place}: {first.name} is undefined: {overall[0].undefined}")
