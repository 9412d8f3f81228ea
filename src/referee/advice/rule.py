"""Rule: under which answers metrics with certain properties are wanted as goal, watched or avoided, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.scoring import Metric

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


def property_of(metric: Metric, key: str) -> Any:
    """A declared or derived property.

    >>> from referee import metrics
    >>> property_of(metrics["log_loss"], "bounded"), property_of(metrics["brier"], "proper")
    (False, 'strictly')
    """
    return all(map(isfinite, metric.range)) if key == "bounded" else getattr(metric, key)


def _is_among(found: Any, wanted: Any) -> bool:
    if wanted is ...:
        return found is not None
    return found in wanted if isinstance(wanted, tuple) else found == wanted
