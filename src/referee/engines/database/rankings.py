"""Rankings that stay in the database: their steps are a query, and so is what rows at each step add to a value."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.database.answers import Answers
from referee.engines.database.shared_columns import worked_out_once
from referee.engines.database.step_columns import COLUMNS, MOST_EDGES, ColumnSteps
from referee.engines.ranked_scores import Ranking
from referee.predictions import FLOAT, fetch, number
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from referee.arrays import Array, Column
    from referee.engines.database.answers import Parts, Rounds

    Sizes = Callable[[Any], dict[str, Any]]
    """What a table of rows adds up to: its positives and negatives, and powers of their weights."""

SIDES = ("positives", "negatives")
OWN = {"negatives": "fp", "positives": "tp"}
"""Where one more negative, or positive, row is counted: at its own step, and at all steps below."""


class DatabaseRanking(Ranking):
    """The rows of one unit, ranked; all steps are fetched only for whoever looks at them one by one."""

    def __init__(
        self, rows: Any, sizes: Sizes, totals: tuple[float, float], parts: Parts, code: int | None, rounds: Rounds,
    ) -> None:  # fmt: skip
        """Of rows with a score and a weight: what they add up to, in all, too, and which class is positive."""
        import ibis

        rows = parts.told(rows)
        grouped = rows.group_by("score", *parts.names).aggregate(**sizes(rows))
        falling = ibis.window(group_by=parts.column, order_by=ibis.desc(grouped.score), preceding=None, following=0)
        above = parts.counted_above(rows, {side: sizes(rows)[side] for side in SIDES})
        # As floats: PostgreSQL adds whole numbers up as decimals, which takes longer.
        counted = {
            name: parts.plus(grouped[side].cast(FLOAT).sum().over(falling), grouped, above[side])
            for side, name in (("positives", "tp"), ("negatives", "fp"))
        }
        steps = grouped.mutate(**counted)
        columns = {name: steps[name].cast(FLOAT) for name in COLUMNS} | {"score": steps.score}
        self._have(
            totals, rows=rows, sizes=sizes, grouped=grouped, columns=columns,
            answers=Answers(steps, parts, code, rounds),
        )  # fmt: skip

    def _have(self, totals: tuple[float, float], **known: Any) -> None:
        P, N = (np.array([total]) for total in totals)  # noqa: N806 (the lecture's letters)
        self.__dict__.update(P=P, N=N, **known)

    rows: Any
    sizes: Sizes
    grouped: Any
    """The rows of each distinct score."""
    columns: dict[str, Column]
    """Of each step its score, its rows, and what is counted from the highest score down to it."""
    answers: Answers
    row_weight: float
    is_near: bool
    """Whether to fetch all steps is faster than to ask for what a value is made of."""
    units = 1
    is_turned = False

    @property
    def in_order(self) -> Any:
        """The steps with what is counted down to each of them."""
        return self.answers.steps

    @cached_property
    def whole(self) -> Ranking:
        import ibis

        steps = fetch(self.grouped.select("score", *SIDES).order_by(ibis.desc("score")))
        scores, positives, negatives = (steps[name] for name in ("score", *SIDES))
        return Ranking(scores, positives, negatives, np.array([0, len(scores)]))

    # What a Ranking in memory holds.
    scores = property(lambda self: self.whole.scores)
    positives = property(lambda self: self.whole.positives)
    negatives = property(lambda self: self.whole.negatives)
    starts = property(lambda self: self.whole.starts)

    @cached_property
    def at(self) -> ColumnSteps:
        return ColumnSteps(self.columns, float(self.P[0]), float(self.N[0]))

    def summed(self, **aggregates: Column) -> dict[str, Array]:
        """Sums over the steps of each part."""
        return self.answers.to(aggregates)

    def largest(self, column: Column, where: Column | None = None) -> float:
        """Over all steps; nan where there is none."""
        return float(np.fmax.reduce(self.answers.to({"largest": column.max(where=where)})["largest"]))

    def first_steps(self, *wheres: Column) -> list[dict[str, float]]:
        """For each condition the highest step where it is true, else the lowest step of all."""
        asked = [(where, False) for where in wheres]
        steps = self.steps_where(*asked)
        if not all(steps):
            (last,) = self.steps_where((None, True))
            steps = [each or last for each in steps]
        return [each or dict.fromkeys((*COLUMNS, "score"), np.nan) for each in steps]

    def steps_where(self, *asked: tuple[Column | None, bool]) -> list[dict[str, float] | None]:
        """The highest, or lowest, step where each condition is true.

        What is counted only grows from step to step, so that extremes say what stands there.
        """
        columns = {name: self.columns[name] for name in ("score", "tp", "fp")}
        columns |= {f"{OWN[side]}_above": columns[OWN[side]] - self.columns[side] for side in SIDES}
        aggregates: dict[str, Column] = {}
        for place, (where, lowest) in enumerate(asked):
            for name, column in columns.items():
                from_above = lowest != (name == "score")
                aggregates[f"{name}{place}"] = column.max(where=where) if from_above else column.min(where=where)
        known = self.answers.to(aggregates)
        of_each = ({name: known[f"{name}{place}"] for name in columns} for place in range(len(asked)))
        return [_standing(of_parts, lowest=lowest) for of_parts, (_, lowest) in zip(of_each, asked, strict=True)]

    def in_bins(self, place: Column, bins: int) -> dict[str, Array]:
        """The rows of each bin, highest first: where it begins, its positives and negatives, and its sum of scores."""
        if bins > MOST_EDGES:
            raise TypeError(f"more than {MOST_EDGES:,} bins")
        score = self.columns["score"]
        of_bins = self.answers.to({f"low{each}": score.min(where=place == number(each)) for each in range(bins)})
        lows = [float(np.fmin.reduce(of_parts)) for of_parts in of_bins.values()]
        return self._counted_from(sorted((low for low in lows if not np.isnan(low)), reverse=True))

    def _counted_from(self, lows: list[float]) -> dict[str, Array]:
        """What stands between each of some scores and the next higher one."""
        import ibis

        rows = self.rows.mutate(own=self._own(self.rows.score))
        rows = rows.mutate(bin=ibis.cases(*((rows.own >= number(low), place) for place, low in enumerate(lows))))
        sizes = {side: self.sizes(rows)[side] for side in SIDES}
        sums = rows.group_by("bin").aggregate(scores=(rows.own * rows.weight).sum(), **sizes)
        sums_of_bins = self.answers.of_rows(sums.order_by("bin"))
        counts = [sums_of_bins[side].astype(float) for side in (SIDES[::-1] if self.is_turned else SIDES)]
        return {"low": np.array(lows), "scores": sums_of_bins["scores"]} | dict(zip(SIDES, counts, strict=True))

    def _own(self, score: Column) -> Column:
        return number(0.0) - score if self.is_turned else score


class TurnedRanking(DatabaseRanking):
    """The same steps from the other end: the negatives of a ranking are the positives of this one."""

    def __init__(self, other: DatabaseRanking) -> None:
        positives, negatives, tp, fp, score = (other.columns[name] for name in (*COLUMNS, "score"))
        totals = float(other.N[0]), float(other.P[0])
        columns = {
            "positives": negatives, "negatives": positives, "tp": number(totals[0]) - fp + negatives,
            "fp": number(totals[1]) - tp + positives, "score": number(0.0) - score,
        }  # fmt: skip
        known = {name: vars(other)[name] for name in ("rows", "sizes", "answers", "row_weight", "is_near")}
        self._have(totals, other=other, columns=columns, **known)

    other: DatabaseRanking
    is_turned = True

    @cached_property
    def whole(self) -> Ranking:
        given = self.other.whole
        return Ranking(0.0 - given.scores[::-1], given.negatives[::-1], given.positives[::-1], given.starts)


def _standing(of_parts: dict[str, Array], *, lowest: bool) -> dict[str, float] | None:
    """A step as the part that it is in has it."""
    scores = of_parts["score"]
    if np.isnan(scores).all():
        return None
    part = int(np.nanargmin(scores) if lowest else np.nanargmax(scores))
    step = {name: float(numbers[part]) for name, numbers in of_parts.items()}
    return step | {side: step[OWN[side]] - step.pop(f"{OWN[side]}_above") for side in SIDES}


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
    nbytes = 0
    """Of memory: it is a query."""

    def reshape(self, _: int) -> StepSlopes:
        """As it is: the tables of memory are made one column."""
        return self

    def take(self, *_: Any, **__: Any) -> StepSlopes:
        """As it is: rows find their steps by their scores."""
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
        )  # fmt: skip

    def slope(self, base: Any, prefix: str, side: int) -> Column:
        """Of one more negative (0) or positive (1) row at each step, from a table with the columns and the scores.

        What is counted at a step is counted at all steps below, too.
        """
        import ibis

        (own, counted), turned, parts = [*OWN.items()][side], self.ranking.is_turned, self.ranking.answers.parts
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


def steps_with_slopes(answers: Answers, named: Mapping[str, StepSlopes], **beside: Column) -> Any:
    """The distinct scores with what one more negative, and positive, row at each adds by its step to some values."""
    columns = {f"{name}_{by}": column for name, each in named.items() for by, column in each.columns.items()}
    kept = ("score", *answers.parts.names)
    steps, columns = worked_out_once(answers.steps, columns | beside, kept)
    base = steps.select(*kept, **columns)
    slopes = {f"{side}_{name}": each.slope(base, name, i) for name, each in named.items() for i, side in enumerate(OWN)}
    return base.select("score", *beside, **slopes)


def _on(stretch: Stretch, score: Column, is_positive: Column) -> Column:
    negative, positive = stretch.slopes
    constant = is_positive.ifelse(number(positive), number(negative))
    return constant + score * number(stretch.by_score) if stretch.by_score else constant


def _added(some: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    return {**some, **{name: some[name] + more if name in some else more for name, more in others.items()}}
