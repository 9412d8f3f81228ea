"""Nested selection: what choosing the best model is worth, on rows that took no part in the choice."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing import best_first
from referee.errors import UndefinedError
from referee.fitting.split_scores import values_of_splits
from referee.fitting.stored_predictions import kinds_of, predictions_of
from referee.scoring import evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.comparing import Verdict
    from referee.fitting.fit_runs import Records
    from referee.fitting.resampling import Resampling
    from referee.fitting.runner.pool import Failure
    from referee.fitting.splits import Split

SELECTED = "the model selected"


@dataclass(frozen=True)
class NestedSelection:
    """Which model the inner splits chose in each outer split, and how good it is on the outer test rows."""

    choices: tuple[str, ...]
    """In the order of the outer splits."""
    values: tuple[float | None, ...]
    """Of the model chosen, on the goal metric, in each outer split."""
    chosen: Mapping[str, int]
    """How often each model was chosen."""
    mean: float | None
    """Over the outer splits: what selecting is worth; where rows are compared, the value on all of them."""
    pooled: float | None
    """On all outer test rows together, with its interval."""
    low: float | None
    high: float | None
    best: str
    """The best model on the outer splits, which is chosen by them."""
    optimistic: float | None
    """Its value on the same splits: too good, the more so the more models there are."""
    undefined: str | None = None
    """Why there is no pooled value."""
    compares_rows: bool = False
    """Whether the value on all outer test rows counts, as with leave_one_out, and not the mean over the splits."""


def inner_splits(splits: Sequence[Split]) -> list[Split]:
    """The inner splits of all outer ones: an outer split is a repeat, its inner splits are the folds."""
    return [
        replace(inner, repeat=outer, fold=fold, seen=None)
        for outer, split in enumerate(splits, start=1)
        for fold, inner in enumerate(split.inner, start=1)
    ]


def inner_fits(resampling: Resampling) -> tuple[Records, list[Failure]]:
    return resampling.fits("inner", splits=inner_splits(resampling.splits))


def nested_selection(resampling: Resampling, records: Records, inner: Records, verdict: Verdict) -> NestedSelection:
    """Choose in each outer split by its inner ones, and look at the outer test rows."""
    names = list(verdict.predictions.names)
    choices = _choices(resampling, names, inner)
    fits = {(SELECTED, split): records[name, split] for split, name in enumerate(choices)}
    outer = values_of_splits(predictions_of(resampling.data, resampling.splits, names, records), resampling.goal)
    each = [float(outer[name].each[split]) for split, name in enumerate(choices)]
    best = next(iter(verdict.values))
    pooled = _pooled(resampling, fits, verdict.alpha)
    mean = float(np.mean(each)) if np.isfinite(each).all() else None
    return NestedSelection(
        choices=tuple(choices),
        values=tuple(value if np.isfinite(value) else None for value in each),
        chosen={name: Counter(choices)[name] for name in names},
        mean=pooled["pooled"] if resampling.compares_rows else mean,
        **pooled,
        best=best,
        optimistic=verdict.values[best],
        compares_rows=resampling.compares_rows,
    )


def _choices(resampling: Resampling, names: Sequence[str], records: Records) -> list[str]:
    """The best model of each outer split by its inner splits; of equal ones the first by name."""
    goal, found = resampling.goal, _inner_values(resampling, names, records)
    chosen = []
    for outer in range(len(resampling.splits)):
        values = {name: each[outer] for name, each in found.items()}
        if np.isnan(list(values.values())).all():
            raise UndefinedError(
                "E_UNITS",
                f"{goal.full_name} is undefined in an inner split of outer split {outer + 1}, so nothing can be chosen",
                hint="larger or stratified inner splits, or another goal",
            )
        chosen.append(best_first(values, goal)[0])
    return chosen


def _inner_values(resampling: Resampling, names: Sequence[str], records: Records) -> dict[str, list[float]]:
    """Each model's value in each outer split: the mean over its inner splits, or the value on all their rows."""
    splits, goal = resampling.splits, resampling.goal
    predictions = replace(predictions_of(resampling.data, inner_splits(splits), names, records), notices=())
    if resampling.chooses_by_rows:
        pooled = values_of_splits(replace(predictions, fold=None), goal)
        return {name: list(map(float, one.each)) for name, one in pooled.items()}
    ends = np.cumsum([len(split.inner) for split in splits])[:-1]
    found = values_of_splits(predictions, goal)
    return {name: [float(part.mean()) for part in np.split(one.each, ends)] for name, one in found.items()}


def _pooled(resampling: Resampling, fits: Any, alpha: float) -> dict[str, Any]:
    """The value on all outer test rows, if the models chosen say things of one kind."""
    if len({kinds_of(record) for record in fits.values()}) > 1:
        why = "some of the models chosen give probabilities and others only decisions"
        return {"pooled": None, "low": None, "high": None, "undefined": why}
    predictions = predictions_of(resampling.data, resampling.splits, [SELECTED], fits)
    score = evaluate(predictions, [resampling.goal], alpha=alpha)[SELECTED, resampling.goal]
    return {"pooled": score.value, "low": score.low, "high": score.high, "undefined": score.undefined}
