"""Random numbers that hang on a seed and on their place only, and the rows that they draw."""

from __future__ import annotations

from dataclasses import replace
from math import exp, sqrt
from typing import TYPE_CHECKING

import numpy as np

from referee.engines import compiled
from referee.records import dataclass

if TYPE_CHECKING:
    from referee.arrays import Array

ROUNDS = 10
FIRST, SECOND = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
FIRST_STEP, SECOND_STEP = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
WORD = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)

COUNTS, RARE, FILL, SWAPS, SHUFFLE = range(5)
"""What the numbers of a stream are for."""
PURPOSES = 8
"""Added to a purpose, this gives other numbers for the same."""


@dataclass(frozen=True)
class Streams:
    """Independent streams of one seed, side by side.

    >>> streams = Streams.numbered(7, 3)
    >>> bool((streams.words(SWAPS, 0, 2)[:, :, 1:] == streams.some([1, 2]).words(SWAPS, 0, 2)).all())
    True
    """

    seed: int
    numbers: Array
    """Which replicate each stream is for."""
    attempts: Array
    """How often its numbers were thrown away."""
    fast: bool = False
    """Whether compiling pays; the numbers are the same."""

    @classmethod
    def numbered(cls, seed: int, count: int, *, fast: bool = False) -> Streams:
        return cls(seed, np.arange(count, dtype=np.uint64), np.zeros(count, np.uint64), fast)

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def places(self) -> Array:
        """The numbers as indices."""
        return self.numbers.astype(np.int64)

    def some(self, places: Array | slice | list[int]) -> Streams:
        return replace(self, numbers=self.numbers[places], attempts=self.attempts[places])

    def again(self, places: Array) -> Streams:
        """The next attempt of some of them."""
        return replace(self, numbers=self.numbers[places], attempts=self.attempts[places] + np.uint64(1))

    def words(self, purpose: int, first: int, blocks: int) -> Array:
        """The random words of so many blocks from the first: (4, block, stream)."""
        made = np.empty((4, blocks, len(self)), np.uint32)
        make = compiled(fill_words) if self.fast else fill_words_plainly
        make(np.uint64(first), np.uint64(purpose), self.key, self.numbers, self.attempts, made)
        return made

    def words_at(self, purpose: int, block: Array, stream: Array) -> Array:
        """The words of single blocks of single streams: (4, place)."""
        counter = block.astype(np.uint64), np.uint64(purpose), self.numbers[stream], self.attempts[stream]
        return np.stack(mixed(*counter, self.key))

    @property
    def key(self) -> tuple[np.uint64, np.uint64]:
        return np.uint64(self.seed % 2**32), np.uint64(self.seed // 2**32 % 2**32)


def uniforms(words: Array) -> Array:
    """Numbers in [0, 1) of 53 bits, two from each block: (4, ...) to (2, ...)."""
    high, low = words[0::2].astype(np.uint64), words[1::2].astype(np.uint64)
    return ((high >> np.uint64(5)) * 67108864.0 + (low >> np.uint64(6))) / 9007199254740992.0


Key = tuple[np.uint64, np.uint64]


def mixed(a: Array, b: Array | np.uint64, c: Array, d: Array, key: Key) -> tuple[Array, Array, Array, Array]:
    """Mix counters of four words; every one is a whole number of 32 bits in 64."""
    a, b, c, d = np.broadcast_arrays(a, b, c, d)
    first_key, second_key = key
    for _ in range(ROUNDS):
        p, q = FIRST * a, SECOND * c
        a, b = (q >> HALF) ^ b ^ first_key, q & WORD
        c, d = (p >> HALF) ^ d ^ second_key, p & WORD
        first_key, second_key = (first_key + FIRST_STEP) & WORD, (second_key + SECOND_STEP) & WORD
    return a, b, c, d


def fill_words_plainly(
    first: np.uint64, purpose: np.uint64, key: Key, numbers: Array, attempts: Array, words: Array
) -> None:
    """What `fill_words` does, without compiling."""
    block = first + np.arange(words.shape[1], dtype=np.uint64)[:, None]
    for place, word in enumerate(mixed(block, purpose, numbers[None], attempts[None], key)):
        words[place] = word


def fill_words(first: np.uint64, purpose: np.uint64, key: Key, numbers: Array, attempts: Array, words: Array) -> None:
    """Fill (4, block, stream); streams stand side by side, so that one instruction mixes several."""
    word_a, word_b, word_c, word_d = words[0], words[1], words[2], words[3]
    for block in range(words.shape[1]):
        counter = first + np.uint64(block)
        for stream in range(len(numbers)):
            a, b, c, d = counter, purpose, numbers[stream], attempts[stream]
            first_key, second_key = key
            for _ in range(ROUNDS):
                p, q = FIRST * a, SECOND * c
                a, b = (q >> HALF) ^ b ^ first_key, q & WORD
                c, d = (p >> HALF) ^ d ^ second_key, p & WORD
                first_key, second_key = (first_key + FIRST_STEP) & WORD, (second_key + SECOND_STEP) & WORD
            word_a[block, stream], word_b[block, stream] = a, b
            word_c[block, stream], word_d[block, stream] = c, d


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
    first, second, third, fourth, fifth, sixth = cuts
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
                np.uint16(bits >= first) + np.uint16(bits >= second) + np.uint16(bits >= third)
                + np.uint16(bits >= fourth) + np.uint16(bits >= fifth) + np.uint16(bits >= sixth)
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
