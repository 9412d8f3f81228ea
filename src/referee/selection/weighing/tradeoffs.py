"""What else matters beside the goal: fitting the training rows too well, time, size; and who is beaten on nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from referee.selection.fits.assembling import training_predictions
from referee.selection.judging import values_of_splits
from referee.verdict.scheme_estimate import SchemeEstimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.metric import Metric
    from referee.selection.fits.running import Records
    from referee.selection.resampling import Resampling
    from referee.selection.weighing.growth import Growth
    from referee.selection.weighing.learning_curve import CurvePoint
    from referee.selection.weighing.robustness import Robustness
    from referee.verdict import Verdict


@dataclass(frozen=True)
class Tradeoff:
    """One model: its value on the test and the training part, its costs (medians over the splits), and its size."""

    model: str
    test: float | None
    train: float | None
    """Of some of the training rows, where there are many."""
    fit_seconds: float
    predict_seconds: float
    size: Mapping[str, float] = field(default_factory=dict)
    fit_rows: float = 0
    """How many training rows there are in a split (median)."""
    train_rows: float = 0
    """How many of them, drawn at random, the training value is of (median)."""
    value: float | None = None
    """What the verdict ranks it by."""
    combined: float | None = None
    """The scheme's own estimate: the mean of the splits, all test rows pooled, or a .632 mix with the training part."""
    efficient: bool = False
    """Whether no other model is at least as good in everything before and better in something: the Pareto set."""
    robustness: tuple[Robustness, ...] = ()
    """One for each kind and rate of noise that was asked for."""
    learning_curve: tuple[CurvePoint, ...] = ()
    """From few training rows to all, where it was asked for."""
    growth: Growth | None = None
    """Of the time of a fit with the training rows, where there is a learning curve."""


def tradeoffs(resampling: Resampling, records: Records, verdict: Verdict) -> tuple[Tradeoff, ...]:
    """The table of all models, in the order of their values."""
    names = list(verdict.values)
    trained = values_of_splits(
        training_predictions(resampling.data, resampling.splits, names, records), resampling.goal
    )
    values = _combined(resampling, records, verdict)
    tested = _tested(resampling, records, verdict)
    fitted = float(np.median([len(split.train) for split in resampling.splits]))
    asked = float(np.median([len(split.looked_back) for split in resampling.splits]))
    rows = [
        replace(
            _row(name, len(resampling.splits), records, tested[name], trained[name].value),
            fit_rows=fitted,
            train_rows=asked,
            value=verdict.values[name],
            combined=values[name],
        )
        for name in names
    ]
    return tuple(_marked(row, rows, verdict.goal) for row in rows)


def _combined(resampling: Resampling, records: Records, verdict: Verdict) -> dict[str, float | None]:
    """One value of all splits, as the scheme has it."""
    how, goal, part = resampling.scheme.combine, verdict.goal, verdict.predictions.training
    if how == "pooled":
        return {name: verdict.scores[name, goal].value for name in verdict.values}
    if part is None or verdict.design.combine == how:
        return dict(verdict.values)
    test = resampling.judged(list(verdict.values), records)
    found = {name: SchemeEstimate(part, goal, name).of(test[name].each) for name in verdict.values}
    return {name: value if np.isfinite(value) else None for name, value in found.items()}


def _tested(resampling: Resampling, records: Records, verdict: Verdict) -> dict[str, float | None]:
    """The value of the test rows alone, which is what the verdict is on unless the scheme mixes it."""
    if verdict.design.combine == "mean":
        return dict(verdict.values)
    judged = resampling.judged(list(verdict.values), records)
    return {name: judged[name].value for name in verdict.values}


def _row(name: str, splits: int, records: Records, test: float | None, train: float | None) -> Tradeoff:
    each = [records[name, split] for split in range(splits)]
    sizes = {key: float(np.median([one["size"][key] for one in each])) for key in each[0]["size"]}
    fit, predict = (float(np.median([one[key] for one in each])) for key in ("fit_seconds", "predict_seconds"))
    return Tradeoff(name, test, train, fit, predict, sizes)


def _marked(row: Tradeoff, rows: Sequence[Tradeoff], goal: Metric) -> Tradeoff:
    mine = _costs(row, goal)
    beaten = any(
        all(theirs <= own for theirs, own in zip(_costs(other, goal), mine, strict=True))
        and _costs(other, goal) != mine
        for other in rows
    )
    return replace(row, efficient=not beaten)


def _costs(row: Tradeoff, goal: Metric) -> tuple[float, ...]:
    """Less is better in each."""
    value = np.inf if row.value is None else -row.value if goal.better == "higher" else row.value
    return value, row.fit_seconds, row.predict_seconds, row.size.get("bytes", 0.0)
