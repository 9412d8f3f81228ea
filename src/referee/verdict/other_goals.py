"""Who would win under each other metric, and what selecting by it would cost on the goal."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from referee.applicability import has_kind
from referee.errors import UndefinedError
from referee.significance import tests
from referee.unit_differences import DUST
from referee.verdict.choice import DEFAULTS
from referee.verdict.doubts import doubts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.metric import Metric
    from referee.verdict.contest import Contest


@dataclass(frozen=True)
class OtherGoal:
    """What would have been chosen by another metric."""

    metric: str
    best: str
    wins: bool
    """Whether its best model is significantly better than every other one."""
    cost: float | None
    """What the goal would lose by taking that model instead of the goal's best; 0 if it is the same, None if one of
    them has no value there."""
    values: Mapping[str, float] = field(default_factory=dict, repr=False)
    """What the models are ranked by there."""

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("metric", "best", "wins", "cost")}


def other_goals(contest: Contest, best: str, metrics: Sequence[Metric]) -> Iterator[OtherGoal]:
    """Ask the same question of every other metric that all models have."""
    for metric in metrics:
        had_by_all = all(has_kind(metric, model) for model in contest.predictions.models)
        if metric.full_name == contest.metric.full_name or not had_by_all or not metric.compares_models:
            continue
        other = replace(contest, metric=metric, design=replace(contest.design, better=metric.better))
        try:
            if not all(map(isfinite, other.values.values())):
                continue
            chosen, *others = other.order
            if _are_equal(other.values[chosen], other.values[others[-1]]):
                continue  # it tells no models apart
            if _are_equal(other.values[chosen], other.values[best]):
                chosen, others = best, [name for name in other.values if name != best]
            wins = _wins(other, chosen, others)
        except UndefinedError:
            continue  # not defined on every unit
        cost = abs(contest.values[best] - contest.values[chosen])
        yield OtherGoal(metric.full_name, chosen, wins, cost if isfinite(cost) else None, other.values)


def _are_equal(a: float, b: float) -> bool:
    return abs(a - b) <= DUST * max(abs(a), abs(b))


def _wins(contest: Contest, chosen: str, others: Sequence[str]) -> bool:
    test = tests[DEFAULTS[contest.design.kind]]
    needed = [contest.compare(test, chosen, other) for other in others]
    beats_all = all(one.winner == chosen for one in needed)
    return beats_all and not any(one.worthless for one in doubts(contest, needed))
