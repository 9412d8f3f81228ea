"""Cells: a situation, many data sets drawn from it, and what share of them ends in which verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

import referee
from benchmarks.validity.decided import ALPHA, decided
from referee.errors import UndefinedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from benchmarks.validity.decided import Decided, Judge
    from referee.comparing import Comparison

SEED = 20_261_117
SETS = 2000

CLEAN_WINNER = "winner, clean"
ROUGH_WINNER = "winner, approximate"
CLEAN = "clean"
UNDECIDED = "undecided"
SIGNIFICANT = "p below alpha"
"""Whatever the verdict makes of it: what is known of the test itself."""
P = "p"
"""Of the first comparison: it is not added up, but held against that of `referee.compare`."""
KEEPS_ALL, KEEPS_ONE = "keeps all equal models", "keeps a given best model"
HOLDS = "interval holds the true value"
FITTED = "fitted models"
"""The part of the grid in which models differ, and by how much is known."""
CLAIM = "false claim"
RAW, CORRECTED = "raw score minus the true one", "corrected score minus the true one"
FLIP = "flipped by another partition"

Measures = dict[str, float | None]
COMPARE, DECISION = "compare", "decision"
"""Whether data sets went through `referee.compare`, or only the decision was made."""

Look = dict[str, Measures]
"""What each test, by its name, made of one data set."""


@dataclass(frozen=True)
class Cell:
    """`look(generator, number, judge)` draws a data set and says what each test made of it."""

    part: str
    place: str
    null: str
    metric: str
    look: Callable[[np.random.Generator, int, Judge], Look] = field(compare=False)
    sets: int = SETS
    equal: bool = True
    """Whether the models are equally good, so that whoever is named is a false winner."""
    own: str = "influence"
    """The test that is the product's own choice, whose verdicts keep what is promised."""
    together: Callable[[list[np.random.Generator], range, bool], list[Look]] | None = field(default=None, compare=False)
    """What `look` says of some data sets, all of them at once; with or without the tests that draw random numbers."""
    at_once: int = 1
    """How many these are."""

    @property
    def name(self) -> str:
        return " | ".join((self.part, self.place, self.null, self.metric))

    def generator(self, number: int) -> np.random.Generator:
        """Random numbers that depend on the cell and the number of the data set only."""
        return generator_of(self.name, number)

    def measured(self, numbers: range) -> dict[str, Any]:
        """A line of results: of each test and measure the data sets, and the sums of the values and their squares."""
        tests = summed(self.looks(numbers))
        return {"cell": self.name, "first": numbers.start, "sets": len(numbers), "by": DECISION, "tests": tests}

    def looks(self, numbers: range, *, drawing: bool = True) -> Iterator[Look]:
        for start in range(numbers.start, numbers.stop, self.at_once):
            some = range(start, min(start + self.at_once, numbers.stop))
            generators = [self.generator(number) for number in some]
            if self.together is not None:
                yield from self.together(generators, some, drawing)
            else:
                yield from (self.look(*each, decided) for each in zip(generators, some, strict=True))


def summed(looks: Iterable[Look]) -> dict[str, dict[str, list[float]]]:
    tests: dict[str, dict[str, list[float]]] = {}
    for look in looks:
        for test, measures in look.items():
            for measure, value in measures.items():
                if measure == P:
                    continue
                sums, number = tests.setdefault(test, {}).setdefault(measure, [0, 0, 0]), float(value or 0)
                sums[:] = [sums[0] + 1, round(sums[1] + number, 9), round(sums[2] + number**2, 9)]
    return tests


def generator_of(name: str, number: int) -> np.random.Generator:
    sequence = np.random.SeedSequence(SEED, spawn_key=(crc32(name.encode()), number))
    return np.random.Generator(np.random.Philox(sequence))


def judged(judge: Judge, *given: Any, **options: Any) -> Measures:
    """Where the metric is undefined, nobody is named."""
    try:
        return classified(judge(*given, **options))
    except UndefinedError:
        return {CLEAN_WINNER: 0, ROUGH_WINNER: 0, CLEAN: 0, UNDECIDED: 1, SIGNIFICANT: 0, P: None}


def compared(*given: Any, **options: Any) -> referee.Verdict:
    """The public call, as `decided` is asked."""
    return referee.compare(*given, metrics="goal", alpha=ALPHA, **options)


def classified(verdict: referee.Verdict | Decided) -> Measures:
    """What class of verdict it is, whoever is named."""
    named = verdict.outcome == "winner"
    decided = verdict.outcome != "undecided"
    return {
        CLEAN_WINNER: named and not verdict.approximate,
        ROUGH_WINNER: named and verdict.approximate,
        CLEAN: decided and not verdict.approximate,
        UNDECIDED: not decided,
        SIGNIFICANT: any(map(significant, verdict.comparisons)),
        P: verdict.comparisons[0].p,
    }


def significant(comparison: Comparison) -> bool:
    """By p, or by the probability where a test has none."""
    return comparison.p < ALPHA if comparison.p is not None else comparison.outcome in ("a", "b")


def by_name(names: tuple[str, ...], *given: Any, **options: Any) -> Look:
    """Tests that are called on values, without a verdict."""
    return {name: {SIGNIFICANT: significant(referee.tests[name](*given, **options))} for name in names}
