"""Metrics on rows that are drawn again or swapped between two models."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from referee.document import with_progress
from referee.engines import Rows
from referee.errors import UndefinedError, UsageError
from referee.records import dataclass
from referee.scoring.formula import takes_areas
from referee.scoring.random_draws import Streams, kept, multiplicities
from referee.scoring.replicates import Draws, Replicates
from referee.scoring.sampled_rows import SampledRows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.predictions import Model, Predictions
    from referee.scoring.metric import Metric

COMPILE_FROM = 30_000_000
"""Rows times replicates from which compiling pays."""
SIDE_BY_SIDE = 128
"""Replicates that are made at once: enough for the processor to work on many with one instruction."""
MOST_DRAWN = 1 << 27
"""Numbers of draws that are kept at once, in bytes."""
MOST_STEPS = 1 << 21
"""Rows times replicates that are ranked at once, where a formula looks at every step."""
MOST_ROWS = 100_000_000
"""Rows that are drawn from, each as often as its frequency weight says."""
ATTEMPTS = 1000
"""How often a replicate is redrawn before the metric is given up."""


@dataclass(frozen=True)
class Bootstrapped:
    """Values in all replicates: (metric, model, replicate); and what had to be drawn again."""

    values: Array
    lacking: Array
    """Of each redrawn replicate whether it had no row of a class: (replicate, class)."""

    @property
    def redrawn(self) -> int:
        return len(self.lacking)


def bootstrap_values(
    predictions: Predictions, models: Sequence[Model], metrics: Sequence[Metric], *, seed: int, replicates: int
) -> Bootstrapped:
    """Draw the rows, or their clusters, with replacement; every model and metric sees the same replicates.

    A replicate in which a value is undefined is drawn again.
    """
    predictions, models = one_row_each(predictions, models)
    rows = [SampledRows(Rows(predictions, model)) for model in models]
    all_values = np.empty((len(metrics), len(models), replicates))
    waiting = Streams.numbered(seed, replicates, fast=predictions.rows * replicates >= COMPILE_FROM)
    lacking: list[Array] = []
    piece, pieces = pieces_of(predictions)
    rows_drawn = predictions.rows if predictions.clusters is None else None
    size = batch_size(metrics, predictions.rows, pieces, fast=waiting.fast)
    for _ in range(ATTEMPTS):
        undefined = []
        for streams in in_batches(waiting, size):
            draws = Draws(multiplicities(streams, pieces), piece, rows_drawn, fast=streams.fast)
            each = [Replicates(model_rows, draws) for model_rows in rows]
            values = np.stack([[replicated.value(metric) for replicated in each] for metric in metrics])
            all_values[:, :, streams.places] = values
            bad = np.flatnonzero(~np.isfinite(values).all(axis=(0, 1)))
            lacking.append(_without_class(rows[0], draws, bad))
            undefined.append(streams.again(bad))
        waiting = _joined(undefined)
        if not len(waiting):
            return Bootstrapped(all_values, np.concatenate(lacking))
    names = ", ".join(metric.full_name for metric in metrics)
    raise UndefinedError("E_BOOT", f"{names} is undefined in nearly every bootstrap replicate of these rows")


def in_canonical_order(predictions: Predictions, models: Sequence[Model]) -> tuple[Predictions, Sequence[Model]]:
    """The same rows in an order of their own, so that what is drawn does not depend on how they were given."""
    known = predictions if set(models) <= set(predictions.models) else replace(predictions, models=tuple(models))
    ordered = known.in_canonical_order()
    return ordered, [ordered.models[known.models.index(model)] for model in models]


def one_row_each(predictions: Predictions, models: Sequence[Model]) -> tuple[Predictions, Sequence[Model]]:
    """Rows that were seen several times stand there several times."""
    if predictions.weight is None or predictions.weight_kind != "frequency":
        return predictions, models
    times = np.asarray(predictions.weight)
    if (times % 1 != 0).any():
        raise UsageError("E_WEIGHT", "frequency weights count how often a row was seen: they must be whole numbers")
    if times.sum() > MOST_ROWS:
        what = f"resampling {times.sum():,.0f} rows takes too long"
        raise UsageError("E_WEIGHT", what, hint="--test influence accepts frequency weights of any size")
    rows = np.repeat(np.arange(len(times)), times.astype(np.int64))
    return replace(predictions.part(rows), weight=None), [model.part(rows) for model in models]


def pieces_of(predictions: Predictions) -> tuple[Array, int]:
    """What is drawn: the cluster of each row, or each row itself; and how many there are."""
    if predictions.clusters is None:
        return np.arange(predictions.rows, dtype=np.int32), predictions.rows
    clusters, piece = np.unique(predictions.clusters.codes, return_inverse=True)
    return piece.astype(np.int32), len(clusters)


def batch_size(metrics: Sequence[Metric], rows: int, pieces: int, *, fast: bool) -> int:
    if any({"ranking", "pairs"} & set(metric.summaries) and not takes_areas(metric) for metric in metrics):
        return max(1, MOST_STEPS // rows)
    return max(1, min(SIDE_BY_SIDE if fast else MOST_DRAWN, MOST_DRAWN // pieces))


def in_batches(streams: Streams, size: int) -> Iterator[Streams]:
    for first in with_progress(range(0, len(streams), size), "drawing replicates"):
        yield streams.some(slice(first, first + size))


def _joined(parts: Sequence[Streams]) -> Streams:
    numbers, attempts = (np.concatenate([getattr(part, name) for part in parts]) for name in ("numbers", "attempts"))
    return replace(parts[0], numbers=numbers, attempts=attempts)


def _without_class(rows: SampledRows, draws: Draws, replicates: Array) -> Array:
    """Whether some of the replicates have no row of a class: (replicate, class)."""
    classes = len(rows.predictions.classes)
    if not classes or not replicates.size:
        return np.zeros((len(replicates), classes), bool)
    some = Replicates(rows, replace(draws, times=np.ascontiguousarray(draws.times[:, replicates])))
    return some.class_weights == 0


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
    differences = np.empty(len(streams))
    for some in in_batches(streams, batch_size([metric], 2 * rows, 2 * pieces, fast=streams.fast)):
        as_is = kept(some, pieces)
        times = np.concatenate([as_is, 1 - as_is])
        a, b = (
            Replicates(pooled, Draws(times, side, rows, with_replacement=False, fast=some.fast))
            for side in (of_a, of_b)
        )
        differences[some.places] = a.value(metric) - b.value(metric)
    return differences


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
    differences = np.empty(len(streams))
    for some in in_batches(streams, batch_size([], len(piece), pieces, fast=streams.fast)):
        totals = Draws(kept(some, pieces), piece, fast=some.fast).totals((taken - left)[None])[0]
        differences[some.places] = (totals + (left.sum() - all_pairs)) / both_classes
    return differences
