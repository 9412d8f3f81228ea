"""The rows of one model as metrics see them, whole or piece by piece; what is costly is made once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arguments import arguments_of
from referee.arrays import largest, scale_to_one

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.engines.baseline import Baseline
    from referee.metric import Metric
    from referee.predictions import Model, Predictions

KEPT_ROWS = 1_000_000
"""Up to here row terms are kept for the next grouping of the same rows."""

ALL = slice(None)


class Rows:
    """Predictions of one model."""

    def __init__(self, predictions: Predictions, model: Model) -> None:
        self.predictions = predictions
        self.model = model
        self._terms: dict[str, dict[str, Array]] = {}
        self._falling: dict[object, tuple[Array, tuple[Array, Array, Array]]] = {}
        self.groupings = 0
        """How often these rows have been grouped into units."""
        self._part = ALL
        self._part_columns: dict[str, Any] = {}

    @cached_property
    def scale(self) -> float:
        """The power of two by which true and predicted numbers are multiplied so that their squares are finite."""
        if self.predictions.task != "regression":
            return 1.0
        return scale_to_one(max(largest(column) for column in (self.predictions.truth, *self.model.given_columns())))

    @cached_property
    def labels(self) -> Array:
        return self.labels_of(ALL)

    def cells_of(self, part: slice) -> Array:
        """The cell of the confusion matrix that each row falls into."""
        if part == ALL and self.predictions.rows <= KEPT_ROWS:
            return self._cells
        return self.predictions.truth[part] * len(self.predictions.classes) + self.labels_of(part)

    @cached_property
    def _cells(self) -> Array:
        return self.predictions.truth * np.int64(len(self.predictions.classes)) + self.labels

    def labels_of(self, part: slice) -> Array:
        """The model's decisions: its own, else the most probable class, else by the threshold."""
        model, predictions = self.model, self.predictions
        if model.labels is not None:
            return model.labels[part]
        if model.class_scores is not None and not predictions.decides_by_threshold(model):
            order = np.array(model.tie_order or range(len(model.class_scores)), np.int32)
            return order[np.argmax(np.stack([model.class_scores[code][part] for code in order]), axis=0)]
        assert predictions.positive is not None
        scores = model.scores if model.class_scores is None else model.class_scores[predictions.positive]
        assert scores is not None
        chosen = (scores[part] >= predictions.threshold).view(np.int8)
        return chosen if predictions.positive == 1 else 1 - chosen

    def score(self, code: int | None, *, as_probability: bool = False) -> Array:
        """What the model says for one class; its decisions stand in where it gives nothing else."""
        model = self.model
        if model.class_scores is not None:
            assert code is not None
            return _floats(model.class_scores[code])
        if model.scores is None:
            return (self.labels == code).astype(float)
        if code == self.predictions.positive:
            return _floats(model.scores)
        scores = np.asarray(model.scores, float)
        return 1 - scores if as_probability and self.are_probabilities else -scores

    def falling_rows(
        self, key: object, make: Callable[[], tuple[Array, tuple[Array, Array, Array]]]
    ) -> tuple[Array, tuple[Array, Array, Array]]:
        """Rows in falling order of a class's scores, for the next grouping of the same rows too."""
        if key not in self._falling:
            places, (scores, positives, negatives) = make()
            order = np.argsort(-scores, kind="stable")
            self._falling[key] = places[order], (scores[order], positives[order], negatives[order])
        return self._falling[key]

    def row_terms(self, metric: Metric, baseline: Baseline, part: slice = ALL) -> dict[str, Array]:
        """The metric's row terms for a part of the rows."""
        key = metric.full_name
        # A baseline depends on the grouping, so its terms are not the same next time.
        whole = part == ALL and not baseline.used_by(metric)
        if whole and key in self._terms:
            return self._terms[key]
        terms = self._made_terms(metric, baseline, part)
        if whole and self.predictions.rows <= KEPT_ROWS:
            self._terms[key] = terms
        return terms

    def _made_terms(self, metric: Metric, baseline: Baseline, part: slice) -> dict[str, Array]:
        assert metric.row_terms is not None
        available: dict[str, Any] = {
            "truth": lambda: self._of_part("truth", part, lambda: self.truth_columns(part)),
            "prediction": lambda: self._of_part(metric.needs, part, lambda: self.prediction_columns(metric, part)),
            "baseline": lambda: baseline.columns(part),
            "levels": lambda: tuple(self.model.quantiles or ()),
            "order": lambda: self.model.tie_order or range(len(self.predictions.classes)),
            "xp": lambda: np,
        }
        with np.errstate(all="ignore"):
            terms = metric.row_terms(
                **arguments_of(metric.row_terms, available), **metric.formula_settings(metric.row_terms)
            )
        rows = len(self.predictions.truth[part])
        return {name: np.broadcast_to(np.asarray(term, float), rows) for name, term in terms.items()}

    def _of_part(self, name: str, part: slice, make: Callable[[], Any]) -> Any:
        """Columns of the part that was asked for last, which serve all metrics."""
        if self._part != part:
            self._part, self._part_columns = part, {}
        if part == ALL:
            return make()
        if name not in self._part_columns:
            self._part_columns[name] = make()
        return self._part_columns[name]

    def truth_columns(self, part: slice = ALL) -> Any:
        """The true numbers, or for each class whether it is the true one."""
        truth = self.predictions.truth[part]
        if self.predictions.task == "regression":
            return truth * self.scale
        return [(truth == code).astype(float) for code in range(len(self.predictions.classes))]

    def prediction_columns(self, metric: Metric, part: slice = ALL) -> Any:
        """The predicted numbers, quantiles, or for each class its probability."""
        model = self.model
        if metric.needs == "quantiles":
            assert model.quantiles is not None
            return [np.asarray(column[part], float) * self.scale for column in model.quantiles.values()]
        if metric.needs == "values":
            assert model.values is not None
            return np.asarray(model.values[part], float) * self.scale
        if model.class_scores is not None:
            return [np.asarray(column[part], float) for column in model.class_scores]
        assert model.scores is not None
        positive = np.asarray(model.scores[part], float)
        return [1 - positive, positive] if self.predictions.positive == 1 else [positive, 1 - positive]

    @cached_property
    def are_probabilities(self) -> bool:
        """Whether its only scores are all between 0 and 1."""
        scores = self.model.scores
        return scores is not None and bool(scores.min(initial=0) >= 0 and scores.max(initial=1) <= 1)


def _floats(column: Array) -> Array:
    return column if column.dtype.kind == "f" else column.astype(float)


def rows_of(predictions: Predictions, model: Model) -> Rows:
    """The rows of a model, the same object as long as the predictions live: they keep it themselves."""
    made: dict[Model, Rows] = vars(predictions).setdefault("_rows_of_models", {})
    if model not in made:
        made[model] = Rows(predictions, model)
    return made[model]
