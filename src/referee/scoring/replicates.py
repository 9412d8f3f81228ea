"""Replicates: the summaries of many samples of the same rows, side by side; each replicate is a unit.

Rows are sorted once; a replicate only changes how often each counts. So every metric's own formula gives its value
in every replicate, from the same summaries as everywhere else.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import Counts, Sums, compiled, joined_steps, moments_about_means, summarise
from referee.records import dataclass
from referee.scoring.formula import known_areas, values

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.engines import Ranking
    from referee.scoring.metric import Metric
    from referee.scoring.sampled_rows import FallingRows, SampledRows

PART = 256
"""Rows that are added up before they are added to the total, so that rounding stays small."""


def add_terms(times: Array, piece: Array, terms: Array, totals: Array) -> None:
    """Add every term (term, row), as often as its row was drawn: (term, replicate)."""
    part = np.empty_like(totals)
    for start in range(0, len(piece), PART):
        part[:] = 0
        for row in range(start, min(start + PART, len(piece))):
            drawn = times[piece[row]]
            for term in range(len(terms)):
                value = terms[term, row]
                sums = part[term]
                for replicate in range(len(drawn)):
                    sums[replicate] += drawn[replicate] * value
        totals += part


def add_terms_plainly(times: Array, piece: Array, terms: Array, totals: Array) -> None:
    """What `add_terms` does, without compiling."""
    for start in range(0, len(piece), PART):
        part = np.zeros_like(totals)
        for row in range(start, min(start + PART, len(piece))):
            part += times[piece[row]] * terms[:, row, None]
        totals += part


def add_products(times: Array, piece: Array, terms: Array, means: Array, weight: Array, totals: Array) -> None:
    """Add the product of the deviations of two terms (2, row) from their means (2, replicate): (replicate)."""
    for row in range(len(piece)):
        drawn, value, a, b = times[piece[row]], weight[row], terms[0, row], terms[1, row]
        for replicate in range(len(drawn)):
            product = (a - means[0, replicate]) * (b - means[1, replicate])
            totals[replicate] += drawn[replicate] * value * product


def add_products_plainly(times: Array, piece: Array, terms: Array, means: Array, weight: Array, totals: Array) -> None:
    """What `add_products` does, without compiling."""
    for row in range(len(piece)):
        a, b = terms[:, row, None] - means
        totals += times[piece[row]] * weight[row] * (a * b)


def add_by_cell(times: Array, piece: Array, cell: Array, weight: Array, totals: Array) -> None:
    """Add each row's weight, as often as it was drawn, to its cell: (cell, replicate)."""
    for row in range(len(piece)):
        drawn, value = times[piece[row]], weight[row]
        sums = totals[cell[row]]
        for replicate in range(len(drawn)):
            sums[replicate] += drawn[replicate] * value


def add_by_cell_plainly(times: Array, piece: Array, cell: Array, weight: Array, totals: Array) -> None:
    """What `add_by_cell` does, without compiling."""
    for row in range(len(piece)):
        totals[cell[row]] += times[piece[row]] * weight[row]


def add_pairs(times: Array, piece: Array, weight: Array, ends: Array, share: Array, sides: Array, pairs: Array) -> None:
    """Go down the rows and count, by weight, the pairs of a positive row above a negative one.

    Rows stand in stretches, positives before negatives; `ends` holds where each stretch's positives and negatives
    end, `share` how much of the pairs inside it count: 1, or a half if all its rows are tied. `sides` takes the
    positives and the negatives of each replicate.
    """
    above, positives, negatives = np.zeros((3, len(pairs)))
    row = 0
    for stretch in range(len(ends)):
        positives[:] = 0
        negatives[:] = 0
        while row < ends[stretch, 0]:
            drawn, value = times[piece[row]], weight[row]
            for replicate in range(len(drawn)):
                positives[replicate] += drawn[replicate] * value
            row += 1
        while row < ends[stretch, 1]:
            drawn, value = times[piece[row]], weight[row]
            for replicate in range(len(drawn)):
                negatives[replicate] += drawn[replicate] * value
            row += 1
        part = share[stretch]
        for replicate in range(len(pairs)):
            pairs[replicate] += negatives[replicate] * (above[replicate] + part * positives[replicate])
            above[replicate] += positives[replicate]
            sides[1, replicate] += negatives[replicate]
    sides[0] = above


def add_pairs_plainly(
    times: Array, piece: Array, weight: Array, ends: Array, share: Array, sides: Array, pairs: Array
) -> None:
    """What `add_pairs` does, without compiling."""
    row = 0
    for stretch in range(len(ends)):
        positives, negatives = np.zeros((2, len(pairs)))
        while row < ends[stretch, 1]:
            side = positives if row < ends[stretch, 0] else negatives
            side += times[piece[row]] * weight[row]
            row += 1
        pairs += negatives * (sides[0] + share[stretch] * positives)
        sides[0] += positives
        sides[1] += negatives


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
        sums = np.zeros((len(terms), len(self)))
        self.run(add_terms, add_terms_plainly, self.piece, terms, sums)
        return sums

    def run(self, kernel: Callable[..., None], plain: Callable[..., None], *arguments: Array) -> None:
        (compiled(kernel) if self.fast else plain)(self.times, *arguments)


class Replicates:
    """What an engine gives for one model, with the replicates as its units."""

    def __init__(self, rows: SampledRows, draws: Draws) -> None:
        self.rows, self.predictions = rows, rows.predictions
        self.draws = draws
        self.units = len(draws)
        self.scale = rows.scale
        self.known_values: dict[object, Array] = {}

    def value(self, metric: Metric) -> Array:
        """The metric in every replicate; nan where it is undefined."""
        classes, positive = len(self.predictions.classes), self.predictions.positive
        self.known_values |= known_areas(metric, self.area, classes, positive)
        return values(metric, self, classes, positive)

    @cached_property
    def total_weight(self) -> Array:
        if self.draws.rows is not None and not self.rows.weighted:
            return np.full(self.units, float(self.draws.rows))
        return self.draws.totals(self.rows.weight[None])[0]

    @cached_property
    def counts(self) -> Counts:
        classes = len(self.predictions.classes)
        cells = self._by_cell(self.rows.cells, classes**2)
        return Counts(cells.reshape(self.units, classes, classes))

    @cached_property
    def class_weights(self) -> Array:
        """Rows of each class: (replicate, class)."""
        return self._by_cell(self.rows.truth, len(self.predictions.classes))

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
        weights_of_each = (times[self.draws.piece] * self.rows.weight for times in self.draws.times.T)
        drawn = [summarise(replace(rows.predictions, weight=weight), rows.model) for weight in weights_of_each]
        each = [summary.sums(metric) for summary in drawn]  # which know their moments as long as the summaries live
        weights, means, moments = (np.concatenate([getattr(sums, name) for sums in each]) for name in _PARTS)
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
