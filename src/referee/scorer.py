"""A metric as a scikit-learn scorer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import UsageError

if TYPE_CHECKING:
    from referee.metric import Metric

RESPONSES = {
    "labels": ("predict",),
    "scores": ("predict_proba", "decision_function"),
    "probabilities": ("predict_proba",),
    "values": ("predict",),
}


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
        prediction = self._response(estimator, X)
        classes = getattr(estimator, "classes_", None)
        options: dict[str, Any] = {} if self.threshold is None else {"threshold": self.threshold}
        if prediction.ndim == 2 and classes is not None:
            options["classes"] = list(classes)
        elif self.metric.needs == "scores" and classes is not None and self.positive == classes[0]:
            prediction = -prediction  # decision_function speaks of the second class
        value = self.metric(y, prediction, sample_weight, positive=self.positive, **options)
        return value if self.metric.better == "higher" else -value

    def _response(self, estimator: Any, X: Any) -> Any:  # noqa: N803
        methods = RESPONSES.get(self.metric.needs, ())
        if self.metric.needs == "labels" and self.threshold is not None:
            methods = RESPONSES["scores"]
        for method in methods:
            if hasattr(estimator, method):
                return np.asarray(getattr(estimator, method)(X))
        name = type(estimator).__name__
        raise UsageError("E_NOSCORE", f"{name} has no {' or '.join(methods)}, which {self.metric.name} needs")
