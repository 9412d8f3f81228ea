"""Summaries of arrays in memory."""

from __future__ import annotations

from functools import cached_property, reduce
from hashlib import blake2b
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from referee.arrays import largest, scale_to_one
from referee.engines.baseline import Baseline
from referee.engines.rows import ALL, rows_of
from referee.engines.sorting import rank, rank_in_units
from referee.facts import facts_of_arrays
from referee.predictions import Units
from referee.summaries import Counts, Sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from referee.arrays import Array
    from referee.facts import Facts
    from referee.metric import Metric
    from referee.predictions import Model, Predictions
    from referee.ranking import Ranking

EXACT_ROWS = 100_000
"""Up to here sums are rounded once, whatever the order of the rows; beyond, block by block."""
FEW_UNITS = 200
"""Beyond, units get no standard errors of their own."""
BLOCK = 1 << 15
"""Rows that row terms are made of at once, so that they stay in the processor's cache."""


def summarise(predictions: Predictions, model: Model, by: Units | None = None) -> Summary:
    """Give the summaries of one model's predictions for each unit; each is made when a metric asks for it."""
    return Summary(predictions, model, by)


def facts(predictions: Predictions, model: Model) -> Facts:
    return facts_of_arrays(predictions, model)


def constant(predictions: Predictions, value: float) -> Array:
    return np.broadcast_to(np.asarray(value), predictions.rows)


def mean_and_quantiles(predictions: Predictions, levels: Sequence[float]) -> tuple[float, dict[float, float]]:
    """Of the truth, with its weights."""
    truth, weight = predictions.truth, predictions.weight
    scale = scale_to_one(largest(truth))
    # Inverted distribution: the only kind that NumPy gives with weights.
    quantiles = {q: float(np.quantile(truth, q, weights=weight, method="inverted_cdf")) for q in levels}
    return float(np.average(truth * scale, weights=weight) / scale), quantiles


def units_alone(predictions: Predictions, model: Model, units: Units) -> Iterator[Summary | None]:
    """The summary of each unit's rows by themselves; None where there are too many units, or a unit has no rows."""
    for unit in range(len(units)):
        rows = np.flatnonzero(units.codes == unit) if len(units) <= FEW_UNITS else np.array([])
        yield summarise(predictions.part(rows), model.part(rows)) if len(rows) else None


def fingerprint(predictions: Predictions) -> str:
    """A hash of all columns as 64-bit floats, so that the container they came in does not matter."""
    head = (predictions.task, predictions.classes, predictions.positive, predictions.names)
    digest = blake2b(repr(head).encode(), digest_size=16)
    columns = [predictions.truth, predictions.weight, predictions.baseline]
    columns += [column for model in predictions.models for column in model.given_columns()]
    columns += [units.codes for units in (predictions.fold, predictions.repeat, predictions.group) if units]
    for column in columns:
        if column is not None:
            # Of each column by itself, as columns may come in pieces.
            digest.update(blake2b(np.ascontiguousarray(column, np.float64), digest_size=16).digest())
    return digest.hexdigest()


def crossed(several: Sequence[Units]) -> Units | None:
    """One unit for each combination that occurs."""
    if len(several) < 2:
        return several[0] if several else None
    codes = np.stack([units.codes for units in several], axis=1)
    found, inverse = np.unique(codes, axis=0, return_inverse=True)
    names = tuple(", ".join(units.names[c] for units, c in zip(several, row, strict=True)) for row in found)
    return Units(inverse.reshape(-1), names)


class Summary:
    def __init__(self, predictions: Predictions, model: Model, by: Units | None) -> None:
        self.predictions = predictions
        self.by = by
        self.units = len(by) if by else 1
        self.weight = predictions.weight
        self.rows = rows_of(predictions, model)
        self.baseline = Baseline(self.rows, by)
        self._rankings: dict[object, Ranking] = {}
        self._sums: dict[str, Sums] = {}

    @cached_property
    def total_weight(self) -> Array:
        return self.totals(np.ones(self.predictions.rows))

    @property
    def scale(self) -> float:
        return self.rows.scale

    @cached_property
    def counts(self) -> Counts:
        k = len(self.predictions.classes)
        cells = self._unit_offset(k * k) + self.predictions.truth * np.int64(k) + self.rows.labels
        return Counts(np.bincount(cells, self.weight, self.units * k * k).reshape(self.units, k, k))

    @cached_property
    def class_weights(self) -> Array:
        """Rows of each class: (unit, class)."""
        k = len(self.predictions.classes)
        cells = self._unit_offset(k) + self.predictions.truth
        return np.bincount(cells, self.weight, self.units * k).reshape(self.units, k)

    def ranking(self, positive: int, *, as_probability: bool = False) -> Ranking:
        """The rows ranked by the score for a class; as a probability, the other class's is one minus it."""
        key = positive, as_probability and positive != self.predictions.positive
        if key not in self._rankings:
            scores = self.rows.score(positive, as_probability=as_probability)
            self._rankings[key] = self._ranked(scores, self.predictions.truth == positive, key)
        return self._rankings[key]

    def pair_ranking(self, positive: int, negative: int) -> Ranking:
        """Rank the rows of two classes by the score for the first."""
        truth = self.predictions.truth
        among = (truth == positive) | (truth == negative)
        return self._ranked(self.rows.score(positive), truth == positive, (positive, False), among)

    def ranking_of_term(self, metric: Metric) -> Ranking:
        """Rank all rows by the metric's only row term."""
        (term,) = self.rows.row_terms(metric, self.baseline).values()
        return self._ranked(term, np.ones(len(term), bool), metric.full_name)

    def sums(self, metric: Metric) -> Sums:
        if metric.full_name not in self._sums:
            self._sums[metric.full_name] = self._in_blocks(metric) if self._large else self._exact(metric, ALL)
        return self._sums[metric.full_name]

    @property
    def _large(self) -> bool:
        return self.by is None and self.predictions.rows > EXACT_ROWS

    def _in_blocks(self, metric: Metric) -> Sums:
        starts = range(0, self.predictions.rows, BLOCK)
        return reduce(Sums.merge, (self._exact(metric, slice(start, start + BLOCK)) for start in starts))

    def _exact(self, metric: Metric, part: slice) -> Sums:
        terms = self.rows.row_terms(metric, self.baseline, part)
        weight = self.totals(np.ones(len(self.predictions.truth[part])), part)
        with np.errstate(all="ignore"):
            means = np.stack([self.totals(term, part) / weight for term in terms.values()], axis=1)
            centred = [term - means[self._codes[part], place] for place, term in enumerate(terms.values())]
            moments = np.empty((self.units, len(terms), len(terms)))
            for i, a in enumerate(centred):
                for j, b in enumerate(centred[: i + 1]):
                    moments[:, i, j] = moments[:, j, i] = self.totals(a * b, part)
        return Sums(tuple(terms), weight, means, moments)

    def row_moments(self, metric: Metric, phi: Callable[[dict[str, Array]], Array]) -> tuple[float, float]:
        """The sums over rows of the square and the fourth power of a row value, each times its weight."""
        squares, fourths = [], []
        for start in range(0, self.predictions.rows, BLOCK):
            part = slice(start, start + BLOCK)
            changes = phi(self.rows.row_terms(metric, self.baseline, part))
            squared = (changes if self.weight is None else changes * self.weight[part]) ** 2
            squares.append(float(squared.sum()))
            fourths.append(float((squared**2).sum()))
        return fsum(squares), fsum(fourths)

    def totals(self, values: Array, part: slice = ALL) -> Array:
        """Weighted sums of a row value in each unit."""
        if self.weight is not None:
            weight = self.weight[part]
            values = np.where(weight > 0, values, 0) * weight
        if self.by is not None:
            return self._totals_by_unit(values)
        if self._large or not np.isfinite(values).all():
            return np.array([values.sum()])
        return np.array([fsum(values.tolist())])

    def _totals_by_unit(self, values: Array) -> Array:
        """Pairwise inside each unit, so that many equal numbers have their own mean."""
        parts = np.split(values[self._rows_by_unit], self._unit_ends)
        finite = len(values) <= EXACT_ROWS and np.isfinite(values).all()
        return np.array([fsum(part.tolist()) if finite else part.sum() for part in parts])

    def _ranked(self, scores: Array, positive: Array, key: object, among: Array | None = None) -> Ranking:
        if self.weight is None and among is None and self.by is None:
            return rank(scores, positive)
        weight = np.ones(len(scores), np.int64) if self.weight is None else self.weight
        share = weight * positive
        kept = weight > 0 if among is None else among & (weight > 0)
        if kept.all():
            return rank_in_units(
                scores, share, weight - share, self._codes, self.units, lambda: self.rows.falling(key, scores)
            )
        scores, share, weight = scores[kept], share[kept], weight[kept]
        return rank_in_units(
            scores, share, weight - share, self._codes[kept], self.units, lambda: np.argsort(-scores, kind="stable")
        )

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
