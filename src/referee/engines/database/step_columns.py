"""Steps of a ranking as columns of a database: a term of them carries its derivatives along, as expressions."""

from __future__ import annotations

from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.predictions import FLOAT, number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from referee.arrays import Column

MOST_EDGES = 1000
"""Of bins, each of which is a case of an expression."""


class StepColumn:
    """A column of steps with its derivatives by the columns that it was made of (forward mode).

    Only what formulas of rankings do is known here; anything else raises TypeError.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Column, slopes: Mapping[str, Column] | None = None) -> None:
        self.value = value
        self.slopes = dict(slopes or {})

    @classmethod
    def of(cls, thing: Any) -> StepColumn:
        if isinstance(thing, StepColumn):
            return thing
        if isinstance(thing, np.ndarray) and thing.size == 1:
            thing = thing.reshape(-1)[0]
        if isinstance(thing, StepColumn):  # which NumPy has wrapped
            return thing
        if isinstance(thing, bool | np.bool_ | Real):
            return cls(number(float(thing)))
        raise TypeError(f"{type(thing).__name__} is not a column of steps")

    def by(self, name: str) -> Column:
        return self.slopes.get(name, number(0.0))

    @property
    def real(self) -> StepColumn:
        """The number itself, which does not move."""
        return StepColumn(self.value)

    @property
    def dtype(self) -> Any:
        raise TypeError("columns of steps do not go together with numbers on a tape")

    def __getitem__(self, _: Any) -> StepColumn:
        return self

    def __add__(self, other: Any) -> StepColumn:
        return self._joined(other, lambda a, b: a + b, lambda a: a, lambda b: b)

    def __sub__(self, other: Any) -> StepColumn:
        return self._joined(other, lambda a, b: a - b, lambda a: a, lambda b: -b)

    def __mul__(self, other: Any) -> StepColumn:
        other = StepColumn.of(other)
        return self._joined(other, lambda a, b: a * b, lambda a: a * other.value, lambda b: b * self.value)

    def __truediv__(self, other: Any) -> StepColumn:
        other = StepColumn.of(other)
        ratio = self.value / other.value
        return self._joined(other, lambda a, b: a / b, lambda a: a / other.value, lambda b: -b * ratio / other.value)

    def __pow__(self, power: Any) -> StepColumn:
        if power != 2:
            raise TypeError("columns of steps have no power other than 2")
        return self * self

    def __neg__(self) -> StepColumn:
        return StepColumn(-self.value, {name: -slope for name, slope in self.slopes.items()})

    def __abs__(self) -> StepColumn:
        """Its slope is 0 where it is 0, as NumPy's sign is."""
        sign = self.value.sign().cast(FLOAT)
        return StepColumn(self.value.abs(), {name: slope * sign for name, slope in self.slopes.items()})

    def __radd__(self, other: Any) -> StepColumn:
        return StepColumn.of(other) + self

    def __rsub__(self, other: Any) -> StepColumn:
        return StepColumn.of(other) - self

    def __rmul__(self, other: Any) -> StepColumn:
        return StepColumn.of(other) * self

    def __rtruediv__(self, other: Any) -> StepColumn:
        return StepColumn.of(other) / self

    def __eq__(self, other: Any) -> StepColumn:  # type: ignore[override]
        return StepColumn(self.value == StepColumn.of(other).value)

    def __ge__(self, other: Any) -> StepColumn:
        return StepColumn(self.value >= StepColumn.of(other).value)

    def __le__(self, other: Any) -> StepColumn:
        return StepColumn(self.value <= StepColumn.of(other).value)

    def __gt__(self, other: Any) -> StepColumn:
        return StepColumn(self.value > StepColumn.of(other).value)

    def __lt__(self, other: Any) -> StepColumn:
        return StepColumn(self.value < StepColumn.of(other).value)

    def __and__(self, other: Any) -> StepColumn:
        return StepColumn(self.value & other.value)

    def __or__(self, other: Any) -> StepColumn:
        return StepColumn(self.value | other.value)

    def astype(self, kind: Any) -> StepColumn:
        """Whole numbers are what is below, of numbers that are not negative."""
        return StepColumn(self.value.floor()) if np.dtype(kind).kind in "iu" else self

    def _joined(
        self,
        other: Any,
        value: Callable[[Any, Any], Column],
        mine: Callable[[Any], Column],
        others: Callable[[Any], Column],
    ) -> StepColumn:
        other = StepColumn.of(other)
        slopes = {name: mine(slope) for name, slope in self.slopes.items()}
        for name, slope in other.slopes.items():
            slopes[name] = slopes[name] + others(slope) if name in slopes else others(slope)
        return StepColumn(value(self.value, other.value), slopes)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *given: Any, **options: Any) -> Any:
        if method != "__call__" or options or ufunc not in UFUNCS:
            raise TypeError(f"{ufunc.__name__} is not available for columns of steps")
        return UFUNCS[ufunc](*map(StepColumn.of, given))

    def __array_function__(self, function: Any, _: Any, given: Any, options: Any) -> Any:
        if options or function not in FUNCTIONS:
            raise TypeError(f"{function.__name__} is not available for columns of steps")
        return FUNCTIONS[function](*given)


def chosen(condition: Any, yes: Any, no: Any) -> StepColumn:
    condition, yes, no = map(StepColumn.of, (condition, yes, no))
    names = {*yes.slopes, *no.slopes}
    return StepColumn(
        condition.value.ifelse(yes.value, no.value),
        {name: condition.value.ifelse(yes.by(name), no.by(name)) for name in names},
    )


def _smaller(a: StepColumn, b: StepColumn) -> StepColumn:
    """Halfway where both are equal, as a step to both sides would show."""
    return chosen(a < b, a, chosen(b < a, b, StepColumn((a * 0.5 + b * 0.5).value, ((a + b) * 0.5).slopes)))


def _larger(a: StepColumn, b: StepColumn) -> StepColumn:
    return -_smaller(-a, -b)


def _clipped(column: StepColumn, low: Any, high: Any) -> StepColumn:
    low, high = StepColumn.of(low), StepColumn.of(high)
    return chosen(column < low, low, chosen(column > high, high, column))


def _place(edges: Any, column: StepColumn) -> StepColumn:
    """How many edges are below."""
    import ibis

    if len(edges) > MOST_EDGES:
        raise TypeError(f"more than {MOST_EDGES:,} bins")
    if not len(edges):
        return StepColumn(number(0.0))
    cases = [(column.value <= number(edge), number(place)) for place, edge in enumerate(np.asarray(edges).tolist())]
    return StepColumn(ibis.cases(*cases, else_=number(len(edges))))


UFUNCS: dict[np.ufunc, Callable[..., StepColumn]] = {
    np.add: lambda a, b: a + b,
    np.subtract: lambda a, b: a - b,
    np.multiply: lambda a, b: a * b,
    np.true_divide: lambda a, b: a / b,
    np.negative: lambda a: -a,
    np.absolute: abs,
    np.square: lambda a: a * a,
    np.minimum: _smaller,
    np.maximum: _larger,
    np.greater_equal: lambda a, b: a >= b,
    np.less_equal: lambda a, b: a <= b,
    np.greater: lambda a, b: a > b,
    np.less: lambda a, b: a < b,
    np.equal: lambda a, b: a == b,
}
FUNCTIONS: dict[Any, Callable[..., StepColumn]] = {np.where: chosen, np.clip: _clipped, np.searchsorted: _place}


class ColumnSteps:
    """What a term sees at each step, as it sees those of a ranking in memory."""

    unit = 0

    def __init__(self, columns: Mapping[str, Column], positives: float, negatives: float) -> None:
        moved = {name: StepColumn(columns[name], {name: number(1.0)}) for name in COLUMNS}
        self.positives, self.negatives, self.tp, self.fp = (moved[name] for name in COLUMNS)
        self.score = StepColumn(columns["score"])
        self.P = StepColumn(number(positives), {"P": number(1.0)})
        self.N = StepColumn(number(negatives), {"N": number(1.0)})

    @cached_property
    def rows(self) -> StepColumn:
        return self.positives + self.negatives

    @cached_property
    def tp_above(self) -> StepColumn:
        return self.tp - self.positives

    @cached_property
    def fp_above(self) -> StepColumn:
        return self.fp - self.negatives


COLUMNS = ("positives", "negatives", "tp", "fp")
