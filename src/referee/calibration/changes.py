"""Change: one metric before and after one method, with the paired test of the difference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from referee.adjustments import adjusted
from referee.applicability import why_not
from referee.comparison import undefined
from referee.design import Design
from referee.significance import tests
from referee.verdict.contest import Contest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.calibration.fitting import Fitted
    from referee.comparison import Comparison
    from referee.design import Kind
    from referee.facts import Facts
    from referee.metric import Metric
    from referee.predictions import Predictions


@dataclass(frozen=True)
class Change:
    """What a method does to a metric; `comparison.difference` is after minus before."""

    metric: Metric
    method: str
    before: float | None
    after: float | None
    comparison: Comparison
    by_ranking: bool = False
    """Whether the value is that of the ranking, which the method keeps, and so the same before and after."""

    def to_dict(self) -> dict[str, Any]:
        head = {"metric": self.metric.full_name, "method": self.method, "before": self.before, "after": self.after}
        return head | {"by_ranking": self.by_ranking} | self.comparison.to_dict()


def changes_of(
    predictions: Predictions,
    fitted: Sequence[Fitted],
    metrics: Sequence[Metric],
    goal: Metric,
    facts: Facts,
    *,
    alpha: float,
    seed: int,
) -> tuple[Change, ...]:
    """Compare the first of the models, of which `facts` are known, with each of the others on every metric."""
    found = []
    for metric in metrics:
        of_metric = [_change(predictions, one, metric, facts, alpha, seed) for one in fitted]
        if metric.full_name == goal.full_name:
            each = zip(of_metric, adjusted([one.comparison.p for one in of_metric]), strict=True)
            of_metric = [replace(one, comparison=replace(one.comparison, p_adjusted=p)) for one, p in each]
        found += of_metric
    return tuple(found)


def _change(predictions: Predictions, one: Fitted, metric: Metric, facts: Facts, alpha: float, seed: int) -> Change:
    # One map keeps the ranking; the maps of several folds, each its own, would shuffle rows between the folds.
    by_ranking = metric.ranks_only and one.keeps_ranking
    before, after = predictions.models[0], one.ranking if by_ranking else one.model
    kind: Kind = "rows" if predictions.fold is None else "out_of_fold"
    design = Design(kind, "row", better=metric.better, alpha=alpha, seed=seed)
    contest = Contest(replace(predictions, models=(before, after)), metric, design)
    names = {"a": after.name, "b": before.name, "metric": metric.full_name, "test": "influence", "alpha": alpha}
    if reason := why_not(metric, before, facts):
        # Only probabilities can be missing before, and after they are there.
        value = _defined(contest.contenders[after.name].value)
        return Change(metric, one.method.name, None, value, undefined(f"before: {reason}", **names))
    values = {name: _defined(contest.contenders[name].value) for name in (before.name, after.name)}
    comparison = contest.compare(tests["influence"], after.name, before.name)
    return Change(metric, one.method.name, values[before.name], values[after.name], comparison, by_ranking)


def _defined(value: float) -> float | None:
    return value if isfinite(value) else None
