"""Which rows a map is fitted on and which it is judged on: never the same ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from referee.errors import UndefinedError
from referee.predictions import Units
from referee.taking_turns import rows_of, stratified_folds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.predictions import Predictions


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
        found, codes = np.unique(self.codes, return_inverse=True)
        return Units(codes, tuple(str(code + 1) for code in found))


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
    name = predictions.classes[int(rows_of(predictions).rarest()[0])]
    what = "row" if predictions.clusters is None else "group"
    raise UndefinedError(
        "E_FEWROWS",
        f"class {name!r} has one {what} only, and a map must be judged on other rows than it was fitted on",
        hint="more rows; or fit on other rows with --fit-on COL=VALUE",
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
                hint="leave --fold out: stratified folds are drawn then",
            )
