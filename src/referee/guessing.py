"""The model that only knows how often each class occurs, or the mean: what every score must be read against."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.predictions import Model

if TYPE_CHECKING:
    from referee.predictions import Predictions


def guess(predictions: Predictions) -> Model:
    """Say the majority class, each class's share, or the mean, of every row."""
    if predictions.task == "regression":
        return _guess_number(predictions)
    shares = np.bincount(predictions.truth, predictions.weight, len(predictions.classes))
    shares = shares / shares.sum()
    labels = np.full(predictions.rows, int(np.argmax(shares)), np.int32)
    columns = tuple(np.full(predictions.rows, share) for share in shares)
    return Model("guessing", class_scores=columns, labels=labels)


def _guess_number(predictions: Predictions) -> Model:
    truth, weight = predictions.truth, predictions.weight
    scale = np.abs(truth).max() or 1.0
    mean = np.average(truth / scale, weights=weight) * scale
    levels = {level for model in predictions.models for level in model.quantiles or ()}
    # Inverted distribution: the only kind that NumPy gives with weights.
    quantiles = {level: np.quantile(truth, level, weights=weight, method="inverted_cdf") for level in sorted(levels)}
    return Model(
        "guessing",
        values=np.full(predictions.rows, mean),
        quantiles={level: np.full(predictions.rows, value) for level, value in quantiles.items()} or None,
    )
