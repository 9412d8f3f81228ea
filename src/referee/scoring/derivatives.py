"""Derivatives of a formula by its summary, traced through whatever it does."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import reaches

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.engines import Ranking

    Term = Callable[[Any], Array]

TINY = 1e-30
STEP = 1e-5
EPSILON = 4 * float(np.finfo(float).eps)


def derivative(function: Callable[[Array], Array], at: Array) -> Array:
    """How much the function changes with its argument, element by element.

    By a step into the complex plane, which is exact to rounding (Squire and Trapp, 1998); by a small real step where
    the formula takes an absolute value or another path that the complex plane does not have.

    >>> derivative(lambda x: x**3, np.array([1.0, 2.0]))
    array([ 3., 12.])
    >>> derivative(lambda x: abs(x), np.array([-1.0, 2.0])).round(9)
    array([-1.,  1.])
    """
    at = np.asarray(at, float)
    step = STEP * _sizes(at)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # A formula that makes its numbers real is found out by comparing.
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        below, here, above = (np.asarray(function(at + shift), float) for shift in (-step, 0 * step, step))
        real = (above - below) / (2 * step)
        try:
            exact = np.imag(function(at + 1j * TINY)) / TINY
        except TypeError:
            return real
        rounding = 1e-6 * np.max(np.abs(real), initial=0, where=np.isfinite(real)) + EPSILON * np.abs(here) / step
        # On one side the step may meet the end of what a value can be.
        agrees = [np.abs(exact - one) <= 1e-3 * np.abs(one) + rounding for one in _slopes(below, here, above, step)]
        return np.where(np.any(agrees, axis=0), exact, real)


def _sizes(at: Array) -> Array:
    """How large each number is, whatever its unit; nothing is as small as the smallest that is something."""
    size = np.abs(at)
    return np.where(size > 0, size, size.min(initial=1e-3, where=size > 0))


def _slopes(below: Array, here: Array, above: Array, step: Array) -> tuple[Array, Array, Array]:
    """To both sides, and to each of them."""
    return (above - below) / (2 * step), (above - here) / step, (here - below) / step


def gradient(function: Callable[[Array], Array], at: Array) -> Array:
    """The derivative by each of several numbers; the function takes many such points at once: (point, number).

    >>> gradient(lambda points: points[:, 0] * points[:, 1], np.array([2.0, 3.0]))
    array([3., 2.])
    """
    at = np.asarray(at, float)

    def moved(values: Array) -> Array:
        points = np.repeat(at[None].astype(values.dtype), len(at), axis=0)
        np.fill_diagonal(points, values)
        return function(points)

    return derivative(moved, at) if len(at) else at


VARIABLES = ("score", "positives", "negatives", "tp", "fp")


def window(weight: float, row_weight: float) -> float:
    """How far to look to both sides of a place in a ranking, in weight: `rows**0.6` rows."""
    # A little more, so that rounding does not decide whether a row at its end belongs to it.
    return row_weight * (weight / row_weight) ** 0.6 * (1 + 1e-9)


def _first_best(values: Array) -> int:
    """Of steps that are as good but for rounding the first, so that rounding does not choose."""
    best = np.max(values)
    return int(np.argmax(reaches(values, best))) if np.isfinite(best) else int(np.argmax(values))


@dataclass(frozen=True)
class Slope:
    """How a number changes with the weight of a positive row, of a negative row, and with the score, at each step."""

    positive: Array
    negative: Array
    score: Array

    def __add__(self, other: Slope) -> Slope:
        return Slope(self.positive + other.positive, self.negative + other.negative, self.score + other.score)

    def __mul__(self, factor: float) -> Slope:
        return Slope(self.positive * factor, self.negative * factor, self.score * factor)


@dataclass
class Point:
    """The steps of a ranking of one unit with columns that can be moved apart."""

    score: Any
    positives: Any
    negatives: Any
    tp: Any
    fp: Any
    P: Any
    N: Any
    unit: int = 0
    used: set[str] = field(default_factory=set)
    """Which columns a term has looked at."""

    @property
    def rows(self) -> Any:
        return self.positives + self.negatives

    @property
    def tp_above(self) -> Any:
        return self.tp - self.positives

    @property
    def fp_above(self) -> Any:
        return self.fp - self.negatives

    def __getattribute__(self, name: str) -> Any:
        if name in VARIABLES:
            object.__getattribute__(self, "used").add(name)
        return object.__getattribute__(self, name)

    def moved(self, name: str, column: Any) -> Point:
        columns: dict[str, Any] = {name: column}
        return replace(self, **columns)

    def only(self, step: int) -> Point:
        columns = {name: getattr(self, name)[step : step + 1] for name in VARIABLES}
        return replace(self, **columns, used=set())


class Tape:
    """All that a formula asked for, in order; with `answers` they are given back instead of being made."""

    def __init__(self, answers: Array | None = None, cuts: dict[int, float] | None = None) -> None:
        self.answers = answers
        self.cuts = {} if cuts is None else cuts
        """Where the ranking was cut when nothing had been moved yet, by the number of the question."""
        self.made: list[Array] = []
        self.slopes: list[Callable[[], Slope]] = []

    def asked(self, make: Callable[[], Array], slope: Callable[[], Slope]) -> Array:
        answer = make() if self.answers is None else self.answers[:, len(self.made)]
        self.made.append(answer)
        self.slopes.append(slope)
        return answer

    def cut(self, rows: Array) -> float:
        return self.cuts.setdefault(len(self.made), float(np.real(rows[0])))


class Traced:
    """Stands in for a ranking of one unit while a formula runs; P and N may have been moved."""

    def __init__(self, ranking: Ranking, tape: Tape, totals: tuple[Array, Array], row_weight: float) -> None:
        self.ranking = ranking
        self.tape = tape
        self.P, self.N = totals
        self.row_weight = row_weight

    @property
    def point(self) -> Point:
        columns: dict[str, Any] = {name: np.asarray(getattr(self.ranking.steps, name), float) for name in VARIABLES}
        return Point(**columns, P=self.P[0], N=self.N[0])

    @property
    def unmoved(self) -> Point:
        """The steps with the ranking's own totals: which step is best does not hang on a small move."""
        return replace(self.point, P=self.ranking.P[0], N=self.ranking.N[0])

    def _at_totals(self, make: Callable[[Point], Array]) -> Array:
        """An answer for each of the totals, most of which are alike."""
        p, n = self.P[-1], self.N[-1]
        answers = np.repeat(make(replace(self.point, P=p, N=n)), len(self.P)).astype(np.result_type(self.P, self.N))
        for place in np.flatnonzero((p != self.P) | (n != self.N)):
            (answers[place],) = make(replace(self.point, P=self.P[place], N=self.N[place]))
        return answers

    def sum(self, term: Term) -> Array:
        return self.tape.asked(
            lambda: self._at_totals(lambda point: np.array([term(point).sum()])), lambda: self._slope_of_sum(term)
        )

    def max(self, term: Term) -> Array:
        best = _first_best(term(self.unmoved))
        return self.tape.asked(
            lambda: self._at_totals(lambda point: term(point.only(best))), lambda: self._slope_at(best, term)
        )

    def highest(self, objective: Term, where: Term, at_least: float) -> Array:
        """The constraint pulls the best step along: what it loses has to be made up further down."""
        allowed = reaches(where(self.unmoved), at_least)
        if not allowed.any():
            return self.tape.asked(lambda: 0 * objective(self.point.only(0)), self._flat)
        best = _first_best(np.where(allowed, objective(self.unmoved), -np.inf))
        price = self._price(objective, where, at_least, best)
        bound = where(self.unmoved.only(best))

        def made(point: Point) -> Array:
            here = point.only(best)
            return objective(here) - price * (where(here) - bound)

        return self.tape.asked(
            lambda: self._at_totals(made),
            lambda: self._slope_at(best, objective) + self._slope_at(best, where) * -price,
        )

    def hits(self, rows: Array) -> Array:
        """A row above the cut pushes out the one at the cut, which is positive as often as its neighbours are."""
        cut = self.tape.cut(rows)
        share = np.clip((cut - self.point.tp_above - self.point.fp_above) / self.point.rows, 0, 1)
        found = float((share * self.point.positives).sum())
        rate = self._rate_at(cut)
        return self.tape.asked(
            lambda: found + rate * (rows - cut),
            lambda: Slope(share * (1 - rate), -share * rate, np.zeros_like(share)),
        )

    def binned(self, bin_of: Term, bins: int) -> Binned:
        place = np.broadcast_to(bin_of(self.ranking.steps), len(self.ranking.scores))
        return Binned(self, self.ranking.binned(bin_of, bins), place, bins)

    def _slope_of_sum(self, term: Term) -> Slope:
        changes = self._changes(term, self.point)
        below = {name: np.cumsum(changes[name][::-1])[::-1] for name in ("tp", "fp")}
        return Slope(changes["positives"] + below["tp"], changes["negatives"] + below["fp"], changes["score"])

    def _slope_at(self, best: int, term: Term) -> Slope:
        changes = {name: change[0] for name, change in self._changes(term, self.point.only(best)).items()}
        here = np.arange(len(self.ranking.scores))
        above, at = here <= best, here == best
        return Slope(
            above * changes["tp"] + at * changes["positives"],
            above * changes["fp"] + at * changes["negatives"],
            at * changes["score"],
        )

    def _changes(self, term: Term, point: Point) -> dict[str, Array]:
        """The term's derivative by each column, at each step."""
        point.used.clear()
        term(point)
        used = set(point.used)
        zeros = np.zeros(len(point.score))

        def by(name: str) -> Array:
            return derivative(lambda moved: term(point.moved(name, moved)), getattr(point, name))

        return {name: by(name) if name in used else zeros for name in VARIABLES}

    def _flat(self) -> Slope:
        zeros = np.zeros(len(self.ranking.scores))
        return Slope(zeros, zeros, zeros)

    def _neighbours(self, rank: float) -> tuple[int, int]:
        """The steps a little above and below a rank: far enough to average, near enough to be local."""
        seen = self.point.tp + self.point.fp
        reach = window(float(seen[-1]), self.row_weight)
        first, last = np.searchsorted(seen, [rank - reach, rank + reach])
        return int(first), min(int(last), len(seen) - 1)

    def _rate_at(self, rank: float) -> float:
        """The share of positives about a rank; of steps with many rows only those that are near."""
        tp, seen = (np.concatenate([[0.0], column]) for column in (self.point.tp, self.point.tp + self.point.fp))
        reach = window(float(seen[-1]), self.row_weight)
        ends = np.clip([rank - reach, rank + reach], 0, seen[-1])
        return float(np.diff(np.interp(ends, seen, tp))[0] / np.diff(ends)[0])

    def _price(self, objective: Term, where: Term, at_least: float, best: int) -> float:
        """What one unit of the constraint costs in the objective, where the constraint binds."""
        first, last = self._neighbours(float(self.point.tp[best] + self.point.fp[best]))
        bound, gain = where(self.unmoved), objective(self.unmoved)
        if reaches(min(bound[first], bound[last]), at_least) or bound[first] == bound[last]:
            return 0.0
        return float(min((gain[last] - gain[first]) / (bound[last] - bound[first]), 0))


class Binned(Traced):
    """A ranking whose steps are bins of another's: what changes in a bin changes with all rows in it."""

    def __init__(self, outer: Traced, ranking: Ranking, bin_of_step: Array, bins: int) -> None:
        super().__init__(ranking, outer.tape, (outer.P, outer.N), outer.row_weight)
        filled = np.bincount(bin_of_step, minlength=bins) > 0
        self._bin_of_step = (np.cumsum(filled) - 1)[bin_of_step]
        self._outer = outer

    def _slope_of_sum(self, term: Term) -> Slope:
        return self._spread(super()._slope_of_sum(term))

    def _slope_at(self, best: int, term: Term) -> Slope:
        return self._spread(super()._slope_at(best, term))

    def _spread(self, slope: Slope) -> Slope:
        """From bins to the steps in them; a row also pulls its bin's mean score towards its own."""
        place = self._bin_of_step
        pull = (self._outer.ranking.scores - self.ranking.scores[place]) / self.ranking.steps.rows[place]
        moved = slope.score[place] * pull
        return Slope(slope.positive[place] + moved, slope.negative[place] + moved, np.zeros(len(place)))
