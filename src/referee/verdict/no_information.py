"""What the predictions of a split would be worth if they told nothing of the truth, which the .632+ estimate needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from referee.combining import MOST_PAIRS
from referee.engines import engine_of
from referee.formula import values
from referee.predictions import Predictions, Units

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.metric import Metric

MOST_ROWS = 250
"""Of a split where the truth is a number: every truth meets every prediction, in each split of each model."""


def no_information_values(predictions: Predictions, goal: Metric) -> dict[str, Array]:
    """Of each model in each split; NaN where the metric is undefined.

    >>> two = Predictions.from_arrays([1, 1, 1, 0], {"a": [1.0, 1.0, 0.0, 0.0]}, fold=["x"] * 4)
    >>> from referee import metrics
    >>> no_information_values(two, metrics["accuracy"])
    {'a': array([0.5])}
    """
    engine = engine_of(predictions)
    units = engine.crossed([one for one in (predictions.repeat, predictions.fold) if one is not None])
    each = [_pairs(predictions, np.flatnonzero(units.codes == code)) for code in range(len(units))]
    found = [_values(predictions, goal, part) for part in _parts(each)]
    return {model.name: np.concatenate([part[model.name] for part in found]) for model in predictions.models}


class _Pairs(NamedTuple):
    """Every truth of a split with every prediction, and how much each pair counts."""

    truth: Array
    rows: Array
    weight: Array


def _pairs(predictions: Predictions, rows: Array) -> _Pairs:
    rows = _few(rows, predictions)
    truth = predictions.truth[rows]
    weight = np.ones(len(rows)) if predictions.weight is None else predictions.weight[rows]
    distinct, codes = np.unique(truth, return_inverse=True)
    total = np.bincount(codes, weight)
    return _Pairs(
        np.repeat(distinct, len(rows)),
        np.tile(rows, len(distinct)),
        np.repeat(total, len(rows)) * np.tile(weight, len(distinct)),
    )


def _few(rows: Array, predictions: Predictions) -> Array:
    """All rows where there are classes; of numbers some, evenly spread over the table."""
    if predictions.classes or len(rows) <= MOST_ROWS:
        return rows
    return rows[(np.arange(MOST_ROWS) + 0.5).astype(int) * len(rows) // MOST_ROWS]


def _parts(each: Sequence[_Pairs]) -> Iterator[list[_Pairs]]:
    """As many splits together as fit into memory."""
    part: list[_Pairs] = []
    for one in each:
        if part and sum(len(pairs.rows) for pairs in part) + len(one.rows) > MOST_PAIRS:
            yield part
            part = []
        part.append(one)
    yield part


def _values(predictions: Predictions, goal: Metric, part: Sequence[_Pairs]) -> dict[str, Array]:
    truth, rows, weight = (np.concatenate(column) for column in zip(*part, strict=True))
    split = np.repeat(np.arange(len(part)), [len(one.rows) for one in part])
    paired = Predictions(
        task=predictions.task,
        truth=truth,
        models=tuple(model.part(rows) for model in predictions.models),
        classes=predictions.classes,
        positive=predictions.positive,
        weight=weight,
        threshold=predictions.threshold,
    )
    units = Units(split, tuple(map(str, range(len(part)))))
    engine = engine_of(paired)
    return {
        model.name: values(goal, engine.summarise(paired, model, units), len(paired.classes), paired.positive)
        for model in paired.models
    }
