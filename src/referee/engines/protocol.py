"""How summaries are made.

An engine is a module that gives, for predictions of its kind: `summarise(predictions, model, by)` the summaries,
`facts(predictions, model)` what is worth a warning, `constant(predictions, value)` a column,
`mean_and_quantiles(predictions, levels)` of the truth, `rows_of_classes(predictions)`, `crossed(several)` units,
`fingerprint(predictions)`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from referee.predictions import Predictions


def engine_of(predictions: Predictions) -> Any:
    """The engine for these predictions' columns."""
    return import_module(f"referee.engines.{predictions.engine}.engine")
