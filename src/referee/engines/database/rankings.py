"""Rankings that stay in the database: their steps are a query, and so is what rows at each step add to a value."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.database.step_columns import COLUMNS, ColumnSteps
from referee.engines.ranked_scores import Ranking
from referee.predictions import FLOAT, fetch, fetch_row, number
from referee.records import dataclass

if TYPE_CHECKING:
    from referee.arrays import Array, Column


class DatabaseRanking(Ranking):
    """The rows of one unit, ranked; all steps are fetched only for whoever looks at them one by one."""

    def __init__(self, rows: Any, positives: Any, negatives: Any, totals: tuple[float, float]) -> None:
        """Of rows with a score; `positives` and `negatives` are aggregates of them, and `totals` their sums."""
        import ibis

        grouped = rows.group_by("score").aggregate(positives=positives, negatives=negatives)
        falling = ibis.window(order_by=ibis.desc(grouped.score), preceding=None, following=0)
        steps = grouped.mutate(tp=grouped.positives.sum().over(falling), fp=grouped.negatives.sum().over(falling))
        P, N = (np.array([total]) for total in totals)  # noqa: N806 (the lecture's letters)
        self.__dict__.update(P=P, N=N, grouped=grouped, in_order=steps)

    grouped: Any
    """The rows of each distinct score."""
    in_order: Any
    """The same with what is counted down to each of them."""
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

    def asked(self, **aggregates: Column) -> dict[str, float]:
        """Aggregates over all steps; nan for what has no value."""
        row = fetch_row(self.in_order.aggregate(**aggregates))
        return {name: np.nan if value is None else float(value) for name, value in row.items()}

    def first(self, where: Column | None = None, *, falling: bool = True, **columns: Column) -> dict[str, float] | None:
        """The highest (or lowest) step where something is true, and what stands there."""
        import ibis

        steps = self.in_order if where is None else self.in_order.filter(where)
        score = ibis.desc("score") if falling else ibis.asc("score")
        chosen = steps.order_by(score).limit(1)
        rows = fetch(chosen.select("score", *COLUMNS, **columns))
        return {name: float(cells[0]) for name, cells in rows.items()} if len(rows["score"]) else None

    def in_bins(self, place: Column) -> dict[str, Array]:
        """The rows of each bin, highest first: where it begins, its positives and negatives, and its sum of scores."""
        import ibis

        steps = self.in_order.mutate(place=place)
        rows = (steps.positives + steps.negatives).cast(FLOAT)
        bins = steps.group_by("place").aggregate(
            low=steps.score.min(),
            positives=steps.positives.sum(),
            negatives=steps.negatives.sum(),
            scores=(rows * steps.score).sum(),
        )
        return fetch(bins.order_by(ibis.desc("low")))


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
        """The distinct scores with the slopes of a negative and of a positive row; None where no step has its own.

        What is counted at a step is counted at all steps below, too.
        """
        import ibis

        if not self.columns:
            return None
        base = self.ranking.in_order.select("score", **self.columns)
        rising = ibis.window(order_by=base.score, preceding=None, following=0)

        def slope(own: str, counted: str) -> Column:
            parts = [base[own]] if own in self.columns else []
            parts += [base[counted].sum().over(rising)] if counted in self.columns else []
            return sum(parts[1:], parts[0]) if parts else number(0.0)

        return base.select("score", negative=slope("negatives", "fp"), positive=slope("positives", "tp"))

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
