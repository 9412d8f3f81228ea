"""A ranking in a database on the tape: terms are asked of it as sums, and its rows get their slopes as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import Ranking, StepColumn, StepSlopes, Stretch, just_below, reaches
from referee.predictions import number
from referee.scoring.derivatives import window
from referee.scoring.tape import Tape, Var, made, plain, slope_of
from referee.scoring.taped_steps import PlainSteps, TapedRanking, TapedSteps

if TYPE_CHECKING:
    from collections.abc import Callable

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
        self._bins: list[Any] = []

    @property
    def slopes(self) -> StepSlopes:
        mean = self._mean_of_bins
        constants = float(slope_of(self.N)[0]) - mean, float(slope_of(self.P)[0]) - mean
        cuts = tuple(cut() for cut in self._cuts)
        slopes = StepSlopes(self.ranking, {}, {}, constants, cuts)
        for total, columns, totals in self._sums:
            slopes += StepSlopes(self.ranking, columns, totals) * float(slope_of(total)[0])
        return slopes

    @property
    def _mean_of_bins(self) -> float:
        """What rows add on average: not 0 where a formula asks how many rows a bin has, as a debiased one does."""
        leaves = [*self._bins, self.P, self.N] if self._bins else []
        moves = sum(float((leaf.value * slope_of(leaf)).sum()) for leaf in leaves)
        return moves / float(self.ranking.P[0] + self.ranking.N[0])

    def sum(self, term: Term) -> Var:
        column = StepColumn.of(term(self.ranking.at))
        counted = {name: each.sum() for name, each in column.slopes.items() if name in ("P", "N", "tp", "fp")}
        answers = self.ranking.summed(total=column.value.sum(), **counted)
        moved = [(leaf, answers[name].sum()) for name, leaf in (("P", self.P), ("N", self.N)) if name in answers]
        parents = tuple((leaf, lambda slope, by=by: slope * by) for leaf, by in moved)
        result = Var(np.array([answers["total"].sum()]), self.tape, parents)
        own = {name: column.slopes[name] for name in OWN if name in column.slopes}
        self._sums.append((result, own, {name: answers[name] for name in ("tp", "fp") if name in own}))
        return result

    def max(self, term: Term) -> Any:
        return term(self._only(self.best_step(term)))

    def best_step(self, term: Term) -> dict[str, float]:
        """Where a term is largest."""
        column = StepColumn.of(term(self.ranking.at)).value
        return self._best(column, self.ranking.largest(column))

    def highest(self, objective: Term, where: Term, at_least: float) -> Any:
        """The constraint pulls the best step along: what it loses has to be made up further down."""
        at = self.ranking.at
        bound, gain = (StepColumn.of(term(at)).value for term in (where, objective))
        allowed = bound >= number(float(just_below(at_least)))
        best = self.ranking.largest(gain, allowed)
        if np.isnan(best):
            return 0 * objective(self._only(self.ranking.first_steps(allowed)[0]))
        step = self._best(gain, best, allowed)
        here, price = self._only(step), self._price(where, objective, at_least, step)
        return objective(here) - price * (where(here) - float(plain(where(here))[0]))

    def hits(self, rows: Any) -> Var:
        """A row above the cut pushes out the one at the cut, which is positive as often as its neighbours are."""
        step, rate = self._at_cut(float(plain(rows)[0]))
        cut = float(plain(rows)[0])
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
        return result

    def binned(self, bin_of: Term, bins: int) -> TapedRanking:
        parts = self.ranking.in_bins(StepColumn.of(bin_of(self.ranking.at)).value, bins)
        leaves = [self.tape.leaf(parts[name]) for name in ("positives", "negatives", "scores")]
        self._bins += leaves
        positives, negatives, scores = (made(leaf.value, (leaf, lambda slope: slope)) for leaf in leaves)
        mean = scores / (positives + negatives)
        joined = Ranking(mean.value, positives.value, negatives.value, np.array([0, len(mean.value)]))

        def cuts() -> tuple[Stretch, ...]:
            slopes = zip(parts["low"].tolist(), *(slope_of(leaf).tolist() for leaf in leaves), strict=True)
            return tuple(Stretch(low, (negative, positive), score) for low, positive, negative, score in slopes)

        self._cuts.append(cuts)
        return TapedRanking(joined, mean, (positives, negatives), (self.P, self.N), self.row_weight)

    def _best(self, column: Any, best: float, allowed: Any = None) -> dict[str, float]:
        """Of steps that are as good but for rounding the first, so that rounding does not choose."""
        enough = column >= number(float(just_below(best)))
        return self.ranking.first_steps(enough if allowed is None else enough & allowed)[0]

    def _only(self, step: dict[str, float]) -> TapedSteps:
        leaves = {name: self.tape.leaf([step[name]]) for name in OWN}

        def cuts() -> tuple[Stretch, ...]:
            above = float(slope_of(leaves["fp"])[0]), float(slope_of(leaves["tp"])[0])
            own = (float(slope_of(leaves[name])[0]) for name in ("negatives", "positives"))
            negative, positive = (a + b for a, b in zip(above, own, strict=True))
            return Stretch(np.nextafter(step["score"], np.inf), above), Stretch(step["score"], (negative, positive))

        self._cuts.append(cuts)
        return TapedSteps(np.array([step["score"]]), (self.P, self.N), 0, **leaves)

    def _at_ranks(self, *ranks: float) -> list[dict[str, float]]:
        """The first steps down to which so many rows are counted; the last one where there are not so many."""
        counted = (self.ranking.at.tp + self.ranking.at.fp).value
        return self.ranking.first_steps(*(counted >= number(rank) for rank in ranks))

    @property
    def _reach(self) -> float:
        return window(float(self.ranking.P[0] + self.ranking.N[0]), self.row_weight)

    def _at_cut(self, rank: float) -> tuple[dict[str, float], float]:
        """The step there, and the share of positives about it; of steps with many rows only those that are near."""
        rows = float(self.ranking.P[0] + self.ranking.N[0])
        ends = np.clip([rank - self._reach, rank + self._reach], 0, rows).tolist()
        step, *steps = self._at_ranks(rank, *ends)
        low, high = (_interpolated(each, end) for each, end in zip(steps, ends, strict=True))
        return step, (high - low) / (ends[1] - ends[0])

    def _price(self, where: Term, objective: Term, at_least: float, best: dict[str, float]) -> float:
        """What one unit of the constraint costs in the objective, where the constraint binds."""
        rank = best["tp"] + best["fp"]
        ends = [*map(self._plainly, self._at_ranks(rank - self._reach, rank + self._reach))]
        (first, last), (low, high) = ([float(term(end)[0]) for end in ends] for term in (where, objective))
        if reaches(min(first, last), at_least) or first == last:
            return 0.0
        return float(min((high - low) / (last - first), 0))

    def _plainly(self, step: dict[str, float]) -> PlainSteps:
        columns = {name: np.array([each]) for name, each in step.items()}
        return PlainSteps(columns | {"P": self.ranking.P, "N": self.ranking.N}, 0)


def _interpolated(step: dict[str, float], rank: float) -> float:
    """The positives among so many rows from the top, on a straight line along a step."""
    rows = step["positives"] + step["negatives"]
    above = step["tp"] + step["fp"] - rows
    return step["tp"] - step["positives"] + step["positives"] * (rank - above) / rows


def weighted_quantiles(ranking: DatabaseRanking, levels: list[float], row_weight: float) -> list[float]:
    """Straight lines from row to row, where all rows count as positive, as `_quantiles` has them in memory."""
    down_to, quantiles = float(ranking.P[0]) - ranking.at.tp_above, []
    reached = [(down_to >= level * float(ranking.P[0])).value for level in levels]
    steps = ranking.steps_where(*((where, True) for where in reached), *((~where, False) for where in reached))
    for level, here, before in zip(levels, steps, steps[len(levels) :], strict=False):
        if here is None:
            return [np.nan] * len(levels)
        weight = here["positives"]
        gap = min(weight, row_weight) if before else 0.0
        begin = float(ranking.P[0]) - here["tp"] + gap
        share = min(max((begin - level * float(ranking.P[0])) / gap, 0.0), 1.0) if gap else 0.0
        quantiles.append(here["score"] - share * (here["score"] - before["score"]) if before else here["score"])
    return quantiles


def slopes_about(ranking: DatabaseRanking, centre: float, slope: float) -> StepSlopes:
    """What rows add by the side of a number that they are on, without the mean of it."""
    total = float(ranking.P[0])
    (step,) = ranking.first_steps(ranking.columns["score"] <= number(centre))
    above = step["tp"] - step["positives"] if step["score"] <= centre else total
    below = total - (step["tp"] if step["score"] == centre else above)
    mean = slope * (above - below) / total if total else np.nan
    sides = Stretch(np.nextafter(centre, np.inf), (slope, slope)), Stretch(centre, (0.0, 0.0))
    return StepSlopes(ranking, {}, {}, (-mean, -mean), ((*sides, Stretch(-np.inf, (-slope, -slope))),))
