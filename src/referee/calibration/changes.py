"""Changes: what a map does to every metric, tested with regard to how the map was fitted."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from referee.comparing import Comparison, Contest, Design, Kind, adjusted, by_student_t, tests, undefined
from referee.errors import UndefinedError
from referee.records import dataclass
from referee.scoring import Metric, why_not

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.calibration.division import Parts
    from referee.calibration.map_fits import Fitted
    from referee.predictions import Facts, Predictions

NO_TEST = "each fold has a map of its own, and their scores are ranked fold by fold: no test"


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
    within_folds: bool = False
    """Whether the difference is the mean over the folds of the cross-fitting, and has no test."""

    @property
    def p(self) -> float | None:
        """Adjusted for the choice between methods, where the metric chose."""
        return self.comparison.p if self.comparison.p_adjusted is None else self.comparison.p_adjusted

    def to_dict(self) -> dict[str, Any]:
        head = {"metric": self.metric.full_name, "method": self.method, "before": self.before, "after": self.after}
        how = {"by_ranking": self.by_ranking, "within_folds": self.within_folds}
        return head | how | self.comparison.to_dict()


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
    kind: Kind = "rows" if predictions.fold is None else "out_of_fold"
    designs = {m.full_name: Design(kind, "row", better=m.better, alpha=alpha, seed=seed) for m in metrics}
    # Method by method, so that both are ranked and counted once for all metrics, and then let go.
    by_method = [_changes_by(predictions, method, metrics, facts, designs) for method in fitted]
    by_metric = zip(metrics, map(list, zip(*by_method, strict=True)), strict=True)
    return tuple(
        change
        for metric, each in by_metric
        for change in (_adjusted(each) if metric.full_name == goal.full_name else each)
    )


def _adjusted(changes: list[Change]) -> list[Change]:
    """For the choice between methods."""
    p = adjusted([change.comparison.p for change in changes])
    return [
        replace(change, comparison=replace(change.comparison, p_adjusted=each))
        for change, each in zip(changes, p, strict=True)
    ]


def _changes_by(
    predictions: Predictions, fitted: Fitted, metrics: Sequence[Metric], facts: Facts, designs: Mapping[str, Design]
) -> list[Change]:
    """What one method does to each metric."""
    before = predictions.models[0]
    judged = replace(predictions, models=(before, fitted.model))
    by_one_map = replace(predictions, models=(before, fitted.by_one_map)) if fitted.has_one_order else judged
    return [
        _change(by_one_map if metric.ranks_only else judged, fitted, metric, facts, designs[metric.full_name])
        for metric in metrics
    ]


def _change(both: Predictions, fitted: Fitted, metric: Metric, facts: Facts, design: Design) -> Change:
    # The maps of several folds, each its own, would shuffle rows between the folds; the one that is kept does not.
    ranked_by_one = metric.ranks_only and fitted.has_one_order
    before, after = both.models
    contest = Contest(both, metric, design)
    names = {"a": after.name, "b": before.name, "metric": metric.full_name, "test": "influence", "alpha": design.alpha}
    if reason := why_not(metric, before, facts):
        # Only probabilities can be missing before, and after they are there.
        after_value = _defined(contest.contenders[after.name].value)
        return Change(metric, fitted.method.name, None, after_value, undefined(f"before: {reason}", **names))
    value = _defined(contest.contenders[before.name].value)
    if metric.ranks_only and fitted.parts is not None and not ranked_by_one:
        return _within_folds(contest, fitted, fitted.parts, value, names)
    comparison = contest.compare(tests["influence"], after.name, before.name)
    if fitted.parts is not None and not ranked_by_one and not _is_safe(metric, comparison, design):
        comparison = corrected_for_shared_rows(comparison, len(fitted.parts.units), design)
    after_value = _defined(contest.contenders[after.name].value)
    same = ranked_by_one and fitted.keeps_ranking
    return Change(metric, fitted.method.name, value, after_value, comparison, by_ranking=same)


def _is_safe(metric: Metric, comparison: Comparison, design: Design) -> bool:
    """Noise in a map can only cost a strictly proper score, so it has not made a difference for the map."""
    favours_map = comparison.difference is not None and design.outcome(comparison.difference, p=0.0) == "a"
    return metric.strictly_proper and favours_map


def _within_folds(contest: Contest, fitted: Fitted, parts: Parts, value: float | None, names: dict[str, Any]) -> Change:
    """Scores of the same map only are ranked: the mean of the folds' differences, added to the value before."""
    metric, design = contest.metric, replace(contest.design, kind="splits", unit="fold")
    try:
        means = Contest(contest.predictions, metric, design, parts.units).values
    except UndefinedError as error:
        return Change(metric, fitted.method.name, value, None, undefined(error.message, **names), within_folds=True)
    difference = means[names["a"]] - means[names["b"]]
    after = None if value is None else min(max(value + difference, metric.range[0]), metric.range[1])
    comparison = replace(undefined(NO_TEST, **names), difference=difference)
    return Change(metric, fitted.method.name, value, after, comparison, within_folds=True)


def corrected_for_shared_rows(comparison: Comparison, folds: int, design: Design) -> Comparison:
    """Nadeau and Bengio (2003): the maps of k folds share their rows, so the variance is 1 + k test / training rows."""
    if comparison.difference is None or not comparison.standard_error:
        return comparison
    factor = 1 + folds / (folds - 1)
    df = folds - 1 if comparison.df is None else min(comparison.df, folds - 1)
    wider = by_student_t(comparison.difference, comparison.standard_error * factor**0.5, df, design)
    changed = ("p", "outcome", "statistic", "df", "critical", "low", "high", "standard_error")
    details = {**comparison.details, "variance_factor": factor}
    return replace(comparison, details=details, **{name: getattr(wider, name) for name in changed})


def _defined(value: float) -> float | None:
    return value if isfinite(value) else None
