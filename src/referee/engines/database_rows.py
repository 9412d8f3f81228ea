"""The rows of one model in a database as metrics see them: expressions, made of its columns."""

from __future__ import annotations

from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from referee.arguments import arguments_of
from referee.arrays import scale_to_one
from referee.columns.database_columns import FLOAT, Operations, fetch_row, lookup, number, table_of

if TYPE_CHECKING:
    from referee.arrays import Column
    from referee.engines.baseline import Baseline
    from referee.metric import Metric
    from referee.predictions import Model, Predictions


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
        low, high = self._extremes
        return scale_to_one(max(high, -low, 0.0))

    @cached_property
    def are_probabilities(self) -> bool:
        low, high = self._extremes
        return low >= 0 and high <= 1

    @property
    def _extremes(self) -> tuple[float, float]:
        """The smallest and the largest of the true and predicted numbers, or of the scores; asked once."""
        of_models = _extremes.setdefault(self.predictions, WeakKeyDictionary())
        if self.model not in of_models:
            of_models[self.model] = self._ask_extremes()
        return of_models[self.model]

    def _ask_extremes(self) -> tuple[float, float]:
        predictions, model = self.predictions, self.model
        columns: list[Any] = [model.scores] if model.scores is not None else model.given_columns()
        if predictions.task == "regression":
            columns = [predictions.truth, *columns]
        of_columns: dict[str, Any] = {}
        for place, column in enumerate(columns):
            if column.op().relations:  # a constant has no rows to look at
                of_columns |= {f"low{place}": column.min(), f"high{place}": column.max()}
        found = fetch_row(table_of(predictions.truth).aggregate(**of_columns))
        return float(min(found.values())), float(max(found.values()))

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
        if self.predictions.task == "regression":
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
    return number(term) if isinstance(term, int | float) else term.cast(FLOAT).fill_null(number(nan))


_extremes: WeakKeyDictionary[Predictions, WeakKeyDictionary[Model, tuple[float, float]]] = WeakKeyDictionary()
"""As long as the predictions live, which nothing here keeps alive: their database file is closed with them."""
