"""Rankings that stay in the database: their steps are a query, and so is what rows at each step add to a value."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from referee.engines.database.step_columns import ColumnSteps, StepColumn
from referee.engines.ranked_scores import Ranking, just_below
from referee.predictions import FLOAT, fetch, fetch_row, number
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array, Column

    Term = Callable[[Any], Any]

SIDES = ("negative", "positive")
"""Of rows at a step."""


class DatabaseRanking(Ranking):
    """The rows of one unit, ranked; all steps are fetched only for whoever looks at them one by one."""

    def __init__(self, grouped: Any, totals: tuple[float, float]) -> None:
        """Of distinct scores with their positives and negatives; `totals` are the sums of these."""
        import ibis

        falling = ibis.window(order_by=ibis.desc(grouped.score), preceding=None, following=0)
        steps = grouped.mutate(tp=grouped.positives.sum().over(falling), fp=grouped.negatives.sum().over(falling))
        P, N = (np.array([total]) for total in totals)  # noqa: N806 (the lecture's letters)
        self.__dict__.update(P=P, N=N, grouped=grouped, in_order=steps, known={})

    grouped: Any
    """The rows of each distinct score."""
    in_order: Any
    """The same with what is counted down to each of them."""
    known: dict[Any, Any]
    """The answers so far."""
    units = 1

    @cached_property
    def whole(self) -> Ranking:
        import ibis

        steps = fetch(self.grouped.order_by(ibis.desc("score")))
        return Ranking(steps["score"], steps["positives"], steps["negatives"], np.array([0, len(steps["score"])]))

    # What a Ranking in memory holds.
    scores = property(lambda self: self.whole.scores)
    positives = property(lambda self: self.whole.positives)
    negatives = property(lambda self: self.whole.negatives)
    starts = property(lambda self: self.whole.starts)

    @cached_property
    def at(self) -> ColumnSteps:
        return ColumnSteps(self.in_order, float(self.P[0]), float(self.N[0]))

    def column(self, term: Term) -> StepColumn:
        """A term at every step."""
        return StepColumn.of(term(self.at))

    def asked(self, *aggregates: Column) -> list[float]:
        """Aggregates over all steps; nan for what has no value."""
        self.learn({each.op(): each for each in aggregates if each.op() not in self.known})
        return [self.known[each.op()] for each in aggregates]

    def learn(self, aggregates: dict[Any, Column]) -> None:
        """Ask for several aggregates in one query."""
        if aggregates:
            named = {f"answer{place}": each for place, each in enumerate(aggregates.values())}
            answers = fetch_row(self.in_order.aggregate(**named)).values()
            numbers = (np.nan if each is None else float(each) for each in answers)
            self.known.update(zip(aggregates, numbers, strict=True))

    def best(self, column: Column, allowed: Column | None = None) -> Step:
        """The step where a column is largest; of steps that are as good but for rounding the first one."""
        (largest,) = self.asked(column.max(where=allowed))
        enough = column >= number(float(just_below(largest)))
        (step,) = self.edges(enough if allowed is None else enough & allowed)
        return step

    def at_ranks(self, *ranks: float) -> list[Step]:
        """The first step down to which so many rows are counted; the last one where there are not so many."""
        seen = (self.at.tp + self.at.fp).value
        return self.edges(*(seen >= number(rank) for rank in ranks))

    def edges(self, *conditions: Column) -> list[Step]:
        """The highest step where something is true; where it nowhere is, the last one."""
        at, score = self.at, self.in_order.score
        counted = [at.tp.value, at.fp.value, at.tp_above.value, at.fp_above.value]
        # What is counted grows from step to step, so that the first step has the least of it.
        first = [[score.max(where=true), *(column.min(where=true) for column in counted)] for true in conditions]
        last = [score.min(), *(column.max() for column in counted)]
        answers = self.asked(*chain.from_iterable(first), *last)
        *steps, lowest = [answers[place : place + len(last)] for place in range(0, len(answers), len(last))]
        return [Step(*(lowest if np.isnan(step[0]) else step)) for step in steps]

    def in_bins(self, place: Column) -> dict[str, Array]:
        """The rows of each bin, highest first: where it begins, its positives and negatives, and its sum of scores."""
        key = "bins", place.op()
        if key not in self.known:
            self.known[key] = self._asked_bins(place)
        bins: dict[str, Array] = self.known[key]
        return bins

    def _asked_bins(self, place: Column) -> dict[str, Array]:
        import ibis

        steps = self.in_order.mutate(place=place)
        rows = (steps.positives + steps.negatives).cast(FLOAT)
        bins = steps.group_by("place").aggregate(
            low=steps.score.min(),
            positives=steps.positives.sum(),
            negatives=steps.negatives.sum(),
            scores=(rows * steps.score).sum(),
        )
        return {name: np.asarray(cells, float) for name, cells in fetch(bins.order_by(ibis.desc("low"))).items()}


class Step(NamedTuple):
    """One step of a ranking: what is counted down to it, and above it."""

    score: float
    tp: float
    fp: float
    tp_above: float
    fp_above: float

    @property
    def positives(self) -> float:
        return self.tp - self.tp_above

    @property
    def negatives(self) -> float:
        return self.fp - self.fp_above

    def share(self, rank: float) -> float:
        """Of the step's rows, those among so many from the top."""
        rows = self.positives + self.negatives
        return min(max((rank - self.tp_above - self.fp_above) / rows, 0.0), 1.0) if rows else 0.0

    def positives_among(self, rank: float) -> float:
        """The positives among so many rows from the top, on a straight line along the step."""
        return self.tp_above + self.positives * self.share(rank)


@dataclass(frozen=True)
class Stretch:
    """Neighbouring scores at which rows add the same, or a straight line of their scores."""

    low: float
    """The lowest score of the stretch."""
    slopes: tuple[float, float]
    """Of a negative row, and of a positive one."""
    by_score: float = 0.0

    def times(self, factor: float) -> Stretch:
        negative, positive = self.slopes
        return Stretch(self.low, (negative * factor, positive * factor), self.by_score * factor)


@dataclass(frozen=True, eq=False)
class StepSlopes:
    """How a value moves with one more negative, or positive, row at each step of a ranking."""

    ranking: DatabaseRanking
    columns: dict[str, Column]
    """By the positives and negatives of a step, and by those counted down to it."""
    constants: tuple[float, float] = (0.0, 0.0)
    stretches: tuple[tuple[Stretch, ...], ...] = ()
    """Several ways to cut the scores into stretches, highest first; below the last one rows add nothing."""
    centred: bool = True
    """Whether what all rows add is 0; not of what is smoothed at a cut."""

    nbytes = 0
    """Of memory: it is a query."""

    @property
    def key(self) -> object:
        """The same for the same slopes, nan among them."""
        columns = tuple((name, column.op()) for name, column in self.columns.items())
        return columns, repr(self.constants), repr(self.stretches)

    def reshape(self, _: int) -> StepSlopes:
        """As it is: the tables of memory are made one column."""
        return self

    def __mul__(self, factor: float) -> StepSlopes:
        negative, positive = self.constants
        return replace(
            self,
            columns={name: column * number(factor) for name, column in self.columns.items()},
            constants=(negative * factor, positive * factor),
            stretches=tuple(tuple(stretch.times(factor) for stretch in cut) for cut in self.stretches),
        )

    def __add__(self, other: StepSlopes) -> StepSlopes:
        columns = dict(self.columns)
        for name, column in other.columns.items():
            columns[name] = columns[name] + column if name in columns else column
        negative, positive = (a + b for a, b in zip(self.constants, other.constants, strict=True))
        return replace(
            self, columns=columns, constants=(negative, positive), stretches=self.stretches + other.stretches,
            centred=self.centred and other.centred,
        )  # fmt: skip

    @cached_property
    def table(self) -> Any | None:
        """The distinct scores with the slopes of a negative and of a positive row; None where no step has its own."""
        return slopes_of_steps(self.ranking, [self]) if self.columns else None

    def of_rows(self, score: Column, is_positive: Column) -> Column:
        """What the scores of rows say without looking a step up."""
        import ibis

        negative, positive = self.constants
        total = is_positive.ifelse(number(positive), number(negative))
        for cut in self.stretches:
            cases = [(score >= number(stretch.low), _on(stretch, score, is_positive)) for stretch in cut]
            total = total + ibis.cases(*cases, else_=number(0.0))
        return total


def _on(stretch: Stretch, score: Column, is_positive: Column) -> Column:
    negative, positive = stretch.slopes
    constant = is_positive.ifelse(number(positive), number(negative))
    return constant + score * number(stretch.by_score) if stretch.by_score else constant


def slopes_of_steps(ranking: DatabaseRanking, several: Sequence[StepSlopes], kept: Sequence[str] = ("score",)) -> Any:
    """The steps with the slopes of a negative and of a positive row (negative0, positive0, negative1 ...).

    What is counted at a step is counted at all steps below, too.
    """
    import ibis

    own = {f"{name}{place}": column for place, each in enumerate(several) for name, column in each.columns.items()}
    base = ranking.in_order.select(*{"score": None, **dict.fromkeys(kept)}, **{f"by_{name}": own[name] for name in own})
    rising = ibis.window(order_by=base.score, preceding=None, following=0)

    def slope(at_step: str, counted: str) -> Column:
        parts = [base[f"by_{at_step}"]] if at_step in own else []
        parts += [base[f"by_{counted}"].sum().over(rising)] if counted in own else []
        return sum(parts[1:], parts[0]) if parts else number(0.0)

    slopes: dict[str, Column] = {}
    for place in range(len(several)):
        slopes[f"negative{place}"] = slope(f"negatives{place}", f"fp{place}")
        slopes[f"positive{place}"] = slope(f"positives{place}", f"tp{place}")
    return base.select(*kept, **slopes)
