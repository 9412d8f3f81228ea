"""Summary: counts, sums and rankings of the rows of one model in memory, each made when it is asked for."""

from __future__ import annotations

from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from referee.arrays import ExactSum, total, totals_by_key
from referee.engines.kernels import add_by_unit, compiled, has_compiler, worth_compiling
from referee.engines.memory.baseline import Baseline
from referee.engines.memory.cells import Cells, label_cells, step_cells
from referee.engines.memory.rows import (
    ALL,
    KEPT_ROWS,
    narrow,
    rank,
    rank_alone,
    rank_falling,
    rank_in_order,
    rank_in_units,
    rows_of,
    steps_of_rows,
    steps_of_sorted_rows,
)
from referee.engines.ranked_scores import merge_rankings
from referee.engines.summaries import Counts, Sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from referee.arrays import Array
    from referee.engines.memory.rows import Rows
    from referee.engines.ranked_scores import Ranking
    from referee.predictions import Model, Predictions, Units
    from referee.scoring import Metric

    RankedRows = tuple[Array, Array, Array]

OFTEN, SMALL = 3, 1000
"""From the fourth grouping of the same rows on compiling pays, unless they are very few."""
BACKWARDS = slice(None, None, -1)
BLOCK = 1 << 15
"""Rows that row terms are made of at once, so that they stay in the processor's cache."""


class Summary:
    unit = 0

    def __init__(self, predictions: Predictions, model: Model, by: Units | None, rows: Rows | None = None) -> None:
        self.by = by
        self.units = len(by) if by else 1
        self.weight = predictions.weight
        self.rows = rows_of(predictions, model) if rows is None else rows
        self.predictions = predictions if rows is not None else self.rows.predictions
        self.baseline = Baseline(self.rows, by)
        self.rows.groupings += by is not None
        self._often = by is not None and self.rows.groupings > OFTEN and predictions.rows >= SMALL
        self._often = self._often and has_compiler()
        self._rankings: dict[object, Ranking] = {}
        self._orders: dict[object, Array] = {}
        self._cells: dict[object, Cells] = {}
        self._sums: dict[object, Sums] = {}
        self.known_values: dict[object, Array] = {}
        self.kept: dict[object, Any] = {}
        """What others have made of these summaries, and may want again."""

    @cached_property
    def total_weight(self) -> Array:
        if self.weight is None:
            return np.diff(self._unit_starts).astype(float)
        return self.totals(np.ones(self.predictions.rows))

    @property
    def scale(self) -> float:
        return self.rows.scale

    @cached_property
    def counts(self) -> Counts:
        k = len(self.predictions.classes)
        size = self.units * k * k
        return Counts(sum(self._counted(part, k, size) for part in self._blocks()).reshape(self.units, k, k))

    def _counted(self, part: slice, k: int, size: int) -> Any:
        cells = self.rows.cells_of(part)
        if self.by is not None:
            cells = cells + self._codes[part] * np.int64(k * k)
        return np.bincount(cells, None if self.weight is None else self.weight[part], size)

    def _blocks(self) -> Iterator[slice]:
        """Few rows at once, so that sums do not depend on how many blocks there are."""
        if self.predictions.rows <= KEPT_ROWS:
            yield ALL
            return
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
        if self._is_turned(positive):
            own = self.ranking(1 - positive)
            return own.turned(complement=self._is_complement(as_probability=as_probability))
        scores = self.rows.score(positive, as_probability=as_probability)
        return self._ranked(scores, self.predictions.truth == positive, (positive, as_probability))

    def _is_turned(self, code: int) -> bool:
        """Whether a class's ranking is that of the positive class from the other end."""
        own = self.predictions.positive
        both = len(self.predictions.classes) == 2 and self.rows.model.class_scores is None
        return self.by is None and own not in (None, code) and both

    def _is_complement(self, *, as_probability: bool) -> bool:
        return self.rows.model.scores is None or (as_probability and self.rows.are_probabilities)

    def turned_steps(self, code: int, *, as_probability: bool) -> Array | slice | None:
        """For each step of the positive class's ranking its place in that of the other class, if that is it turned."""
        if not self._is_turned(code):
            return None
        steps, turned = len(self.ranking(1 - code).scores), self.ranking(code, as_probability=as_probability)
        if steps == len(turned.scores):
            return BACKWARDS
        scores = (1 - self.ranking(1 - code).scores)[::-1]
        return np.concatenate([[0], np.cumsum(scores[1:] != scores[:-1])])[::-1]

    @cached_property
    def pooled_ranking(self) -> Ranking:
        """All decisions 'is it this class?' as if they were of one class."""
        codes = range(len(self.predictions.classes))
        return merge_rankings([self.ranking(code, as_probability=True) for code in codes])

    def pooled_steps(self, code: int) -> Array:
        """For each step of a class's ranking its place in that of all decisions."""
        key = code, "pooled"
        if key not in self._orders:
            own = self.ranking(code, as_probability=True).scores
            self._orders[key] = np.searchsorted(-self.pooled_ranking.scores, -own)
        return self._orders[key]

    @cached_property
    def label_cells(self) -> Cells:
        rows, offset = self.rows, self._unit_offset(len(self.predictions.classes) ** 2)
        return label_cells(self.counts.matrix, lambda: rows.cells_of(ALL) + offset)

    @cached_property
    def truth_cells(self) -> Cells:
        classes = np.arange(len(self.predictions.classes))
        truth = self.predictions.truth
        return Cells((self.class_weights[0],), (classes,), 0, lambda: truth)

    def step_cells(self, code: int, *, as_probability: bool = False) -> Cells:
        """The rows of a class, and of all others, at each step of its ranking."""
        key = code, as_probability and code != self.predictions.positive
        if key not in self._cells:
            sides = (1 - code, code) if len(self.predictions.classes) == 2 else None
            ranking, is_positive = self.ranking(code, as_probability=key[1]), self.predictions.truth == code
            summary: Any = ref(self)  # which keeps the cells
            self._cells[key] = step_cells(ranking, is_positive, lambda: summary()._steps_of_rows(*key), sides)
        return self._cells[key]

    def _steps_of_rows(self, code: int, as_probability: bool) -> Array:
        """The step of each row; of rows without weight one that is near."""
        if (turned := self.turned_steps(code, as_probability=as_probability)) is not None:
            steps = self._steps_of_rows(1 - code, False)
            return len(self.ranking(code).scores) - 1 - steps if isinstance(turned, slice) else turned[steps]
        ranking = self.ranking(code, as_probability=as_probability)
        if (order := self._orders.get((code, as_probability))) is not None:
            return steps_of_sorted_rows(ranking, order)
        scores = self.rows.score(code, as_probability=as_probability)
        if self.by is None:
            return steps_of_rows(scores, ranking.scores).clip(0, len(ranking.scores) - 1)
        steps = np.empty(len(scores), np.int64)
        of_units = np.split(np.argsort(narrow(self._codes, self.units), kind="stable"), self._unit_starts[1:-1])
        for rows, first, end in zip(of_units, ranking.starts, ranking.starts[1:], strict=False):
            near = steps_of_rows(scores[rows], ranking.scores[first:end]).clip(0, max(end - first - 1, 0))
            steps[rows] = np.minimum(first + near, len(ranking.scores) - 1)
        return steps

    def pair_ranking(self, positive: int, negative: int) -> Ranking:
        """Rank the rows of two classes by the score for the first."""
        key = positive, negative, "pair"
        if key not in self._rankings:
            self._rankings[key] = self._ranked_pair(positive, negative)
        return self._rankings[key]

    def _ranked_pair(self, positive: int, negative: int) -> Ranking:
        scores = self.rows.score(positive)
        if self.weight is None and self.by is None:
            rows = [self._rows_of_classes[code] for code in (positive, negative)]
            return rank(scores[np.concatenate(rows)], np.repeat([True, False], [len(some) for some in rows]))
        truth = self.predictions.truth
        among = (truth == positive) | (truth == negative)
        return self._ranked(scores, truth == positive, (positive, False), among)

    @cached_property
    def _rows_of_classes(self) -> list[Array]:
        return [np.flatnonzero(self.predictions.truth == code) for code in range(len(self.predictions.classes))]

    def ranking_of_term(self, metric: Metric) -> Ranking:
        """Rank all rows by the metric's only row term."""
        key = self.rows.terms_key(metric)
        if key not in self._rankings:
            (term,) = self.rows.row_terms(metric, self.baseline).values()
            alone = self.weight is None and self.by is None
            self._rankings[key] = rank_alone(term) if alone else self._ranked(term, np.ones(len(term), bool), key)
        return self._rankings[key]

    def sums(self, metric: Metric) -> Sums:
        key = self.rows.terms_key(metric)
        if key not in self._sums:
            self._sums[key] = self._added_up(metric)
        return self._sums[key]

    def _added_up(self, metric: Metric) -> Sums:
        if self.by is None and self.predictions.rows > KEPT_ROWS:
            return self._in_blocks(metric)
        terms = self.rows.row_terms(metric, self.baseline)
        with np.errstate(all="ignore"):
            means = np.stack([self.totals(term) / self.total_weight for term in terms.values()], axis=1)
        summary: Any = ref(self)  # which keeps the sums
        return Sums(tuple(terms), self.total_weight, means, lambda: summary()._deviations(list(terms.values()), means))

    def _in_blocks(self, metric: Metric) -> Sums:
        """The same, bit by bit, without having all rows' terms at once."""
        with np.errstate(all="ignore"):
            means = {name: sums / self.total_weight for name, sums in self._totals(metric, lambda terms: terms).items()}

            def products(terms: dict[str, Array]) -> dict[tuple[str, str], Array]:
                off = {name: term - means[name] for name, term in terms.items()}
                return {(a, b): off[a] * off[b] for a in off for b in off}

            summary: Any = ref(self)

            def deviations() -> Array:
                totals = summary()._totals(metric, products)
                return np.array([[[totals[a, b][0] for b in means] for a in means]])

        return Sums(tuple(means), self.total_weight, np.stack([*means.values()], axis=1), deviations)

    def _totals(self, metric: Metric, of_terms: Callable[[dict[str, Array]], dict[Any, Array]]) -> dict[Any, Array]:
        """Weighted sums of what is made of the row terms, block by block."""
        sums: dict[Any, ExactSum] = {}
        for part in self._blocks():
            with np.errstate(all="ignore"):
                made = of_terms(self.rows.row_terms(metric, self.baseline, part))
            for name, column in made.items():
                sums.setdefault(name, ExactSum()).add(self._weighed(column, part))
        return {name: np.array([exact.total]) for name, exact in sums.items()}

    def _weighed(self, values: Array, part: slice = ALL) -> Array:
        if self.weight is None:
            return values
        weight = self.weight[part]
        return np.where(weight > 0, values, 0) * weight

    def _deviations(self, terms: Sequence[Array], means: Array) -> Array:
        with np.errstate(all="ignore"):
            unit = 0 if self.by is None else self._codes
            centred = [term - means[unit, place] for place, term in enumerate(terms)]
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
        values = self._weighed(values)
        if self._often:
            return self._added_by_unit(values)
        if self.by is None:
            return np.array([total(values)])
        return totals_by_key(values, self._codes, self.units)

    def _added_by_unit(self, values: Array) -> Array:
        totals, lost = np.zeros(self.units), np.zeros(self.units)
        compiled(add_by_unit)(values, self._codes, totals, lost)
        return totals + lost

    def _ranked(self, scores: Array, positive: Array, key: object, among: Array | None = None) -> Ranking:
        if self.weight is None and among is None and self.by is None:
            if worth_compiling(len(scores)):
                return rank(scores, positive)
            self._orders[key] = np.argsort(-scores)
            return rank_in_order(scores, positive, self._orders[key])
        if self._often and among is None:
            order, rows = self.rows.falling_rows(key, lambda: self._weighted(scores, positive))
            return rank_falling(rows, self._codes[order], self.units)
        if self.weight is None and worth_compiling(len(scores)):
            here = ALL if among is None else among
            return rank(scores[here], positive[here], self._codes[here], self.units)
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
    def _unit_starts(self) -> Array:
        """Where the rows of each unit begin, and the end."""
        if self.by is None:
            return np.array([0, self.predictions.rows])
        return np.concatenate([[0], np.cumsum(np.bincount(self._codes, minlength=self.units))])

    def _unit_offset(self, width: int) -> Array | int:
        return self._codes.astype(np.int64) * width if self.by else 0


def known_as(metric: Metric, code: int) -> object:
    """What a metric's value for one class is kept under, whatever average it is a part of."""
    return metric.without_average, code
