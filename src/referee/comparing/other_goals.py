"""Other goals: what would have been chosen by another metric, and the whole verdict on it."""

from __future__ import annotations

from dataclasses import field, replace
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

from referee.comparing.comparison import DUST
from referee.comparing.design_choice import default_test
from referee.comparing.doubts import HEAVY, judged
from referee.engines import KEPT_ROWS
from referee.errors import UndefinedError
from referee.records import dataclass
from referee.scoring import has_kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.comparing.contest import Contest
    from referee.comparing.verdict import Outcome
    from referee.scoring import Metric


@dataclass(frozen=True)
class OtherGoal:
    """What would have been chosen by another metric."""

    metric: str
    best: str
    cost: float | None
    """What the goal would lose by taking that model instead of the goal's best; 0 if it is the same, None if one of
    them has no value there."""
    values: Mapping[str, float] = field(default_factory=dict, repr=False)
    """What the models are ranked by there."""
    contest: Contest | None = field(default=None, repr=False, compare=False)
    """Where the outcome is asked for when somebody looks at it."""
    known: Outcome | None = field(default=None, repr=False, compare=False)

    @cached_property
    def outcome(self) -> Outcome:
        """A winner is significantly better than every other model."""
        if self.contest is None:
            assert self.known is not None
            return self.known
        return _outcome(self.contest, self.best, [name for name in self.values if name != self.best])

    @property
    def wins(self) -> bool:
        return self.outcome == "winner"

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("metric", "best", "wins", "outcome", "cost")}


def other_goals(contest: Contest, best: str, metrics: Sequence[Metric]) -> Iterator[OtherGoal]:
    """Ask the same question of every other metric that all models have."""
    for metric in metrics:
        had_by_all = all(has_kind(metric, model) for model in contest.predictions.models)
        if metric.full_name == contest.metric.full_name or not had_by_all or not metric.compares_models:
            continue
        other = replace(on_metric(contest, metric), light=HEAVY)
        if other.apart_by_scale:
            continue
        try:
            if not all(map(isfinite, other.values.values())):
                continue
            chosen, *others = other.order
            if _are_equal(other.values[chosen], other.values[others[-1]]):
                continue  # it tells no models apart
            if _are_equal(other.values[chosen], other.values[best]):
                chosen, others = best, [name for name in other.values if name != best]
            waits = _may_wait(other)
            outcome = None if waits else _outcome(other, chosen, others)
        except UndefinedError:
            continue  # not defined on every unit
        cost = abs(contest.values[best] - contest.values[chosen])
        later = on_metric(contest, metric) if waits else None
        yield OtherGoal(metric.full_name, chosen, cost if isfinite(cost) else None, other.values, later, outcome)


def on_metric(contest: Contest, metric: Metric) -> Contest:
    """The same models in the same design, on another metric."""
    return replace(contest, metric=metric, design=replace(contest.design, better=metric.better))


def _may_wait(contest: Contest) -> bool:
    """Whether the test can be made later, from summaries that are kept; a user's formula is to fail at once."""
    predictions = contest.predictions
    is_kept = predictions.has_rows and predictions.rows <= KEPT_ROWS
    return is_kept and contest.by_rows and contest.metric.built_in


def _are_equal(a: float, b: float) -> bool:
    return abs(a - b) <= DUST * max(abs(a), abs(b))


def _outcome(contest: Contest, chosen: str, others: Sequence[str]) -> Outcome:
    test = default_test(contest.design)
    pairs = [judged(contest, contest.compare(test, chosen, other)) for other in others]
    if contest.is_doubtful(chosen) or any(pair.undecided or pair.undefined for pair in pairs):
        return "undecided"
    return "winner" if all(pair.winner == chosen for pair in pairs) else "tie"
