"""Which rows a replicate is made of: how often each piece is drawn, or which of two models' predictions it takes."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, sqrt
from typing import TYPE_CHECKING

import numpy as np

from referee.engines.kernels import compiled
from referee.engines.random_streams import COUNTS, FILL, PURPOSES, RARE, SWAPS, uniforms

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines.random_streams import Streams

CHUNK = 128
"""Blocks of random words that are made and used at once, so that they stay in the processor's cache."""
LEVELS = 6
"""Numbers of draws that are told apart at once; a piece that is drawn more often is looked at by itself."""
MARGIN = 3
"""Standard deviations by which the first stage stays below the number of draws."""


def multiplicities(streams: Streams, pieces: int) -> Array:
    """Draw as many pieces as there are, with replacement, in every stream: (piece, stream), columns add to `pieces`.

    Each piece is first drawn Poisson-many times with a mean a little below 1. Given their total, such counts are
    draws with replacement; so the few that are missing are drawn one by one, and a total that is too large is
    drawn again. The result has exactly the distribution of as many single draws, at a tenth of the time.
    """
    mean = max(0.0, 1 - MARGIN / sqrt(pieces))
    times, missing = _poisson(streams, pieces, mean, 0)
    restart = 0
    while (too_many := np.flatnonzero(missing < 0)).size:
        restart += 1
        times[:, too_many], missing[too_many] = _poisson(streams.some(too_many), pieces, mean, restart)
    if missing.any():
        words = streams.words(FILL, 0, -(-int(missing.max()) // 2))
        (compiled(add_draws) if streams.fast else add_draws_plainly)(words, missing, times)
    return times


def kept(streams: Streams, pieces: int) -> Array:
    """Toss a coin for every piece in every stream: (piece, stream) of 0 and 1."""
    made = np.empty((pieces, len(streams)), np.uint8)
    for first in range(0, pieces, 128 * CHUNK):
        part = made[first : first + 128 * CHUNK]
        words = streams.words(SWAPS, first // 128, -(-len(part) // 128))
        (compiled(spread_bits) if streams.fast else spread_bits_plainly)(words, part)
    return made


@dataclass(frozen=True)
class PoissonTable:
    """A Poisson distribution on 16 random bits, and what these cannot tell on 53 more.

    >>> table = PoissonTable.of(1.0)
    >>> table.cuts.tolist()
    [24109, 48218, 60272, 64290, 65294, 65494]
    """

    cuts: Array
    """Below the first: not drawn; below the second: once ...; from the last on the rest decides."""
    rest: Array
    """Cumulative shares of 0, 1, 2 ... among what is left."""

    @classmethod
    def of(cls, mean: float) -> PoissonTable:
        chances = [exp(-mean)]
        for number in range(1, 40):
            chances.append(chances[-1] * mean / number)
        shares = np.array(chances)
        whole = np.floor(shares * 2**16)
        whole[LEVELS:] = 0
        left = np.cumsum(shares - whole / 2**16)
        return cls(np.cumsum(whole[:LEVELS]).astype(np.uint16), left / left[-1])


def _poisson(streams: Streams, pieces: int, mean: float, restart: int) -> tuple[Array, Array]:
    """Draw each piece Poisson-many times; and how many draws are missing in each stream."""
    times = np.zeros((pieces, len(streams)), np.uint8)
    if not mean:
        return times, np.full(len(streams), pieces)
    table = PoissonTable.of(mean)
    totals, is_rare = np.zeros(len(streams), np.int64), np.zeros(pieces, bool)
    count = compiled(count_draws) if streams.fast else count_draws_plainly
    for first in range(0, pieces, 8 * CHUNK):
        part = slice(first, first + 8 * CHUNK)
        words = streams.words(COUNTS + restart * PURPOSES, first // 8, -(-len(times[part]) // 8))
        count(words, table.cuts, times[part], totals, is_rare[part])
    _settle_rare(streams, table, times, totals, np.flatnonzero(is_rare), RARE + restart * PURPOSES)
    return times, pieces - totals


def _settle_rare(streams: Streams, table: PoissonTable, times: Array, totals: Array, rows: Array, purpose: int) -> None:
    place, stream = np.divmod(np.flatnonzero(times[rows] == LEVELS), times.shape[1])
    chance = uniforms(streams.words_at(purpose, rows[place], stream))[0]
    number = np.searchsorted(table.rest, chance, side="right")
    times[rows[place], stream] = number
    np.add.at(totals, stream, number - LEVELS)


def count_draws(words: Array, cuts: Array, times: Array, totals: Array, is_rare: Array) -> None:
    """Turn each half of a random word into the number of times that a piece is drawn."""
    one, two, three, four, five, six = cuts
    half, total = np.empty(len(totals), np.uint16), np.zeros(len(totals), np.uint16)
    for piece in range(len(times)):
        word = words[piece // 2 % 4, piece // 8]
        shift = np.uint32(16 * (piece % 2))
        drawn = times[piece]
        for stream in range(len(half)):
            half[stream] = np.uint16(word[stream] >> shift)
        for stream in range(len(half)):
            bits = half[stream]
            drawn[stream] = (
                np.uint16(bits >= one) + np.uint16(bits >= two) + np.uint16(bits >= three)
                + np.uint16(bits >= four) + np.uint16(bits >= five) + np.uint16(bits >= six)
            )  # fmt: skip
        for stream in range(len(half)):
            total[stream] += drawn[stream]
        most = np.uint8(0)
        for stream in range(len(half)):
            most = max(most, drawn[stream])
        is_rare[piece] = most == LEVELS
    totals += total


def count_draws_plainly(words: Array, cuts: Array, times: Array, totals: Array, is_rare: Array) -> None:
    """What `count_draws` does, without compiling."""
    halves = np.stack([words.astype(np.uint16), (words >> np.uint32(16)).astype(np.uint16)], axis=1)
    bits = halves.transpose(2, 0, 1, 3).reshape(-1, words.shape[2])[: len(times)]
    times[:] = sum((bits >= cut).view(np.uint8) for cut in cuts)
    totals += times.sum(axis=0, dtype=np.int64)
    is_rare[:] = (times == LEVELS).any(axis=1)


def add_draws(words: Array, missing: Array, times: Array) -> None:
    """Draw what is missing in each stream, one by one."""
    for block in range(words.shape[1]):
        for stream in range(words.shape[2]):
            for side in range(2):
                if 2 * block + side < missing[stream]:
                    high, low = words[2 * side, block, stream], words[2 * side + 1, block, stream]
                    chance = ((high >> np.uint32(5)) * 67108864.0 + (low >> np.uint32(6))) / 9007199254740992.0
                    times[int(chance * len(times)), stream] += 1


def add_draws_plainly(words: Array, missing: Array, times: Array) -> None:
    """What `add_draws` does, without compiling."""
    piece = (uniforms(words) * len(times)).astype(np.int64)
    side, block, stream = np.nonzero(2 * np.arange(words.shape[1])[:, None] + np.arange(2)[:, None, None] < missing)
    np.add.at(times, (piece[side, block, stream], stream), 1)


def spread_bits(words: Array, made: Array) -> None:
    """Give each bit of the random words to one piece."""
    for piece in range(len(made)):
        word = words[piece // 32 % 4, piece // 128]
        shift = np.uint32(piece % 32)
        out = made[piece]
        for stream in range(len(out)):
            out[stream] = (word[stream] >> shift) & np.uint32(1)


def spread_bits_plainly(words: Array, made: Array) -> None:
    """What `spread_bits` does, without compiling."""
    bits = (words[:, :, None] >> np.arange(32, dtype=np.uint32)[:, None]) & np.uint32(1)
    made[:] = bits.transpose(1, 0, 2, 3).reshape(-1, words.shape[2])[: len(made)]
