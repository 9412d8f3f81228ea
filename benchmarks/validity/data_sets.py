"""Several data sets, one value of each: two equal models, and five."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.validity.measuring import ALPHA, FALSE_CLAIM, FALSE_DIFFERENCE, FALSE_WINNER, POWER, Experiment, Key
from referee.comparing import Design, tests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.arrays import Array

NUMBERS = (10, 30)
MODELS = 5
PAIRS = ("wilcoxon", "sign", "paired_t", "paired_t_population")
BAYES = "bayes_signed_rank(rope=0)"
MANY = ("friedman", "iman_davenport", "nemenyi")
MARGIN = 0.02
DEFAULTS = ("wilcoxon", "iman_davenport", "nemenyi")
ALIKE, VARIED = "data sets alike", "noise differs 20-fold"
VALUE = "any value"


def noise_of(situation: str, generator: np.random.Generator, number: int) -> Array:
    """How far a model's value strays on each data set: 0.02 everywhere, or from 0.005 to 0.1."""
    return (
        np.full(number, 0.02) if situation == ALIKE else np.exp(generator.uniform(np.log(0.005), np.log(0.1), number))
    )


def table(situation: str, models: int, number: int, generator: np.random.Generator) -> Array:
    """Values of equal models: (model, data set)."""
    level = generator.uniform(0.6, 0.95, number)
    return level + noise_of(situation, generator, number) * generator.standard_normal((models, number))


def one_collection(situation: str, number: int, generator: np.random.Generator, seed: int) -> dict[Key, float]:
    values, design = (
        table(situation, MODELS, number, generator),
        Design("data_sets", "data set", alpha=ALPHA, seed=seed),
    )
    a, b = values[:2]
    # Twenty thousand draws of weights take long.
    pairs = (*PAIRS, BAYES) if situation == ALIKE else PAIRS
    answers = {Key(name, VALUE, FALSE_WINNER): tests[name].apply(a, b, design).outcome in ("a", "b") for name in pairs}
    names = list("abcde")
    for name in MANY:
        found = tests[name].apply(names, values, design)
        answers[Key(name, VALUE, FALSE_DIFFERENCE)] = found.outcome == "different"
    for name, claim, shift in (("tost", "equivalent", MARGIN), ("non_inferiority", "non_inferior", -MARGIN)):
        found = tests[f"{name}(margin={MARGIN})"].apply(a + shift, b, design)
        answers[Key(name, VALUE, FALSE_CLAIM)] = bool(found.details[claim])
    return answers


def one_better(number: int, generator: np.random.Generator, seed: int) -> dict[Key, float]:
    a, b = table(VARIED, 2, number, generator)
    design = Design("data_sets", "data set", alpha=ALPHA, seed=seed)
    return {Key(name, VALUE, POWER): tests[name].apply(a + MARGIN, b, design).outcome == "a" for name in PAIRS}


def experiments(data_sets: int) -> Iterator[Experiment]:
    for number in NUMBERS:
        for situation in (ALIKE, VARIED):
            one: Callable[..., dict[Key, float]] = partial(one_collection, situation, number)
            yield Experiment("data sets", f"{number} data sets", situation, one, data_sets, DEFAULTS)
        better = f"first model better by {MARGIN}"
        yield Experiment("data sets", f"{number} data sets", better, partial(one_better, number), data_sets)
