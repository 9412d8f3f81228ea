"""One method on one model: the map for the rows to come, and what it says of rows that it has not seen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.calibration.events import CLIP
from referee.calibration.methods import METHODS, Map, Method
from referee.document import counted
from referee.errors import InputError, Notice, UsageError, did_you_mean
from referee.predictions import Model, Predictions, facts_of_arrays
from referee.records import dataclass
from referee.scoring import metrics, why_not

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.calibration.calibrator import Calibrator
    from referee.calibration.division import Parts


def fit_maps(method: Method, columns: list[Array], truth: Array, weight: Array) -> tuple[Map, ...]:
    """One map for one column (truth: came true or not); of several classes (truth: their codes) one for each.

    A joint method has one map for all.
    """
    if len(columns) == 1:
        return (method.fit(columns, truth.astype(bool), weight),)
    if method.joint:
        return (method.fit(columns, truth, weight),)
    return tuple(method.fit([column], truth == code, weight) for code, column in enumerate(columns))


def apply_maps(maps: Sequence[Map], columns: list[Array]) -> list[Array]:
    """The probability of the event, or of each class: each against the rest, divided by their sum."""
    with np.errstate(over="ignore"):  # infinite log odds are a probability of 0 or 1
        if len(maps) == 1:
            return maps[0](columns)
        each = [of_class([column])[0] for of_class, column in zip(maps, columns, strict=True)]
    total = np.sum(each, axis=0)
    # Isotonic maps may give 0 to every class.
    return [np.where(total > 0, column / np.where(total > 0, total, 1), 1 / len(each)) for column in each]


def merged_scores(before: Array, after: Array) -> int | None:
    """How many distinct scores a rising map has made equal; None if the order is not kept at all."""
    distinct, first = np.unique(before, return_index=True)
    steps = np.diff(after[first])
    return None if (steps < 0).any() else int(np.count_nonzero(steps == 0)) if len(distinct) > 1 else 0


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
    by_one_map: Model
    """What the map for the rows to come says of the judged rows."""
    merged: int | None
    """How many distinct scores that map makes equal; None if it does not keep their order."""
    rows: int
    """How many it was fitted on."""
    inputs: int
    """How many columns of scores it takes."""
    parts: Parts | None
    """The folds that `model` was cross-fitted in; None if one map has judged all rows."""

    @property
    def of_one_event(self) -> bool:
        """Whether there is one map, of the last of two classes."""
        return len(self.classes) == 2

    @property
    def has_one_order(self) -> bool:
        """Whether the order of scores is the same whatever rows the map was fitted on: as before, or none at all."""
        return self.of_one_event and (self.maps[0].strictly_increasing or self.is_constant)

    @property
    def is_constant(self) -> bool:
        return self.of_one_event and self.maps[0].constant

    @property
    def keeps_ranking(self) -> bool:
        return self.of_one_event and self.maps[0].strictly_increasing and self.merged == 0

    @property
    def effect(self) -> str:
        """What it does to the ranking, in words."""
        if self.of_one_event:
            return self.method.keeps_ranking
        if self.method.joint:
            return "keeps the most probable class of a row, but not the ranking of rows for a class"
        return "each class against the rest, divided by their sum: most probable class and ranking may change"

    @property
    def calibrator(self) -> Calibrator:
        """The same map as a scikit-learn estimator."""
        from referee.calibration.calibrator import Calibrator

        return Calibrator.of_maps(self.method.name, self.classes, self.maps, self.inputs)

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
            "maps": [dict(fitted.numbers()) for fitted in self.maps],
        }


def chosen_methods(
    asked: str | Sequence[str], predictions: Predictions, model: Model
) -> tuple[list[Method], dict[str, str]]:
    """The methods that were asked for and can be used; those that cannot be are refused if they were named."""
    named = [word.strip() for word in (asked.split(",") if isinstance(asked, str) else asked)]
    names = list(METHODS) if "all" in named else named
    if not any(named):
        raise UsageError("E_METHOD", "no method was named", hint=f"the choices are {', '.join([*METHODS, 'all'])}")
    methods, skipped = [], {}
    facts = facts_of_arrays(predictions, model)
    reason = why_not(metrics["log_loss"], model, facts)
    for name in dict.fromkeys(names):
        if name not in METHODS:
            raise UsageError("E_METHOD", f"there is no method {name!r}; {did_you_mean(name, [*METHODS, 'all'])}")
        if METHODS[name].needs == "probabilities" and reason:
            if name in named:
                raise InputError(
                    "E_PROBRANGE", f"{model.place}: {name} {reason}", hint="platt and isotonic take any score"
                )
            skipped[name] = "needs probabilities, and the model gives other scores"
        else:
            methods.append(METHODS[name])
    return methods, skipped


def score_columns(predictions: Predictions, model: Model) -> list[Array]:
    """The scores of the event, or of each class."""
    if not predictions.classes or (model.scores is None and model.class_scores is None):
        what = "decisions" if predictions.classes else "numbers"
        raise InputError(
            "E_NOSCORE",
            f"{model.place} gives {what}, and only scores or probabilities of classes can be calibrated",
            hint="give the column with the scores: --model NAME=COLUMN",
        )
    if model.class_scores is None:
        return [np.asarray(model.scores, float)]
    event = _event(predictions)
    chosen = model.class_scores if event is None else (model.class_scores[event],)
    return [np.asarray(column, float) for column in chosen]


def _event(predictions: Predictions) -> int | None:
    """The class that is mapped alone: of two the positive one, or the last if none is; the other is what it leaves."""
    if predictions.positive is not None:
        return predictions.positive
    return 1 if len(predictions.classes) == 2 else None


def fit_method(method: Method, fitting: Predictions, judged: Predictions, parts: Parts | None) -> Fitted:
    """Fit one method on all rows, and for each part of the judged rows on the others."""
    columns, outcomes, weight = _data(fitting)
    maps = fit_maps(method, columns, outcomes, weight)
    given = score_columns(judged, judged.models[0])
    mapped = apply_maps(maps, given)
    by_parts = mapped if parts is None else _cross_fitted(method, given, outcomes, weight, parts)
    by_one_map = _mapped(judged, method.name, mapped)
    return Fitted(
        method,
        maps,
        classes=_classes(judged),
        source=judged.models[0].name,
        columns=_columns(judged),
        model=_mapped(judged, method.name, by_parts),
        by_one_map=by_one_map,
        merged=_merged(judged, by_one_map),
        rows=round(fitting.rows_seen),
        inputs=1 if judged.positive is not None else len(judged.classes),
        parts=parts,
    )


def _merged(predictions: Predictions, after: Model) -> int | None:
    """Of one event; where no class is the positive one, in the columns of both."""
    if _event(predictions) is None:
        return None
    before = predictions.models[0]
    if after.scores is not None:
        (given,) = score_columns(predictions, before)
        return merged_scores(given, after.scores)
    assert before.class_scores is not None
    assert after.class_scores is not None
    each = [merged_scores(*pair) for pair in zip(before.class_scores, after.class_scores, strict=True)]
    return None if None in each else sum(count or 0 for count in each)


def _classes(predictions: Predictions) -> tuple[str, ...]:
    """In the order of the maps; of two, the one that is mapped last."""
    code, classes = _event(predictions), predictions.classes
    return classes if code is None else (classes[1 - code], classes[code])


def _columns(predictions: Predictions) -> tuple[str, ...]:
    (model,) = predictions.models
    if model.class_scores is None:
        return model.columns
    event = _event(predictions)
    codes = range(len(predictions.classes)) if event is None else [event]
    order = model.tie_order or tuple(range(len(predictions.classes)))
    if len(model.columns) != len(order):
        return ()
    return tuple(model.columns[order.index(code)] for code in codes)


def _data(predictions: Predictions) -> tuple[list[Array], Array, Array]:
    columns, event = score_columns(predictions, predictions.models[0]), _event(predictions)
    outcomes = predictions.truth if event is None else predictions.truth == event
    return columns, outcomes, predictions.weights_in_rows


def _cross_fitted(method: Method, columns: list[Array], outcomes: Array, weight: Array, parts: Parts) -> list[Array]:
    whole_columns = [np.empty_like(column) for column in columns]
    for fitted, judged in parts.splits():
        maps = fit_maps(method, [column[fitted] for column in columns], outcomes[fitted], weight[fitted])
        for whole, piece in zip(whole_columns, apply_maps(maps, [column[judged] for column in columns]), strict=True):
            whole[judged] = piece
    return whole_columns


def _mapped(predictions: Predictions, method: str, columns: list[Array]) -> Model:
    """The same model with other scores; its own decisions, if it had any, were made before."""
    before = predictions.models[0]
    mapped = replace(before, name=f"{before.name}+{method}", labels=None, scores=None, class_scores=None)
    if predictions.positive is not None:
        return replace(mapped, scores=columns[0])
    both = (1 - columns[0], columns[0])
    return replace(mapped, class_scores=both if len(columns) == 1 else tuple(columns))


FEW_ROWS = 50
"""Of the rarer class: below, a map is mostly noise."""
FEW_FOR_STAIRS = 1000
"""Niculescu-Mizil and Caruana (2005): with fewer rows isotonic regression overfits."""


def notices_of(predictions: Predictions, fitting: Predictions, fitted: Sequence[Fitted]) -> tuple[Notice, ...]:
    """Warnings that belong to a calibration of `predictions` by maps that were fitted on `fitting`."""
    of_maps = (notice for method in fitted for notice in (*_about_map(method), *_about_certainty(predictions, method)))
    return (*predictions.notices, *_about_rows(fitting, fitted), *of_maps)


def _about_rows(predictions: Predictions, fitted: Sequence[Fitted]) -> Iterator[Notice]:
    rows = np.rint(predictions.rows_of_classes).astype(np.int64)
    rarest = int(rows.argmin())
    if rows[rarest] < FEW_ROWS:
        yield Notice(
            "W_FEWROWS",
            f"class {predictions.classes[rarest]!r} has {rows[rarest]:,} rows to fit on, and a map fitted to fewer "
            f"than {FEW_ROWS} is mostly noise",
        )
    stairs = [isotonic for isotonic in fitted if isotonic.method.name == "isotonic" and isotonic.rows < FEW_FOR_STAIRS]
    for isotonic in stairs:
        yield Notice(
            "W_ISOTONIC",
            f"isotonic regression was fitted to {isotonic.rows:,} rows; with fewer than {FEW_FOR_STAIRS:,} it follows "
            "noise",
        )
    if predictions.clusters is not None:
        yield Notice(
            "W_GROUPED",
            "rows come in groups: the comparisons and tests take groups together, but the bands and the expected "
            "calibration error take the rows as independent, and are too narrow",
        )


def _about_certainty(predictions: Predictions, fitted: Fitted) -> Iterator[Notice]:
    """A map that says 0 or 1 is punished without limit where it is wrong."""
    if impossible := facts_of_arrays(predictions, fitted.model).impossible:
        yield Notice(
            "W_CLIPPED",
            f"{fitted.method.name} gives probability 0 to what came true in {counted(impossible, 'row')}; log_loss "
            "uses "
            f"{CLIP:.3g} instead (clip=0 gives the exact infinity)",
        )


def _about_map(fitted: Fitted) -> Iterator[Notice]:
    name = fitted.method.name
    if name == "isotonic" or not fitted.of_one_event:
        return
    if fitted.is_constant:
        yield Notice(
            "W_FALLING",
            f"{name}: no map that rises is better than none, so the scores are worthless or reversed, and every row "
            "gets the same probability",
        )
    elif not fitted.maps[0].strictly_increasing:
        yield Notice(
            "W_FALLING",
            f"{name}: the fitted map falls, which turns the ranking round: higher scores become lower probabilities. "
            "The scores are worthless or reversed; find out which before you use this map",
        )
    elif fitted.merged:
        yield Notice(
            "W_MERGED",
            f"{name}: {fitted.merged:,} neighbouring scores become equal in 64 bits, which makes ties",
        )
    elif fitted.merged is None:
        yield Notice("W_MERGED", f"{name}: rounding to 64 bits swaps neighbouring scores")
