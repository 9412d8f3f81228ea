"""Equal stratified subsets of the rows: all rows are dealt out, at random and as evenly as they can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.errors import UndefinedError
from referee.scoring.random_draws import SHUFFLE, Streams

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.predictions import Predictions

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
        raise UndefinedError("E_TOOFEW", f"{pieces:,} {what} cannot be dealt out into {subsets:,} subsets")
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
