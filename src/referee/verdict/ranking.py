"""Models from best to worst."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.metric import Metric


def best_first(values: Mapping[str, float], metric: Metric, ties: Mapping[str, float] | None = None) -> list[str]:
    """The models by their value, those without one last; equal ones by `ties`, lowest first, and by their names.

    >>> from referee import metrics
    >>> best_first({"a": 0.2, "b": 0.1, "c": float("nan")}, metrics["log_loss"])
    ['b', 'a', 'c']
    >>> best_first({"a": 0.9, "b": 0.9}, metrics["accuracy"], {"a": 0.08, "b": 0.07})
    ['b', 'a']
    """
    sign, ties = -1 if metric.better == "higher" else 1, ties or {}
    return sorted(values, key=lambda name: (*_place(sign * values[name]), ties.get(name, 0.0), name))


def _place(value: float) -> tuple[bool, float]:
    return not isfinite(value), to_digits(value) if isfinite(value) else 0.0


def to_digits(value: float) -> float:
    """A value without what is rounding only: means over units of equal models differ in the last digits."""
    return float(f"{value:.13g}")


def exact_ties(values: Mapping[str, float]) -> list[list[str]]:
    """The models that have exactly the same value as another one.

    >>> exact_ties({"a": 0.5, "b": 0.7, "c": 0.5})
    [['a', 'c']]
    """
    groups: dict[float, list[str]] = {}
    for name, value in values.items():
        if isfinite(value):
            groups.setdefault(to_digits(value), []).append(name)
    return [names for names in groups.values() if len(names) > 1]
