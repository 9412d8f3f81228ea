"""Rows to fit on and rows to judge, as the user divides them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from referee.errors import UndefinedError, UsageError
from referee.fitting import rows_of, stratified_folds
from referee.predictions import Predictions, Units, column_and_value, marked_rows
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array


def divided(predictions: Predictions, fit_on: str | Array) -> tuple[Predictions, Predictions, str]:
    """The rows to fit on, those to judge, and both in words; `fit_on` is COL=VALUE, or true for rows to fit on."""
    where = f" ({fit_on})" if isinstance(fit_on, str) else ""
    fit_on = _fitted_on(predictions, fit_on)
    if len(fit_on) != predictions.rows:
        raise UsageError("E_LENGTH", f"fit_on has {len(fit_on):,} values for {predictions.rows:,} rows")
    count = int(fit_on.sum())
    if not 0 < count < predictions.rows:
        which = "no row" if not count else "every row"
        raise UsageError("E_FITON", f"{which} is to be fitted on: some rows must be fitted on, and others evaluated")
    fitting, judged = predictions.part(fit_on), predictions.part(~fit_on)
    refuse_one_class(fitting)
    _refuse_shared_groups(fitting, judged)
    return fitting, judged, f"fitted on {count:,} rows{where}, judged on the other {predictions.rows - count:,}"


def _fitted_on(predictions: Predictions, chosen: str | Array) -> Array:
    if isinstance(chosen, str):
        return marked_rows(predictions, *column_and_value("--fit-on", chosen))
    try:
        return np.asarray(chosen, bool)
    except ValueError:
        raise UsageError("E_FITON", "fit_on must be True or False for each row") from None


def refuse_repeats_of_unknown_rows(predictions: Predictions) -> None:
    """Without an id the other predictions of a row would be fitted on, where the row is judged."""
    if predictions.repeat is not None and len(predictions.repeat) > 1 and predictions.clusters is None:
        raise UsageError(
            "E_REPEATS",
            f"rows were predicted in {len(predictions.repeat)} repeats, and it is not known which predictions belong "
            "to the same row: a map could be evaluated on rows that it was fitted on",
            hint="name the column that identifies a row: --id COL",
        )


def _refuse_shared_groups(fitting: Predictions, judged: Predictions) -> None:
    if fitting.clusters is None or judged.clusters is None:
        return
    shared = np.intersect1d(fitting.clusters.codes, judged.clusters.codes)
    if len(shared):
        raise UsageError(
            "E_FITON",
            f"group {fitting.clusters.names[int(shared[0])]!r} has rows on both sides, to fit on and to evaluate",
            hint="divide by whole groups, or leave --fit-on out",
        )


def refuse_one_class(predictions: Predictions) -> None:
    weights = np.bincount(predictions.truth, predictions.weight, len(predictions.classes))
    if (weights <= 0).any():
        missing = predictions.classes[int(np.argmin(weights))]
        place = ": ".join(filter(None, [predictions.source, f"column {predictions.truth_column!r}"]))
        raise UndefinedError("E_ONECLASS", f"{place}: no row of class {missing!r}, and a map needs all outcomes")


@dataclass(frozen=True, eq=False)
class Parts:
    """The part that each judged row belongs to: its map is fitted on all other parts."""

    codes: Array
    count: int
    how: str

    def splits(self) -> Iterator[tuple[Array, Array]]:
        """Rows to fit on, and rows to judge."""
        for code in range(self.count):
            judged = self.codes == code
            if judged.any():
                yield np.flatnonzero(~judged), np.flatnonzero(judged)

    @cached_property
    def units(self) -> Units:
        """The parts that hold rows."""
        held, codes = np.unique(self.codes, return_inverse=True)
        return Units(codes, tuple(str(code + 1) for code in held))


def cross_fitting(predictions: Predictions, folds: int, seed: int) -> Parts:
    """The folds that rows were predicted in, where these are known; else new ones that divide no group."""
    clusters = predictions.clusters
    if predictions.fold is not None and clusters is None and len(predictions.fold) > 1:
        parts = Parts(predictions.fold.codes, len(predictions.fold), "cross-fitted over the folds of the predictions")
    else:
        parts = _new_folds(predictions, folds, seed)
    _refuse_without_classes(predictions, parts)
    return parts


def _new_folds(predictions: Predictions, folds: int, seed: int) -> Parts:
    codes = stratified_folds(predictions, folds, seed)
    if codes is None:
        _refuse_a_single_one(predictions)
    count = int(codes.max()) + 1
    whole = "" if predictions.clusters is None else " of whole groups"
    return Parts(codes, count, f"cross-fitted in {count} stratified folds{whole}, seed {seed}")


def _refuse_a_single_one(predictions: Predictions) -> NoReturn:
    name = rows_of(predictions).rarest()[0]
    what = "row" if predictions.clusters is None else "group"
    raise UndefinedError(
        "E_FEWROWS",
        f"class {name!r} has only one {what}, and a map must be evaluated on rows that it was not fitted on",
        hint="use more rows, or fit on other rows with --fit-on COL=VALUE",
    )


def _refuse_without_classes(predictions: Predictions, parts: Parts) -> None:
    """Every map must have seen every class."""
    weight = predictions.weight
    for fitted, judged in parts.splits():
        seen = np.bincount(
            predictions.truth[fitted], None if weight is None else weight[fitted], len(predictions.classes)
        )
        if (seen <= 0).any():
            name = predictions.classes[int(np.argmin(seen))]
            raise UndefinedError(
                "E_ONECLASS",
                f"without the part that holds row {int(judged[0]) + 1:,} there is no row of class {name!r} to fit on",
                hint="omit --fold: stratified folds are then drawn",
            )
