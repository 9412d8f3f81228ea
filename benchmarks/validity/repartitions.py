"""Equal subsets of one test set: how often dealing the same rows out again turns the verdict."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.validity.measuring import ALPHA, FLIP, FLIP_IF_CLOSE, Experiment, Key
from benchmarks.validity.populations import COMMON, PLAIN, Maker, draw
from referee import metrics
from referee.comparing import contest_of, tests

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    from referee.predictions import Predictions

METRICS = ("accuracy", "roc_auc", "f1")
PARTITIONS = 20
ROWS = 1000
CLOSE = (0.01, 0.2)
"""The p of the row test, between which a verdict is called close."""
SLIGHTLY_WORSE = Maker(noise=0.85)


def one_test_set(subsets: int, generator: np.random.Generator, number: int) -> dict[Key, float]:
    predictions = draw(COMMON, ROWS, {"a": PLAIN, "b": SLIGHTLY_WORSE}, generator)
    answers: dict[Key, float] = {}
    for metric in METRICS:
        p = contest_of(predictions, metrics[metric], alpha=ALPHA).compare(tests["influence"], "a", "b").p
        close = p is not None and CLOSE[0] <= p <= CLOSE[1]
        for test in ("paired_t", "sign"):
            share = share_of_flips(predictions, metric, test, subsets, number)
            answers[Key(test, metric, FLIP, f"{subsets} subsets")] = share
            if close:
                answers[Key(test, metric, FLIP_IF_CLOSE, f"{subsets} subsets")] = share
    return answers


def share_of_flips(predictions: Predictions, metric: str, test: str, subsets: int, seed: int) -> float:
    """The share of pairs of partitions, of which one names a winner and the other one does not."""
    contest = contest_of(
        predictions, metrics[metric], tests[test], subsets=subsets, partitions=PARTITIONS, alpha=ALPHA, seed=seed
    )
    found = contest.compare(tests[test], "a", "b").details["significant_partitions"]
    return 2 * found * (PARTITIONS - found) / (PARTITIONS * (PARTITIONS - 1))


def experiments(data_sets: int) -> Iterator[Experiment]:
    for subsets in (10, 30):
        one = partial(one_test_set, subsets)
        yield Experiment(
            "subsets dealt again", f"n = {ROWS:,}, {COMMON.name}", "first model better", one, data_sets // 4
        )
