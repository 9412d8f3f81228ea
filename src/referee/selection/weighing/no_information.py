"""What the predictions of a split would be worth if they told nothing of the truth, which the .632+ estimate needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.combining import no_information
from referee.engines import engine_of
from referee.predictions import Predictions
from referee.selection.judging import values_on_all_rows

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.metric import Metric
    from referee.predictions import Model

MOST_ROWS = 250
"""Of a split where the truth is a number: every truth meets every prediction, in each split of each model."""


def no_information_values(predictions: Predictions, goal: Metric) -> dict[str, Array]:
    """Of each model in each split; NaN where the metric is undefined.

    >>> two = Predictions.from_arrays([1, 1, 1, 0], {"a": [1.0, 1.0, 0.0, 0.0]}, fold=["x"] * 4)
    >>> from referee import metrics
    >>> no_information_values(two, metrics["accuracy"])
    {'a': array([0.5])}
    """
    units = engine_of(predictions).crossed([one for one in (predictions.repeat, predictions.fold) if one is not None])
    each = [np.flatnonzero(units.codes == code) for code in range(len(units))]
    return {
        model.name: np.array([_of_rows(predictions, model, goal, _few(rows, predictions)) for rows in each])
        for model in predictions.models
    }


def _few(rows: Array, predictions: Predictions) -> Array:
    """All rows where there are classes; of numbers some, evenly spread over the table."""
    if predictions.classes or len(rows) <= MOST_ROWS:
        return rows
    return rows[(np.arange(MOST_ROWS) + 0.5).astype(int) * len(rows) // MOST_ROWS]


def _of_rows(predictions: Predictions, model: Model, goal: Metric, rows: Array) -> float:
    truth = predictions.truth[rows]
    weight = np.ones(len(rows)) if predictions.weight is None else predictions.weight[rows]
    distinct, codes = np.unique(truth, return_inverse=True)
    mean_weight = np.bincount(codes, weight) / np.bincount(codes)

    def value(each_truth: Array, places: Array, share: Array) -> float:
        paired = Predictions(
            task=predictions.task,
            truth=each_truth,
            models=(model.part(rows[places]),),
            classes=predictions.classes,
            positive=predictions.positive,
            weight=share * weight[places] * mean_weight[np.searchsorted(distinct, each_truth)],
            threshold=predictions.threshold,
        )
        return float(values_on_all_rows(paired, goal)[model.name].each[0])

    return no_information(value, truth, np.arange(len(rows)))
