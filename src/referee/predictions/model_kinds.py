"""What each model was taken to give: labels, probabilities or scores, values or quantiles; and why no probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.records import dataclass

if TYPE_CHECKING:
    from referee.predictions.column_facts import Facts, Outside
    from referee.predictions.model import Model
    from referee.predictions.predictions import Predictions


@dataclass(frozen=True)
class ModelKind:
    name: str
    """labels, probabilities, scores, values or quantiles"""
    because: str = ""
    """Why scores are not probabilities, or that some were brought back to 0 or 1."""

    def to_dict(self) -> dict[str, str]:
        return {"as": self.name} | ({"because": self.because} if self.because else {})


def kinds_of(predictions: Predictions) -> dict[str, ModelKind]:
    """By model; nothing where the columns are scores without a truth."""
    models, of_classes = predictions.models if predictions.scored is None else (), bool(predictions.classes)
    return {model.name: _kind(model, predictions.facts[model.name], of_classes=of_classes) for model in models}


def _kind(model: Model, facts: Facts, *, of_classes: bool) -> ModelKind:
    """`of_classes`: whether rows have one class each, so that scores may be its probabilities."""
    if model.quantiles is not None or model.values is not None:
        return ModelKind("values" if model.quantiles is None else "quantiles")
    if model.labels is not None and model.class_scores is None and (model.scores is None or facts.decisions_only):
        return ModelKind("labels")
    if not of_classes:
        return ModelKind("scores")
    if facts.outside is not None:
        return ModelKind("scores", f"{_place(model, facts.outside)} is not a probability")
    if facts.not_summing is not None:
        row = f"row {facts.not_summing.row}" if facts.not_summing.row else "one row"
        return ModelKind("scores", f"the classes of {row} add up to {facts.not_summing.value:g}")
    rounded = model.rounded
    return ModelKind("probabilities", "" if rounded is None else f"{_place(model, rounded)} was taken for 0 or 1")


def _place(model: Model, cell: Outside) -> str:
    column = "" if cell.column == model.name else f" of column {cell.column!r}"
    row = f" in row {cell.row}" if cell.row else ""
    return f"{cell.value:.12g}{row}{column}"
