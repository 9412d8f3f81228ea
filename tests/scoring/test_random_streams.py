"""Random numbers that hang on their place only, and what is drawn with them."""

from __future__ import annotations

from dataclasses import replace
from math import comb, exp, factorial

import numpy as np
import pytest

from referee.scoring.random_draws import (
    COUNTS,
    LEVELS,
    SWAPS,
    PoissonTable,
    Streams,
    kept,
    mixed,
    multiplicities,
    uniforms,
)

KNOWN = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]
"""Random123's own answers for Philox 4x32-10."""


def words(text):
    return [np.uint64(int(word, 16)) for word in text.split()]


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN)
def test_known_answers(counter, key, answer):
    found = mixed(*(word[None] for word in words(counter)), tuple(words(key)))
    assert [int(word[0]) for word in found] == [int(word) for word in words(answer)]


def streams(count, *, fast=False, seed=11):
    return Streams.numbered(seed, count, fast=fast)


@pytest.mark.parametrize("seed", [0, 1, -5, 2**63 + 12345, 2**40])
def test_compiled_words_are_the_same(seed):
    fast, plain = (streams(9, fast=fast, seed=seed).words(COUNTS, 3, 20) for fast in (True, False))
    assert np.array_equal(fast, plain)


def test_a_number_hangs_on_its_place_only():
    all_of_them = streams(20).words(SWAPS, 0, 10)
    assert np.array_equal(streams(20).some(slice(5, 8)).words(SWAPS, 4, 3), all_of_them[:, 4:7, 5:8])
    block, stream = np.array([9, 2]), np.array([0, 17])
    assert np.array_equal(streams(20).words_at(SWAPS, block, stream), all_of_them[:, block, stream])


def test_streams_differ():
    one = streams(2)
    drawn = [one.words(COUNTS, 0, 4), one.words(SWAPS, 0, 4), one.again(np.arange(2)).words(COUNTS, 0, 4),
             streams(2, seed=12).words(COUNTS, 0, 4)]  # fmt: skip
    assert len({each[:, :, stream].tobytes() for each in drawn for stream in (0, 1)}) == 8


def test_uniforms_have_53_bits():
    ends = np.array([0, 2**32 - 1], np.uint32)
    assert uniforms(np.stack([ends] * 4)).tolist() == [[0.0, 1 - 2**-53]] * 2


@pytest.mark.parametrize("pieces", [1, 2, 9, 10, 50, 137, 1025, 3000])
def test_every_piece_is_drawn_as_often_whether_compiled_or_not(pieces):
    fast, plain = (multiplicities(streams(40, fast=fast), pieces) for fast in (True, False))
    assert np.array_equal(fast, plain)
    assert (plain.sum(axis=0, dtype=int) == pieces).all()
    assert np.array_equal(plain[:, 7:9], multiplicities(streams(40).some(slice(7, 9)), pieces))


def test_a_total_that_is_too_large_is_drawn_again():
    """The first stage stays three standard deviations below the number of draws: that fails in 1 of 700 streams."""
    times = multiplicities(streams(3000), 1000)
    assert (times.sum(axis=0, dtype=int) == 1000).all()


@pytest.mark.parametrize("pieces", [5, 30, 200])
def test_multiplicities_are_those_of_drawing_with_replacement(pieces):
    times = multiplicities(streams(60_000 // pieces * 10), pieces)
    drawn = times.size
    chances = [comb(pieces, k) / pieces**k * (1 - 1 / pieces) ** (pieces - k) for k in range(4)]
    for number, chance in enumerate(chances):
        error = (chance * (1 - chance) / drawn) ** 0.5
        assert (times == number).mean() == pytest.approx(chance, abs=4 * error)
    # Two pieces compete for the same draws: their correlation is -1 / (pieces - 1).
    products = ((times[0] - 1.0) * (times[1] - 1.0)).mean()
    assert products == pytest.approx(-1 / pieces, abs=4 / times.shape[1] ** 0.5)


@pytest.mark.parametrize("mean", [0.05, 0.5, 0.97, 1.0])
def test_the_table_is_poissons_distribution(mean):
    table = PoissonTable.of(mean)
    at_once = np.diff(table.cuts.astype(float), prepend=0) / 2**16
    left = 1 - at_once.sum()
    later = np.diff(table.rest, prepend=0) * left
    for number in range(20):
        chance = later[number] + (at_once[number] if number < LEVELS else 0)
        assert chance == pytest.approx(exp(-mean) * mean**number / factorial(number), abs=1e-15)


@pytest.mark.parametrize("pieces", [1, 31, 128, 700])
def test_coins_are_fair(pieces):
    fast, plain = (kept(streams(200, fast=fast), pieces) for fast in (True, False))
    assert np.array_equal(fast, plain)
    assert set(np.unique(plain)) <= {0, 1}
    assert plain.mean() == pytest.approx(0.5, abs=2 / plain.size**0.5)
    assert np.array_equal(kept(replace(streams(200), attempts=np.ones(200, np.uint64)), pieces), plain) is False
