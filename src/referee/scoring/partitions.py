"""The same rows dealt out into units in many ways: all values of all ways in one call."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from referee.engines import COMPILE_FROM, Counts, Sums, compiled, moments_about_means, rank_falling, rows_of, summarise
from referee.errors import UndefinedError
from referee.predictions import Units
from referee.scoring.formula import known_areas, takes_areas, values
from referee.scoring.random_draws import SHUFFLE, Streams
from referee.scoring.sampled_rows import SampledRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.engines import Ranking
    from referee.predictions import Model, Predictions
    from referee.scoring.metric import Metric
    from referee.scoring.sampled_rows import FallingRows

PART = 4096
"""Rows that are added up before they are added to the total, so that rounding stays small."""


def add_cells(codes: Array, cell: Array, weight: Array, totals: Array) -> None:
    """Add each row's weight to the cell of its unit: (partition, unit, cell)."""
    for partition in range(len(codes)):
        unit, sums = codes[partition], totals[partition]
        for row in range(len(unit)):
            sums[unit[row], cell[row]] += weight[row]


def add_values(codes: Array, values: Array, totals: Array) -> None:
    """Add each row's value to its unit: (partition, unit)."""
    part = np.empty_like(totals[0])
    rows = max(PART, 4 * len(part))
    for partition in range(len(codes)):
        unit = codes[partition]
        for start in range(0, len(unit), rows):
            part[:] = 0
            for row in range(start, min(start + rows, len(unit))):
                part[unit[row]] += values[row]
            totals[partition] += part


def add_products_by_unit(codes: Array, terms: Array, means: Array, weight: Array, totals: Array) -> None:
    """Add the product of the deviations of two terms (2, row) from their means (2, partition, unit)."""
    for partition in range(len(codes)):
        unit, sums = codes[partition], totals[partition]
        mean_a, mean_b = means[0, partition], means[1, partition]
        for row in range(len(unit)):
            of_unit = unit[row]
            product = (terms[0, row] - mean_a[of_unit]) * (terms[1, row] - mean_b[of_unit])
            sums[of_unit] += weight[row] * product


def add_pairs_by_unit(codes: Array, order: Array, weight: Array, ends: Array, share: Array, pairs: Array) -> None:
    """Go down the rows and count, by weight, the pairs of a positive row above a negative one of the same unit.

    Rows stand in stretches, positives before negatives; `ends` holds where each stretch's positives and negatives
    end, `share` is a half where all its rows are tied. Pairs of tied rows count a half: what is above a negative is
    the mean of the positives before and after those that it is tied with.
    """
    above = np.empty_like(pairs[0])
    for partition in range(len(codes)):
        unit, won = codes[partition], pairs[partition]
        above[:] = 0
        begin = 0
        for stretch in range(len(ends)):
            middle, end, part = ends[stretch, 0], ends[stretch, 1], share[stretch]
            if part < 1:
                for place in range(middle, end):
                    of_unit = unit[order[place]]
                    won[of_unit] += weight[place] * (1 - part) * above[of_unit]
            for place in range(begin, middle):
                above[unit[order[place]]] += weight[place]
            for place in range(middle, end):
                of_unit = unit[order[place]]
                won[of_unit] += weight[place] * part * above[of_unit]
            begin = end


MOST_STEPS = 1 << 20
"""Rows times partitions that are ranked at once, where a formula looks at every step."""


def values_by_partition(
    predictions: Predictions, model: Model, metrics: Sequence[Metric], codes: Array, units: int
) -> dict[str, Array]:
    """Every metric's value in every unit of every partition, nan where undefined: name -> (partition, unit).

    `codes` holds the unit of each row, from 0: (partition, row).

    >>> from referee import Predictions, metrics
    >>> predictions = Predictions.from_arrays([1, 0, 1, 0], {"m": [0.9, 0.2, 0.4, 0.3]})
    >>> codes = np.array([[0, 0, 1, 1], [0, 1, 1, 0]])
    >>> values_by_partition(predictions, predictions.models[0], [metrics["accuracy"]], codes, 2)["accuracy"]
    array([[1. , 0.5],
           [1. , 0.5]])
    """
    rows = SampledRows(rows_of(predictions, model))
    if codes.size < COMPILE_FROM:
        return {metric.full_name: _one_by_one(predictions, model, metric, codes, units) for metric in metrics}
    all_at_once = Partitioned(rows, codes, units)
    values = {}
    for metric in metrics:
        if rows.uses_baseline(metric):
            values[metric.full_name] = _one_by_one(predictions, model, metric, codes, units)
        elif set(metric.summaries) <= {"counts", "sums"} or takes_areas(metric):
            values[metric.full_name] = all_at_once.value(metric)
        else:
            some = max(1, MOST_STEPS // predictions.rows)
            parts = (codes[first : first + some] for first in range(0, len(codes), some))
            values[metric.full_name] = np.concatenate([Partitioned(rows, part, units).value(metric) for part in parts])
    return values


def _one_by_one(predictions: Predictions, model: Model, metric: Metric, codes: Array, units: int) -> Array:
    names = tuple(map(str, range(units)))
    classes, positive = len(predictions.classes), predictions.positive
    summaries = (summarise(predictions, model, Units(of_partition, names)) for of_partition in codes)
    return np.stack([values(metric, summary, classes, positive) for summary in summaries])


class Partitioned:
    """What an engine gives for one model, with the units of all partitions one after the other."""

    def __init__(self, rows: SampledRows, codes: Array, units: int) -> None:
        self.rows, self.predictions = rows, rows.predictions
        self.codes = np.ascontiguousarray(codes, np.uint16 if units <= 2**16 else np.int64)
        """Narrow, so that a partition's stay in the processor's cache."""
        self.shape = len(codes), units
        self.units = len(codes) * units
        self.scale = rows.scale
        self.known_values: dict[object, Array] = {}

    def value(self, metric: Metric) -> Array:
        """The metric in every unit: (partition, unit)."""
        classes, positive = len(self.predictions.classes), self.predictions.positive
        self.known_values |= known_areas(metric, self.area, classes, positive)
        return values(metric, self, classes, positive).reshape(self.shape)

    @cached_property
    def counts(self) -> Counts:
        classes = len(self.predictions.classes)
        weight = self.rows.weight if self.rows.weighted else np.ones(len(self.rows.truth), np.int64)
        totals = np.zeros((*self.shape, classes**2), weight.dtype)
        compiled(add_cells)(self.codes, self.rows.cells, weight, totals)
        return Counts(totals.reshape(self.units, classes, classes))

    @cached_property
    def class_weights(self) -> Array:
        """Rows of each class: (unit, class)."""
        return self.counts.true

    @cached_property
    def total_weight(self) -> Array:
        if self.rows.predictions.classes:
            return self.counts.total.astype(float)
        return self._totals(self.rows.weight)

    def sums(self, metric: Metric) -> Sums:
        terms, weighted = self.rows.terms(metric)
        with np.errstate(all="ignore"):
            means = np.stack([self._totals(term) for term in weighted]) / self.total_weight
        return Sums(
            tuple(terms),
            self.total_weight,
            means.T,
            lambda: moments_about_means(list(terms.values()), means, self.total_weight, self._products),
        )

    def area(self, code: int) -> Array:
        """The area under the ROC curve of one class in each unit."""
        falling = self.rows.falling(code)
        pairs = np.zeros(self.shape)
        weight = self.rows.weight[falling.order]
        compiled(add_pairs_by_unit)(self.codes, falling.order, weight, falling.ends, falling.share, pairs)
        positives = self.class_weights[:, code]
        negatives = self.class_weights.sum(axis=1) - positives
        with np.errstate(all="ignore"):
            return pairs.reshape(-1) / (positives * negatives)

    def ranking(self, positive: int, *, as_probability: bool = False) -> Ranking:
        return self._ranked(self.rows.falling(positive, as_probability=as_probability))

    def pair_ranking(self, positive: int, negative: int) -> Ranking:
        return self._ranked(self.rows.falling_pair(positive, negative))

    def ranking_of_term(self, metric: Metric) -> Ranking:
        return self._ranked(self.rows.falling_term(metric))

    def _ranked(self, falling: FallingRows) -> Ranking:
        partitions, units = self.shape
        first_unit = units * np.arange(partitions)[:, None]
        weight = self.rows.weight[falling.order] if self.rows.weighted else np.ones(len(falling.order), np.int64)
        positives = weight * falling.is_positive
        once = falling.scores, positives, weight - positives
        rows = np.tile(once[0], partitions), np.tile(once[1], partitions), np.tile(once[2], partitions)
        unit = self.codes[:, falling.order].astype(np.int64) + first_unit
        return rank_falling(rows, unit.reshape(-1), self.units)

    def _totals(self, values_of_rows: Array) -> Array:
        totals = np.zeros(self.shape)
        compiled(add_values)(self.codes, values_of_rows, totals)
        return totals.reshape(-1)

    def _products(self, terms: tuple[Array, Array], means: tuple[Array, Array]) -> Array:
        totals = np.zeros(self.shape)
        columns = np.stack([np.where(self.rows.weight > 0, term, 0.0) for term in terms])
        about = np.stack([mean.reshape(self.shape) for mean in means])
        compiled(add_products_by_unit)(self.codes, columns, about, self.rows.weight, totals)
        return totals.reshape(-1)


AT_ONCE = 1 << 18
"""Rows times partitions that are shuffled at once, so that they stay in the processor's cache."""

MOST_KINDS = 20
"""Strata that clusters are balanced by; more are joined with their neighbours."""


def deal(predictions: Predictions, subsets: int, seed: int, partitions: int = 1) -> Array:
    """Deal all rows out into subsets, in so many ways: (partition, row) of numbers from 0.

    The rows of each class are shuffled and dealt in turn, the next class going on where the last one ended: sizes
    differ by at most one row, and so do the rows of each class. Of regression, neighbours by their true number are
    shuffled and dealt, so that every subset has its share of the large and the small ones. Clusters stay together.
    A partition depends on the seed and on its own number only.

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0, 0, 1, 1, 0, 0], {"m": [0.1, 0.2, 0.9, 0.8, 0.3, 0.4]})
    >>> deal(predictions, 2, seed=0).shape
    (1, 6)
    """
    clusters = predictions.clusters
    pieces = predictions.rows if clusters is None else len(np.unique(clusters.codes))
    if pieces < subsets:
        what = "rows" if clusters is None else "groups of rows that stay together"
        raise UndefinedError("E_TOOFEW", f"{pieces:,} {what} cannot be divided into {subsets:,} subsets")
    strata = _strata(predictions, subsets)
    streams = Streams.numbered(seed, partitions)
    if clusters is not None:
        return _dealt_clusters(streams, clusters.codes, strata, subsets)
    some = max(1, AT_ONCE // predictions.rows)
    parts = (streams.some(slice(first, first + some)) for first in range(0, partitions, some))
    return np.concatenate([_dealt_rows(part, strata, subsets) for part in parts])


def _strata(predictions: Predictions, subsets: int) -> Array:
    """The class of each row; of regression, which of its neighbours by true number it is dealt out with."""
    if predictions.classes:
        return np.asarray(predictions.truth, np.int64)
    strata = np.empty(predictions.rows, np.int64)
    strata[np.argsort(predictions.truth, kind="stable")] = np.arange(predictions.rows) // subsets
    return strata


def _shuffled(streams: Streams, strata: Array) -> Array:
    """The places of all pieces by rising stratum, in random order inside each: (stream, piece)."""
    pieces = len(strata)
    words = streams.words(SHUFFLE, 0, -(-pieces // 2)).astype(np.uint64)
    keys = ((words[0::2] << np.uint64(32)) | words[1::2]).transpose(2, 1, 0).reshape(len(streams), -1)[:, :pieces]
    # Stratum, random bits and place in one number: sorting numbers is much faster than sorting places by them.
    for_stratum, for_place = (np.uint64(int(most).bit_length()) for most in (strata.max(), pieces - 1))
    place = np.uint64(2 ** int(for_place) - 1)
    keys = ((keys >> for_stratum) & ~place) | np.arange(pieces, dtype=np.uint64)
    if for_stratum:
        keys |= strata.astype(np.uint64) << (np.uint64(64) - for_stratum)
    keys.sort(axis=1)
    return (keys & place).astype(np.int64)


def _dealt_rows(streams: Streams, strata: Array, subsets: int) -> Array:
    dealt = np.empty((len(streams), len(strata)), np.int32)
    in_turn = np.arange(len(strata), dtype=np.int32) % subsets
    for of_partition, order in zip(dealt, _shuffled(streams, strata), strict=True):
        of_partition[order] = in_turn
    return dealt


def _dealt_clusters(streams: Streams, codes: Array, strata: Array, subsets: int) -> Array:
    """Give the next largest cluster to the subset that has the fewest of such rows.

    Few means: rows of each stratum as a share of all rows of that stratum, and rows in all as a share of all.
    """
    _, cluster = np.unique(codes, return_inverse=True)
    strata = strata * MOST_KINDS // (strata.max() + 1) if strata.max() >= MOST_KINDS else strata
    clusters, kinds = int(cluster.max()) + 1, int(strata.max()) + 1
    content = np.bincount(cluster * np.int64(kinds) + strata, minlength=clusters * kinds).reshape(clusters, kinds)
    size = content.sum(axis=1)
    order = _shuffled(streams, size.max() - size)
    subset_of = np.empty((len(streams), clusters), np.int64)
    filled = np.zeros((len(streams), subsets, kinds + 1))
    every = np.arange(len(streams))
    shares = np.column_stack([content / np.maximum(content.sum(axis=0), 1), size / size.sum()])
    for placed in order.T:
        share = shares[placed]
        fewest = np.einsum("psk,pk->ps", filled, share).argmin(axis=1)
        subset_of[every, placed] = fewest
        filled[every, fewest] += share
    return subset_of[:, cluster].astype(np.int32)
