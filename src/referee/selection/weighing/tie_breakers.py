"""Tie-breakers: which of the models that tie is ahead in what else matters; said, never applied."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

from referee.selection.weighing.one_standard_error import MEASURES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from referee.selection.weighing.tradeoffs import Tradeoff
    from referee.verdict import Verdict

Unit = Literal["seconds", "amount", "goal", "exponent"]
Measured = tuple[float | None, float | None]
"""A value and its standard error."""


@dataclass(frozen=True)
class TieBreaker:
    """One thing beside the goal, and the tied models that are best in it."""

    by: str
    models: tuple[str, ...]
    value: float
    unit: Unit
    """Of the value: CPU seconds, an amount, a change of the goal metric, or an exponent."""
    standard_error: float | None = None
    """Of the value, where it has one."""


class _Criterion(NamedTuple):
    by: str
    unit: Unit
    of: Callable[[Tradeoff], Measured]


def tie_breakers(verdict: Verdict, rows: Sequence[Tradeoff]) -> tuple[TieBreaker, ...]:
    """What tells the tied models apart; nothing where there is no tie, or where they are all the same."""
    tied = [row for row in rows if row.model in verdict.winners] if verdict.outcome == "tie" else []
    found = [_ahead(tied, one, verdict.goal.better) for one in (_criteria(tied[0]) if tied else ())]
    return tuple(one for one in found if one is not None)


def _criteria(first: Tradeoff) -> Iterator[_Criterion]:
    yield _Criterion("fastest to fit", "seconds", lambda row: (row.fit_seconds, None))
    yield _Criterion("fastest to predict", "seconds", lambda row: (row.predict_seconds, None))
    for measure in MEASURES:
        yield _Criterion(f"fewest {measure.replace('_', ' ')}", "amount", partial(_size, measure))
    for place, noise in enumerate(first.robustness):
        yield _Criterion(f"loses least with {noise.kind}={noise.rate:g}", "goal", partial(_change, place))
    yield _Criterion("fit time grows least with rows", "exponent", _growth)


def _size(measure: str, row: Tradeoff) -> Measured:
    return row.size.get(measure), None


def _change(place: int, row: Tradeoff) -> Measured:
    return row.robustness[place].change, row.robustness[place].standard_error


def _growth(row: Tradeoff) -> Measured:
    return (None, None) if row.growth is None else (row.growth.exponent, row.growth.standard_error)


def _ahead(rows: Sequence[Tradeoff], criterion: _Criterion, better: str) -> TieBreaker | None:
    """The best of them, if each has a value and they are not all the same; less is better but of a goal that is not."""
    measured = {row.model: criterion.of(row) for row in rows}
    values = [value for value, _ in measured.values() if value is not None]
    if len(values) < len(rows) or len(set(values)) == 1:
        return None
    if criterion.unit == "exponent" and not _stands_out(list(measured.values())):
        return None
    best = max(values) if criterion.unit == "goal" and better == "higher" else min(values)
    models = tuple(name for name, (value, _) in measured.items() if value == best)
    return TieBreaker(criterion.by, models, best, criterion.unit, measured[models[0]][1])


def _stands_out(measured: Sequence[Measured]) -> bool:
    """Whether the smallest value is below all others by more than both their standard errors: times are noisy."""
    known = sorted((value, error) for value, error in measured if value is not None and error is not None)
    return len(known) == len(measured) and all(known[0][0] + known[0][1] < value - error for value, error in known[1:])
