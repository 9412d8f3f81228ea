"""Stacks: many data sets as the units of one table, so that one run of the product's formulas judges all of them.

A data set whose difference is significant, or not computed in the ordinary way, is decided by the product's own rules,
one by one. Of the others only remains whether a tie can be trusted, which depends on counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

import referee
from benchmarks.validity.decided import ALPHA, of_contest
from referee import Predictions
from referee.comparing import DUST, TOO_FEW, Contest, Design, tests
from referee.comparing.doubts import FEW, FEW_DEGREES, FEWEST_HITS
from referee.engines import engine_of
from referee.predictions import Units
from referee.scoring import chosen_metrics, goal_of, influence, values
from referee.scoring.moments import Moments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.validity.decided import Decided, Drawn
    from referee.arrays import Array
    from referee.scoring import Metric

TOGETHER = 100_000
"""Rows that are stacked."""
NEAR = 1e-6
"""So close to alpha p is looked at again by the product itself."""


@dataclass(frozen=True)
class Stack:
    """Data sets of equally many rows, with two models each."""

    predictions: Predictions
    metric: Metric
    seeds: Sequence[int]

    @classmethod
    def of(cls, drawn: Sequence[Drawn], goal: str, seeds: Sequence[int]) -> Stack:
        _, models, told = drawn[0]
        truth = np.concatenate([truth for truth, _, _ in drawn])
        columns = {name: np.concatenate([models[name] for _, models, _ in drawn]) for name in models}
        predictions = Predictions.from_arrays(truth, columns, **told)
        (metric,) = chosen_metrics(predictions, [goal_of(goal, predictions.task)])
        return cls(predictions, metric, seeds)

    @property
    def rows(self) -> int:
        """Of each data set."""
        return self.predictions.rows // len(self.seeds)

    @cached_property
    def summaries(self) -> list[Any]:
        units = Units(np.repeat(np.arange(len(self.seeds)), self.rows), tuple(map(str, self.seeds)))
        engine, models = engine_of(self.predictions), self.predictions.models
        return [engine.summarise(self.predictions, model, units) for model in models]

    @cached_property
    def values(self) -> Array:
        """(model, data set)."""
        known = len(self.predictions.classes), self.predictions.positive
        return np.stack([values(self.metric, summary, *known) for summary in self.summaries])

    @cached_property
    def spreads(self) -> tuple[Array, Array]:
        """The variance of each data set's difference, and its degrees of freedom; nan where they cannot be known."""
        a, b = (influence(summary, self.metric) for summary in self.summaries)
        with np.errstate(all="ignore"):
            first = self.summaries[0]
            moments = Moments.of_rows(first, self.metric, lambda part: a.of_rows(part) - b.of_rows(part))
            each = moments.spreads(first)
        known = [(np.nan, np.nan) if spread is None else (spread.variance, spread.df) for spread in each]
        variance, df = np.array(known).T
        return variance, df

    @cached_property
    def p_values(self) -> Array:
        return self._p(self.spreads[1])

    def _p(self, df: Array | float) -> Array:
        from scipy.special import stdtr

        with np.errstate(all="ignore"):
            return np.asarray(2 * stdtr(df, -np.abs(self.values[0] - self.values[1]) / np.sqrt(self.spreads[0])))

    @cached_property
    def ordinary(self) -> Array:
        """Whether a difference has an error of which more than rounding is left."""
        variance, _ = self.spreads
        with np.errstate(all="ignore"):
            enough = np.sqrt(variance) > DUST * np.abs(self.values).max(axis=0)
        return np.asarray(np.isfinite(self.values).all(axis=0) & np.isfinite(variance) & enough)

    @cached_property
    def ties(self) -> Array:
        """Whether a data set surely has no significant difference; all others are decided one by one."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.ordinary & (self.p_values > ALPHA + NEAR))

    @cached_property
    def fewest(self) -> tuple[Array, Array, Array]:
        """Rows of the rarer class, rows called so, and of those the hits: of each data set, of the model with fewer."""
        truth = self._by_set(self.predictions.truth)
        rarer = np.minimum(truth.sum(axis=1), (1 - truth).sum(axis=1)) if self.predictions.classes else inf
        calls = [self._calls(summary, truth, side) for summary in self.summaries for side in self._sides]
        most = np.full((2, len(self.seeds)), inf)
        called, hits = np.min([most, *calls], axis=0)
        return np.broadcast_to(rarer, len(self.seeds)), called, hits

    @property
    def _sides(self) -> tuple[int, ...]:
        return self.metric.called_classes if self.predictions.classes else ()

    def _calls(self, summary: Any, truth: Array, side: int) -> tuple[Array, Array]:
        called = self._by_set(summary.rows.labels) == side
        return called.sum(axis=1), (called & (truth == side)).sum(axis=1)

    def _by_set(self, column: Array) -> Array:
        return np.asarray(column).reshape(len(self.seeds), self.rows)

    @cached_property
    def trusted(self) -> tuple[Array, Array]:
        """Of ties: whether somebody could have been named at all, and if so whether p is more than approximate."""
        rarer, calls, hits = self.fewest
        rarer = np.full(len(self.seeds), inf) if self.metric.additive else rarer
        worthless = (rarer < TOO_FEW) | (calls < TOO_FEW) | (hits < FEWEST_HITS)
        rough = (rarer < FEW) | (calls < FEW) | (self.spreads[1] < FEW_DEGREES)
        return ~worthless, ~worthless & ~rough

    def decided(self, place: int, test: str = "auto") -> Decided:
        """By the product's rules, from the values and the spread that are known already."""
        part = self.predictions.part(slice(place * self.rows, (place + 1) * self.rows))
        design = Design("rows", part.row_name, better=self.metric.better, alpha=ALPHA, seed=self.seeds[place])
        contest = Contest(part, self.metric, design)
        if self.ordinary[place]:
            self._tell(contest, place)
        return of_contest(contest, None if test == "auto" else tests[test])

    def _tell(self, contest: Contest, place: int) -> None:
        from referee.scoring import Spread

        a, b = contest.contenders.values()
        vars(a)["value"], vars(b)["value"] = map(float, self.values[:, place])
        spread = Spread(*(float(column[place]) for column in self.spreads))
        a._differences[b] = b._differences[a] = spread  # what it would find itself

    def by_delong(self) -> Array:
        """Whether each data set is significant by the normal distribution; with one row of a class there is no test."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.ordinary & (self.fewest[0] > 1) & (self._p(inf) < ALPHA))

    def by_decisions(self, test: str) -> list[bool]:
        truth = self._by_set(self.predictions.truth)
        a, b = (self._by_set(summary.rows.labels) == truth for summary in self.summaries)
        return [_of_counts(test, *map(int, each), self.rows) for each in
                zip((a & ~b).sum(axis=1), (b & ~a).sum(axis=1), strict=True)]  # fmt: skip


@cache
def _of_counts(test: str, only_a: int, only_b: int, rows: int) -> bool:
    """McNemar's test knows a data set by the rows that one model alone has right."""
    places = np.arange(rows)
    found = referee.tests[test](places < only_a, (only_a <= places) & (places < only_a + only_b))
    assert found.p is not None
    return found.p < ALPHA
