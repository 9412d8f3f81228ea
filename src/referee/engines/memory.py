"""Summaries of arrays in memory."""

from __future__ import annotations

from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arguments import arguments_of
from referee.arrays import largest, scale_to_one
from referee.engines.baseline import baseline_columns
from referee.summaries import Counts, Ranking, Sums, ranked

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.metric import Metric
    from referee.predictions import Model, Predictions, Units

EXACT_ROWS = 200_000
"""Up to here sums are rounded once, whatever the order of the rows; beyond, pairwise summation."""


def summarise(predictions: Predictions, model: Model, by: Units | None = None) -> Summary:
    """Give the summaries of one model's predictions for each unit; each is made when a metric asks for it."""
    return Summary(predictions, model, by)


class Summary:
    def __init__(self, predictions: Predictions, model: Model, by: Units | None) -> None:
        self.predictions = predictions
        self.model = model
        self.by = by
        self.weight = predictions.weight
        self.units = len(by) if by else 1
        self._rankings: dict[object, Ranking] = {}
        self._sums: dict[str, Sums] = {}

    @cached_property
    def scale(self) -> float:
        """The power of two by which true and predicted numbers are multiplied so that their squares are finite."""
        if self.predictions.task != "regression":
            return 1.0
        return scale_to_one(max(largest(column) for column in (self.predictions.truth, *self.model.given_columns())))

    @cached_property
    def labels(self) -> Array:
        """The model's decisions: its own, else the most probable class, else by the threshold."""
        model, predictions = self.model, self.predictions
        if model.labels is not None:
            return model.labels
        if model.class_scores is not None and (predictions.positive is None or predictions.threshold == 0.5):
            order = np.array(model.tie_order or range(len(model.class_scores)))
            return order[np.argmax(np.stack([model.class_scores[c] for c in order]), axis=0)]
        assert predictions.positive is not None
        chosen = self._score(predictions.positive) >= predictions.threshold
        return np.where(chosen, predictions.positive, 1 - predictions.positive)

    @cached_property
    def counts(self) -> Counts:
        k = len(self.predictions.classes)
        cells = self._unit_offset(k * k) + self.predictions.truth.astype(np.int64) * k + self.labels
        totals = np.bincount(cells, self.weight, self.units * k * k)
        return Counts(totals.reshape(self.units, k, k))

    @cached_property
    def class_weights(self) -> Array:
        """Rows of each class: (unit, class)."""
        k = len(self.predictions.classes)
        cells = self._unit_offset(k) + self.predictions.truth
        return np.bincount(cells, self.weight, self.units * k).reshape(self.units, k)

    def ranking(self, positive: int) -> Ranking:
        if positive not in self._rankings:
            self._rankings[positive] = self._ranked(self._score(positive), self.predictions.truth == positive)
        return self._rankings[positive]

    def pair_ranking(self, positive: int, negative: int) -> Ranking:
        """Rank the rows of two classes by the score for the first."""
        truth = self.predictions.truth
        among = (truth == positive) | (truth == negative)
        return self._ranked(self._score(positive), truth == positive, among)

    def ranking_of_term(self, metric: Metric) -> Ranking:
        """Rank all rows by the metric's only row term."""
        (term,) = self.row_terms(metric).values()
        return self._ranked(term, np.ones(len(term), bool))

    def sums(self, metric: Metric) -> Sums:
        if metric.full_name not in self._sums:
            self._sums[metric.full_name] = self._summed(self.row_terms(metric))
        return self._sums[metric.full_name]

    def row_terms(self, metric: Metric) -> dict[str, Array]:
        assert metric.row_terms is not None
        available = {"truth": lambda: self.truth_columns, "prediction": lambda: self.prediction_columns(metric),
                     "baseline": lambda: baseline_columns(self), "levels": lambda: tuple(self.model.quantiles or ()),
                     "xp": lambda: np}  # fmt: skip
        settings = metric.formula_settings(metric.row_terms)
        with np.errstate(all="ignore"):
            terms = metric.row_terms(**arguments_of(metric.row_terms, available), **settings)
        return {name: np.broadcast_to(np.asarray(term, float), self.predictions.rows) for name, term in terms.items()}

    @cached_property
    def truth_columns(self) -> Any:
        """The true numbers, or for each class whether it is the true one."""
        truth = self.predictions.truth
        if self.predictions.task == "regression":
            return truth * self.scale
        return [(truth == code).astype(float) for code in range(len(self.predictions.classes))]

    def prediction_columns(self, metric: Metric) -> Any:
        """The predicted numbers, quantiles, or for each class its probability."""
        model = self.model
        if metric.needs == "quantiles":
            assert model.quantiles is not None
            return [column * self.scale for column in model.quantiles.values()]
        if metric.needs == "values":
            assert model.values is not None
            return np.asarray(model.values, float) * self.scale
        if model.class_scores is not None:
            return [np.asarray(column, float) for column in model.class_scores]
        positive = self._score(self.predictions.positive)
        return [1 - positive, positive] if self.predictions.positive == 1 else [positive, 1 - positive]

    def totals(self, values: Array) -> Array:
        """Weighted sums of a row value in each unit."""
        if self.weight is not None:
            values = values * self.weight
        if len(values) > EXACT_ROWS or not np.isfinite(values).all():
            return np.bincount(self._codes, values, self.units) if self.by else np.array([values.sum()])
        order = self._rows_by_unit
        return np.array([fsum(part.tolist()) for part in np.split(values[order], self._unit_ends)])

    @cached_property
    def total_weight(self) -> Array:
        return self.totals(np.ones(self.predictions.rows))

    def _summed(self, terms: dict[str, Array]) -> Sums:
        with np.errstate(all="ignore"):
            means = np.stack([self.totals(term) / self.total_weight for term in terms.values()], axis=1)
            centred = [term - means[self._codes, place] for place, term in enumerate(terms.values())]
            moments = np.empty((self.units, len(terms), len(terms)))
            for i, a in enumerate(centred):
                for j, b in enumerate(centred[: i + 1]):
                    moments[:, i, j] = moments[:, j, i] = self.totals(a * b)
        return Sums(tuple(terms), self.total_weight, means, moments)

    def _score(self, positive: int | None) -> Array:
        """What the model says for one class; its decisions stand in where it gives nothing else."""
        model = self.model
        if model.class_scores is not None:
            assert positive is not None
            return np.asarray(model.class_scores[positive], float)
        if model.scores is None:
            return (self.labels == positive).astype(float)
        scores = np.asarray(model.scores, float)
        return scores if positive == self.predictions.positive else -scores

    def _ranked(self, scores: Array, positive: Array, among: Array | None = None) -> Ranking:
        weight = np.ones(len(scores), np.int64) if self.weight is None else self.weight
        kept = weight > 0 if among is None else among & (weight > 0)
        unit = self._codes[kept] if self.by else None
        share = weight[kept] * positive[kept]
        return ranked(scores[kept], share, weight[kept] - share, unit, self.units)

    @cached_property
    def _codes(self) -> Array:
        return self.by.codes if self.by else np.zeros(self.predictions.rows, np.int64)

    @cached_property
    def _rows_by_unit(self) -> Array:
        return np.argsort(self._codes, kind="stable")

    @cached_property
    def _unit_ends(self) -> Array:
        return np.cumsum(np.bincount(self._codes, minlength=self.units))[:-1]

    def _unit_offset(self, width: int) -> Array | int:
        return self._codes.astype(np.int64) * width if self.by else 0
