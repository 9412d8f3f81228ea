"""Two models' predictions, swapped row by row at random: the differences of their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.engines.draws import kept
from referee.engines.random_streams import Streams
from referee.engines.replicates import Draws, Replicates
from referee.engines.resampling import COMPILE_FROM, batch_size, in_batches, one_row_each, pieces_of
from referee.engines.rows import Rows
from referee.engines.sampled_rows import SampledRows
from referee.formula import takes_areas

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.metric import Metric
    from referee.predictions import Model, Predictions


def permuted_differences(
    predictions: Predictions, models: Sequence[Model], metric: Metric, *, seed: int, permutations: int
) -> Array:
    """Swap two models' predictions row by row, or cluster by cluster, at random; nan where a value is undefined.

    Scores that only rank are swapped as ranks: those of two models need not have the same scale.
    """
    predictions, chosen = one_row_each(predictions, models)
    sources = [Rows(predictions, model) for model in chosen]
    scale = min(rows.scale for rows in sources)
    for rows in sources:
        rows.scale = scale
    pooled = SampledRows(*sources, by_rank=metric.ranks_only)
    streams = Streams.numbered(seed, permutations, fast=predictions.rows * permutations >= COMPILE_FROM)
    if takes_areas(metric) and predictions.positive is not None and metric.settings.get("average") is None:
        return _differences_of_areas(pooled, streams, predictions.positive)
    return _differences(pooled, streams, metric)


def _differences(pooled: SampledRows, streams: Streams, metric: Metric) -> Array:
    """A swap is a choice among the rows of both models: one takes what the other leaves."""
    rows = pooled.predictions.rows
    piece, pieces = pieces_of(pooled.predictions)
    of_a, of_b = np.concatenate([piece, piece + pieces]), np.concatenate([piece + pieces, piece])
    found = np.empty(len(streams))
    for some in in_batches(streams, batch_size([metric], 2 * rows, 2 * pieces, fast=streams.fast)):
        as_is = kept(some, pieces)
        times = np.concatenate([as_is, 1 - as_is])
        a, b = (
            Replicates(pooled, Draws(times, side, rows, with_replacement=False, fast=some.fast))
            for side in (of_a, of_b)
        )
        found[some.places] = a.value(metric) - b.value(metric)
    return found


def _differences_of_areas(pooled: SampledRows, streams: Streams, code: int) -> Array:
    """The difference of the areas of what was taken and what was left is linear in what was taken.

    Let a row be taken (t = 1) or left (0). A pair of a positive i above a negative j counts for the one area if both
    are taken, and for the other if both are left: t_i t_j - (1 - t_i)(1 - t_j) = t_i + t_j - 1. So each row adds the
    number of pairs that it is in, whatever becomes of the other rows.
    """
    taken, left = np.split(pooled.pairs_of_rows(code), 2)
    is_positive, weight = np.split(pooled.truth == code, 2)[0], np.split(pooled.weight, 2)[0]
    all_pairs = (taken + left)[is_positive].sum()
    both_classes = weight[is_positive].sum() * weight[~is_positive].sum()
    piece, pieces = pieces_of(pooled.predictions)
    found = np.empty(len(streams))
    for some in in_batches(streams, batch_size([], len(piece), pieces, fast=streams.fast)):
        totals = Draws(kept(some, pieces), piece, fast=some.fast).totals((taken - left)[None])[0]
        found[some.places] = (totals + (left.sum() - all_pairs)) / both_classes
    return found
