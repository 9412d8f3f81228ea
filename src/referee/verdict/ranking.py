"""Models from best to worst."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.metric import Metric


def best_first(values: Mapping[str, float], metric: Metric) -> list[str]:
    """The models by their value, those without one last; equal ones by their names, so that their order is no matter.

    >>> from referee import metrics
    >>> best_first({"a": 0.2, "b": 0.1, "c": float("nan")}, metrics["log_loss"])
    ['b', 'a', 'c']
    """
    sign = -1 if metric.better == "higher" else 1
    return sorted(values, key=lambda name: (not isfinite(values[name]), _finite(sign * values[name]), name))


def _finite(value: float) -> float:
    return value if isfinite(value) else 0.0
