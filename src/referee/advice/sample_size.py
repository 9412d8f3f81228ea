"""How many rows a goal needs: to be usable at all, and to show a difference between two models with 80% power."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.advice.plan_basis import RARER_ROWS
from referee.advice.plan_pilots import with_another
from referee.calibration import event_of, refuse_without_rows, spiegelhalter
from referee.comparing import POWER, Contender, contest_of, rows_to_separate, tests
from referee.document import p_value
from referee.predictions import Model, Predictions, kinds_of
from referee.records import dataclass
from referee.scoring import Metric, Task, quantile, rare_below, why_not

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array

PLANNED_ROWS = 4000
RARE, EVEN = 0.05, 0.5
USUAL_DIFFERENCE, USUAL_SHARE = 0.02, 0.05
"""In units of a metric between 0 and 1; of the value itself where there is no such scale."""
LEVELS = (0.1, 0.5, 0.9)
MOST_CLASSES = 50
"""To plan with: rows for more of them are better planned from data."""


@dataclass(frozen=True)
class RowsNeeded:
    """Rows for a difference, and what that was computed from."""

    difference: float
    rows: int | None
    """None where the goal has no spread to plan with."""
    rarer_rows: int | None
    """Rows of the rarer class that are needed in any case."""
    basis: str

    def to_dict(self) -> dict[str, Any]:
        return vars(self) | {"power": POWER}


def rows_needed(
    goal: Metric,
    answers: dict[str, Any],
    predictions: Predictions | None,
    *,
    threshold: float | None = None,
    alpha: float = 0.05,
) -> RowsNeeded:
    """From the data where there are some, else from a made-up model that is good but not perfect."""
    rarer = RARER_ROWS if {"binary", "multiclass"} & set(goal.tasks) else None
    if predictions is not None:
        decided = predictions if threshold is None else replace(predictions, threshold=threshold)
        rows, difference, basis = _from_data(goal, answers.get("difference"), decided, alpha)
    else:
        rows, difference, basis = _from_plan(goal, answers, threshold, alpha)
    return RowsNeeded(difference, rows, rarer, basis)


def _from_plan(
    goal: Metric, answers: dict[str, Any], threshold: float | None, alpha: float
) -> tuple[int | None, float, str]:
    classes, basis = _planned_classes(answers), PLANNED[answers["task"]].format(share=_share(answers))
    if classes > MOST_CLASSES:
        return None, answers.get("difference") or USUAL_DIFFERENCE, basis
    planned = planning_predictions(answers["task"], rare=answers.get("balance") == "imbalanced", classes=classes)
    decided = planned if threshold is None else replace(planned, threshold=threshold)
    contender = Contender(decided, planned.models[0], goal)
    difference = answers.get("difference") or usual_difference(goal, contender.value)
    return _from_one(contender, difference, alpha), difference, basis


def _planned_classes(answers: dict[str, Any]) -> int:
    """A shortlist of all classes would always hold the true one."""
    return len(answers.get("cost_matrix") or ()) or max((answers.get("shortlist") or 0) + 2, 3)


def _share(answers: dict[str, Any]) -> str:
    return f"{100 * (RARE if answers.get('balance') == 'imbalanced' else EVEN):g}%"


PLANNED = {
    "binary": "two hypothetical models with AUC about 0.85 whose errors have correlation 0.5, {share} positives",
    "multiclass": "two hypothetical models whose errors have correlation 0.5, one class has {share}",
    "regression": "two hypothetical models that explain half of the variance and whose errors have correlation 0.5",
    "ranking": "two hypothetical rankings of ten items for each query, whose errors have correlation 0.5",
    "multilabel": "two hypothetical models of five labels that a fifth of the rows has, whose errors have "
    "correlation 0.5",
}


def usual_difference(goal: Metric, value: float) -> float:
    """A hundredth or two on the scale from 0 to 1, a twentieth of the value elsewhere.

    >>> from referee import metrics
    >>> usual_difference(metrics["roc_auc"], 0.8), usual_difference(metrics["rmse"], 412.0)
    (0.02, 21.0)
    """
    if goal.range in ((0, 1), (-1, 1)) or not (isfinite(value) and value):
        return USUAL_DIFFERENCE
    return float(f"{abs(value) * USUAL_SHARE:.2g}")


def _from_one(contender: Contender, difference: float, alpha: float) -> int | None:
    """Two models with such a spread, and the usual correlation."""
    basis = with_another(contender)
    units = basis and basis.precision.units_for(difference, POWER, alpha)
    return basis.rows(units) if basis and units else None


def _from_data(
    goal: Metric, asked: float | None, predictions: Predictions, alpha: float
) -> tuple[int | None, float, str]:
    contest = contest_of(predictions, goal, unit="row", alpha=alpha)
    values = {name: value for name, value in contest.values.items() if isfinite(value)}
    order = sorted(values, key=lambda name: values[name], reverse=goal.better == "higher")
    difference = asked or usual_difference(goal, values[order[0]] if order else 0.0)
    comparison = contest.compare(tests["influence"], order[0], order[1]) if len(order) > 1 else None
    if comparison is not None and (rows := rows_to_separate(contest.rows, comparison, difference)) is not None:
        return rows, difference, f"the rows of {order[0]} and {order[1]}"
    rows = _from_one(contest.contenders[order[0]], difference, alpha) if order else None
    return rows, difference, "the spread of your model, and another one whose errors have correlation 0.5 with it"


@lru_cache(maxsize=8)
def planning_predictions(task: Task, *, rare: bool, classes: int = 3) -> Predictions:
    """Calibrated predictions of a model that is good but not perfect; the same ones every time."""
    draw = np.random.default_rng(0)
    if task in ("ranking", "multilabel"):
        hidden = draw.normal(size=(PLANNED_ROWS // 10, 10 if task == "ranking" else 5))
        seen = hidden + draw.normal(size=hidden.shape)
        if task == "multilabel":
            return Predictions.from_arrays((hidden > 0.84).astype(int), {"planned": (seen > 1.0).astype(float)})
        query = np.repeat(np.arange(len(hidden)), hidden.shape[1])
        return Predictions.from_arrays(np.digitize(hidden.ravel(), [0.5, 1.5]), {"planned": seen.ravel()}, query=query)
    if task == "regression":
        signal, noise = 20 + draw.normal(size=PLANNED_ROWS), draw.normal(size=PLANNED_ROWS)
        quantiles = {level: signal + quantile(level, inf) for level in LEVELS}
        return Predictions("regression", signal + noise, (Model("planned", values=signal, quantiles=quantiles),))
    classes = 2 if task == "binary" else classes
    columns = _calibrated(draw, classes, RARE if rare else EVEN)
    truth = (draw.random(PLANNED_ROWS)[:, None] > np.cumsum(columns, axis=1)[:, :-1]).sum(axis=1)
    model = Model("planned", class_scores=tuple(columns.T))
    names = tuple(map(str, range(classes)))
    return Predictions(task, truth, (model,), names, positive=0 if classes == 2 else None)


def _calibrated(draw: np.random.Generator, classes: int, share: float) -> Array:
    """Probabilities of each class, the first with that share on average: (row, class)."""
    shares = np.array([share, *[(1 - share) / (classes - 1)] * (classes - 1)])
    spread = 1.3 * draw.normal(size=(PLANNED_ROWS, classes))
    offsets = np.log(shares)
    for _ in range(200):
        odds = np.exp(spread + offsets)
        columns = odds / odds.sum(axis=1, keepdims=True)
        offsets += np.log(shares / columns.mean(axis=0))
    return np.asarray(columns)


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
    return [
        m
        for m in metrics
        if all(why_not(m, model, predictions.facts[model.name]) is None for model in predictions.models)
    ]


def _of_model(predictions: Predictions, model: Model) -> ModelFacts:
    kind = kinds_of(predictions)[model.name].name
    gives = "decisions" if kind == "labels" or predictions.facts[model.name].decisions_only else kind
    distinct = None if model.scores is None else len(np.unique(model.scores))
    p = spiegelhalter(event_of(predictions, model)).p if gives == "probabilities" else None
    return ModelFacts(model.name, gives, distinct, p)


def in_words(facts: DataFacts) -> Iterator[str]:
    """The facts, a line each."""
    if facts.rarer_class is None:
        yield f"{facts.rows:,} rows with a number to predict"
    else:
        share = f"{100 * (facts.rarer_share or 0):.3g}%"
        yield (
            f"{facts.rows:,} rows of {len(facts.classes)} classes; the rarest, {facts.rarer_class!r}, has "
            f"{facts.rarer_rows:,} ({share}): {facts.balance}"
        )
    for model in facts.models:
        yield f"{model.name} gives {model.gives}" + "".join(f", {remark}" for remark in _remarks(model, facts))


def _remarks(model: ModelFacts, facts: DataFacts) -> Iterator[str]:
    if model.distinct is not None and model.gives != "decisions":
        ties = "no ties" if model.distinct == facts.rows else f"{model.distinct:,} distinct ones"
        yield ties
    if model.calibration_p is not None:
        calibrated = "not calibrated" if model.calibration_p < 0.05 else "there is no sign of miscalibration"
        yield f"{calibrated} (Spiegelhalter's test, {p_value(model.calibration_p)})"
