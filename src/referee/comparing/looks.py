"""Looks at a test set that grows: the rule that was fixed at first, and what it says of the rows so far."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite, log, sqrt
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from referee.comparing.all_pairs import t_as_z
from referee.comparing.boundaries import (
    FEWEST_OF_CLASS,
    FEWEST_ROWS,
    LookPlan,
    anytime_p,
    beta_mixture,
    log_evidence,
    log_wealth,
    sequence_reach,
)
from referee.comparing.contender import Contender
from referee.comparing.margins import widest_difference
from referee.errors import UndefinedError, UsageError
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.comparing.gate_answer import Outcome
    from referee.comparing.verdict import Verdict
    from referee.scoring import Metric

Method = Literal["planned", "asymptotic", "exact"]
STATE = ("rows", "mean", "squares", "wins", "discordant", "gains", "losses", "leads")
"""What shards of rows add up in."""
BETS = ("gains", "losses", "leads")


@dataclass(frozen=True)
class LookRule:
    """What is fixed before the first look."""

    method: Method
    looks: int | None
    until: int
    alpha: float
    margin: float
    superiority: bool

    def at(self, state: State, before: Sequence[Mapping[str, Any]]) -> Finding:
        """What the rows so far show, after the looks before."""
        rows = [look["rows"] for look in before] + [state.rows]
        return {"planned": self._planned, "asymptotic": self._asymptotic, "exact": self._exact}[self.method](
            state, rows, before
        )

    def _planned(self, state: State, rows: list[int], _before: Sequence[Mapping[str, Any]]) -> Finding:
        assert self.looks is not None
        boundary = LookPlan(self.looks, self.until, self.alpha).boundaries(rows)[-1]
        z, lead = state.z(self.margin), state.z(0.0)
        outcome = _outcome(z > boundary, z < -boundary)
        if self.superiority:
            better = LookPlan(self.looks, self.until, self.alpha / 2).boundaries(rows)[-1]
            outcome = _both(outcome, _outcome(lead > better, lead < -better))
        reach = boundary * state.error  # of a single row it has no end
        low, high = (state.lead - reach, state.lead + reach) if isfinite(reach) else (None, None)
        return Finding(outcome, z, boundary if isfinite(boundary) else None, low, high)

    def _asymptotic(self, state: State, rows: list[int], before: Sequence[Mapping[str, Any]]) -> Finding:
        reach = sequence_reach(rows[-1], self.alpha, self.until / 2)
        z = state.z(self.margin)
        if state.rows < FEWEST_ROWS or state.rarer < FEWEST_OF_CLASS:
            return Finding("inconclusive", z, None, None, None)
        low, high = state.lead - reach * state.error, state.lead + reach * state.error
        low = max([low, *(look["low"] for look in before if look["low"] is not None)])
        high = min([high, *(look["high"] for look in before if look["high"] is not None)])
        outcome = _outcome(low > -self.margin, high < -self.margin)
        if self.superiority:
            outcome = _both(outcome, self._better(state, before))
        return Finding(outcome, z, reach, low, high)

    def _better(self, state: State, before: Sequence[Mapping[str, Any]]) -> Outcome:
        """Whether one is better than the other: exactly where rows are won or lost, else by a two-sided sequence."""
        if state.discordant is not None and state.wins is not None:
            is_clear = beta_mixture(state.wins, state.discordant) > log(1 / self.alpha)
            leads = 2 * state.wins - state.discordant
            return _outcome(is_clear and leads > 0, is_clear and leads < 0)
        if self.method == "exact":
            return _outcome(_evidence(state, before, "leads") > log(2 / self.alpha), False)
        reach = sequence_reach(state.rows, self.alpha, self.until / 2, two_sided=True)
        return _outcome(state.lead > reach * state.error, state.lead < -reach * state.error)

    def _exact(self, state: State, _rows: list[int], before: Sequence[Mapping[str, Any]]) -> Finding:
        limit = log(1 / self.alpha)
        gained, lost = (_evidence(state, before, side) for side in ("gains", "losses"))
        outcome = _outcome(gained > limit, lost > limit)
        if self.superiority:
            outcome = _both(outcome, self._better(state, before))
        return Finding(outcome, state.z(self.margin), None, None, None, anytime_p(max(gained, 0.0)))


def _outcome(passes: bool, fails: bool) -> Outcome:
    return "fail" if fails else "pass" if passes else "inconclusive"


def _both(not_worse: Outcome, better: Outcome) -> Outcome:
    """Superiority asks for both; either may fail it."""
    if "fail" in (not_worse, better):
        return "fail"
    return "pass" if not_worse == better == "pass" else "inconclusive"


def _evidence(state: State, before: Sequence[Mapping[str, Any]], side: str) -> float:
    """The largest so far: evidence that was there once may be kept."""
    earlier = [log_evidence(look["state"][side]) for look in before]
    return max([log_evidence(cast("list[float]", getattr(state, side))), *earlier])


@dataclass(frozen=True)
class Finding:
    """What a look shows."""

    outcome: Outcome
    z: float
    """The lead over the margin in standard errors."""
    boundary: float | None
    """What it has to exceed to pass, and below which, negative, it fails; None where no look could decide yet."""
    low: float | None
    high: float | None
    """Of the candidate's lead: above 0 where it is the better one."""
    p: float | None = None


@dataclass(frozen=True)
class State:
    """What is known of the lead of the candidate, row by row: numbers that shards of rows add up in."""

    rows: int
    mean: float
    squares: float
    """Of the leads of rows about their mean, so that the variance of the mean is squares / (rows (rows - 1))."""
    df: float
    rarer: float = inf
    """Rows of the rarer class, where the value hangs on it."""
    wins: int | None = None
    discordant: int | None = None
    """Rows on which only one is right, where the goal is accuracy."""
    gains: list[float] | None = None
    losses: list[float] | None = None
    leads: list[float] | None = None
    """What bets have made, where the method is exact."""

    @property
    def lead(self) -> float:
        return self.mean

    @property
    def error(self) -> float:
        return sqrt(self.squares / (self.rows * (self.rows - 1))) if self.rows > 1 else inf

    def lead_z(self, margin: float) -> float:
        """Standard errors by which the lead is above the margin."""
        above = self.mean + margin
        return above / self.error if self.error else (inf if above > 0 else -inf if above < 0 else 0.0)

    def z(self, margin: float) -> float:
        """The same as a normal quantile; a difference without any variance is left to the rows' number."""
        t = self.lead_z(margin)
        if not isfinite(t):
            return float(np.sign(t)) * sqrt(self.rows)
        return float(t_as_z(np.array(t), self.df))

    def merged(self, earlier: Mapping[str, Any]) -> State:
        """With the rows of earlier looks, which are not given again (Chan, Golub and LeVeque, 1979)."""
        rows = self.rows + earlier["rows"]
        apart = self.mean - earlier["mean"]
        mean = earlier["mean"] + apart * self.rows / rows
        squares = self.squares + earlier["squares"] + apart * apart * self.rows * earlier["rows"] / rows
        counts: dict[str, Any] = {name: _plus(getattr(self, name), earlier[name]) for name in ("wins", "discordant")}
        bets: dict[str, Any] = {
            name: _plus_each(getattr(self, name), earlier[name]) for name in ("gains", "losses", "leads")
        }
        return replace(self, rows=rows, mean=mean, squares=squares, df=rows - 1.0, **counts, **bets)

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in STATE}

    def refuse_beyond(self, goal: Metric) -> State:
        """A ledger holds numbers."""
        if isfinite(self.mean) and isfinite(self.squares):
            return self
        raise _beyond(goal)


def _beyond(goal: Metric) -> UndefinedError:
    return UndefinedError(
        "E_UNDEFINED",
        f"{goal.shown_name}: the squares of what rows add to the difference are beyond all numbers, so that a ledger "
        "cannot add them up",
        hint="give the truth and the predictions in a larger unit",
    )


def _plus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def _plus_each(a: list[float] | None, b: list[float] | None) -> list[float] | None:
    return None if a is None or b is None else [x + y for x, y in zip(a, b, strict=True)]


def state_of(verdict: Verdict, rule: LookRule, *, shards: bool) -> State:
    """From the comparison of the rows that were given."""
    (pair,) = verdict.comparisons
    sign = 1 if verdict.goal.better == "higher" else -1
    rows, lead = pair.units or verdict.predictions.rows, sign * (pair.difference or 0.0)
    error = 0.0 if pair.standard_error is None and not (shards and rows > 1) else pair.standard_error
    if error is None:
        raise _beyond(verdict.goal)
    df = pair.df if pair.df is not None and isfinite(pair.df) else rows - 1.0
    state = State(rows, lead, error * error * rows * (rows - 1), max(1.0, df), _rarer(verdict))
    additive = verdict.goal.additive and verdict.predictions.weight is None and verdict.predictions.clusters is None
    if shards and not additive:
        raise UsageError(
            "E_LOOKS",
            f"--new-rows adds up the contributions of single rows, and {verdict.goal.shown_name} needs all of them "
            "at once",
            hint="give all rows so far, the old ones first, or choose a goal that is a mean over equal rows",
        )
    if verdict.goal.name in ("accuracy", "error_rate") and additive:
        state = replace(state, **_won(verdict))
    return replace(state, **_bets(verdict, rule, additive)) if rule.method == "exact" else state


def _rarer(verdict: Verdict) -> float:
    predictions = verdict.predictions
    if not predictions.classes or verdict.goal.additive:
        return inf
    return float(min(count for count in predictions.rows_of_classes if count))


def _contenders(verdict: Verdict) -> list[Contender]:
    (pair,) = verdict.comparisons
    return [Contender(verdict.predictions, verdict.predictions.model(name), verdict.goal) for name in (pair.a, pair.b)]


def _won(verdict: Verdict) -> dict[str, Any]:
    candidate, production = (each.correct for each in _contenders(verdict))
    return {"wins": int((candidate & ~production).sum()), "discordant": int((candidate != production).sum())}


def _bets(verdict: Verdict, rule: LookRule, additive: bool) -> dict[str, Any]:
    widest = widest_difference(verdict.goal, None, len(verdict.predictions.classes))
    if not additive or widest is None:
        raise UsageError(
            "E_LOOKS",
            f"--anytime exact bets on losses that are bounded and counted row by row, and {verdict.goal.shown_name} is "
            "not such a mean",
            hint="--anytime (asymptotic) takes any goal",
        )
    leads = np.clip(_leads(verdict), -widest, widest)
    return {
        "gains": log_wealth(leads + rule.margin, rule.margin - widest),
        "losses": log_wealth(-leads - rule.margin, -rule.margin - widest),
        "leads": log_wealth(leads, -widest),
    }


def _leads(verdict: Verdict) -> Array:
    """By how much the candidate is better on each row."""
    candidate, production = _contenders(verdict)
    sign = 1 if verdict.goal.better == "higher" else -1
    changes = candidate.changes - production.changes
    return np.asarray(sign * (changes * verdict.predictions.rows + candidate.value - production.value))
