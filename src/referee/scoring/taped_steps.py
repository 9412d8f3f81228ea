"""A ranking on the tape: it stands in for one while a formula runs, and every step's rows get their slopes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import CHUNK, Ranking, reaches
from referee.scoring.derivatives import derivative, window
from referee.scoring.tape import Tape, Var, backward, made, plain, slope_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array

    Term = Callable[[Any], Any]

COLUMNS = ("positives", "negatives", "tp", "fp")


class TapedSteps:
    """What a term sees at each step; all that hangs on the weights of rows is on the tape."""

    positives: Var
    negatives: Var
    tp: Var
    fp: Var

    def __init__(self, score: Any, totals: tuple[Var, Var], unit: Array | int = 0, **columns: Var) -> None:
        self.score = score
        self.unit = unit
        self._totals = totals
        self.__dict__.update(columns)

    @cached_property
    def P(self) -> Var:  # noqa: N802 (the lecture's letter)
        return self._totals[0][self.unit]

    @cached_property
    def N(self) -> Var:  # noqa: N802
        return self._totals[1][self.unit]

    @cached_property
    def rows(self) -> Var:
        return self.positives + self.negatives

    @cached_property
    def tp_above(self) -> Var:
        return self.tp - self.positives

    @cached_property
    def fp_above(self) -> Var:
        return self.fp - self.negatives


class UnitByUnitError(Exception):
    """A formula looks for places in its ranking, which is done for one unit only."""


class TapedRanking:
    """The rows of a ranking, of which each may weigh a little more or less."""

    def __init__(
        self, ranking: Ranking, score: Any, rows: tuple[Var, Var], totals: tuple[Var, Var], row_weight: float
    ) -> None:
        self.ranking = ranking
        self.units = ranking.units
        self.positives, self.negatives = rows
        self.P, self.N = totals
        self.row_weight = row_weight
        self._score = score
        self._sums: list[tuple[Var, Array]] = []
        """Sums over steps, and their slopes by negative and positive rows: (2, step)."""

    @classmethod
    def on(cls, tape: Tape, ranking: Ranking, row_weight: float) -> TapedRanking:
        rows = Var(ranking.positives, tape), Var(ranking.negatives, tape)
        totals = tape.leaf(ranking.P), tape.leaf(ranking.N)
        return cls(ranking, ranking.scores, rows, totals, row_weight)

    @property
    def slopes(self) -> Array:
        """How the result changes with the weight of one more negative, and positive, row at each step: (2, step)."""
        unit = self.ranking.steps.unit
        # In place, as new memory for all steps takes longer than the numbers.
        each = [np.multiply(moved, slope_of(total)[unit], out=moved) for total, moved in self._sums]
        slopes = each[0] if each else np.zeros((2, len(self.ranking.scores)))
        for others in each[1:]:
            slopes += others
        for side, rows, total in ((0, self.negatives, self.N), (1, self.positives, self.P)):
            slopes[side] += slope_of(total)[unit]
            if rows.slope is not None:
                slopes[side] += rows.slope
        return slopes

    def sum(self, term: Term) -> Var:
        """Chunk by chunk, each with a tape of its own, which is gone through at once.

        From the last step to the first, as what is counted at a step is counted at all steps below, too.
        """
        size, total = len(self.ranking.scores), np.zeros(self.units)
        slopes, links, below = self.ranking.room, [], [0.0, 0.0]
        for start in reversed(range(0, size, CHUNK)):
            chunk = _Chunk(self, slice(start, min(start + CHUNK, size)))
            total += chunk.run(term)
            below = chunk.write_slopes(slopes, below)
            links += chunk.links
        if self.positives.parents:  # in bins
            unit = self.ranking.steps.unit
            links += [(self.negatives, slopes[0], unit), (self.positives, slopes[1], unit)]
        parents = [(link, lambda slope, moved=moved, unit=unit: slope[unit] * moved) for link, moved, unit in links]
        result = Var(total, self.positives.tape, tuple(parents))
        if not self.positives.parents:
            self._sums.append((result, slopes))
        return result

    def max(self, term: Term) -> Var:
        self._refuse_units()
        return term(self._only(_first_best(self._plainly(term))))

    def highest(self, objective: Term, where: Term, at_least: float) -> Any:
        """The constraint pulls the best step along: what it loses has to be made up further down."""
        self._refuse_units()
        bound, gain = self._plainly(where), self._plainly(objective)
        allowed = reaches(bound, at_least)
        if not allowed.any():
            return 0 * objective(self._only(0))
        best = _first_best(np.where(allowed, gain, -np.inf))
        here = self._only(best)
        return objective(here) - self._price(bound, gain, at_least, best) * (where(here) - bound[best])

    def hits(self, rows: Any) -> Var:
        """A row above the cut pushes out the one at the cut, which is positive as often as its neighbours are."""
        self._refuse_units()
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
        steps = self.ranking.steps
        place = np.broadcast_to(steps.unit * bins + bin_of(steps), len(self.ranking.scores))
        filled = np.bincount(place, minlength=self.units * bins) > 0
        starts = np.concatenate([[0], np.cumsum(filled)])[::bins]
        place, size = (np.cumsum(filled) - 1)[place], int(starts[-1])
        rows = self.positives.added_up(place, size), self.negatives.added_up(place, size)
        # A row also pulls its bin's mean score towards its own.
        mean = ((self.positives + self.negatives) * self._score).added_up(place, size) / (rows[0] + rows[1])
        joined = Ranking(mean.value, rows[0].value, rows[1].value, starts)
        return TapedRanking(joined, mean, rows, (self.P, self.N), self.row_weight)

    def score_of(self, part: slice) -> Any:
        score = self._score[part]
        return score if isinstance(score, Var) else np.asarray(score, float)

    def _refuse_units(self) -> None:
        if self.units > 1:
            raise UnitByUnitError

    def _plainly(self, term: Term) -> Array:
        """A term at every step, where nothing is moved: which step is best does not hang on a small move."""
        return np.asarray(plain(term(self.ranking.steps)), float)

    def _only(self, step: int) -> TapedSteps:
        here = slice(step, step + 1)
        above = [(rows[: step + 1]).sum().reshape(1) for rows in (self.positives, self.negatives)]
        return TapedSteps(
            self.score_of(here),
            (self.P, self.N),
            positives=self.positives[here] * 1.0,
            negatives=self.negatives[here] * 1.0,
            tp=above[0] * 1.0,
            fp=above[1] * 1.0,
        )

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


class _Chunk:
    """Some steps of a ranking, on a tape of their own."""

    def __init__(self, taped: TapedRanking, part: slice) -> None:
        self.taped, self.part, self.tape = taped, part, Tape(depth=1)
        unit = taped.ranking.steps.unit
        self.unit = unit[part] if isinstance(unit, np.ndarray) else unit
        self.leaves: dict[str, Var] = {}
        """Of the columns that the term looks at."""
        self.totals = self.tape.leaf(taped.P.value), self.tape.leaf(taped.N.value)
        self.links: list[tuple[Var, Array, Any]] = []
        """Numbers outside that the term was made of, with its slopes by them, and the units of these."""

    def run(self, term: Term) -> Array:
        """Add a term up over the steps of each unit."""
        result = _on_tape(term, _ChunkSteps(self))
        self.links = [(link, moved, self.unit) for link, moved in backward(result)]
        totals = zip((self.taped.P, self.taped.N), self.totals, strict=True)
        self.links += [(total, copy.slope, slice(None)) for total, copy in totals if copy.slope is not None]
        self.tape.clear()
        if isinstance(self.unit, int):
            return result.value.sum(keepdims=True)
        return np.bincount(self.unit, result.value, self.taped.units)

    def write_slopes(self, slopes: Array, below: list[float]) -> list[float]:
        """Those of negative and positive rows; `below` are those of all that is counted further down."""
        for side, own, running in ((0, "negatives", "fp"), (1, "positives", "tp")):
            by_own, by_running = (self.leaves[name].slope if name in self.leaves else None for name in (own, running))
            if by_running is None:
                slopes[side, self.part] = 0.0 if by_own is None else by_own
                continue
            place = slopes[side, self.part]
            self._count_from_below(by_running, below[side], place)
            below[side] = place[0]
            if by_own is not None:
                place += by_own
        return [0.0, 0.0] if self._opens_a_unit else below

    @property
    def _opens_a_unit(self) -> bool:
        return not isinstance(self.unit, int) and bool(self.taped.ranking.starts[self.unit[0]] == self.part.start)

    def _count_from_below(self, slopes: Array, below: float, place: Array) -> None:
        """Written where they belong, as numbers that are put down once more take as long as their sum."""
        if isinstance(self.unit, int):
            np.cumsum(slopes[::-1], out=place[::-1])
            place += below
            return
        undefined = ~np.isfinite(slopes)
        summed = np.cumsum(np.where(undefined, 0.0, slopes)[::-1])[::-1]
        beyond = self.taped.ranking.starts[self.unit + 1] - self.part.start
        last = beyond >= len(slopes)
        np.add(summed, np.where(last, below, -summed[np.where(last, 0, beyond)]), out=place)
        if undefined.any():  # which is no concern of other units
            place[np.isin(self.unit, self.unit[undefined])] = np.nan


class _ChunkSteps(TapedSteps):
    """What a term sees of a chunk; each column is put on the tape when it is looked at."""

    def __init__(self, chunk: _Chunk) -> None:
        super().__init__(chunk.taped.score_of(chunk.part), chunk.totals, chunk.unit)
        self._chunk, self._plain = chunk, chunk.taped.ranking.steps_in(chunk.part)

    def __getattr__(self, name: str) -> Var:
        if name not in COLUMNS:
            raise AttributeError(name)
        self.__dict__[name] = self._chunk.leaves[name] = self._chunk.tape.leaf(getattr(self._plain, name))
        return self._chunk.leaves[name]


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


class PlainSteps:
    """Plain columns of steps, of which one may be moved."""

    rows = property(lambda self: self.positives + self.negatives)
    tp_above = property(lambda self: self.tp - self.positives)
    fp_above = property(lambda self: self.fp - self.negatives)

    def __init__(self, columns: dict[str, Any], unit: Array | int) -> None:
        self.unit = unit
        self.__dict__.update(columns)


def _moved(term: Term, at: TapedSteps) -> Var:
    on_tape = {name: getattr(at, name) for name in (*COLUMNS, "score", "P", "N")}
    shape = at.positives.value.shape
    columns = {name: np.broadcast_to(plain(column), shape) for name, column in on_tape.items()}

    def by(name: str) -> Array:
        return derivative(lambda moved: term(PlainSteps(columns | {name: moved}, at.unit)), columns[name])

    slopes = {name: by(name) for name, column in on_tape.items() if isinstance(column, Var)}
    parents = [(on_tape[name], lambda slope, moved=moved: slope * moved) for name, moved in slopes.items()]
    return made(np.asarray(term(PlainSteps(columns, at.unit)), float), *parents)
