"""What must be known of all rows before summaries can be made of pieces: facts, sizes, and rows of each class."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from referee.arrays import largest, scale_to_one
from referee.facts import MANY_ROWS, Facts, facts_of_arrays, narrow_ties
from referee.predictions import Units

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.columns.stream_layout import Layout
    from referee.predictions import Model, Predictions


@dataclass(frozen=True, eq=False)
class Cells:
    """Rows of each group of rows and class, or of each group where the truth is a number."""

    rows: Array
    weight: Array
    total: Array
    """Weighted sum of the truth, where it is a number."""

    def merge(self, other: Cells) -> Cells:
        return Cells(*(mine + theirs for mine, theirs in zip(vars(self).values(), vars(other).values(), strict=True)))


def cells_of(piece: Predictions, groups: Array | int, count: int, scale: float = 1.0) -> Cells:
    """Count the rows of a piece; `groups` is each row's group."""
    classes = len(piece.classes) or 1
    truth = piece.truth if piece.classes else 0
    key = np.broadcast_to(groups * np.int64(classes) + truth, piece.rows)
    rows, weight = np.bincount(key, minlength=count * classes), piece.weight
    weights = rows if weight is None else np.bincount(key, weight, len(rows))
    total: Array = np.zeros(len(rows))
    if piece.task == "regression":
        values = piece.truth * scale
        total = np.bincount(key, values if weight is None else values * weight, len(rows))
    return Cells(*(each.reshape(count, classes) for each in (rows, weights, total)))


def groups_of(piece: Predictions, by: Units | None) -> Array | int:
    """The rows that a baseline is the mean of: as `Baseline` has it."""
    if piece.fold is None or not has_folds(piece):
        return 0 if by is None else by.codes.astype(np.int64)
    repeat: Any = piece.repeat.codes.astype(np.int64) if piece.repeat else 0
    return repeat * len(piece.fold) + piece.fold.codes


def has_folds(predictions: Predictions) -> bool:
    """Whether there are other folds to take a mean of."""
    return predictions.fold is not None and len(predictions.fold) > 1


def group_count(predictions: Predictions, by: Units | None) -> int:
    if predictions.fold is None or not has_folds(predictions):
        return 1 if by is None else len(by)
    return len(predictions.fold) * (len(predictions.repeat) if predictions.repeat else 1)


def cells_by(layout: Layout, by: Units | None, *, scale: float = 1.0, folds: bool = False) -> Cells:
    """One pass over the truth: rows of each unit, or of each group that a baseline is the mean of."""
    count = group_count(layout.template, by) if folds else len(by) if by else 1
    made = []
    for piece in layout.pieces():
        units = units_in(piece, by)
        groups = groups_of(piece, units) if folds else 0 if units is None else units.codes.astype(np.int64)
        made.append(cells_of(piece, groups, count, scale))
    return reduce(Cells.merge, made)


@dataclass(eq=False)
class Survey:
    """One pass over everything."""

    facts: dict[str, Facts] = field(default_factory=dict)
    largest: dict[str, float] = field(default_factory=dict)
    """The largest size of a number in each model's columns; that of the truth stands under ''."""
    cells: Cells | None = None
    narrow: dict[str, list[Array]] = field(default_factory=dict)

    def look(self, piece: Predictions, *, few: bool) -> None:
        cells = cells_of(piece, 0, 1)
        self.cells = cells if self.cells is None else self.cells.merge(cells)
        if piece.task == "regression":
            self._measure("", piece.truth)
        for model in piece.models:
            found = facts_of_arrays(piece, model, ties=False)
            self.facts[model.name] = self.facts[model.name].merge(found) if model.name in self.facts else found
            if piece.task == "regression":
                for column in model.given_columns():
                    self._measure(model.name, column)
            if few and model.scores is not None and model.scores.dtype == np.float32:
                self.narrow.setdefault(model.name, []).append(model.scores)

    def _measure(self, name: str, column: Array) -> None:
        self.largest[name] = max(self.largest.get(name, 0.0), largest(column))

    def finish(self) -> None:
        for name, parts in self.narrow.items():
            distinct, rows = np.unique(np.concatenate(parts)), sum(map(len, parts))
            self.facts[name] = replace(self.facts[name], narrow_ties=narrow_ties(distinct, rows))
        self.narrow = {}

    def scale(self, model: Model) -> float:
        """The power of two by which numbers are multiplied so that their squares are finite."""
        if not self.largest:
            return 1.0
        columns: list[Any] = model.given_columns()
        sizes = [abs(column.constant) for column in columns if column.constant is not None]
        return scale_to_one(max(self.largest[""], self.largest.get(model.name, 0.0), *sizes, 0.0))


_made: WeakKeyDictionary[Layout, Survey] = WeakKeyDictionary()


def survey_of(layout: Layout) -> Survey:
    """The survey of all rows, made once."""
    if layout not in _made:
        survey = Survey()
        for piece in layout.pieces(list(layout.found)):
            survey.look(piece, few=layout.rows <= MANY_ROWS)
        survey.finish()
        _made[layout] = survey
    return _made[layout]


def units_in(piece: Predictions, by: Units | None) -> Units | None:
    """The units of a piece's rows."""
    codes: Any = None if by is None else by.codes
    return None if by is None else Units(codes.of(piece), by.names)
