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
    from collections.abc import Callable

    from referee.engines import DatabaseRanking, Step

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
        self._sums: list[tuple[Var, StepColumn]] = []
        self._cuts: list[Cut] = []
        self._centred = True

    @property
    def slopes(self) -> StepSlopes:
        columns: dict[str, Any] = {}
        for total, term in self._sums:
            factor = float(slope_of(total)[0])
            for name in OWN:
                if name in term.slopes:
                    moved = term.slopes[name] * number(factor)
                    columns[name] = columns[name] + moved if name in columns else moved
        constants = float(slope_of(self.N)[0]), float(slope_of(self.P)[0])
        return StepSlopes(self.ranking, columns, constants, tuple(cut() for cut in self._cuts), self._centred)

    def sum(self, term: Term) -> Var:
        column = self.ranking.column(term)
        leaves = {"P": self.P, "N": self.N}
        by = [(leaf, column.slopes[name].sum()) for name, leaf in leaves.items() if name in column.slopes]
        total, *moved = self.ranking.asked(column.value.sum(), *(slope for _, slope in by))
        parents = tuple((leaf, lambda slope, by=by: slope * by) for (leaf, _), by in zip(by, moved, strict=True))
        result = Var(np.array([total]), self.tape, parents)
        self._sums.append((result, column))
        return result

    def max(self, term: Term) -> Any:
        return term(self._only(self.ranking.best(self.ranking.column(term).value)))

    def highest(self, objective: Term, where: Term, at_least: float) -> Any:
        """The constraint pulls the best step along: what it loses has to be made up further down."""
        bound, gain = (self.ranking.column(term).value for term in (where, objective))
        allowed = bound >= number(float(just_below(at_least)))
        step = self.ranking.best(gain, allowed)
        if np.isnan(self.ranking.asked(gain.max(where=allowed))[0]):
            return 0 * objective(self._only(step))
        here, price = self._only(step), self._price(where, objective, at_least, step)
        self._centred = False
        return objective(here) - price * (where(here) - float(plain(where(here))[0]))

    def hits(self, rows: Any) -> Var:
        """A row above the cut pushes out the one at the cut, which is positive as often as its neighbours are."""
        cut = float(plain(rows)[0])
        most = float(self.ranking.P[0] + self.ranking.N[0])
        ends = [min(max(end, 0.0), most) for end in (cut - self._reach, cut + self._reach)]
        step, *around = self.ranking.at_ranks(cut, *ends)
        low, high = (edge.positives_among(end) for edge, end in zip(around, ends, strict=True))
        rate, share = (high - low) / (ends[1] - ends[0]), step.share(cut)
        parents = [(rows, lambda slope: slope * rate)] if isinstance(rows, Var) else []
        result = Var(np.array([step.positives_among(cut)]), self.tape, tuple(parents))

        def cuts() -> tuple[Stretch, ...]:
            slope = float(slope_of(result)[0])
            whole = Stretch(np.nextafter(step.score, np.inf), (-rate * slope, (1 - rate) * slope))
            return whole, Stretch(step.score, whole.times(share).slopes)

        self._cuts.append(cuts)
        self._centred = False
        return result

    def binned(self, bin_of: Term, bins: int) -> TapedRanking:  # noqa: ARG002 (empty bins are not asked for)
        parts = self.ranking.in_bins(self.ranking.column(bin_of).value)
        leaves = [self.tape.leaf(parts[name]) for name in ("positives", "negatives", "scores")]
        positives, negatives, scores = (made(leaf.value, (leaf, lambda slope: slope)) for leaf in leaves)
        mean = scores / (positives + negatives)
        joined = Ranking(mean.value, positives.value, negatives.value, np.array([0, len(mean.value)]))

        def cuts() -> tuple[Stretch, ...]:
            slopes = zip(parts["low"].tolist(), *(slope_of(leaf).tolist() for leaf in leaves), strict=True)
            return tuple(Stretch(low, (negative, positive), score) for low, positive, negative, score in slopes)

        self._cuts.append(cuts)
        return TapedRanking(joined, mean, (positives, negatives), (self.P, self.N), self.row_weight)

    def _only(self, step: Step) -> TapedSteps:
        leaves = {name: self.tape.leaf([getattr(step, name)]) for name in OWN}

        def cuts() -> tuple[Stretch, ...]:
            above = float(slope_of(leaves["fp"])[0]), float(slope_of(leaves["tp"])[0])
            own = (float(slope_of(leaves[name])[0]) for name in ("negatives", "positives"))
            negative, positive = (a + b for a, b in zip(above, own, strict=True))
            return Stretch(np.nextafter(step.score, np.inf), above), Stretch(step.score, (negative, positive))

        self._cuts.append(cuts)
        return TapedSteps(np.array([step.score]), (self.P, self.N), 0, **leaves)

    @property
    def _reach(self) -> float:
        return window(float(self.ranking.P[0] + self.ranking.N[0]), self.row_weight)

    def _price(self, where: Term, objective: Term, at_least: float, best: Step) -> float:
        """What one unit of the constraint costs in the objective, where the constraint binds."""
        rank = best.tp + best.fp
        edges = [self._plain(step) for step in self.ranking.at_ranks(rank - self._reach, rank + self._reach)]
        (first, last), (high, low) = ([float(term(at)[0]) for at in edges] for term in (where, objective))
        if reaches(min(first, last), at_least) or first == last:
            return 0.0
        return min((low - high) / (last - first), 0.0)

    def _plain(self, step: Step) -> Any:
        """A step that is not on the tape."""
        numbers: dict[str, Any] = {name: np.array([getattr(step, name)]) for name in OWN}
        totals: Any = self.ranking.P, self.ranking.N
        return TapedSteps(np.array([step.score]), totals, 0, **numbers)
