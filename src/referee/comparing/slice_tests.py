"""Whether a model differs in a slice from the other rows, or another one beats the best there, by more than chance."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import inf, isfinite, log
from typing import TYPE_CHECKING

import numpy as np

from referee.comparing.comparison import adjusted
from referee.comparing.design_choice import DEFAULTS, contest_of
from referee.comparing.doubts import judged
from referee.comparing.group_pairs import flips_of
from referee.comparing.significance_test import tests
from referee.engines import engine_of, summing_engine_of
from referee.predictions import Units
from referee.records import dataclass
from referee.scoring import PairMoments, Spread, interval, quantile, scarcest, spread_of_groups, tail

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from referee.arrays import Array
    from referee.comparing.contender import Contender
    from referee.comparing.contest import Contest
    from referee.comparing.verdict import Verdict
    from referee.predictions import Predictions

MOST_WORK = 3e7
"""Rows times slices times models: beyond, nothing is tested."""
MOST_WORK_IN_PLACE = {"counts": 1e9, "sums": 3e8}
"""The same where rows stay in a database, which counts and adds up faster than it sorts."""
FEW, FEW_OF_CLASS = 100, 10
"""Rows of a slice that has numbers for truth, or of its second class: below, it is not tested."""


@dataclass(frozen=True)
class SliceTest:
    """A difference on the rows of a slice."""

    slice: str
    model: str
    against: str | None
    """The best model of all rows on the same rows; None: the same model on all other rows."""
    difference: float | None
    """None where one of the values is undefined."""
    p: float | None
    p_adjusted: float | None = None
    """For all slices and models."""


@dataclass(frozen=True)
class SliceTests:
    """What differs in slices by more than chance."""

    tests: tuple[SliceTest, ...]
    best: str
    better: str
    alpha: float

    @cached_property
    def _by_place(self) -> dict[tuple[str, str, str | None], SliceTest]:
        return {(test.slice, test.model, test.against): test for test in self.tests}

    def apart(self, slice_name: str, model: str) -> SliceTest | None:
        """A model there against itself on all other rows; None where there were too few rows to test it."""
        return self._by_place.get((slice_name, model, None))

    def against_best(self, slice_name: str, model: str) -> SliceTest | None:
        """A model there against the best one of all rows."""
        return self._by_place.get((slice_name, model, self.best))

    def is_significant(self, test: SliceTest | None) -> bool:
        return test is not None and test.p_adjusted is not None and test.p_adjusted < self.alpha

    def where_best_is_beaten(self) -> list[str]:
        """The slices in which another model is significantly better than the best one of all rows."""
        return self._slices(test for test in self.tests if test.against is not None and self._gains(test))

    def where_best_is_worse(self) -> list[str]:
        """The slices in which the best model is significantly worse than on all other rows."""
        own = [test for test in self.tests if test.against is None and test.model == self.best]
        return self._slices(test for test in own if self.is_significant(test) and not self._gains(test))

    def _gains(self, test: SliceTest) -> bool:
        return self.is_significant(test) and ((test.difference or 0) > 0) == (self.better == "higher")

    def _slices(self, some: Iterable[SliceTest]) -> list[str]:
        return [*dict.fromkeys(test.slice for test in some)]


def slice_tests(verdict: Verdict) -> SliceTests | None:
    """Test each slice, with Holm's correction for all slices and models; None where that would take too long."""
    predictions, slices = verdict.predictions, verdict.goal_scores.slices
    if slices is None or verdict.design.kind in ("data_sets", "time") or _are_too_many(verdict, slices.units):
        return None
    parts = [*_parts(verdict, slices.units)]
    apart = [_apart(slice_name, name, *both) for slice_name, *both in parts for name in predictions.names]
    others = [name for name in predictions.names if name != verdict.best]
    against = [_against(slice_name, name, verdict.best, here) for slice_name, here, _ in parts for name in others]
    return SliceTests((*_as_family(apart), *_as_family(against)), verdict.best, verdict.goal.better, verdict.alpha)


def _are_too_many(verdict: Verdict, units: Units) -> bool:
    predictions, most = verdict.predictions, MOST_WORK
    if not predictions.has_rows:
        most = min(MOST_WORK_IN_PLACE.get(kind, MOST_WORK) for kind in verdict.goal.summaries)
    is_much = predictions.rows * len(units) * len(predictions.models) > most
    return is_much or not (predictions.has_rows or _alone(predictions, units))


def _alone(predictions: Predictions, units: Units) -> list[Predictions]:
    return summing_engine_of(predictions).predictions_of_units(predictions, units)


def _parts(verdict: Verdict, units: Units) -> Iterator[tuple[str, Contest, Contest]]:
    """The contests on the rows of each slice that can be tested, and on all others."""
    predictions = verdict.predictions
    by = [units, Units(predictions.truth, predictions.classes)] if predictions.classes else [units]
    rows = engine_of(predictions).rows_of_units(by)
    for place, name in enumerate(units.names):
        if all(map(_are_enough, (rows[place], rows.sum(axis=0) - rows[place]))):
            inside, outside = _cut(predictions, units, place)
            yield name, _contest(verdict, inside), _contest(verdict, outside)


def _are_enough(rows: Array) -> bool:
    """Rows of each class, or of all where there are none."""
    return bool(rows >= FEW if rows.ndim == 0 else np.sort(rows)[-2] >= FEW_OF_CLASS)


def _cut(predictions: Predictions, units: Units, place: int) -> tuple[Predictions, Predictions]:
    """The rows of a slice, and all others."""
    if predictions.has_rows:
        inside = units.codes == place
        return predictions.part(np.flatnonzero(inside)), predictions.part(np.flatnonzero(~inside))
    return _alone(predictions, units)[place], summing_engine_of(predictions).all_but(predictions, units, place)


def _contest(verdict: Verdict, part: Predictions) -> Contest:
    if not part.has_rows and part.group is None:
        PairMoments.of(part, verdict.goal)  # of all models together
    contest = contest_of(part, verdict.goal, unit="row", alpha=verdict.alpha, seed=verdict.seed)
    return contest if part.has_rows else replace(contest, light=inf)  # tails warn only, and take a scan


def _as_family(members: list[SliceTest]) -> list[SliceTest]:
    family = adjusted([test.p for test in members], "holm")
    return [replace(test, p_adjusted=p) for test, p in zip(members, family, strict=True)]


def _against(slice_name: str, name: str, best: str, here: Contest) -> SliceTest:
    pair = judged(here, here.compare(tests[DEFAULTS["rows"]], name, best))
    difference = _known(here.values[name] - here.values[best])
    return SliceTest(slice_name, name, best, difference, None if pair.undecided else pair.p)


def _apart(slice_name: str, name: str, here: Contest, elsewhere: Contest) -> SliceTest:
    inside, outside = here.contenders[name], elsewhere.contenders[name]
    return SliceTest(
        slice_name, name, None, _known(inside.value - outside.value), _p(inside, outside, here.design.seed)
    )


def _known(difference: float) -> float | None:
    return difference if isfinite(difference) else None


def _p(inside: Contender, outside: Contender, seed: int) -> float | None:
    """Of a t-test on the metric's own scale: the rows are different ones, though groups may lie on both sides."""
    spreads = [_spread(side) for side in (inside, outside)]
    if None in spreads or not all(isfinite(side.value) for side in (inside, outside)):
        return None
    at_an_end = any(side.value in side.metric.range for side in (inside, outside))
    if inside.groups is not None and not at_an_end:
        return _by_groups(inside, outside, seed)
    return _welch(inside, outside, *(spread for spread in spreads if spread is not None))


def _welch(inside: Contender, outside: Contender, a: Spread, b: Spread) -> float | None:
    (x, slope), (y, other) = _on_scale(inside, outside)
    own = a.variance * slope**2, b.variance * other**2
    if not 0 < sum(own) < inf:
        return None
    df = sum(own) ** 2 / (own[0] ** 2 / a.df + own[1] ** 2 / b.df)
    return 2 * tail(abs(x - y) / sum(own) ** 0.5, df)


def _by_groups(inside: Contender, outside: Contender, seed: int) -> float | None:
    """As two models are compared, group by group: a group may have rows on both sides."""
    assert inside.groups is not None and outside.groups is not None
    (x, slope), (y, other) = _on_scale(inside, outside)
    both = [inside.groups, outside.groups]
    spread = spread_of_groups(slope * inside.pieces - other * outside.pieces, both)
    if spread is None or not 0 < spread.variance < inf:
        return None
    p = 2 * tail(abs(x - y) / spread.standard_error, spread.df)
    if scarcest(both).balanced:
        return p
    sums = slope * inside.group_sums - other * outside.group_sums
    return max(p, flips_of(x - y, sums, inside, outside, seed).p())


def _on_scale(*contenders: Contender) -> list[tuple[float, float]]:
    """Each value on the scale on which its errors are even, with the slope there; as it is, if one is at an end."""
    low, high = contenders[0].metric.range
    values = [contender.value for contender in contenders]
    if any(value in (low, high) for value in values):
        return [(value, 1.0) for value in values]
    if isfinite(low) and isfinite(high):
        return [(log((value - low) / (high - value)), 1 / (value - low) + 1 / (high - value)) for value in values]
    if isfinite(low):
        return [(log(value - low), 1 / (value - low)) for value in values]
    return [(-log(high - value), 1 / (high - value)) if isfinite(high) else (value, 1.0) for value in values]


def _spread(contender: Contender) -> Spread | None:
    """As wide as the exact interval, where a value is the best or worst possible and no row shows how it varies."""
    units, spread = contender.units, contender.spread
    if contender.groups is not None and contender.groups.reach.groups < contender.groups.reach.fewest:
        return None
    if spread is None or units < 2:
        return None
    if contender.value in contender.metric.range:
        low, high = interval(
            contender.value, spread, contender.metric.range, 0.05, min(units, contender.rows_that_count)
        )
        return Spread(((high - low) / quantile(0.975, inf)) ** 2, units - 1)
    return spread
