"""Rankings that stay in the database: their steps are a query, and so is what rows at each step add to a value."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.database.answers import Answers, Parts
from referee.engines.database.step_columns import COLUMNS, ColumnSteps
from referee.engines.ranked_scores import Ranking
from referee.predictions import FLOAT, fetch, number
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.arrays import Array, Column

OWN = (("negatives", "fp"), ("positives", "tp"))
"""Where one more negative, or positive, row is counted: at its own step, and at all steps below."""


class DatabaseRanking(Ranking):
    """The rows of one unit, ranked; all steps are fetched only for whoever looks at them one by one."""

    def __init__(
        self, rows: Any, sizes: dict[str, Column], totals: tuple[float, float], parts: Parts, code: int
    ) -> None:
        """Of rows with a score: aggregates of them, their sums, and which class is positive."""
        import ibis

        grouped = rows.group_by("score", *parts.names).aggregate(**sizes)
        falling = ibis.window(group_by=parts.column, order_by=ibis.desc(grouped.score), preceding=None, following=0)
        above = parts.counted_above(rows, {side: sizes[side] for side in ("positives", "negatives")})
        # As floats: PostgreSQL adds whole numbers up as decimals, which takes longer.
        counted = {
            name: parts.plus(grouped[side].cast(FLOAT).sum().over(falling), grouped, above[side])
            for side, name in (("positives", "tp"), ("negatives", "fp"))
        }
        steps = grouped.mutate(**counted)
        columns = {name: steps[name].cast(FLOAT) for name in COLUMNS} | {"score": steps.score}
        self._have(totals, grouped=grouped, columns=columns, answers=Answers(steps, parts, code))

    def _have(self, totals: tuple[float, float], **known: Any) -> None:
        P, N = (np.array([total]) for total in totals)  # noqa: N806 (the lecture's letters)
        self.__dict__.update(P=P, N=N, **known)

    grouped: Any
    """The rows of each distinct score."""
    columns: dict[str, Column]
    """Of each step its score, its rows, and what is counted from the highest score down to it."""
    answers: Answers
    units = 1
    is_turned = False

    @property
    def in_order(self) -> Any:
        """The steps with what is counted down to each of them."""
        return self.answers.steps

    @cached_property
    def whole(self) -> Ranking:
        import ibis

        steps = fetch(self.grouped.select("score", "positives", "negatives").order_by(ibis.desc("score")))
        self.answers.bytes_fetched += sum(column.nbytes for column in steps.values())
        return Ranking(steps["score"], steps["positives"], steps["negatives"], np.array([0, len(steps["score"])]))

    # What a Ranking in memory holds.
    scores = property(lambda self: self.whole.scores)
    positives = property(lambda self: self.whole.positives)
    negatives = property(lambda self: self.whole.negatives)
    starts = property(lambda self: self.whole.starts)

    @cached_property
    def at(self) -> ColumnSteps:
        return ColumnSteps(self.columns, float(self.P[0]), float(self.N[0]))

    def asked(self, **aggregates: Column) -> dict[str, Array]:
        """Aggregates over the steps of each part; nan for what has no value."""
        return self.answers.to(aggregates)

    def first(self, where: Column | None = None, *, falling: bool = True, **columns: Column) -> dict[str, float] | None:
        """The highest (or lowest) step where something is true, and what stands there."""
        import ibis

        self.answers.refuse_to_wait()
        steps = self.in_order if where is None else self.in_order.filter(where)
        chosen = steps.select(**self.columns, **columns)
        rows = fetch(chosen.order_by(ibis.desc("score") if falling else ibis.asc("score")).limit(1))
        return {name: float(cells[0]) for name, cells in rows.items()} if len(rows["score"]) else None

    def in_bins(self, place: Column) -> dict[str, Array]:
        """The rows of each bin, highest first: where it begins, its positives and negatives, and its sum of scores."""
        import ibis

        self.answers.refuse_to_wait()
        steps = self.in_order.select(place=place, **self.columns)
        bins = steps.group_by("place").aggregate(
            low=steps.score.min(),
            positives=steps.positives.sum(),
            negatives=steps.negatives.sum(),
            scores=((steps.positives + steps.negatives) * steps.score).sum(),
        )
        return fetch(bins.order_by(ibis.desc("low")))


class TurnedRanking(DatabaseRanking):
    """The same steps from the other end: the negatives of a ranking are the positives of this one."""

    def __init__(self, other: DatabaseRanking) -> None:
        positives, negatives, tp, fp, score = (other.columns[name] for name in (*COLUMNS, "score"))
        totals = float(other.N[0]), float(other.P[0])
        columns = {
            "positives": negatives, "negatives": positives, "tp": number(totals[0]) - fp + negatives,
            "fp": number(totals[1]) - tp + positives, "score": number(0.0) - score,
        }  # fmt: skip
        self._have(totals, other=other, columns=columns, answers=other.answers)

    other: DatabaseRanking
    is_turned = True

    @cached_property
    def whole(self) -> Ranking:
        given = self.other.whole
        return Ranking(0.0 - given.scores[::-1], given.negatives[::-1], given.positives[::-1], given.starts)


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
    columns: Mapping[str, Column]
    """By the positives and negatives of a step, and by those counted down to it."""
    totals: Mapping[str, Array]
    """Of the columns of what is counted, in each part of the steps."""
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
            totals={name: total * factor for name, total in self.totals.items()},
            constants=(negative * factor, positive * factor),
            stretches=tuple(tuple(stretch.times(factor) for stretch in cut) for cut in self.stretches),
        )

    def __add__(self, other: StepSlopes) -> StepSlopes:
        negative, positive = (a + b for a, b in zip(self.constants, other.constants, strict=True))
        return replace(
            self, columns=_added(self.columns, other.columns), totals=_added(self.totals, other.totals),
            constants=(negative, positive), stretches=self.stretches + other.stretches,
            centred=self.centred and other.centred,
        )  # fmt: skip

    @cached_property
    def table(self) -> Any | None:
        """The distinct scores with the slopes of a negative and of a positive row; None where no step has its own."""
        if not self.columns:
            return None
        steps = self.ranking.in_order
        base = steps.select(
            "score", *self.ranking.answers.parts.names, **self.named("by"), own=self.ranking.columns["score"]
        )
        negative, positive = (self.slope(base, "by", side) for side in range(2))
        return base.select(score=base.own, negative=negative, positive=positive)

    def named(self, prefix: str) -> dict[str, Column]:
        """The columns under names of their own."""
        return {f"{prefix}_{name}": column for name, column in self.columns.items()}

    def slope(self, base: Any, prefix: str, side: int) -> Column:
        """Of one more negative (0) or positive (1) row at each step, from a table with the columns and the scores.

        What is counted at a step is counted at all steps below, too.
        """
        import ibis

        (own, counted), turned, parts = OWN[side], self.ranking.is_turned, self.ranking.answers.parts
        slopes = [base[f"{prefix}_{own}"]] if own in self.columns else []
        if counted in self.columns:
            order = ibis.desc(base.score) if turned else base.score
            below = ibis.window(group_by=parts.column, order_by=order, preceding=None, following=0)
            summed = base[f"{prefix}_{counted}"].sum().over(below)
            slopes.append(parts.plus(summed, base, parts.sums_before(self.totals[counted], from_lowest=not turned)))
        return sum(slopes[1:], slopes[0]) if slopes else number(0.0)

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


def _added(some: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    return {**some, **{name: some[name] + more if name in some else more for name, more in others.items()}}
