"""A ranking in a database on the tape: terms are asked of it as sums, and its rows get their slopes as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import Ranking, StepColumn, StepSlopes, Stretch, just_below, reaches
from referee.predictions import number
from referee.scoring.derivatives import window
from referee.scoring.tape import Tape, Var, made, plain, slope_of
from referee.scoring.taped_steps import TapedRanking, TapedSteps

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.engines import DatabaseRanking

    Term = Callable[[Any], Any]
    Cut = Callable[[], tuple[Stretch, ...]]
    """What rows add by where they stand to a cut, once the tape has been gone through."""

OWN = ("positives", "negatives", "tp", "fp")


class ColumnRanking:
    """Stands in for a ranking while a formula runs, as TapedRanking does of one in memory."""

    units = 1

    def __init__(self, ranking: DatabaseRanking, tape: Tape, row_weight: float) -> None:
        self.ranking, self.tape, self.row_weight = ranking, tape, row_weight
        self.P, self.N = tape.leaf(ranking.P), tape.leaf(ranking.N)
        self._sums: list[tuple[Var, dict[str, Any], dict[str, Any]]] = []
        self._cuts: list[Cut] = []
        self._centred = True

    @property
    def slopes(self) -> StepSlopes:
        constants = float(slope_of(self.N)[0]), float(slope_of(self.P)[0])
        cuts = tuple(cut() for cut in self._cuts)
        slopes = StepSlopes(self.ranking, {}, {}, constants, cuts, self._centred)
        for total, columns, totals in self._sums:
            slopes += StepSlopes(self.ranking, columns, totals) * float(slope_of(total)[0])
        return slopes

    def sum(self, term: Term) -> Var:
        column = StepColumn.of(term(self.ranking.at))
        counted = {name: each.sum() for name, each in column.slopes.items() if name in ("P", "N", "tp", "fp")}
        answers = self.ranking.asked(total=column.value.sum(), **counted)
        moved = [(leaf, answers[name].sum()) for name, leaf in (("P", self.P), ("N", self.N)) if name in answers]
        parents = tuple((leaf, lambda slope, by=by: slope * by) for leaf, by in moved)
        result = Var(np.array([answers["total"].sum()]), self.tape, parents)
        own = {name: column.slopes[name] for name in OWN if name in column.slopes}
        self._sums.append((result, own, {name: answers[name] for name in ("tp", "fp") if name in own}))
        return result

    def max(self, term: Term) -> Any:
        column = StepColumn.of(term(self.ranking.at)).value
        step = self._best(column, _largest(self.ranking.asked(best=column.max())["best"]))
        return term(self._only(step))

    def highest(self, objective: Term, where: Term, at_least: float) -> Any:
        """The constraint pulls the best step along: what it loses has to be made up further down."""
        at = self.ranking.at
        bound, gain = (StepColumn.of(term(at)).value for term in (where, objective))
        allowed = bound >= number(float(just_below(at_least)))
        best = _largest(self.ranking.asked(best=gain.max(where=allowed))["best"])
        if np.isnan(best):
            return 0 * objective(self._only(self._step()))
        step = self._best(gain, best, allowed)
        here, price = self._only(step), self._price(bound, gain, at_least, step)
        self._centred = False
        return objective(here) - price * (where(here) - float(plain(where(here))[0]))

    def hits(self, rows: Any) -> Var:
        """A row above the cut pushes out the one at the cut, which is positive as often as its neighbours are."""
        cut, rate = float(plain(rows)[0]), self._rate_at(float(plain(rows)[0]))
        step = self._at_rank(cut)
        above = step["tp"] + step["fp"] - step["positives"] - step["negatives"]
        share = min(max((cut - above) / (step["positives"] + step["negatives"]), 0.0), 1.0)
        total = step["tp"] - step["positives"] + share * step["positives"]
        parents = [(rows, lambda slope: slope * rate)] if isinstance(rows, Var) else []
        result = Var(np.array([total]), self.tape, tuple(parents))

        def cuts() -> tuple[Stretch, ...]:
            slope = float(slope_of(result)[0])
            whole = Stretch(np.nextafter(step["score"], np.inf), (-rate * slope, (1 - rate) * slope))
            return whole, Stretch(step["score"], whole.times(share).slopes)

        self._cuts.append(cuts)
        self._centred = False
        return result

    def binned(self, bin_of: Term, bins: int) -> TapedRanking:  # noqa: ARG002 (empty bins are not asked for)
        parts = self.ranking.in_bins(StepColumn.of(bin_of(self.ranking.at)).value)
        leaves = [self.tape.leaf(parts[name]) for name in ("positives", "negatives", "scores")]
        positives, negatives, scores = (made(leaf.value, (leaf, lambda slope: slope)) for leaf in leaves)
        mean = scores / (positives + negatives)
        joined = Ranking(mean.value, positives.value, negatives.value, np.array([0, len(mean.value)]))

        def cuts() -> tuple[Stretch, ...]:
            self._centred = self._centred and _cancel_out([*leaves, self.P, self.N])
            slopes = zip(parts["low"].tolist(), *(slope_of(leaf).tolist() for leaf in leaves), strict=True)
            return tuple(Stretch(low, (negative, positive), score) for low, positive, negative, score in slopes)

        self._cuts.append(cuts)
        return TapedRanking(joined, mean, (positives, negatives), (self.P, self.N), self.row_weight)

    def _best(self, column: Any, best: float, allowed: Any = None) -> dict[str, float]:
        """Of steps that are as good but for rounding the first, so that rounding does not choose."""
        enough = column >= number(float(just_below(best)))
        return self._step(enough if allowed is None else enough & allowed)

    def _step(self, where: Any = None, *, falling: bool = True, **columns: Any) -> dict[str, float]:
        step = self.ranking.first(where, falling=falling, **columns)
        return step or self._step(falling=False, **columns)  # the last one

    def _only(self, step: dict[str, float]) -> TapedSteps:
        leaves = {name: self.tape.leaf([step[name]]) for name in OWN}

        def cuts() -> tuple[Stretch, ...]:
            above = float(slope_of(leaves["fp"])[0]), float(slope_of(leaves["tp"])[0])
            own = (float(slope_of(leaves[name])[0]) for name in ("negatives", "positives"))
            negative, positive = (a + b for a, b in zip(above, own, strict=True))
            return Stretch(np.nextafter(step["score"], np.inf), above), Stretch(step["score"], (negative, positive))

        self._cuts.append(cuts)
        return TapedSteps(np.array([step["score"]]), (self.P, self.N), 0, **leaves)

    def _at_rank(self, rank: float, **columns: Any) -> dict[str, float]:
        """The first step down to which so many rows are counted; the last one where there are not so many."""
        at = self.ranking.at
        return self._step((at.tp + at.fp).value >= number(rank), **columns)

    @property
    def _reach(self) -> float:
        return window(float(self.ranking.P[0] + self.ranking.N[0]), self.row_weight)

    def _rate_at(self, rank: float) -> float:
        """The share of positives about a rank; of steps with many rows only those that are near."""
        rows = float(self.ranking.P[0] + self.ranking.N[0])
        ends = np.clip([rank - self._reach, rank + self._reach], 0, rows)
        tp = [_interpolated(self._at_rank(end), end) for end in ends.tolist()]
        return float((tp[1] - tp[0]) / np.diff(ends)[0])

    def _price(self, bound: Any, gain: Any, at_least: float, best: dict[str, float]) -> float:
        """What one unit of the constraint costs in the objective, where the constraint binds."""
        rank = best["tp"] + best["fp"]
        first, last = (self._at_rank(end, bound=bound, gain=gain) for end in (rank - self._reach, rank + self._reach))
        if reaches(min(first["bound"], last["bound"]), at_least) or first["bound"] == last["bound"]:
            return 0.0
        return float(min((last["gain"] - first["gain"]) / (last["bound"] - first["bound"]), 0))


def _largest(numbers: Any) -> float:
    """Of the parts that have one."""
    return float(np.fmax.reduce(numbers))


def _interpolated(step: dict[str, float], rank: float) -> float:
    """The positives among so many rows from the top, on a straight line along a step."""
    rows = step["positives"] + step["negatives"]
    above = step["tp"] + step["fp"] - rows
    return step["tp"] - step["positives"] + step["positives"] * (rank - above) / rows


def _cancel_out(leaves: Sequence[Any]) -> bool:
    """Whether more of all rows change nothing: not where a formula asks how many rows a bin has."""
    moves = np.concatenate([leaf.value * slope_of(leaf) for leaf in leaves])
    return bool(abs(moves.sum()) <= DUST * np.abs(moves).sum())


DUST = 1e-9
"""What rounding leaves of a sum."""
