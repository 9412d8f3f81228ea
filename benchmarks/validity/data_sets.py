"""Several data sets, one value of each or of each fold: two equal models, and five."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import referee
from benchmarks.validity.cell import CLAIM, SIGNIFICANT, Cell, Look, by_name, judged
from benchmarks.validity.decided import ALPHA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.validity.decided import Judge
    from referee.arrays import Array

PAIRS = ("sign", "paired_t", "paired_t_population")
SLOW = "bayes_signed_rank(rope=0)"
MANY = ("friedman", "iman_davenport", "nemenyi")
MARGIN, FOLDS = 0.02, 10
ALIKE, VARIED = "data sets alike", "noise differs 20-fold"


def noise_of(null: str, number: int, generator: np.random.Generator) -> Array:
    """How far a model's value strays on each data set: 0.02 everywhere, or from 0.005 to 0.1."""
    return np.full(number, 0.02) if null == ALIKE else np.exp(generator.uniform(np.log(0.005), np.log(0.1), number))


def values_of(null: str, models: int, number: int, generator: np.random.Generator) -> Array:
    """Of equal models: (model, data set)."""
    level = generator.uniform(0.6, 0.95, number)
    return level + noise_of(null, number, generator) * generator.standard_normal((models, number))


def two_models(null: str, number: int, better: float, generator: np.random.Generator, seed: int, judge: Judge) -> Look:
    a, b = values_of(null, 2, number, generator)
    table = {"set": [f"s{place}" for place in range(number)], "a": a + better, "b": b}
    own = judged(judge, table, goal="mean", task="scores", dataset="set", models=["a", "b"])
    found = {"wilcoxon": own} | by_name(PAIRS, a + better, b)
    if seed < 500 and not better:  # twenty thousand draws of weights take long
        found |= by_name((SLOW,), a, b, seed=seed)
    for name, claim, shift in (("tost", "equivalent", MARGIN), ("non_inferiority", "non_inferior", -MARGIN)):
        claimed = referee.tests[name](a + shift, b, margin=MARGIN).details[claim]
        found[name] = {CLAIM: bool(claimed)}
    return found


def five_models(null: str, number: int, generator: np.random.Generator, _: int, __: Judge) -> Look:
    values = dict(zip("abcde", values_of(null, 5, number, generator), strict=True))
    return {name: {SIGNIFICANT: referee.tests[name](values).outcome == "different"} for name in MANY}


def hierarchical(number: int, generator: np.random.Generator, _: int, __: Judge) -> Look:
    """Ten folds of each data set, correlated by the tenth of the rows that they test; equal in the mean over sets."""
    level, effect = generator.uniform(0.6, 0.95, number), 0.01 * generator.standard_normal(number)
    shared = np.sqrt(0.1) * generator.standard_normal((2, number, 1))
    noise = 0.02 * (shared + np.sqrt(0.9) * generator.standard_normal((2, number, FOLDS)))
    a, b = level[:, None] + noise
    found = referee.tests["bayes_hierarchical(rope=0)"](a + effect[:, None], b, test_fraction=1 / FOLDS, alpha=ALPHA)
    return {"bayes_hierarchical(rope=0)": {SIGNIFICANT: found.outcome in ("a", "b")}}


def cells() -> Iterator[Cell]:
    for number in (10, 30):
        place = f"{number} data sets"
        for null in (ALIKE, VARIED):
            yield Cell("data sets", place, null, "any", partial(two_models, null, number, 0.0), own="wilcoxon")
            many = partial(five_models, null, number)
            yield Cell("data sets", f"{place}, five models", null, "any", many, own="iman_davenport")
        better = partial(two_models, VARIED, number, MARGIN)
        yield Cell("data sets", place, f"first model better by {MARGIN}", "any", better, 1000, False, "wilcoxon")


def cells_of_folds() -> Iterator[Cell]:
    """A posterior on a grid takes long."""
    for number in (10, 30):
        place, look_at = f"{number} data sets, 10 folds each", partial(hierarchical, number)
        yield Cell("data sets", place, "equal in the mean", "any", look_at, 300, own="bayes_hierarchical(rope=0)")
