"""One method on one model: the map for the rows to come, and what it says of rows that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.applicability import why_not
from referee.calibration.maps import apply_maps, fit_maps, merged_scores
from referee.calibration.methods import METHODS
from referee.errors import InputError, UsageError, did_you_mean
from referee.facts import facts_of_arrays
from referee.metric import metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.calibration.calibrator import Calibrator
    from referee.calibration.cross_fitting import Parts
    from referee.calibration.methods import Map, Method
    from referee.predictions import Model, Predictions


@dataclass(frozen=True, eq=False)
class Fitted:
    """A method, its map for the rows to come, and the model with its scores so mapped."""

    method: Method
    maps: tuple[Map, ...]
    """Fitted on all rows that may be fitted on."""
    classes: tuple[str, ...]
    """In the order of the maps; of two, the positive one is the last."""
    source: str
    """The name of the model before."""
    columns: tuple[str, ...]
    """Its columns in the order of the maps; none where a class has several."""
    model: Model
    """What it says of the judged rows, which it was not fitted on."""
    ranking: Model
    """What the map for the rows to come says of the judged rows: the same ranking as before, if that is kept."""
    merged: int | None
    """How many distinct scores that map makes equal; None if it does not keep their order."""
    rows: int

    @property
    def keeps_ranking(self) -> bool:
        return len(self.classes) == 2 and self.maps[0].strictly_increasing and self.merged == 0

    @property
    def effect(self) -> str:
        """What it does to the ranking, in words."""
        if len(self.classes) == 2:
            return self.method.keeps_ranking
        if self.method.joint:
            return "keeps the most probable class of a row, but not the ranking of rows for a class"
        return "each class against the rest, divided by their sum: most probable class and ranking may change"

    @property
    def calibrator(self) -> Calibrator:
        """The same map as a scikit-learn estimator."""
        from referee.calibration.calibrator import Calibrator

        return Calibrator.of_maps(
            self.method.name, self.classes, self.maps, 1 if len(self.classes) == 2 else len(self.classes)
        )

    def to_json(self) -> str:
        """The calibrator as plain JSON, with the columns that it was fitted on."""
        return self.calibrator.to_json(model=self.source, source_columns=list(self.columns), rows=self.rows)

    def to_dict(self) -> dict[str, Any]:
        return {
            "method": self.method.name,
            "model": self.model.name,
            "assumes": self.method.assumes,
            "ranking": self.effect,
            "keeps_ranking": self.keeps_ranking,
            "merged_scores": self.merged,
            "maps": [dict(one.numbers()) for one in self.maps],
        }


def chosen_methods(
    asked: str | Sequence[str], predictions: Predictions, model: Model
) -> tuple[list[Method], dict[str, str]]:
    """The methods that were asked for and can be used; those that cannot be are refused if they were named."""
    names = list(METHODS) if asked == "all" else asked.split(",") if isinstance(asked, str) else list(asked)
    methods, skipped = [], {}
    facts = facts_of_arrays(predictions, model)
    reason = why_not(metrics["log_loss"], model, facts)
    for name in dict.fromkeys(one.strip() for one in names):
        if name not in METHODS:
            raise UsageError("E_METHOD", f"there is no method {name!r}; {did_you_mean(name, [*METHODS, 'all'])}")
        if METHODS[name].needs == "probabilities" and reason:
            if asked != "all":
                raise InputError(
                    "E_PROBRANGE", f"{model.place}: {name} {reason}", hint="platt and isotonic take any score"
                )
            skipped[name] = "needs probabilities, and the model gives other scores"
        else:
            methods.append(METHODS[name])
    return methods, skipped


def score_columns(predictions: Predictions, model: Model) -> list[Array]:
    """The scores of the positive class, or of each class."""
    if predictions.task == "regression" or (model.scores is None and model.class_scores is None):
        what = "numbers" if predictions.task == "regression" else "decisions"
        raise InputError(
            "E_NOSCORE",
            f"{model.place} gives {what}, and only scores or probabilities of classes can be calibrated",
            hint="give the column with the scores: --model NAME=COLUMN",
        )
    if predictions.positive is None:
        assert model.class_scores is not None
        return [np.asarray(column, float) for column in model.class_scores]
    column = model.scores if model.class_scores is None else model.class_scores[predictions.positive]
    return [np.asarray(column, float)]


def fit_method(method: Method, fitting: Predictions, judged: Predictions, parts: Parts | None) -> Fitted:
    """Fit one method on all rows, and for each part of the judged rows on the others."""
    columns, outcomes, weight = _data(fitting)
    maps = fit_maps(method, columns, outcomes, weight)
    given = score_columns(judged, judged.models[0])
    by_one_map = apply_maps(maps, given)
    found = by_one_map if parts is None else _cross_fitted(method, given, outcomes, weight, parts)
    return Fitted(
        method,
        maps,
        classes=_classes(judged),
        source=judged.models[0].name,
        columns=_columns(judged),
        model=_mapped(judged, method.name, found),
        ranking=_mapped(judged, method.name, by_one_map),
        merged=merged_scores(given[0], by_one_map[0]) if len(given) == 1 else None,
        rows=fitting.rows,
    )


def _classes(predictions: Predictions) -> tuple[str, ...]:
    """In the order of the maps; of two, the positive one last."""
    code, classes = predictions.positive, predictions.classes
    return classes if code is None else (classes[1 - code], classes[code])


def _columns(predictions: Predictions) -> tuple[str, ...]:
    (model,) = predictions.models
    if model.class_scores is None:
        return model.columns
    codes = range(len(predictions.classes)) if predictions.positive is None else [predictions.positive]
    order = model.tie_order or tuple(range(len(predictions.classes)))
    if len(model.columns) != len(order):
        return ()
    return tuple(model.columns[order.index(code)] for code in codes)


def _data(predictions: Predictions) -> tuple[list[Array], Array, Array]:
    columns = score_columns(predictions, predictions.models[0])
    outcomes = predictions.truth if predictions.positive is None else predictions.truth == predictions.positive
    weight = np.ones(predictions.rows) if predictions.weight is None else predictions.weight / predictions.weight_scale
    return columns, outcomes, weight


def _cross_fitted(method: Method, columns: list[Array], outcomes: Array, weight: Array, parts: Parts) -> list[Array]:
    found = [np.empty_like(column) for column in columns]
    for fitted, judged in parts.splits():
        maps = fit_maps(method, [column[fitted] for column in columns], outcomes[fitted], weight[fitted])
        for whole, piece in zip(found, apply_maps(maps, [column[judged] for column in columns]), strict=True):
            whole[judged] = piece
    return found


def _mapped(predictions: Predictions, method: str, columns: list[Array]) -> Model:
    """The same model with other scores; its own decisions, if it had any, were made before."""
    before = predictions.models[0]
    mapped = replace(before, name=f"{before.name}+{method}", labels=None, scores=None, class_scores=None)
    if predictions.positive is None:
        return replace(mapped, class_scores=tuple(columns))
    return replace(mapped, scores=columns[0])
