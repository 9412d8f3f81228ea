"""A ranking in a database on the tape: terms are asked of it as sums, and its rows get their slopes as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import Ranking, SlopeColumns, StepColumn, StepSlopes, Stretch, just_below, positives_above, reaches
from referee.predictions import number
from referee.scoring.derivatives import window
from referee.scoring.tape import Tape, Var, made, plain, slope_of
from referee.scoring.taped_steps import COLUMNS, TapedRanking, TapedSteps

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.engines import DatabaseRanking

    Term = Callable[[Any], Any]
    Step = dict[str, Array]
    Cut = Callable[[], tuple[Stretch, ...]]
    """What rows add by where they stand to a cut, once the tape has been gone through."""


class ColumnRanking:
    """Stands in for a ranking while a formula runs, as TapedRanking does of one in memory."""

    def __init__(self, ranking: DatabaseRanking, tape: Tape, row_weight: float) -> None:
        self.ranking, self.tape, self.row_weight = ranking, tape, row_weight
        self.units = ranking.units
        self.P, self.N = tape.leaf(ranking.P), tape.leaf(ranking.N)
        self._sums: list[tuple[Var, StepColumn]] = []
        self._cuts: list[Cut] = []
        self._centred = True

    @property
    def slopes(self) -> StepSlopes:
        columns: dict[str, Any] = {}
        for total, term in self._sums:
            factor = self.ranking.of_units(slope_of(total))
            for name in COLUMNS:
                if name in term.slopes:
                    moved = term.slopes[name] * factor
                    columns[name] = columns[name] + moved if name in columns else moved
        steps = ((1.0, SlopeColumns(self.ranking, columns)),) if columns else ()
        constants = slope_of(self.N), slope_of(self.P)
        return StepSlopes(steps, constants, tuple(cut() for cut in self._cuts), self._centred)

    def sum(self, term: Term) -> Var:
        column = self.ranking.column(term)
        by = [
            (leaf, column.slopes[name].sum()) for name, leaf in (("P", self.P), ("N", self.N)) if name in column.slopes
        ]
        total, *moved = self.ranking.asked(column.value.sum(), *(slope for _, slope in by))
        parents = tuple((leaf, lambda slope, by=by: slope * by) for (leaf, _), by in zip(by, moved, strict=True))
        result = Var(total, self.tape, parents)
        self._sums.append((result, column))
        return result

    def max(self, term: Term) -> Any:
        return term(self._only(self.ranking.best(term)))

    def highest(self, objective: Term, where: Term, at_least: float) -> Any:
        """The constraint pulls the best step along: what it loses has to be made up further down."""
        bound, gain = (self.ranking.column(term).value for term in (where, objective))
        allowed = bound >= number(float(just_below(at_least)))
        best, _ = self.ranking.asked(gain.max(where=allowed), gain.max())
        (step,) = self.ranking.edges(allowed & (gain >= self.ranking.of_units(just_below(best))))
        here, some = self._only(step), np.where(np.isnan(best), 0.0, 1.0)
        price = some * self._price(where, objective, at_least, step)
        self._centred = False
        return objective(here) * some - price * (where(here) - plain(where(here)))

    def hits(self, rows: Any) -> Var:
        """A row above the cut pushes out the one at the cut, which is positive as often as its neighbours are."""
        cut = np.broadcast_to(plain(rows), self.units)
        ends = self._ends(cut)
        step, *around = self.ranking.at_ranks(cut, *ends)
        tp = [positives_above(edge, end) for edge, end in zip(around, ends, strict=True)]
        rate = (tp[1] - tp[0]) / (ends[1] - ends[0])
        above = step["tp"] + step["fp"] - step["positives"] - step["negatives"]
        share = np.clip((cut - above) / (step["positives"] + step["negatives"]), 0.0, 1.0)
        parents = [(rows, lambda slope: slope * rate)] if isinstance(rows, Var) else []
        result = Var(positives_above(step, cut), self.tape, tuple(parents))

        def cuts() -> tuple[Stretch, ...]:
            slope = slope_of(result)
            whole = -rate * slope, (1 - rate) * slope
            return Stretch(np.nextafter(step["score"], np.inf), whole), Stretch(
                step["score"], (whole[0] * share, whole[1] * share)
            )

        self._cuts.append(cuts)
        self._centred = False
        return result

    def binned(self, bin_of: Term, bins: int) -> TapedRanking:  # noqa: ARG002 (empty bins are not asked for)
        parts = self.ranking.in_bins(self.ranking.column(bin_of).value)
        unit = parts["unit"]
        leaves = [self.tape.leaf(parts[name]) for name in ("positives", "negatives", "scores")]
        positives, negatives, scores = (made(leaf.value, (leaf, lambda slope: slope)) for leaf in leaves)
        mean = scores / (positives + negatives)
        starts = np.searchsorted(unit, np.arange(self.units + 1))
        joined = Ranking(mean.value, positives.value, negatives.value, starts)

        def cuts() -> tuple[Stretch, ...]:
            rank = np.arange(len(unit)) - starts[unit]
            slopes = [slope_of(leaf) for leaf in leaves]

            def of_rank(place: int, numbers: Array, empty: float = 0.0) -> Array:
                of_units = np.full(self.units, empty)
                of_units[unit[rank == place]] = numbers[rank == place]
                return of_units

            return tuple(
                Stretch(
                    of_rank(place, parts["low"], np.inf),
                    (of_rank(place, slopes[1]), of_rank(place, slopes[0])),
                    of_rank(place, slopes[2]),
                )
                for place in range(int(np.diff(starts).max(initial=0)))
            )

        self._cuts.append(cuts)
        return TapedRanking(joined, mean, (positives, negatives), (self.P, self.N), self.row_weight)

    def _only(self, step: Step) -> TapedSteps:
        leaves = {name: self.tape.leaf(step[name]) for name in COLUMNS}

        def cuts() -> tuple[Stretch, ...]:
            above = slope_of(leaves["fp"]), slope_of(leaves["tp"])
            own = [slope_of(leaves[name]) for name in ("negatives", "positives")]
            return Stretch(np.nextafter(step["score"], np.inf), above), Stretch(
                step["score"], (above[0] + own[0], above[1] + own[1])
            )

        self._cuts.append(cuts)
        return TapedSteps(step["score"], (self.P, self.N), np.arange(self.units), **leaves)

    def _ends(self, rank: Array) -> list[Array]:
        """A little above and below a rank: far enough to average, near enough to be local."""
        rows = self.ranking.P + self.ranking.N
        reach = self._reach
        return [np.clip(end, 0, rows) for end in (rank - reach, rank + reach)]

    @property
    def _reach(self) -> Array:
        rows = self.ranking.P + self.ranking.N
        return np.array([window(float(each), self.row_weight) for each in rows])

    def _price(self, where: Term, objective: Term, at_least: float, best: Step) -> Array:
        """What one unit of the constraint costs in the objective, where the constraint binds."""
        rank = best["tp"] + best["fp"]
        edges = [
            TapedSteps(
                step["score"],
                (self.ranking.P, self.ranking.N),  # type: ignore[arg-type]
                np.arange(self.units),
                **{name: step[name] for name in COLUMNS},  # type: ignore[arg-type]
            )
            for step in self.ranking.at_ranks(rank - self._reach, rank + self._reach)
        ]
        (first, last), (high, low) = ([np.asarray(term(at), float) for at in edges] for term in (where, objective))
        free = reaches(np.minimum(first, last), at_least) | (first == last)
        price = np.divide(low - high, last - first, out=np.zeros(self.units), where=~free)
        return np.minimum(price, 0.0)
