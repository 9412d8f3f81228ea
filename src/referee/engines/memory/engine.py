"""Summaries of arrays in memory."""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import EXACT_ROWS, largest, scale_to_one
from referee.engines.kernels import COMPILE_FROM, RunningSums, add_by_unit, compiled
from referee.engines.memory.baseline import Baseline
from referee.engines.memory.rows import ALL, area_changes, rank, rank_falling, rank_in_units, rows_of
from referee.engines.summaries import Counts, Sums
from referee.predictions import Units, facts_of_arrays

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from referee.arrays import Array
    from referee.engines.memory.rows import Rows
    from referee.engines.ranking import Ranking
    from referee.predictions import Facts, Model, Predictions
    from referee.scoring import Metric

    RankedRows = tuple[Array, Array, Array]

FEW_UNITS = 200
"""Beyond, units get no standard errors of their own."""
OFTEN, SMALL = 3, 1000
"""From the fourth grouping of the same rows on compiling pays, unless they are very few."""
BLOCK = 1 << 15
"""Rows that row terms are made of at once, so that they stay in the processor's cache."""

TO_HAVE_ROWS = ""


def summarise(predictions: Predictions, model: Model, by: Units | None = None) -> Summary:
    """Give the summaries of one model's predictions for each unit; each is made when a metric asks for it."""
    return Summary(predictions, model, by)


def facts(predictions: Predictions, model: Model) -> Facts:
    return facts_of_arrays(predictions, model)


def rows_of_classes(predictions: Predictions) -> Array:
    return predictions.rows_of_classes


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
    content = predictions.content()
    digest = blake2b(predictions.described(content), digest_size=16)
    for column in content.values():
        # Of each column by itself, as columns may come in pieces.
        digest.update(blake2b(np.ascontiguousarray(column, np.float64).data, digest_size=16).digest())
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
    def __init__(self, predictions: Predictions, model: Model, by: Units | None, rows: Rows | None = None) -> None:
        self.predictions = predictions
        self.by = by
        self.units = len(by) if by else 1
        self.weight = predictions.weight
        self.rows = rows_of(predictions, model) if rows is None else rows
        self.baseline = Baseline(self.rows, by)
        self.rows.groupings += by is not None
        self._often = by is not None and self.rows.groupings > OFTEN and predictions.rows >= SMALL
        self._rankings: dict[object, Ranking] = {}
        self._sums: dict[str, Sums] = {}

    @cached_property
    def total_weight(self) -> Array:
        if self.weight is None:
            return np.bincount(self._codes, minlength=self.units).astype(float)
        return self.totals(np.ones(self.predictions.rows))

    @property
    def scale(self) -> float:
        return self.rows.scale

    @cached_property
    def counts(self) -> Counts:
        k = len(self.predictions.classes)
        size = self.units * k * k
        blocks = self._blocks() if self._large else [ALL]
        return Counts(sum(self._cells(part, k, size) for part in blocks).reshape(self.units, k, k))

    def _cells(self, part: slice, k: int, size: int) -> Any:
        cells = self.rows.cells_of(part)
        if self.by is not None:
            cells = cells + self._codes[part] * np.int64(k * k)
        return np.bincount(cells, None if self.weight is None else self.weight[part], size)

    def _blocks(self) -> Iterator[slice]:
        for start in range(0, self.predictions.rows, BLOCK):
            yield slice(start, start + BLOCK)

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
            self._rankings[key] = self._made_ranking(positive, as_probability=key[1])
        return self._rankings[key]

    def _made_ranking(self, positive: int, *, as_probability: bool) -> Ranking:
        own = self.predictions.positive
        if self._large and own not in (None, positive) and self.rows.model.class_scores is None:
            return self.ranking(own).turned(complement=as_probability and self.rows.are_probabilities)
        scores = self.rows.score(positive, as_probability=as_probability)
        return self._ranked(scores, self.predictions.truth == positive, (positive, as_probability))

    def pair_ranking(self, positive: int, negative: int) -> Ranking:
        """Rank the rows of two classes by the score for the first."""
        truth = self.predictions.truth
        among = (truth == positive) | (truth == negative)
        return self._ranked(self.rows.score(positive), truth == positive, (positive, False), among)

    def ranking_of_term(self, metric: Metric) -> Ranking:
        """Rank all rows by the metric's only row term."""
        (term,) = self.rows.row_terms(metric, self.baseline).values()
        return self._ranked(term, np.ones(len(term), bool), metric.full_name)

    def area_changes(self, metric: Metric, code: int) -> Array | None:
        """How the area of a class changes with the weight of each of many rows; None where there is no quick way.

        The area itself comes with it, and is kept as the metric's value.
        """
        if self.by is not None or self.weight is not None or self.predictions.rows < COMPILE_FROM:
            return None
        is_positive = self.predictions.truth == code
        if is_positive.all() or not is_positive.any():
            return None
        area, changes = area_changes(self.rows.score(code), is_positive)
        self.known_values = {known_as(metric, code): np.array([area])}
        return changes

    def prepare(self, metrics: Iterable[Metric]) -> None:
        """Make the sums of several metrics in one pass, if there are many rows."""
        wanted = [one for one in metrics if "sums" in one.summaries and one.full_name not in self._sums]
        if self._large and wanted:
            self._sums |= self._in_blocks(wanted)

    def sums(self, metric: Metric) -> Sums:
        if metric.full_name not in self._sums:
            made = self._in_blocks([metric]) if self._large else {metric.full_name: self._exact(metric)}
            self._sums |= made
        return self._sums[metric.full_name]

    @property
    def _large(self) -> bool:
        return self.by is None and self.predictions.rows > EXACT_ROWS

    def _in_blocks(self, metrics: Sequence[Metric]) -> dict[str, Sums]:
        found = {metric.full_name: RunningSums() for metric in metrics}
        for part in self._blocks():
            weight = None if self.weight is None else self.weight[part]
            for metric in metrics:
                found[metric.full_name].add(self.rows.row_terms(metric, self.baseline, part), weight)
        return {name: running.total for name, running in found.items()}

    def _exact(self, metric: Metric) -> Sums:
        terms = self.rows.row_terms(metric, self.baseline)
        with np.errstate(all="ignore"):
            means = np.stack([self.totals(term) / self.total_weight for term in terms.values()], axis=1)
        return Sums(tuple(terms), self.total_weight, means, lambda: self._deviations(list(terms.values()), means))

    def _deviations(self, terms: Sequence[Array], means: Array) -> Array:
        with np.errstate(all="ignore"):
            centred = [term - means[self._codes, place] for place, term in enumerate(terms)]
            moments = np.empty((self.units, len(terms), len(terms)))
            for i, a in enumerate(centred):
                for j, b in enumerate(centred[: i + 1]):
                    moments[:, i, j] = moments[:, j, i] = self.totals(a * b)
        return moments

    def row_moments(self, metric: Metric, phi: Callable[[dict[str, Array]], Array]) -> tuple[float, float]:
        """The sums over rows of the square and the fourth power of a row value, each times its weight."""
        squares, fourths = [], []
        for part in self._blocks():
            changes = phi(self.rows.row_terms(metric, self.baseline, part))
            squared = (changes if self.weight is None else changes * self.weight[part]) ** 2
            squares.append(float(squared.sum()))
            fourths.append(float((squared**2).sum()))
        return fsum(squares), fsum(fourths)

    def totals(self, values: Array) -> Array:
        """Weighted sums of a row value in each unit."""
        if self.weight is not None:
            values = np.where(self.weight > 0, values, 0) * self.weight
        if self._often:
            return self._added_by_unit(values)
        parts = [values] if self.by is None else np.split(values[self._rows_by_unit], self._unit_ends)
        exact = len(values) <= EXACT_ROWS and np.isfinite(values).all()
        return np.array([fsum(part.tolist()) if exact else part.sum() for part in parts])

    def _added_by_unit(self, values: Array) -> Array:
        totals, lost = np.zeros(self.units), np.zeros(self.units)
        compiled(add_by_unit)(values, self._codes, totals, lost)
        return totals + lost

    def _ranked(self, scores: Array, positive: Array, key: object, among: Array | None = None) -> Ranking:
        if self.weight is None and among is None and self.by is None:
            return rank(scores, positive)
        if self._often and among is None:
            order, rows = self.rows.falling_rows(key, lambda: self._weighted(scores, positive))
            return rank_falling(rows, self._codes[order], self.units)
        kept, rows = self._weighted(scores, positive, among)
        return rank_in_units(rows, self._codes[kept], self.units)

    def _weighted(self, scores: Array, positive: Array, among: Array | None = None) -> tuple[Array, RankedRows]:
        """The rows that have weight: their places, and their scores, positives and negatives."""
        weight = np.ones(len(scores), np.int64) if self.weight is None else self.weight
        kept = np.flatnonzero(weight > 0 if among is None else among & (weight > 0))
        share = weight[kept] * positive[kept]
        return kept, (scores[kept], share, weight[kept] - share)

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


def known_as(metric: Metric, code: int) -> object:
    """What a metric's value for one class is kept under, whatever average it is a part of."""
    return metric.name, code, repr({**metric.settings, "average": None})
