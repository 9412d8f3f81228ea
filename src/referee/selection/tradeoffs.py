"""What else matters beside the goal: fitting the training rows too well, time, size; and who is beaten on nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from referee.combining import combined
from referee.engines import engine_of
from referee.formula import values
from referee.selection.assembling import predictions_of, training_predictions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.combining import Combine
    from referee.dataset import DataSet
    from referee.metric import Metric
    from referee.predictions import Predictions
    from referee.selection.running import Records
    from referee.splitting.split import Split
    from referee.verdict import Verdict


@dataclass(frozen=True)
class Tradeoff:
    """One model: its value on the test and the training part, its costs (medians over the splits), and its size."""

    model: str
    test: float | None
    train: float | None
    fit_seconds: float
    predict_seconds: float
    size: Mapping[str, float] = field(default_factory=dict)
    combined: float | None = None
    """The scheme's own estimate: the mean of the splits, all test rows pooled, or a .632 mix with the training part."""
    efficient: bool = False
    """Whether no other model is at least as good in everything and better in something: the Pareto set."""


def tradeoffs(
    data: DataSet, splits: Sequence[Split], records: Records, verdict: Verdict, combine: Combine
) -> tuple[Tradeoff, ...]:
    """The table of all models, in the order of their values."""
    names, goal = list(verdict.values), verdict.goal
    trained = _values_of_splits(training_predictions(data, splits, names, records), goal)
    tested = _values_of_splits(predictions_of(data, splits, names, records), goal)
    rows = [
        replace(
            _row(name, len(splits), records, verdict.values[name], _mean(trained[name])),
            combined=_combined(verdict, name, combine, tested[name], trained[name]),
        )
        for name in names
    ]
    return tuple(_marked(row, rows, goal) for row in rows)


def _combined(verdict: Verdict, name: str, combine: Combine, test: Array, train: Array) -> float | None:
    """One value of all splits, as the scheme has it."""
    if combine == "pooled":
        return verdict.scores[name, verdict.goal].value
    if combine == "point_632_plus":
        return None  # it needs what the same predictions would be worth by chance, which is not kept
    if not np.isfinite(test).all() or not np.isfinite(train).all():
        return None
    return combined(combine, test, train=train, better=verdict.goal.better)


def _values_of_splits(predictions: Predictions, goal: Metric) -> dict[str, Array]:
    engine = engine_of(predictions)
    units = engine.crossed([one for one in (predictions.repeat, predictions.fold) if one is not None])
    classes, positive = len(predictions.classes), predictions.positive
    return {
        model.name: values(goal, engine.summarise(predictions, model, units), classes, positive)
        for model in predictions.models
    }


def _mean(each: Array) -> float | None:
    return float(each.mean()) if np.isfinite(each).all() else None


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
    value = np.inf if row.test is None else -row.test if goal.better == "higher" else row.test
    return value, row.fit_seconds, row.predict_seconds, row.size.get("bytes", 0.0)
