"""A ranking on the tape: it stands in for one while a formula runs, and every step's rows get their slopes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import Ranking, reaches
from referee.scoring.derivatives import derivative, window
from referee.scoring.tape import Tape, Var, backward, made, plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array

    Term = Callable[[Any], Any]

CHUNK = 1 << 14
"""Steps that a term sees at once, so that all it makes of them stays in the processor's cache."""
COLUMNS = ("positives", "negatives", "tp", "fp")


class TapedSteps:
    """What a term sees at each step; all that hangs on the weights of rows is on the tape."""

    unit = 0

    def __init__(self, score: Any, totals: tuple[Var, Var], **columns: Var) -> None:
        self.score = score
        self._totals = totals
        self.__dict__.update(columns)

    positives: Var
    negatives: Var

    @cached_property
    def P(self) -> Var:  # noqa: N802 (the lecture's letter)
        return self._totals[0][0]

    @cached_property
    def N(self) -> Var:  # noqa: N802
        return self._totals[1][0]

    @cached_property
    def rows(self) -> Var:
        return self.positives + self.negatives

    @cached_property
    def tp(self) -> Var:
        return self.positives.cumsum()

    @cached_property
    def fp(self) -> Var:
        return self.negatives.cumsum()

    @cached_property
    def tp_above(self) -> Var:
        return self.tp - self.positives

    @cached_property
    def fp_above(self) -> Var:
        return self.fp - self.negatives


class TapedRanking:
    """The rows of a ranking of one unit, of which each may weigh a little more or less."""

    units = 1

    def __init__(
        self, ranking: Ranking, score: Any, rows: tuple[Var, Var], totals: tuple[Var, Var], row_weight: float
    ) -> None:
        self.ranking = ranking
        self.positives, self.negatives = rows
        self.P, self.N = totals
        self.row_weight = row_weight
        self._score = score

    @classmethod
    def of(cls, ranking: Ranking, tape: Tape, row_weight: float) -> TapedRanking:
        rows = tape.leaf(ranking.positives), tape.leaf(ranking.negatives)
        totals = tape.leaf(ranking.P), tape.leaf(ranking.N)
        return cls(ranking, np.asarray(ranking.scores, float), rows, totals, row_weight)

    @property
    def slopes(self) -> tuple[Array, Array]:
        """How the result changes with the weight of one more positive, and negative, row at each step."""
        sides = ((self.positives, self.P), (self.negatives, self.N))
        by_step, by_total = ([_slope(one[place]) for one in sides] for place in (0, 1))
        return by_step[0] + by_total[0], by_step[1] + by_total[1]

    @cached_property
    def at(self) -> TapedSteps:
        return TapedSteps(self._score, (self.P, self.N), positives=self.positives, negatives=self.negatives)

    def sum(self, term: Term) -> Var:
        if len(self.positives) > CHUNK:
            return self._sum_in_chunks(term)
        return _on_tape(term, self.at).sum().reshape(1)

    def max(self, term: Term) -> Var:
        return term(self._only(_first_best(self._plainly(term))))

    def highest(self, objective: Term, where: Term, at_least: float) -> Any:
        """The constraint pulls the best step along: what it loses has to be made up further down."""
        bound, gain = self._plainly(where), self._plainly(objective)
        allowed = reaches(bound, at_least)
        if not allowed.any():
            return 0 * objective(self._only(0))
        best = _first_best(np.where(allowed, gain, -np.inf))
        here = self._only(best)
        return objective(here) - self._price(bound, gain, at_least, best) * (where(here) - bound[best])

    def hits(self, rows: Any) -> Var:
        """A row above the cut pushes out the one at the cut, which is positive as often as its neighbours are."""
        steps, cut = self.ranking.steps, float(plain(rows)[0])
        share = np.clip((cut - steps.tp_above - steps.fp_above) / steps.rows, 0, 1)
        rate = self._rate_at(cut)
        parents = [
            (self.positives, lambda slope: slope * share * (1 - rate)),
            (self.negatives, lambda slope: slope * share * -rate),
        ]
        if isinstance(rows, Var):
            parents.append((rows, lambda slope: slope * rate))
        return made(np.array([(share * steps.positives).sum()]), *parents)

    def binned(self, bin_of: Term, bins: int) -> TapedRanking:
        place = np.broadcast_to(bin_of(self.ranking.steps), len(self.ranking.scores))
        filled = np.bincount(place, minlength=bins) > 0
        place, size = (np.cumsum(filled) - 1)[place], int(np.count_nonzero(filled))
        rows = self.positives.added_up(place, size), self.negatives.added_up(place, size)
        # A row also pulls its bin's mean score towards its own.
        mean = (self.at.rows * self._score).added_up(place, size) / (rows[0] + rows[1])
        joined = Ranking(mean.value, rows[0].value, rows[1].value, np.array([0, size]))
        return TapedRanking(joined, mean, rows, (self.P, self.N), self.row_weight)

    def _plainly(self, term: Term) -> Array:
        """A term at every step, where nothing is moved: which step is best does not hang on a small move."""
        return np.asarray(plain(term(self.ranking.steps)), float)

    def _only(self, step: int) -> TapedSteps:
        here = slice(step, step + 1)
        above = [(rows[: step + 1]).sum().reshape(1) for rows in (self.positives, self.negatives)]
        return TapedSteps(
            self._score[here],
            (self.P, self.N),
            positives=self.positives[here],
            negatives=self.negatives[here],
            tp=above[0],
            fp=above[1],
        )

    def _sum_in_chunks(self, term: Term) -> Var:
        """Each chunk has a tape of its own, which is gone through at once; a sum passes its slope on to all of them."""
        steps, size = self.ranking.steps, len(self.ranking.scores)
        columns = {name: getattr(steps, name) for name in COLUMNS}
        slopes = {name: np.zeros(size) for name in COLUMNS}
        links: list[tuple[Var, Array]] = []
        total = []
        for start in range(0, size, CHUNK):
            part, tape = slice(start, start + CHUNK), Tape(depth=1)
            leaves = {name: tape.leaf(column[part]) for name, column in columns.items()}
            totals = tape.leaf(self.P.value), tape.leaf(self.N.value)
            result = _on_tape(term, TapedSteps(self._score[part], totals, **leaves)).sum()
            total.append(float(result.value))
            links += backward(result)
            links += [(own, _slope(copy)) for own, copy in zip((self.P, self.N), totals, strict=True)]
            for name, leaf in leaves.items():
                if leaf.slope is not None:
                    slopes[name][part] = leaf.slope
        parents: list[tuple[Var, Any]] = [
            (rows, lambda slope, own=own, running=running: slope * (slopes[own] + _from_below(slopes[running])))
            for rows, own, running in ((self.positives, "positives", "tp"), (self.negatives, "negatives", "fp"))
        ]
        parents += [(one, lambda slope, moved=moved: slope * moved) for one, moved in links]
        return made(np.array([sum(total)]), *parents)

    def _neighbours(self, rank: float) -> tuple[int, int]:
        """The steps a little above and below a rank: far enough to average, near enough to be local."""
        seen = self.ranking.steps.tp + self.ranking.steps.fp
        reach = window(float(seen[-1]), self.row_weight)
        first, last = np.searchsorted(seen, [rank - reach, rank + reach])
        return int(first), min(int(last), len(seen) - 1)

    def _rate_at(self, rank: float) -> float:
        """The share of positives about a rank; of steps with many rows only those that are near."""
        steps = self.ranking.steps
        tp, seen = (np.concatenate([[0.0], column]) for column in (steps.tp, steps.tp + steps.fp))
        reach = window(float(seen[-1]), self.row_weight)
        ends = np.clip([rank - reach, rank + reach], 0, seen[-1])
        return float(np.diff(np.interp(ends, seen, tp))[0] / np.diff(ends)[0])

    def _price(self, bound: Array, gain: Array, at_least: float, best: int) -> float:
        """What one unit of the constraint costs in the objective, where the constraint binds."""
        steps = self.ranking.steps
        first, last = self._neighbours(float(steps.tp[best] + steps.fp[best]))
        if reaches(min(bound[first], bound[last]), at_least) or bound[first] == bound[last]:
            return 0.0
        return float(min((gain[last] - gain[first]) / (bound[last] - bound[first]), 0))


def _slope(one: Var) -> Array:
    return np.zeros(one.value.shape) if one.slope is None else one.slope


def _from_below(slopes: Array) -> Array:
    """What is counted at a step is counted at all steps below, too."""
    return np.cumsum(slopes[::-1])[::-1]


def _first_best(values: Array) -> int:
    """Of steps that are as good but for rounding the first, so that rounding does not choose."""
    best = np.max(values)
    return int(np.argmax(reaches(values, best))) if np.isfinite(best) else int(np.argmax(values))


def _on_tape(term: Term, at: TapedSteps) -> Var:
    """A term at every step; one that the tape cannot follow is moved by each column that it may look at."""
    try:
        result = term(at)
    except TypeError:
        return _moved(term, at)
    shape = at.positives.value.shape
    return result if isinstance(result, Var) and result.value.shape == shape else at.positives * 0 + result


class _Columns:
    """Plain columns of steps, of which one is moved."""

    unit = 0
    rows = property(lambda self: self.positives + self.negatives)
    tp_above = property(lambda self: self.tp - self.positives)
    fp_above = property(lambda self: self.fp - self.negatives)

    def __init__(self, columns: dict[str, Any]) -> None:
        self.__dict__.update(columns)


def _moved(term: Term, at: TapedSteps) -> Var:
    on_tape = {name: getattr(at, name) for name in (*COLUMNS, "score", "P", "N")}
    shape = at.positives.value.shape
    columns = {name: np.broadcast_to(plain(column), shape) for name, column in on_tape.items()}

    def by(name: str) -> Array:
        return derivative(lambda moved: term(_Columns(columns | {name: moved})), columns[name])

    slopes = {name: by(name) for name, column in on_tape.items() if isinstance(column, Var)}
    parents = [(on_tape[name], lambda slope, moved=moved: slope * moved) for name, moved in slopes.items()]
    return made(np.asarray(term(_Columns(columns)), float), *parents)
