"""The rows of one model in a database as expressions, and facts about them in one query."""

from __future__ import annotations

from functools import cached_property
from math import floor, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import scale_to_one
from referee.catalogue import arguments_of
from referee.engines.database.sums import centred, kept_rows
from referee.predictions import (
    EXTREMES,
    FLOAT,
    MANY_ROWS,
    Facts,
    Model,
    Operations,
    Outside,
    fetch,
    fetch_row,
    lookup,
    narrow_ties,
    number,
    score_columns,
    table_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Column
    from referee.engines.memory.baseline import Baseline
    from referee.predictions import Predictions
    from referee.scoring import Metric


class Rows:
    """Predictions of one model."""

    def __init__(self, predictions: Predictions, model: Model) -> None:
        self.predictions = predictions
        self.model = model

    @cached_property
    def scale(self) -> float:
        """The power of two by which true and predicted numbers are multiplied so that their squares are finite."""
        if self.predictions.task != "regression":
            return 1.0
        low, high = self.extremes
        return scale_to_one(max(high, -low, 0.0))

    @cached_property
    def are_probabilities(self) -> bool:
        low, high = self.extremes
        return low >= 0 and high <= 1

    @property
    def extremes(self) -> tuple[float, float]:
        """The smallest and the largest of the true and predicted numbers, or of the scores; asked once for all."""
        of_models = vars(self.predictions).setdefault(EXTREMES, {})
        if self.model not in of_models:
            models = self.predictions.models if self.model in self.predictions.models else (self.model,)
            of_models.update(_ask_extremes(self.predictions, models))
        low, high = of_models[self.model]
        return low, high

    @cached_property
    def labels(self) -> Column:
        """The model's decisions: its own, else the most probable class, else by the threshold."""
        model, predictions = self.model, self.predictions
        if model.labels is not None:
            return model.labels
        if model.class_scores is not None and not predictions.decides_by_threshold(model):
            return self._most_probable(model.class_scores, model.tie_order or range(len(model.class_scores)))
        positive = predictions.positive
        assert positive is not None
        return (self._given_score(positive) >= self._threshold(positive)).ifelse(positive, 1 - positive)

    def _most_probable(self, columns: Any, order: Any) -> Column:
        import ibis

        highest = ibis.greatest(*columns)
        return ibis.cases(*((columns[code] == highest, code) for code in order))

    def _threshold(self, code: int) -> Column:
        """As precise as the scores are stored: 0.7 in 32 bits is not below a threshold of 0.7."""
        threshold = self.predictions.threshold
        is_narrow = self._given_score(code).type().is_float32()
        return number(float(np.float32(threshold)) if is_narrow else threshold)

    @property
    def _class_scores(self) -> tuple[Column, ...]:
        return self.model.class_scores or ()

    def _given_score(self, code: int) -> Column:
        """For one class where there is a column for each, else for the positive one."""
        return self._class_scores[code] if self._class_scores else self.model.scores

    def score(self, code: int) -> Column:
        """What the model says for one class, or for the positive one; its decisions where it gives nothing else."""
        if self.model.class_scores is None and self.model.scores is None:
            return (self.labels == code).ifelse(1, 0).cast(FLOAT)
        # Minus zero ties with zero.
        return self._given_score(code).cast(FLOAT) + number(0.0)

    @property
    def unit_weight(self) -> Column:
        return number(1.0) if self.predictions.weight is None else self.predictions.weight

    def gives(self, needs: str) -> bool:
        """Whether the model has the predictions that a metric's row terms are made of."""
        model = self.model
        if needs in ("values", "quantiles"):
            return getattr(model, needs) is not None
        return model.scores is not None or model.class_scores is not None

    def row_terms(self, metric: Metric, baseline: Baseline) -> dict[str, Column]:
        assert metric.row_terms is not None
        available: dict[str, Any] = {
            "truth": self.truth_columns,
            "prediction": lambda: self.prediction_columns(metric),
            "baseline": lambda: baseline.columns(slice(None)),
            "levels": lambda: tuple(self.model.quantiles or ()),
            "others": lambda: [0.0],  # tables of scores are always in memory
            "better": lambda: "higher",
            "order": lambda: self.model.tie_order or range(len(self.predictions.classes)),
            "xp": Operations,
        }
        terms = metric.row_terms(
            **arguments_of(metric.row_terms, available), **metric.formula_settings(metric.row_terms)
        )
        return {name: as_float(term) for name, term in terms.items()}

    def truth_columns(self) -> Any:
        """The true numbers, or for each class whether it is the true one."""
        truth = self.predictions.truth
        if not self.predictions.classes:
            return self._scaled(truth)
        codes = range(len(self.predictions.classes))
        return [lookup(truth, {other: float(other == code) for other in codes}) for code in codes]

    def prediction_columns(self, metric: Metric) -> Any:
        """The predicted numbers, quantiles, or for each class its probability."""
        model = self.model
        if metric.needs == "quantiles":
            assert model.quantiles is not None
            return [self._scaled(column) for column in model.quantiles.values()]
        if metric.needs == "values":
            return self._scaled(model.values)
        if model.class_scores is not None:
            return [column.cast(FLOAT) for column in self._class_scores]
        positive = self._given_score(0).cast(FLOAT)
        return [1 - positive, positive] if self.predictions.positive == 1 else [positive, 1 - positive]

    def _scaled(self, column: Column) -> Column:
        return column.cast(FLOAT) if self.scale == 1 else column.cast(FLOAT) * number(self.scale)


def as_float(term: Any) -> Column:
    """A row term as a column of numbers, nan where it has no value."""
    if isinstance(term, int | float):
        return number(term)
    if term.type().is_boolean():
        return term.ifelse(number(1.0), number(0.0))
    return term.cast(FLOAT).fill_null(number(nan))


def _ask_extremes(predictions: Predictions, models: Sequence[Model]) -> dict[Model, tuple[float, float]]:
    of_truth: list[Any] = [] if predictions.classes else [predictions.truth]
    asked: dict[str, Any] = {}
    for place, model in enumerate(models):
        given: list[Any] = [model.scores] if model.scores is not None else model.given_columns()
        for number_, column in enumerate([*of_truth, *given]):
            if column.op().relations:  # a constant has no rows to look at
                asked |= {f"{place}_low{number_}": column.min(), f"{place}_high{number_}": column.max()}
    extremes = fetch_row(table_of(predictions.truth).aggregate(**asked))

    def of_model(place: int) -> list[float]:
        return [float(value) for name, value in extremes.items() if name.startswith(f"{place}_")]

    return {model: (min(of_model(place)), max(of_model(place))) for place, model in enumerate(models)}


def mean_and_quantiles(predictions: Predictions, levels: Sequence[float]) -> tuple[float, dict[float, float]]:
    """Of the truth, with its weights."""
    import ibis

    rows = Rows(predictions, Model("truth"))
    summary = centred(table_of(predictions.truth), ibis.literal(0), 1, rows.unit_weight, [rows.truth_columns()])
    return float(summary.means[0, 0]) / rows.scale, _quantiles(predictions, rows, levels) if levels else {}


def _quantiles(predictions: Predictions, rows: Rows, levels: Sequence[float]) -> dict[float, float]:
    import ibis

    truth = {"truth": predictions.truth.cast(FLOAT) + number(0.0)}  # type: ignore[attr-defined]
    kept = kept_rows(table_of(predictions.truth), ibis.literal(0), rows.unit_weight, truth)
    size = kept.count() if predictions.weight is None else kept.weight.sum()
    distinct = fetch(kept.group_by("truth").aggregate(size=size).order_by("truth"))
    values, sizes = distinct["truth"], distinct["size"]
    if predictions.weight is None:
        ends = np.cumsum(sizes)
        return {q: float(values[np.searchsorted(ends, _place(predictions.rows, q), "right")]) for q in levels}
    return {q: float(np.quantile(values, q, weights=sizes, method="inverted_cdf")) for q in levels}


def _place(rows: int, level: float) -> int:
    """The row that NumPy takes for a quantile by the inverted distribution, with its rounding."""
    virtual = rows * level - 1
    whole = floor(virtual)
    return max(whole if virtual == whole else whole + 1, 0)


def conditions(predictions: Predictions, model: Model) -> dict[str, Column]:
    """What is worth counting of one model's rows."""
    if not predictions.classes:
        return {} if model.values is None else {"same": model.values == predictions.truth}
    columns = _probabilities(model)
    of_truth = _probability_of_truth(predictions, columns)
    return (
        {"same": _same_as_truth(predictions, model)}
        | {f"outside{place}": (column < 0) | (column > 1) for place, column in enumerate(columns)}
        | {f"hard{place}": (column == 0) | (column == 1) for place, column in enumerate(columns)}
        | ({} if of_truth is None else {"impossible": of_truth <= 0, "certain": of_truth >= 1})
        | ({} if model.class_scores is None else {"not_summing": _off_one(columns) > 0})
    )


def facts(predictions: Predictions, model: Model, counted: dict[str, int] | None = None) -> Facts:
    """What the columns of one model say, of which `counted` rows meet the conditions."""
    rows = predictions.rows
    if counted is None:
        counted = _counted(predictions, conditions(predictions, model))
    if not predictions.classes:
        return Facts(rows, is_truth=counted.get("same") == rows)
    columns = _probabilities(model)
    outside = _outside(predictions, model, columns, counted)
    return Facts(
        rows,
        outside,
        counted["same"] == rows,
        all(counted[f"hard{place}"] == rows for place in range(len(columns))),
        0 if outside else counted.get("impossible", 0),
        0 if outside else counted.get("certain", 0),
        _narrow_ties(predictions, model.scores),
        not_summing=None if outside else _not_summing(predictions, model, columns, counted.get("not_summing", 0)),
    )


def _probabilities(model: Model) -> list[Any]:
    return [column.cast(FLOAT) for column in score_columns(model)]  # type: ignore[attr-defined]


def _counted(predictions: Predictions, each: dict[str, Any]) -> dict[str, int]:
    """How many rows meet each condition."""
    if not each:
        return {}
    rows = table_of(predictions.truth).select(**each)
    counts = fetch_row(rows.aggregate(**{name: rows[name].sum() for name in each}))
    return {name: int(count or 0) for name, count in counts.items()}


def _same_as_truth(predictions: Predictions, model: Model) -> Column:
    import ibis

    truth = predictions.truth
    if predictions.positive is not None and model.scores is not None:
        return model.scores == (truth == predictions.positive).ifelse(1.0, 0.0)
    return model.labels == truth if model.labels is not None and model.class_scores is None else ibis.literal(False)


def _probability_of_truth(predictions: Predictions, columns: list[Any]) -> Column | None:
    truth: Any = predictions.truth
    if len(columns) > 1:
        return truth.cases(*enumerate(columns))
    if not columns or predictions.positive is None:
        return None
    return lookup(truth, {predictions.positive: 1}).notnull().ifelse(columns[0], 1 - columns[0])


def _outside(predictions: Predictions, model: Model, columns: list[Any], counted: dict[str, int]) -> Outside | None:
    names = model.columns if len(model.columns) >= len(columns) else (model.name,) * len(columns)
    for place, column in enumerate(columns):
        if rows := counted[f"outside{place}"]:
            extremes = fetch_row(table_of(predictions.truth).aggregate(low=column.min(), high=column.max()))
            value = extremes["low"] if extremes["low"] < 0 else extremes["high"]
            return Outside(names[place], None, float(value), rows)
    return None


def _off_one(columns: list[Any]) -> Any:
    """How much further the sum of a row's probabilities is from 1 than rounding to two digits explains."""
    return (sum(columns[1:], columns[0]) - 1).abs() - number(0.005 * len(columns) + 1e-6)


def _not_summing(predictions: Predictions, model: Model, columns: list[Any], rows: int) -> Outside | None:
    if not rows:
        return None
    sums = table_of(predictions.truth).select(total=sum(columns[1:], columns[0]), off=_off_one(columns))
    worst = fetch_row(sums.order_by(sums.off.desc()).limit(1))
    return Outside(model.name, None, float(worst["total"]), rows)


def _narrow_ties(predictions: Predictions, scores: Any) -> int | None:
    if scores is None or not scores.type().is_float32() or predictions.rows > MANY_ROWS:
        return None
    distinct = fetch(table_of(predictions.truth).select(score=scores).distinct())["score"]
    return narrow_ties(np.unique(distinct.astype(np.float32)), predictions.rows)
