"""What a row adds to a value at each step of a ranking in a database: columns of its steps, and stretches of scores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from referee.engines.database.rankings import DatabaseRanking, number_of_unit
from referee.predictions import number
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array, Column


@dataclass(frozen=True)
class Stretch:
    """Neighbouring scores of each unit at which rows add the same, or a straight line of their scores."""

    low: Array
    """The lowest score of the stretch; infinity in a unit that has no such stretch."""
    slopes: tuple[Array, Array]
    """Of a negative row, and of a positive one."""
    by_score: Array | None = None

    def times(self, factor: float) -> Stretch:
        negative, positive = self.slopes
        by_score = None if self.by_score is None else self.by_score * factor
        return Stretch(self.low, (negative * factor, positive * factor), by_score)


@dataclass(frozen=True, eq=False)
class SlopeColumns:
    """How a value moves with the positives and negatives of each step, and with those counted down to it."""

    ranking: DatabaseRanking
    columns: dict[str, Column]


@dataclass(frozen=True, eq=False)
class StepSlopes:
    """How a value moves with one more negative, or positive, row at each step of a ranking."""

    steps: tuple[tuple[float, SlopeColumns], ...]
    """What is looked up at the step of a row, times a factor: averages share what their classes have."""
    constants: tuple[Array, Array]
    """(unit), of a negative row and of a positive one."""
    stretches: tuple[tuple[Stretch, ...], ...] = ()
    """Several ways to cut the scores into stretches, highest first; below the last one rows add nothing."""
    centred: bool = True
    """Whether what all rows add is 0, as it is unless something was smoothed at a cut."""
    nbytes = 0
    """Of memory: it is a query."""

    def reshape(self, _: int) -> StepSlopes:
        """As it is: the tables of memory are made one column."""
        return self

    def take(self, _: Any, *, axis: int) -> StepSlopes:  # noqa: ARG002
        """As it is: rows find their steps by their scores, also in the ranking of a pool."""
        return self

    def __mul__(self, factor: float) -> StepSlopes:
        negative, positive = self.constants
        return replace(
            self,
            steps=tuple((own * factor, columns) for own, columns in self.steps),
            constants=(negative * factor, positive * factor),
            stretches=tuple(tuple(stretch.times(factor) for stretch in cut) for cut in self.stretches),
        )

    def __add__(self, other: StepSlopes) -> StepSlopes:
        negative, positive = (a + b for a, b in zip(self.constants, other.constants, strict=True))
        return StepSlopes(
            self.steps + other.steps, (negative, positive), self.stretches + other.stretches,
            self.centred and other.centred,
        )  # fmt: skip

    def of_rows(self, score: Column, is_positive: Column, unit: Column | None) -> Column:
        """What the scores of rows say without looking a step up."""
        import ibis

        total = _by_side(self.constants, is_positive, unit)
        for cut in self.stretches:
            cases = [(score >= number_of_unit(unit, each.low), _on(each, score, is_positive, unit)) for each in cut]
            total = total + ibis.cases(*cases, else_=number(0.0))
        return total


def _on(stretch: Stretch, score: Column, is_positive: Column, unit: Column | None) -> Column:
    constant = _by_side(stretch.slopes, is_positive, unit)
    if stretch.by_score is None or not stretch.by_score.any():
        return constant
    return constant + score * number_of_unit(unit, stretch.by_score)


def _by_side(slopes: tuple[Array, Array], is_positive: Column, unit: Column | None) -> Column:
    negative, positive = (number_of_unit(unit, side) for side in slopes)
    return is_positive.ifelse(positive, negative)


def slope_table(
    ranking: DatabaseRanking, every: Sequence[SlopeColumns], beside: Mapping[str, Column] | None = None
) -> Any:
    """The distinct scores with the slopes of a negative and of a positive row, of several values.

    What is counted at a step is counted at all steps below, too. `beside` are columns of steps that are kept.
    """
    beside = beside or {}
    keys = {"unit": ranking.in_order.unit} if ranking.units > 1 else {}
    columns = {f"{name}{place}": column for place, each in enumerate(every) for name, column in each.columns.items()}
    base = ranking.in_order.select(score=ranking.at.score.value, **keys, **beside, **columns)
    sides = {
        f"{side}{place}": column
        for place, each in enumerate(every)
        for side, column in _windowed(base, place, against=each.ranking.is_turned != ranking.is_turned).items()
    }
    return base.select("score", *keys, *beside, **sides)


def _windowed(steps: Any, place: int, *, against: bool) -> dict[str, Column]:
    """What rows at each step add; `against` is whether what counts them goes up."""
    import ibis

    by_unit = {"group_by": steps.unit} if "unit" in steps.columns else {}
    order = ibis.desc(steps.score) if against else steps.score
    below = ibis.window(order_by=order, preceding=None, following=0, **by_unit)

    def slope(own: str, counted: str) -> Column:
        parts = [steps[own]] if own in steps.columns else []
        parts += [steps[counted].sum().over(below)] if counted in steps.columns else []
        return sum(parts[1:], parts[0]) if parts else number(0.0)

    return {
        "negative": slope(f"negatives{place}", f"fp{place}"),
        "positive": slope(f"positives{place}", f"tp{place}"),
    }
