"""Rule: under which answers metrics are wanted as goal, watched or avoided; and the choice that all rules make."""

from __future__ import annotations

from dataclasses import field
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from referee.records import dataclass
from referee.scoring import Metric, metrics

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


Effect = Literal["goal", "watch", "avoid"]


@dataclass(frozen=True)
class Rule:
    """A line of the table; the weights of all rules that speak for a metric as goal add up."""

    effect: Effect
    when: Mapping[str, Any]
    """Answers: a value, several, or `...` for any."""
    metric: Mapping[str, Any]
    """Properties that metrics declare: a value or several; the name is one of them."""
    reason: str
    source: str
    weight: int = 0
    settings: Mapping[str, str] = field(default_factory=dict)
    """Parameters of the metric and the questions whose answers they take."""
    insists: bool = False
    """Whether it is watched although something speaks against it."""

    def holds(self, answers: Mapping[str, Any]) -> bool:
        return all(_is_among(answers.get(key), wanted) for key, wanted in self.when.items())

    def speaks_of(self, metric: Metric) -> bool:
        return all(_is_among(property_of(metric, key), wanted) for key, wanted in self.metric.items())


goal, watch, avoid = (partial(Rule, effect) for effect in ("goal", "watch", "avoid"))


def property_of(metric: Metric, key: str) -> Any:
    """A declared or derived property.

    >>> from referee import metrics
    >>> property_of(metrics["log_loss"], "bounded"), property_of(metrics["brier"], "proper")
    (False, 'strictly')
    """
    return all(map(isfinite, metric.range)) if key == "bounded" else getattr(metric, key)


def _is_among(value: Any, wanted: Any) -> bool:
    if wanted is ...:
        return value is not None
    return value in wanted if isinstance(wanted, tuple) else value == wanted


@dataclass(frozen=True)
class Reason:
    """Why, and who says so."""

    text: str
    source: str


@dataclass(frozen=True)
class Watched:
    metric: Metric
    reason: Reason


@dataclass(frozen=True)
class Avoided:
    """Metrics that one and the same reason speaks against."""

    metrics: tuple[str, ...]
    reason: Reason


@dataclass(frozen=True)
class Choice:
    goal: Metric
    reasons: tuple[Reason, ...]
    watched: tuple[Watched, ...]
    avoided: tuple[Avoided, ...]


def metrics_of(task: str) -> list[Metric]:
    return [metric for metric in metrics.values() if task in metric.tasks]


def choose(rules: Iterable[Rule], answers: Mapping[str, Any], candidates: Iterable[Metric]) -> Choice | None:
    """Weigh the rules that hold; None if none of them speaks for any of the metrics."""
    every = list(candidates)
    holding = [rule for rule in rules if rule.holds(answers)]
    against = {metric.name for metric in every if _speaking(holding, metric, "avoid")}
    wanted = {metric.name: _speaking(holding, metric, "goal") for metric in every if metric.name not in against}
    goal = max((m for m in every if wanted.get(m.name)), key=lambda m: _weight(wanted[m.name]), default=None)
    if goal is None:
        return None
    reasons = sorted(wanted[goal.name], key=lambda rule: -rule.weight)
    watched = _watched(holding, [metric for metric in every if metric != goal], against, answers)
    shown = {rule.metric.name for rule in watched} | {goal.name}
    return Choice(
        _bound(goal, reasons, answers),
        tuple(Reason(rule.reason, rule.source) for rule in reasons),
        tuple(watched),
        tuple(_avoided(holding, [metric for metric in every if metric.name not in shown])),
    )


def _speaking(rules: Iterable[Rule], metric: Metric, effect: Effect) -> list[Rule]:
    return [rule for rule in rules if rule.effect == effect and rule.speaks_of(metric)]


def _weight(rules: Iterable[Rule]) -> int:
    return sum(rule.weight for rule in rules)


def _bound(metric: Metric, rules: Iterable[Rule], answers: Mapping[str, Any]) -> Metric:
    """The metric with the parameters that the answers give."""
    settings = {name: answers.get(key) for rule in rules for name, key in rule.settings.items()}
    if metric.per_class:
        settings["average"] = answers.get("average")
    settings = {name: value for name, value in settings.items() if value is not None}
    return metric.bind(**settings) if settings else metric


def _watched(
    holding: Iterable[Rule], others: Iterable[Metric], against: set[str], answers: Mapping[str, Any]
) -> list[Watched]:
    """Each metric once, in the order of the rules."""
    by_rule: dict[str, Watched] = {}
    every = list(others)
    for rule in holding:
        for metric in every if rule.effect == "watch" else ():
            if rule.speaks_of(metric) and (rule.insists or metric.name not in against):
                watched = Watched(_bound(metric, [rule], answers), Reason(rule.reason, rule.source))
                by_rule.setdefault(metric.name, watched)
    return list(by_rule.values())


def _avoided(holding: Iterable[Rule], others: Iterable[Metric]) -> Iterable[Avoided]:
    """Each metric once, with the first reason against it."""
    left = {metric.name: metric for metric in others}
    for rule in holding:
        names = [name for name, metric in left.items() if rule.effect == "avoid" and rule.speaks_of(metric)]
        if names:
            yield Avoided(tuple(names), Reason(rule.reason, rule.source))
            left = {name: metric for name, metric in left.items() if name not in names}
