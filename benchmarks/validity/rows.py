"""One test set: two fitted models, equal or not, compared row by row or over equal subsets of the rows."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import nan
from typing import TYPE_CHECKING

from benchmarks.validity.measuring import (
    ALPHA,
    FALSE_WINNER,
    FALSE_WINNER_ANY_DF,
    POWER,
    SHARE_LOW_DF,
    Experiment,
    Key,
)  # fmt: skip
from benchmarks.validity.populations import COMMON, HUGE, PLAIN, RARE, Maker, Population, draw, of_equal_value
from referee import metrics
from referee.comparing import FEW, contest_of, tests
from referee.comparing.doubts import FEW_DEGREES
from referee.errors import UndefinedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np

    from referee.comparing import Comparison, Contest, SignificanceTest
    from referee.predictions import Predictions

THREE = ("accuracy", "roc_auc", "f1")
SIX = (*THREE, "log_loss", "average_precision", "mcc")
EQUALLY_NOISY = "same shape"
OTHER_SHAPE = "different shape"
WORSE = Maker(noise=1.0)
BETTER_RANKED = "first model better"
DEFAULT = "influence"


@dataclass(frozen=True)
class Entrant:
    """A test, and the metrics and subsets that it is tried with."""

    test: SignificanceTest
    metrics: tuple[str, ...]
    subsets: int | None = None
    partitions: int = 1

    @property
    def design(self) -> str:
        if self.subsets is None:
            return ""
        dealt = "one partition" if self.partitions == 1 else f"median p of {self.partitions} partitions"
        return f"{self.subsets} subsets, {dealt}"

    def key(self, metric: str, measure: str) -> Key:
        return Key(self.test.full_name, metric, measure, self.design)

    def contest(self, predictions: Predictions, metric: str, seed: int) -> Contest:
        dealt = {} if self.subsets is None else {"subsets": self.subsets, "partitions": self.partitions}
        return contest_of(predictions, metrics[metric], self.test, alpha=ALPHA, seed=seed, **dealt)


def analytic() -> tuple[Entrant, ...]:
    of_decisions = ("mcnemar", "mcnemar(method=mid_p)", "mcnemar(method=asymptotic)")
    return (
        Entrant(tests[DEFAULT], SIX),
        Entrant(tests["delong"], ("roc_auc",)),
        *(Entrant(tests[name], ("accuracy",)) for name in of_decisions),
    )


def resampling(metrics: tuple[str, ...] = THREE) -> tuple[Entrant, ...]:
    names = ("bootstrap(replicates=500)", "bootstrap(replicates=500, method=bca)", "permutation(permutations=499)")
    return tuple(Entrant(tests[name], metrics) for name in names)


def of_subsets(partitions: int, *names: str) -> tuple[Entrant, ...]:
    return tuple(Entrant(tests[name], THREE, subsets, partitions) for name in names for subsets in (10, 30))


def one_test_set(
    population: Population,
    rows: int,
    rivals: Mapping[str, Maker],
    entrants: tuple[Entrant, ...],
    measure: str,
    generator: np.random.Generator,
    number: int,
) -> dict[Key, float]:
    """Compare the plain model with its rival on each metric."""
    names = {maker: f"rival {place}" for place, maker in enumerate(dict.fromkeys(rivals.values()))}
    everyone = draw(population, rows, {"plain": PLAIN} | {name: maker for maker, name in names.items()}, generator)
    answers: dict[Key, float] = {}
    for metric, maker in rivals.items():
        both = replace(everyone, models=tuple(m for m in everyone.models if m.name in ("plain", names[maker])))
        contests: dict[str, Contest] = {}
        for entrant in entrants:
            if metric in entrant.metrics:
                contest = contests.get(entrant.design) or entrant.contest(both, metric, number)
                contests[entrant.design] = contest
                with suppress(UndefinedError):  # too few positives for this test on this data set
                    answers |= answered(entrant, metric, contest.compare(entrant.test, *both.names), measure)
    return answers


def answered(entrant: Entrant, metric: str, found: Comparison, measure: str) -> Iterator[tuple[Key, float]]:
    """Whether a winner was named; where rows decide, those of too few degrees of freedom are counted apart."""
    won = found.outcome == "a" if measure == POWER else found.outcome in ("a", "b")
    if entrant.test.name != DEFAULT or measure == POWER:
        yield entrant.key(metric, measure), won
        return
    few = found.df is not None and found.df < FEW_DEGREES
    yield entrant.key(metric, FALSE_WINNER), nan if few else won
    yield entrant.key(metric, FALSE_WINNER_ANY_DF), won
    yield entrant.key(metric, SHARE_LOW_DF), few


def experiments(data_sets: int, huge: int = HUGE) -> Iterator[Experiment]:
    dealt_once, median = of_subsets(1, "paired_t", "sign"), of_subsets(25, "paired_t")
    by_name = (*analytic(), *resampling(), *dealt_once)
    settings = [
        (COMMON, 300, by_name),
        (COMMON, 1000, (*analytic(), *dealt_once)),
        (RARE, 1000, analytic()),
        (RARE, 300, analytic()),
    ]
    for population, rows, entrants in settings:
        for situation, rivals in _nulls(population, huge).items():
            yield _of_equal_models(population, rows, situation, rivals, entrants, data_sets)
            if population is COMMON:
                # Twenty-five partitions take long.
                yield _of_equal_models(population, rows, situation, rivals, median, data_sets // 4)
    few_positives = {"roc_auc": PLAIN}, resampling(("roc_auc",))
    yield _of_equal_models(RARE, 300, EQUALLY_NOISY, *few_positives, data_sets)
    one = partial(one_test_set, COMMON, 300, dict.fromkeys(SIX, WORSE), (*by_name, *median), POWER)
    yield Experiment("rows", _setting(COMMON, 300), BETTER_RANKED, one, data_sets // 4)


def _of_equal_models(
    population: Population,
    rows: int,
    situation: str,
    rivals: Mapping[str, Maker],
    entrants: tuple[Entrant, ...],
    data_sets: int,
) -> Experiment:
    medians = [(entrant.test.full_name, entrant.design) for entrant in entrants if entrant.partitions > 1]
    # With 6 positives among 300 rows no winner is named: what the test would do is shown, not promised.
    promised = (DEFAULT, *medians) if rows * population.positives >= FEW else ()
    one = partial(one_test_set, population, rows, rivals, entrants, FALSE_WINNER)
    return Experiment("rows", _setting(population, rows), situation, one, data_sets, promised)


def _nulls(population: Population, huge: int) -> dict[str, dict[str, Maker]]:
    return {
        EQUALLY_NOISY: dict.fromkeys(SIX, PLAIN),
        OTHER_SHAPE: {metric: of_equal_value(population, metric, huge) for metric in SIX},
    }


def _setting(population: Population, rows: int) -> str:
    return f"n = {rows:,}, {population.name}"
