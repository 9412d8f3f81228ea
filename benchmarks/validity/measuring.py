"""Experiments: many simulated data sets, each with numbers of its own, and what share of them shows something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = 20_260
ALPHA = 0.05
AT_ONCE = 50

FALSE_WINNER = "false winner"
FALSE_WINNER_ANY_DF = "false winner, any df"
FALSE_DIFFERENCE = "false difference"
FALSE_CLAIM = "false claim"
POWER = "true winner"
FLIP = "flipped by another partition"
FLIP_IF_CLOSE = "flipped by another partition, if close"
COVERAGE = "interval holds the difference"
SHARE_LOW_DF = "df below 10"
ERRORS = (FALSE_WINNER, FALSE_DIFFERENCE, FALSE_CLAIM)


class Key(NamedTuple):
    """What was looked at in a data set."""

    test: str
    metric: str
    measure: str
    design: str = ""
    """Where one data set is looked at in several ways: the scheme of splits, the number of subsets ..."""


@dataclass(frozen=True)
class Experiment:
    """One setting; `one_data_set(generator, number)` answers each key with a number, nan where it does not count."""

    part: str
    setting: str
    situation: str
    """What is true of the models: which null, or what difference."""
    one_data_set: Callable[[np.random.Generator, int], dict[Key, float]]
    data_sets: int
    defaults: tuple[str | tuple[str, str], ...] = ()
    """The tests, or tests on a design, that are the product's own choice, which have to hold what they promise."""

    @property
    def name(self) -> str:
        return f"{self.part}: {self.setting}, {self.situation}"


@dataclass(frozen=True)
class Result:
    """A mean over data sets with its Monte-Carlo standard error."""

    part: str
    setting: str
    situation: str
    test: str
    metric: str
    measure: str
    design: str
    value: float
    standard_error: float
    data_sets: int
    default: bool

    @property
    def place(self) -> str:
        return ", ".join(filter(None, (self.part, self.setting, self.design, self.situation, self.metric)))


def generator_of(name: str, number: int) -> np.random.Generator:
    """Random numbers that hang on the experiment and the number of the data set only."""
    sequence = np.random.SeedSequence(SEED, spawn_key=(crc32(name.encode()), number))
    return np.random.Generator(np.random.Philox(sequence))


def _some_data_sets(experiment: Experiment, numbers: range) -> list[dict[Key, float]]:
    return [experiment.one_data_set(generator_of(experiment.name, number), number) for number in numbers]


def run(experiment: Experiment, jobs: int = 1) -> list[Result]:
    """Every key's mean; the same whatever the number of jobs."""
    data_sets = max(1, experiment.data_sets)
    chunks = [range(start, min(start + AT_ONCE, data_sets)) for start in range(0, data_sets, AT_ONCE)]
    if jobs == 1:
        found = [_some_data_sets(experiment, chunk) for chunk in chunks]
    else:
        from joblib import Parallel, delayed

        found = Parallel(n_jobs=jobs)(delayed(_some_data_sets)(experiment, chunk) for chunk in chunks)
    return summarised(experiment, [one for chunk in found for one in chunk])


def summarised(experiment: Experiment, answers: list[dict[Key, float]]) -> list[Result]:
    results = []
    for key in dict.fromkeys(key for answer in answers for key in answer):
        column = np.array([answer.get(key, np.nan) for answer in answers], float)
        counted = column[~np.isnan(column)]
        if len(counted):
            error = float(counted.std() / len(counted) ** 0.5)
            facts: dict[str, Any] = {"value": float(counted.mean()), "standard_error": error}
            default = bool({key.test, (key.test, key.design)} & set(experiment.defaults))
            results.append(
                Result(
                    experiment.part, experiment.setting, experiment.situation, *key,
                    **facts, data_sets=len(counted), default=default,
                )
            )  # fmt: skip
    return results
