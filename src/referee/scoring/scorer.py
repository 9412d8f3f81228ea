"""A metric by itself: as a scikit-learn scorer, of arrays, of a confusion matrix."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import engine_of
from referee.errors import UsageError
from referee.predictions import Predictions, ScoredRows, label_text
from referee.records import dataclass
from referee.scoring.applicability import chosen_metrics, refuse_unless_applicable
from referee.scoring.formula import formula_on_counts
from referee.scoring.metric import RANKING, SCORES
from referee.scoring.score_table import ScoreTable

if TYPE_CHECKING:
    from referee.scoring.metric import Metric

RESPONSES = {
    "labels": ("predict",),
    "scores": ("predict_proba", "decision_function"),
    "probabilities": ("predict_proba",),
    "values": ("predict",),
}

NO_SCORER: dict[str, tuple[str, str]] = {
    "quantiles": (
        "needs quantile forecasts, and scikit-learn's estimators predict one value per row",
        "pinball scores the forecast of one quantile",
    ),
    "ranking": (
        "ranks the items of a query, and scikit-learn's scorers do not know which query a row belongs to",
        "compare() and evaluate() take query=",
    ),
}
"""What no scorer can give: why, and what to do."""


def refuse_scorer(metric: Metric) -> None:
    if refusal := NO_SCORER.get(metric.needs) or NO_SCORER.get(metric.tasks[0]):
        raise UsageError("E_SCORER", f"{metric.name} {refusal[0]}", hint=refusal[1])


@dataclass(frozen=True)
class Scorer:
    """`scorer(estimator, X, y)` as scikit-learn calls it: greater is better, so the value of a loss is negated.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from referee import metrics
    >>> x = np.arange(40.0).reshape(-1, 1)
    >>> cross_val_score(LogisticRegression(), x, x[:, 0] % 3 == 0, scoring=metrics["brier"].scorer(), cv=2).shape
    (2,)
    """

    metric: Metric
    positive: Any = None
    threshold: float | None = None

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        method = self._method(estimator)
        prediction = np.asarray(getattr(estimator, method)(X))
        classes = getattr(estimator, "classes_", None)
        if method == "decision_function" and prediction.ndim == 1 and classes is not None and self._means(classes[0]):
            prediction = -prediction  # it speaks of the second class
        options: dict[str, Any] = {} if self.threshold is None else {"threshold": self.threshold}
        if classes is not None:
            options["classes"] = list(classes)
        value = self.metric(y, prediction, sample_weight, positive=self.positive, **options)
        return value if self.metric.better == "higher" else -value

    def _means(self, label: Any) -> bool:
        return self.positive is not None and label_text(self.positive) == label_text(label)

    def _method(self, estimator: Any) -> str:
        needs = self.metric.needs
        methods = RESPONSES["scores" if needs == "labels" and self.threshold is not None else needs]
        for method in methods:
            if hasattr(estimator, method):
                return method
        name = type(estimator).__name__
        raise UsageError("E_NOSCORE", f"{name} has no {' or '.join(methods)}, which {self.metric.name} needs")


def score_arrays(metric: Metric, truth: Any, prediction: Any, weight: Any, **options: Any) -> float:
    """Score one model given as arrays; scores have no truth, whatever was given as one."""
    if metric.tasks == SCORES:
        truth, options = np.zeros(len(prediction)), {"task": "regression"}
    if metric.tasks == RANKING and options["query"] is None:
        options["query"] = np.zeros(len(truth), int)
    predictions = Predictions.from_arrays(
        truth, {"prediction": prediction}, weight=weight, metrics=(metric,), **options
    )
    if metric.tasks == SCORES:
        predictions = replace(predictions, task="scores", scored=ScoredRows())
    (model,) = predictions.models
    if metric.tasks != SCORES:
        chosen_metrics(predictions, [metric])
    facts = engine_of(predictions).facts(predictions, model)
    refuse_unless_applicable(metric, model, facts)
    table = ScoreTable(predictions, model, [metric], facts)
    value = float(table.values(metric, table.summary)[0])
    if np.isnan(value):
        reason = metric.undefined_when or "not a number"
        warnings.warn(f"{metric.full_name} is undefined: {reason}", RuntimeWarning, stacklevel=3)
    return value


def score_counts(metric: Metric, matrix: Any, positive: int) -> float:
    """Score a confusion matrix."""
    if metric.summaries != ("counts",):
        raise UsageError("E_NOTCOUNTS", f"{metric.name} is not a function of the confusion matrix")
    return formula_on_counts(metric, matrix, positive)
