"""Records to fill a store with."""

from __future__ import annotations

import numpy as np

from referee.fitting import Store
from tests.stored_digest import digest_of

IDENTITY = {"data": "9f2c", "configuration": "k_fold(k=5)", "splits": "77", "version": "0.1.0", "seed": "0"}
BIG = 200_000
"""Numbers that become a part."""


def record(number):
    random_numbers = np.random.default_rng(number)
    return {
        "model": f"tree {number} ✓",
        "score": random_numbers.normal() / 3,
        "odd": [float("inf"), -0.0, 5e-324, None, True, {"b": 1, "a": 2**70}],
        "predictions": random_numbers.normal(size=(50, 2)),
    }


def filled(folder, numbers=range(6), big=()):
    with Store(folder, IDENTITY) as store:
        for number in numbers:
            extra = {"large": np.arange(BIG, dtype=float) / 7} if number in big else {}
            store.save(f"unit {number}", record(number) | extra)
        return digest_of(store)
