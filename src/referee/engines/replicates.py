"""Replicates: the summaries of many samples of the same rows, side by side; each replicate is a unit.

Rows are sorted once; a replicate only changes how often each counts. So every metric's own formula gives its value
in every replicate, from the same summaries as everywhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.centred_sums import moments_about_means
from referee.engines.kernels import compiled
from referee.engines.memory import summarise
from referee.engines.replicate_kernels import (
    add_by_cell,
    add_by_cell_plainly,
    add_pairs,
    add_pairs_plainly,
    add_products,
    add_products_plainly,
    add_terms,
    add_terms_plainly,
)
from referee.formula import known_areas, values
from referee.ranking import joined_steps
from referee.summaries import Counts, Sums

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.engines.sampled_rows import FallingRows, SampledRows
    from referee.metric import Metric
    from referee.ranking import Ranking


@dataclass(frozen=True)
class Draws:
    """How often each piece was drawn in each replicate, and the piece that each row belongs to."""

    times: Array
    piece: Array
    rows: float | None = None
    """How many rows every replicate has, where that is known beforehand."""
    with_replacement: bool = True
    fast: bool = False
    """Whether compiling pays; the numbers are the same."""

    def __len__(self) -> int:
        return self.times.shape[1]

    def totals(self, terms: Array) -> Array:
        """Add terms of rows (term, row), each as often as its row was drawn: (term, replicate)."""
        found = np.zeros((len(terms), len(self)))
        self.run(add_terms, add_terms_plainly, self.piece, terms, found)
        return found

    def run(self, kernel: Callable[..., None], plain: Callable[..., None], *arguments: Array) -> None:
        (compiled(kernel) if self.fast else plain)(self.times, *arguments)


class Replicates:
    """What an engine gives for one model, with the replicates as its units."""

    def __init__(self, rows: SampledRows, draws: Draws) -> None:
        self.rows = rows
        self.draws = draws
        self.units = len(draws)
        self.scale = rows.scale
        self.known_values: dict[object, Array] = {}

    def value(self, metric: Metric) -> Array:
        """The metric in every replicate; nan where it is undefined."""
        predictions = self.rows.predictions
        classes, positive = len(predictions.classes), predictions.positive
        self.known_values |= known_areas(metric, self.area, classes, positive)
        return values(metric, self, classes, positive)

    @cached_property
    def total_weight(self) -> Array:
        if self.draws.rows is not None and not self.rows.weighted:
            return np.full(self.units, float(self.draws.rows))
        return self.draws.totals(self.rows.weight[None])[0]

    @cached_property
    def counts(self) -> Counts:
        classes = len(self.rows.predictions.classes)
        found = self._by_cell(self.rows.cells, classes**2)
        return Counts(found.reshape(self.units, classes, classes))

    @cached_property
    def class_weights(self) -> Array:
        """Rows of each class: (replicate, class)."""
        return self._by_cell(self.rows.truth, len(self.rows.predictions.classes))

    def sums(self, metric: Metric) -> Sums:
        if self.draws.with_replacement and self.rows.baseline_moves(metric):
            return self._sums_one_by_one(metric)
        terms, weighted = self.rows.terms(metric)
        with np.errstate(all="ignore"):
            means = self.draws.totals(weighted) / self.total_weight
        return Sums(
            tuple(terms),
            self.total_weight,
            means.T,
            lambda: moments_about_means(list(terms.values()), means, self.total_weight, self._products),
        )

    def ranking(self, positive: int, *, as_probability: bool = False) -> Ranking:
        return self._ranked(self.rows.falling(positive, as_probability=as_probability))

    def pair_ranking(self, positive: int, negative: int) -> Ranking:
        return self._ranked(self.rows.falling_pair(positive, negative))

    def ranking_of_term(self, metric: Metric) -> Ranking:
        return self._ranked(self.rows.falling_term(metric))

    def area(self, code: int) -> Array:
        """The area under the ROC curve of one class in each replicate."""
        falling = self.rows.falling(code)
        sides, pairs = np.zeros((2, self.units)), np.zeros(self.units)
        stretches = falling.ends, falling.share
        piece, weight = self.draws.piece[falling.order], self.rows.weight[falling.order]
        self.draws.run(add_pairs, add_pairs_plainly, piece, weight, *stretches, sides, pairs)
        with np.errstate(all="ignore"):
            return pairs / (sides[0] * sides[1])

    def _by_cell(self, cell: Array, cells: int) -> Array:
        totals = np.zeros((cells, self.units))
        self.draws.run(add_by_cell, add_by_cell_plainly, self.draws.piece, cell, self.rows.weight, totals)
        return totals.T

    def _products(self, terms: tuple[Array, Array], means: tuple[Array, Array]) -> Array:
        totals = np.zeros(self.units)
        counted = self.rows.weight > 0
        columns = np.stack([np.where(counted, term, 0.0) for term in terms])
        self.draws.run(
            add_products, add_products_plainly, self.draws.piece, columns, np.stack(means), self.rows.weight, totals
        )
        return totals

    def _sums_one_by_one(self, metric: Metric) -> Sums:
        """Where the yardstick is the mean of the drawn rows, each replicate has row terms of its own."""
        (rows,) = self.rows.sources
        each = []
        for times in self.draws.times.T:
            weight = times[self.draws.piece] * self.rows.weight
            each.append(summarise(replace(rows.predictions, weight=weight), rows.model).sums(metric))
        weights, means, moments = (np.concatenate([getattr(one, name) for one in each]) for name in _PARTS)
        return Sums(each[0].terms, weights, means, moments)

    def _ranked(self, falling: FallingRows) -> Ranking:
        drawn = np.ascontiguousarray(self.draws.times[self.draws.piece[falling.order]].T)
        unit, place = np.divmod(np.flatnonzero(drawn), drawn.shape[1])
        amount: Any = drawn[unit, place].astype(np.int64)
        if self.rows.weighted:
            amount = amount * self.rows.weight[falling.order][place]
        positives = amount * falling.is_positive[place]
        rows = falling.scores[place], positives, amount - positives
        return joined_steps(*rows, np.arange(len(place)), unit, self.units)


_PARTS = ("weight", "means", "moments")
