"""Random numbers that hang on a seed and on their place only, whatever was drawn before or beside them.

Philox 4x32 with ten rounds (Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011):
a counter of four words is mixed with a key of two into four random words. The key is the seed; the counter holds
the block inside the stream, what the numbers are for, and the stream: a replicate and how often it was redrawn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from referee.engines.kernels import compiled

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
