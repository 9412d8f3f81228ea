"""The model that only knows how often each class occurs, or the mean: what every score must be read against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.engines import engine_of
from referee.predictions import Model

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.predictions import Predictions


def guess(predictions: Predictions, class_weights: Array | None) -> Model:
    """Say the majority class, each class's share, or the mean, of every row."""
    engine = engine_of(predictions)
    if class_weights is None:
        levels = sorted({level for model in predictions.models for level in model.quantiles or ()})
        mean, quantiles = engine.mean_and_quantiles(predictions, levels)
        columns = {level: engine.constant(predictions, value) for level, value in quantiles.items()}
        return Model("guessing", values=engine.constant(predictions, mean), quantiles=columns or None)
    shares = (class_weights / class_weights.sum()).tolist()
    return Model(
        "guessing",
        class_scores=tuple(engine.constant(predictions, share) for share in shares),
        labels=engine.constant(predictions, shares.index(max(shares))),
    )
