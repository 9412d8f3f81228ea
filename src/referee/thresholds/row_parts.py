"""Parts: the rows that thresholds are chosen on, and those that they are judged on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.errors import InputError, Notice, UndefinedError, UsageError
from referee.fitting import stratified_folds
from referee.predictions import marked_rows

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.predictions import Predictions


@dataclass(frozen=True, eq=False)
class Parts:
    chosen_on: Predictions
    judged: Predictions
    how: str
    fold: Array | None = None
    """The fold of each row, where choosing and judging take turns."""
    folds: int = 0
    notices: tuple[Notice, ...] = ()


def parts_of(predictions: Predictions, chosen_on: Predictions | tuple[str, str] | None, folds: int, seed: int) -> Parts:
    """What was asked for, or the reason why it cannot be."""
    _refuse(predictions)
    if isinstance(chosen_on, tuple):
        _refuse_elsewhere(predictions)
        rows = marked_rows(predictions, *chosen_on)
        return Parts(predictions.part(rows), predictions.part(~rows), "other_rows")
    if chosen_on is not None:
        _refuse(chosen_on)
        _refuse_others(predictions, chosen_on)
        _refuse_elsewhere(predictions)
        _refuse_elsewhere(chosen_on)
        return Parts(chosen_on, predictions, "other_rows")
    return _cross_fitted(predictions, folds, seed)


def _cross_fitted(predictions: Predictions, folds: int, seed: int) -> Parts:
    if folds < 0 or folds == 1:
        raise UsageError(
            "E_PARAMETER", f"folds={folds}: at least 2 take turns, 0 judges on the rows that are chosen on"
        )
    if folds == 0:
        alone = "" if predictions.has_rows else "; intervals need the rows in memory"
        return Parts(predictions, predictions, "same_rows", notices=(_same_rows(f"as asked{alone}"),))
    _refuse_elsewhere(predictions)
    predictions = predictions.in_canonical_order()
    fold = stratified_folds(predictions, folds, seed)
    if fold is None:
        return Parts(predictions, predictions, "same_rows", notices=(_same_rows("a class is too rare for two folds"),))
    made = int(fold.max()) + 1
    fewer = Notice("W_FOLDS", f"{made} folds instead of {folds}: no more can have a row of each class")
    return Parts(predictions, predictions, "cross_fitted", fold, made, (fewer,) if made < folds else ())


def _refuse_elsewhere(predictions: Predictions) -> None:
    if not predictions.has_rows:
        raise UsageError(
            "E_CROSSFIT",
            "judging on other rows than those that are chosen on needs the rows in memory",
            hint="--folds 0 judges on the rows that the threshold is chosen on; --max-memory allows more",
        )


def _same_rows(why: str) -> Notice:
    what = "the values are those of the rows that the thresholds were chosen on, and flatter them"
    return Notice("W_SAMEROWS", f"{what} ({why})")


def _refuse(predictions: Predictions) -> None:
    """Stop where there is no threshold to choose."""
    if predictions.task == "regression":
        raise UndefinedError(
            "E_CONTINUOUS", f"column {predictions.truth_column!r} holds numbers: thresholds are for classes"
        )
    if predictions.positive is None:
        raise UsageError(
            "E_POSITIVE",
            f"column {predictions.truth_column!r} has {len(predictions.classes)} classes, and a threshold is for two",
            hint="--positive LABEL takes one class (or several: A,B) against the rest",
        )
    for model in predictions.models:
        if model.scores is None and model.class_scores is None:
            raise InputError(
                "E_NOSCORE", f"{model.place}: a threshold needs scores, and the model gives decisions only"
            )


def _refuse_others(judged: Predictions, chosen_on: Predictions) -> None:
    if set(judged.names) != set(chosen_on.names) or judged.classes != chosen_on.classes:
        raise UsageError("E_PARTS", "the rows to choose on have other models or classes than those to judge on")
