"""The goal is open: which metric, or average, is safe to choose by, whatever the goal turns out to be.

The rows are dealt out into two halves many times; each metric chooses a model on one half, and the other half tells
what that choice costs by every goal that is possible. Without models, the regret map tells what it cost elsewhere.
"""

from __future__ import annotations

import json
import re
from functools import cache
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.advice.choices import safe_choices, safest_first
from referee.catalogue import split_list
from referee.engines import engine_of
from referee.errors import UndefinedError, UsageError
from referee.fitting import schemes
from referee.predictions import Units
from referee.scoring import goal_of, metrics, values, why_not

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.advice.choices import SafeChoice
    from referee.arrays import Array
    from referee.predictions import Predictions
    from referee.scoring import Metric

HALVES = 100
"""How often the rows are dealt out."""
USUAL: dict[str, tuple[str, ...]] = {
    "binary": ("accuracy", "roc_auc", "f_beta", "rms", "log_loss", "paper_average"),
    "multiclass": ("accuracy", "balanced_accuracy", "f_beta", "mcc", "brier", "log_loss"),
    "regression": ("mae", "rmse", "median_ae", "mape", "r2", "correlation"),
}
"""The metrics that people choose by, and that are spoken of where all were asked for."""
MAP_FILE = Path(__file__).parent / "open_goal.json"
"""What the regret map has measured; docs/study/map.py writes it."""
WEIGHTED = re.compile(r"\s*(?P<name>\w+\s*(?:\(.*\))?)\s*(?:=\s*(?P<weight>[^()=]+?))?\s*")


def goal_weights(given: str | Mapping[str, float]) -> dict[str, float]:
    """The goals that are possible, by their full names, and the weight of each: 1 where none is said.

    >>> goal_weights("accuracy=2, f_beta(beta=2)=0.5, AUC")
    {'accuracy': 2.0, 'f_beta(beta=2)': 0.5, 'roc_auc': 1.0}
    """
    pairs = given.items() if not isinstance(given, str) else map(_weighted, split_list(given))
    weights = {goal_of(name).full_name: _checked(name, weight) for name, weight in pairs}
    if len(weights) < 2:
        raise UsageError(
            "E_GOAL", f"name two or more possible goals, not {given!r}", hint="such as accuracy=2,f1,roc_auc"
        )
    return weights


def _weighted(text: str) -> tuple[str, Any]:
    said = WEIGHTED.fullmatch(text)
    if said is None:
        raise UsageError("E_GOAL", f"{text!r} is not a goal with its weight", hint="such as accuracy=2,f1,roc_auc")
    return said["name"], 1.0 if said["weight"] is None else said["weight"]


def _checked(name: str, weight: Any) -> float:
    try:
        number = float(weight)
    except (TypeError, ValueError):
        number = np.nan
    if not (isfinite(number) and number > 0):
        raise UsageError("E_GOAL", f"the weight of {name} is {weight!r}; it must be a number above 0")
    return number


def values_by_unit(predictions: Predictions, asked: Sequence[Metric], codes: Array, units: int) -> Array:
    """Of all models by all metrics, more is better, nan where undefined: (unit, model, metric)."""
    named = Units(codes, tuple(map(str, range(units))))
    engine, classes, positive = engine_of(predictions), len(predictions.classes), predictions.positive
    by_unit = np.empty((units, len(predictions.models), len(asked)))
    for place, model in enumerate(predictions.models):
        summary = engine.summarise(predictions, model, named)
        for number, metric in enumerate(asked):
            sign = 1 if metric.better == "higher" else -1
            by_unit[:, place, number] = sign * values(metric, summary, classes, positive)
    return np.where(np.isfinite(by_unit), by_unit, np.nan)


def safe_for(
    predictions: Predictions, goals: Mapping[str, float] | None = None, *, halves: int = HALVES, seed: int = 0
) -> tuple[dict[str, float], tuple[SafeChoice, ...]]:
    """The goals that are possible with their weights, and what to choose by: the smallest worst case first.

    Nothing where there is one model only, or none of the goals applies to all.

    >>> from referee import Predictions
    >>> draw = np.random.default_rng(0)
    >>> y = draw.integers(0, 2, 200)
    >>> said = {"a": y * 0.4 + draw.uniform(0, 0.6, 200), "b": y * 0.1 + draw.uniform(0, 0.9, 200)}
    >>> safe_for(Predictions.from_arrays(y, said), {"accuracy": 1, "roc_auc": 1})[1][0].worst < 0.1
    True
    """
    every = _applicable(predictions, goals)
    if len(predictions.models) < 2 or len(every) < 2:
        return {}, ()
    weights = {metric.full_name: (goals or {}).get(metric.full_name, 1.0) for metric in every}
    parts = [values_by_unit(predictions, every, half, 2)[None] for half in _halves(predictions, halves, seed)]
    both = np.stack(parts, axis=1)
    return weights, safe_choices(list(weights), both[:, :, 0], both[:, :, 1], weights)


@cache
def regret_of_map() -> dict[str, Any]:
    """The sources, the rows to choose on, and the regret by what one chooses by, goal and rows."""
    held: dict[str, Any] = json.loads(MAP_FILE.read_text(encoding="utf-8"))
    return held


def is_mapped(goals: Mapping[str, float] | None) -> bool:
    """Whether the regret map has all these goals."""
    return set(goals or ()) <= set(regret_of_map()["regret"]["brier"])


def safe_by_map(goals: Mapping[str, float] | None = None) -> tuple[dict[str, float], tuple[SafeChoice, ...]]:
    """The same of two classes by the regret map, every number of rows that it has counting alike.

    >>> weights, choices = safe_by_map({"accuracy": 2, "f_beta": 1})
    >>> weights, choices[0].worst_goal in weights
    ({'accuracy': 2, 'f_beta': 1}, True)
    """
    measured = regret_of_map()["regret"]
    known = list(measured["brier"])
    weights = dict(goals) if goals else dict.fromkeys(known, 1.0)
    for goal in weights:
        if goal not in known:
            raise UsageError(
                "E_GOAL",
                f"the regret map has no goal {goal}, so it cannot be weighed without predictions",
                hint=f"its goals are {', '.join(known)}; with predictions of two models or more, any metric may be one",
            )
    regrets = {by: {goal: float(np.mean(each[goal])) for goal in weights} for by, each in measured.items()}
    return weights, safest_first(regrets, weights)


def _applicable(predictions: Predictions, goals: Mapping[str, float] | None) -> list[Metric]:
    """The goals that all models have; one that was asked for and is not among them is an error."""
    asked = [metrics[name] for name in (goals or USUAL.get(predictions.task, ()))]
    kept = []
    for metric in asked:
        why = next((w for m in predictions.models if (w := why_not(metric, m, predictions.facts[m.name]))), None)
        if why is None and predictions.task in metric.tasks:
            kept.append(metric)
        elif goals:
            raise UndefinedError("E_NOSCORE", f"{metric.full_name} cannot be a goal of these models: it {why}")
    return kept


def _halves(predictions: Predictions, halves: int, seed: int) -> list[Array]:
    """Which half each row is in, for every deal: classes have their shares, and groups stay together."""
    scheme = schemes["random_subsampling"](splits=halves, test=0.5)
    labels = np.array(predictions.classes)[predictions.truth] if predictions.classes else None
    clusters = predictions.clusters
    dealt = []
    for split in scheme.splits(np.zeros((predictions.rows, 1)), labels, clusters and clusters.codes, seed=seed):
        half = np.zeros(predictions.rows, np.int64)
        half[split.test] = 1
        dealt.append(half)
    return dealt
