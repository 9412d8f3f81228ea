"""What the data themselves answer: task, rows, how rare a class is, what the models give, ties, calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.calibration import event_of, refuse_without_rows, spiegelhalter
from referee.engines import engine_of
from referee.scoring import rare_below, why_not
from referee.wording import p_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.predictions import Facts, Model, Predictions
    from referee.scoring import Metric


@dataclass(frozen=True)
class ModelFacts:
    """What one model's columns show."""

    name: str
    gives: str
    """probabilities, scores, decisions, values or quantiles"""
    distinct: int | None
    """Distinct scores; few of them are many ties."""
    calibration_p: float | None
    """Spiegelhalter's test of calibration; of several classes, that of the most probable one."""


@dataclass(frozen=True)
class DataFacts:
    rows: int
    task: str
    classes: tuple[str, ...]
    rarer_class: str | None
    rarer_rows: int | None
    rarer_share: float | None
    models: tuple[ModelFacts, ...]
    positive_share: float | None = None

    @property
    def gives_probabilities(self) -> bool:
        return all(model.gives == "probabilities" for model in self.models)

    @property
    def balance(self) -> str | None:
        if self.rarer_share is None:
            return None
        return "imbalanced" if self.rarer_share < rare_below(len(self.classes)) else "balanced"

    def to_dict(self) -> dict[str, Any]:
        return vars(self) | {"balance": self.balance, "models": [vars(model) for model in self.models]}


def facts_of(predictions: Predictions) -> DataFacts:
    """Look at predictions in memory."""
    refuse_without_rows(predictions)
    models = tuple(_of_model(predictions, model) for model in predictions.models)
    if predictions.task == "regression":
        return DataFacts(predictions.rows, "regression", (), None, None, None, models)
    rows = np.bincount(predictions.truth, minlength=len(predictions.classes))
    weights = np.bincount(predictions.truth, predictions.weight, len(predictions.classes))
    rarest = int(np.argmin(weights))
    return DataFacts(
        predictions.rows,
        predictions.task,
        predictions.classes,
        predictions.classes[rarest],
        int(rows[rarest]),
        float(weights[rarest] / weights.sum()),
        models,
        None if predictions.positive is None else float(weights[predictions.positive] / weights.sum()),
    )


def fitting(metrics: list[Metric], predictions: Predictions) -> list[Metric]:
    """The metrics that apply to every model."""
    engine = engine_of(predictions)
    facts = {model.name: engine.facts(predictions, model) for model in predictions.models}
    return [m for m in metrics if all(why_not(m, model, facts[model.name]) is None for model in predictions.models)]


def _of_model(predictions: Predictions, model: Model) -> ModelFacts:
    facts = engine_of(predictions).facts(predictions, model)
    gives = _gives(model, facts)
    distinct = None if model.scores is None else len(np.unique(model.scores))
    p = spiegelhalter(event_of(predictions, model)).p if gives == "probabilities" else None
    return ModelFacts(model.name, gives, distinct, p)


def _gives(model: Model, facts: Facts) -> str:
    if model.quantiles is not None:
        return "quantiles"
    if model.values is not None:
        return "values"
    if facts.decisions_only or (model.scores is None and model.class_scores is None):
        return "decisions"
    return "scores" if facts.outside or facts.not_summing else "probabilities"


def in_words(facts: DataFacts) -> Iterator[str]:
    """The facts, a line each."""
    if facts.rarer_class is None:
        yield f"{facts.rows:,} rows with a number to predict"
    else:
        share = f"{100 * (facts.rarer_share or 0):.3g} %"
        yield (
            f"{facts.rows:,} rows of {len(facts.classes)} classes; the rarest, {facts.rarer_class!r}, has "
            f"{facts.rarer_rows:,} ({share}): {facts.balance}"
        )
    for model in facts.models:
        yield f"{model.name} gives {model.gives}" + "".join(f", {one}" for one in _remarks(model, facts))


def _remarks(model: ModelFacts, facts: DataFacts) -> Iterator[str]:
    if model.distinct is not None and model.gives != "decisions":
        ties = "no ties" if model.distinct == facts.rows else f"{model.distinct:,} distinct ones"
        yield ties
    if model.calibration_p is not None:
        calibrated = "not calibrated" if model.calibration_p < 0.05 else "nothing speaks against calibration"
        yield f"{calibrated} (Spiegelhalter's test, {p_value(model.calibration_p)})"
