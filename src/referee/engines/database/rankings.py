"""Rankings that stay in the database: their steps are a query, and what formulas ask of these are aggregates."""

from __future__ import annotations

from functools import cached_property, reduce
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.database.step_columns import ColumnSteps, StepColumn
from referee.engines.ranked_scores import Ranking, just_below
from referee.predictions import FLOAT, fetch, lookup, number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array, Column

    Term = Callable[[Any], Any]
    Step = dict[str, Array]
    """One step of each unit: its score, its positives and negatives, and those counted down to it."""


class AwaitedError(Exception):
    """A formula cannot go on before something is known that will be asked for together with what others ask."""


class Questions:
    """Aggregates over the steps of a model's rankings; of each ranking, those that formulas wait for are one query."""

    def __init__(self) -> None:
        self.are_collected = False
        self._waiting: dict[DatabaseRanking, dict[Any, Any]] = {}

    def answers(self, ranking: DatabaseRanking, aggregates: Sequence[Any]) -> list[Array]:
        new = {each.op(): each for each in aggregates if each.op() not in ranking.known}
        if new and self.are_collected:
            self._waiting.setdefault(ranking, {}).update(new)
            raise AwaitedError
        ranking.learn(new)
        return [ranking.known[each.op()] for each in aggregates]

    def ask_collected(self) -> bool:
        """Whether there was anything to ask."""
        waiting, self._waiting = self._waiting, {}
        for ranking, aggregates in waiting.items():
            ranking.learn(aggregates)
        return bool(waiting)


class DatabaseRanking(Ranking):
    """The rows of each unit, ranked; all steps are fetched only for a formula that columns of steps cannot follow."""

    __hash__ = object.__hash__

    def __init__(
        self, grouped: Any, totals: tuple[Array, Array], units: int = 1, questions: Questions | None = None
    ) -> None:
        """Of distinct scores with their positives and negatives, in each unit where there are several."""
        import ibis

        by_unit = {"group_by": grouped.unit} if units > 1 else {}
        falling = ibis.window(order_by=ibis.desc(grouped.score), preceding=None, following=0, **by_unit)
        steps = grouped.mutate(tp=grouped.positives.sum().over(falling), fp=grouped.negatives.sum().over(falling))
        if units > 1:
            whole = ibis.window(group_by=steps.unit)
            steps = steps.mutate(P=steps.positives.sum().over(whole), N=steps.negatives.sum().over(whole))
        self.__dict__.update(
            P=np.asarray(totals[0]), N=np.asarray(totals[1]), grouped=grouped, in_order=steps, known={},
            questions=questions or Questions(),
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return self is other

    is_turned = False

    @property
    def base(self) -> DatabaseRanking:
        """The ranking whose steps these are."""
        return self

    grouped: Any
    """The rows of each distinct score."""
    in_order: Any
    """The same with what is counted down to each of them."""
    known: dict[Any, Array]
    """The answers so far."""
    questions: Questions

    @property
    def units(self) -> int:
        return len(self.P)

    @cached_property
    def whole(self) -> Ranking:
        import ibis

        keys = ["unit"] if self.units > 1 else []
        steps = fetch(self.grouped.order_by(*keys, ibis.desc("score")))
        unit = steps["unit"].astype(np.int64) if keys else np.zeros(len(steps["score"]), np.int64)
        starts = np.searchsorted(unit, np.arange(self.units + 1))
        return Ranking(steps["score"], steps["positives"], steps["negatives"], starts)

    # What a Ranking in memory holds.
    scores = property(lambda self: self.whole.scores)
    positives = property(lambda self: self.whole.positives)
    negatives = property(lambda self: self.whole.negatives)
    starts = property(lambda self: self.whole.starts)

    @cached_property
    def at(self) -> ColumnSteps:
        return ColumnSteps(self.in_order, *self.totals, only_unit=self.units == 1)

    @property
    def totals(self) -> tuple[Column, Column]:
        """All positives and negatives of each step's unit."""
        if self.units == 1:
            return number(float(self.P[0])), number(float(self.N[0]))
        return self.in_order.P.cast(FLOAT), self.in_order.N.cast(FLOAT)

    def of_units(self, numbers: Any) -> Column:
        """At each step the number of its unit."""
        return number_of_unit(None if self.units == 1 else self.in_order.unit, np.asarray(numbers, float))

    def asked(self, *aggregates: Column) -> list[Array]:
        """Aggregates over the steps of each unit; nan for what has no value."""
        return self.questions.answers(self, aggregates)

    def learn(self, aggregates: dict[Any, Any]) -> None:
        """Ask for some aggregates over the steps."""
        if not aggregates:
            return
        named = {f"answer{place}": each for place, each in enumerate(aggregates.values())}
        steps = self.in_order if self.units == 1 else self.in_order.group_by("unit")
        rows = fetch(steps.aggregate(**named))
        unit = rows["unit"].astype(np.int64) if self.units > 1 else np.zeros(1, np.int64)
        for name, operation in zip(named, aggregates, strict=True):
            self.known[operation] = np.full(self.units, np.nan)
            self.known[operation][unit] = np.asarray(rows[name], float)

    def column(self, term: Term) -> StepColumn:
        """A term at every step."""
        return StepColumn.of(term(self.at))

    def sum(self, term: Term) -> Array:
        try:
            column = self.column(term)
        except TypeError:
            return self.whole.sum(term)
        return np.where(self.P + self.N > 0, self.asked(column.value.sum())[0], 0.0)

    def max(self, term: Term) -> Array:
        try:
            column = self.column(term)
        except TypeError:
            return self.whole.max(term)
        return self.asked(column.value.max())[0]

    def highest(self, objective: Term, where: Term, at_least: float) -> Array:
        try:
            bound, gain = self.column(where).value, self.column(objective).value
        except TypeError:
            return self.whole.highest(objective, where, at_least)
        best, any_ = self.asked(gain.max(where=bound >= number(float(just_below(at_least)))), gain.max())
        return np.where(np.isnan(best), 0 * any_, best)

    def hits(self, rows: Array) -> Array:
        (step,) = self.at_ranks(rows)
        return positives_above(step, rows)

    def binned(self, bin_of: Term, bins: int) -> Ranking:
        try:
            place = self.column(bin_of)
        except TypeError:
            return self.whole.binned(bin_of, bins)
        parts = self.in_bins(place.value)
        rows = parts["positives"] + parts["negatives"]
        # From the lowest bin, as those of a ranking in memory.
        order = np.lexsort((parts["low"], parts["unit"]))
        starts = np.searchsorted(parts["unit"], np.arange(self.units + 1))
        return Ranking(
            (parts["scores"] / rows)[order], parts["positives"][order], parts["negatives"][order], starts
        )  # fmt: skip

    def best(self, term: Term) -> Step:
        """Where a term is largest; of steps that are as good but for rounding the first: rounding does not choose."""
        column = self.column(term).value
        (largest,) = self.asked(column.max())
        (step,) = self.edges(column >= self.of_units(just_below(largest)))
        return step

    def at_ranks(self, *ranks: Array) -> list[Step]:
        """The first step down to which so many rows are counted; the last one where there are not so many."""
        seen = (self.at.tp + self.at.fp).value
        return self.edges(*(seen >= self.of_units(rank) for rank in ranks))

    def edges(self, *conditions: Column) -> list[Step]:
        """The highest step of each unit where something is true; where it nowhere is, the last one."""
        at, score = self.at, self.at.score.value
        counted = [at.tp.value, at.fp.value, at.tp_above.value, at.fp_above.value]
        # What is counted grows from step to step, so that the first step has the least of it.
        first = [[score.max(where=true), *(column.min(where=true) for column in counted)] for true in conditions]
        answers = iter(self.asked(*chain.from_iterable(first), score.min(), counted[2].max(), counted[3].max()))
        each = [[next(answers) for _ in range(5)] for _ in conditions]
        lowest, tp_above, fp_above = answers
        last = [lowest, self.P, self.N, tp_above, fp_above]
        return [
            _step(
                *(
                    np.where(np.isnan(numbers[0]), of_last, of_first)
                    for of_first, of_last in zip(numbers, last, strict=True)
                )
            )
            for numbers in each
        ]

    def quantiles(self, levels: Sequence[float], row_weight: float) -> Array:
        """Of the scores of the only unit, all of which are positive, as those of a ranking in memory."""
        at, total, score = self.at, float(self.P[0]), self.in_order.score
        reached = [number(total) - at.tp_above.value >= number(level * total) for level in levels]
        asked = [
            [score.min(where=true), at.tp.value.max(where=true), at.tp_above.value.max(where=true)] for true in reached
        ]
        answers = [float(answer[0]) for answer in self.asked(*chain.from_iterable(asked))]
        here = [answers[place : place + 3] for place in range(0, len(answers), 3)]
        below = self.asked(*(score.max(where=score < number(each[0])) for each in here))
        each = zip(levels, here, (float(answer[0]) for answer in below), strict=True)
        return np.array([_between(level * total, total, step, before, row_weight) for level, step, before in each])

    def in_bins(self, place: Column) -> dict[str, Array]:
        """The rows of each bin, highest first: where it begins, its positives and negatives, and its sum of scores."""
        key = "bins", place.op()
        if key not in self.known:
            self.known[key] = self._asked_bins(place)  # type: ignore[assignment]
        bins: Any = self.known[key]
        return bins

    def _asked_bins(self, place: Column) -> dict[str, Array]:
        own = {name: getattr(self.at, name).value for name in ("score", "positives", "negatives")}
        keys = {"unit": self.in_order.unit} if self.units > 1 else {}
        steps = self.in_order.select(place=place, **own, **keys)
        rows = (steps.positives + steps.negatives).cast(FLOAT)
        bins = steps.group_by("place", *(["unit"] if self.units > 1 else [])).aggregate(
            low=steps.score.min(),
            positives=steps.positives.sum(),
            negatives=steps.negatives.sum(),
            scores=(rows * steps.score).sum(),
        )
        parts = {name: np.asarray(cells, float) for name, cells in fetch(bins).items()}
        parts["unit"] = parts["unit"].astype(np.int64) if "unit" in parts else np.zeros(len(parts["low"]), np.int64)
        order = np.lexsort((-parts["low"], parts["unit"]))
        return {name: cells[order] for name, cells in parts.items()}

    def of_unit(self, unit: int) -> UnitOfRanking:  # type: ignore[override]
        return UnitOfRanking(self, unit)

    def pooled(self, parts: Sequence[DatabaseRanking]) -> DatabaseRanking:
        """Rank the rows of several rankings of the same units together."""
        import ibis

        every = ibis.union(*(part.grouped for part in parts))
        keys = ["unit", "score"] if self.units > 1 else ["score"]
        sizes = {name: every[name].sum() for name in ("positives", "negatives")}
        totals = (reduce(np.add, (getattr(part, side) for part in parts)) for side in ("P", "N"))
        return DatabaseRanking(every.group_by(keys).aggregate(**sizes), tuple(totals), self.units, self.questions)


class TurnedRanking(DatabaseRanking):
    """The same rows ranked for the other of two classes, from the other end: the steps are asked for only once."""

    is_turned = True

    def __init__(self, base: DatabaseRanking) -> None:
        turned = {
            "score": -base.grouped.score,
            "positives": base.grouped.negatives,
            "negatives": base.grouped.positives,
        }
        keys = {"unit": base.grouped.unit} if base.units > 1 else {}
        self.__dict__.update(
            P=base.N, N=base.P, grouped=base.grouped.select(**turned, **keys), in_order=base.in_order, known={},
            questions=base.questions, steps_of=base,
        )  # fmt: skip

    steps_of: DatabaseRanking

    @property
    def base(self) -> DatabaseRanking:
        return self.steps_of

    @cached_property
    def at(self) -> ColumnSteps:
        steps, (negatives, positives) = self.in_order, self.steps_of.totals
        # What is counted from the other end includes the step, too.
        columns = {
            "score": -steps.score + number(0.0),
            "positives": steps.negatives,
            "negatives": steps.positives,
            "tp": positives - steps.fp + steps.negatives,
            "fp": negatives - steps.tp + steps.positives,
        }
        return ColumnSteps(columns, positives, negatives, only_unit=self.units == 1)

    def asked(self, *aggregates: Column) -> list[Array]:
        return self.steps_of.asked(*aggregates)


class UnitOfRanking:
    """One unit of a ranking, for what is asked of each unit by itself."""

    def __init__(self, ranking: DatabaseRanking, unit: int) -> None:
        self._ranking, self._here = ranking, slice(unit, unit + 1)
        self.P, self.N = ranking.P[self._here], ranking.N[self._here]

    def best(self, term: Term) -> Step:
        """That of all units is asked for together."""
        return {name: numbers[self._here] for name, numbers in self._ranking.best(term).items()}


def number_of_unit(unit: Column | None, numbers: Array) -> Column:
    """The number of each row's unit, or the only one."""
    if unit is None or (numbers == numbers[0]).all():
        return number(float(numbers[0]))
    return lookup(unit, dict(enumerate(numbers.tolist())))


def positives_above(step: Step, rank: Array) -> Array:
    """The positives among so many rows from the top, on a straight line along a step."""
    rows = step["positives"] + step["negatives"]
    above = step["tp"] + step["fp"] - rows
    share = np.clip((rank - above) / rows, 0, 1)
    return np.asarray(step["tp"] - step["positives"] + step["positives"] * share)


def _between(wanted: float, total: float, step: list[float], before: float, row_weight: float) -> float:
    """On a straight line from one score to the next, of which rows that tie are a level stretch."""
    score, tp, tp_above = step
    weight = tp - tp_above
    if np.isnan(before):
        return score
    gap = min(weight, row_weight)
    share = float(np.clip((total - tp_above - weight + gap - wanted) / gap, 0, 1)) if gap else 0.0
    return score - share * (score - before)


def _step(score: Array, tp: Array, fp: Array, tp_above: Array, fp_above: Array) -> Step:
    return {"score": score, "positives": tp - tp_above, "negatives": fp - fp_above, "tp": tp, "fp": fp}
