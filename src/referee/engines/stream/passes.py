"""Passes over rows that come in pieces: what must be known of all of them, and what is made of each."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from referee.arrays import largest, scale_to_one
from referee.engines.kernels import RunningSums
from referee.engines.memory.baseline import Baseline
from referee.engines.memory.rows import Rows
from referee.engines.memory.summary import BLOCK, Summary
from referee.engines.stream.rankings import Keys
from referee.predictions import MANY_ROWS, Facts, Units, facts_of_arrays, narrow_ties

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from referee.arrays import Array
    from referee.engines.summaries import Sums
    from referee.predictions import Layout, Model, Predictions
    from referee.scoring import Metric


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
            facts = facts_of_arrays(piece, model, ties=False)
            self.facts[model.name] = self.facts[model.name].merge(facts) if model.name in self.facts else facts
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
        for piece in layout.pieces(list(layout.candidates)):
            survey.look(piece, few=layout.rows <= MANY_ROWS)
        survey.finish()
        _made[layout] = survey
    return _made[layout]


def units_in(piece: Predictions, by: Units | None) -> Units | None:
    """The units of a piece's rows."""
    codes: Any = None if by is None else by.codes
    return None if by is None else Units(codes.in_piece(piece), by.names)


@dataclass(frozen=True)
class Known:
    """Of all rows."""

    scale: float
    are_probabilities: bool
    groups: Cells | None = None
    """Rows of each group that a baseline is the mean of, where a metric needs one."""
    row_weight: float = 1.0


class PieceRows(Rows):
    """Rows of a piece."""

    def __init__(self, predictions: Predictions, model: Model, known: Known) -> None:
        super().__init__(predictions, model)
        self.__dict__.update(scale=known.scale, are_probabilities=known.are_probabilities)


class PieceBaseline(Baseline):
    """The mean over all rows, not over those of the piece."""

    def __init__(self, rows: Rows, by: Units | None, known: Known) -> None:
        super().__init__(rows, by)
        self.known = known

    @property
    def row_weight(self) -> float:
        return self.known.row_weight

    def _classes(self) -> tuple[Array, Array]:
        assert self.known.groups is not None
        totals = self.known.groups.weight.astype(float)
        return totals.sum(axis=1, keepdims=True), totals

    def _numbers(self) -> tuple[Array, Array]:
        assert self.known.groups is not None
        return self.known.groups.weight.astype(float), self.known.groups.total


class Piece(Summary):
    """The summaries of a piece."""

    def __init__(self, predictions: Predictions, model: Model, by: Units | None, known: Known) -> None:
        model, units = model_in(predictions, model), units_in(predictions, by)
        # Rows of its own: others are kept for the next grouping, but a piece is gone by then.
        super().__init__(predictions, model, units, PieceRows(predictions, model, known))
        self.baseline = PieceBaseline(self.rows, units, known)

    def parts(self) -> Iterator[slice]:
        """Blocks of rows, so that what is made of them stays in the processor's cache."""
        return (slice(start, start + BLOCK) for start in range(0, self.predictions.rows, BLOCK))

    def terms(self, metric: Metric, part: slice) -> dict[str, Array]:
        return self.rows.row_terms(metric, self.baseline, part)

    @cached_property
    def cells(self) -> Array:
        """The unit and true class of each row, as one number."""
        offset: Any = self._unit_offset(len(self.predictions.classes) or 1)
        return np.broadcast_to(
            offset + (self.predictions.truth if self.predictions.classes else 0), self.predictions.rows
        )


def model_in(piece: Predictions, model: Model) -> Model:
    """What the model said of the rows of a piece."""

    def taken(column: Any) -> Any:
        return None if column is None else column.in_piece(piece)

    return replace(
        model,
        scores=taken(model.scores),
        labels=taken(model.labels),
        values=taken(model.values),
        class_scores=model.class_scores and tuple(taken(column) for column in model.class_scores),
        quantiles=model.quantiles and {level: taken(column) for level, column in model.quantiles.items()},
    )


SCORES = "scores"
"""The column of a model with one score, that of the positive class."""


class Adding:
    """Sums of several metrics while a pass goes on."""

    def __init__(self, metrics: Mapping[object, Metric], *, by_unit: bool) -> None:
        self.metrics, self.by_unit = metrics, by_unit
        self.running = {key: RunningSums() for key in metrics}
        self.merged: dict[object, Sums] = {}

    def add(self, piece: Piece) -> None:
        if self.by_unit:
            for key, metric in self.metrics.items():
                sums = piece.sums(metric)
                sums = replace(sums, deviations=sums.moments)  # as long as the piece is there
                self.merged[key] = self.merged[key].merge(sums) if key in self.merged else sums
            return
        for part in piece.parts():
            weight = None if piece.weight is None else piece.weight[part]
            for key, metric in self.metrics.items():
                self.running[key].add(piece.terms(metric, part), weight)

    @property
    def total(self) -> dict[object, Sums]:
        return self.merged if self.by_unit else {key: running.total for key, running in self.running.items()}


class Collecting:
    """Keys of some columns while a pass goes on; sorted at its end."""

    def __init__(
        self,
        columns: Sequence[object],
        positive: int | None,
        rows: Callable[[], Array],
        claim: Callable[[np.dtype[Any]], None],
    ) -> None:
        self.columns, self.positive, self.rows, self.claim = columns, positive, rows, claim
        self.keys: dict[object, Keys] = {}

    def __enter__(self) -> Collecting:
        return self

    def add(self, piece: Piece) -> None:
        for column in self.columns:
            code: Any = self.positive if column == SCORES else column
            scores = piece.rows.score(code)
            if column not in self.keys:
                if not self.keys:
                    self.claim(scores.dtype)
                self.keys[column] = Keys(self.rows(), scores.dtype)
            self.keys[column].add(scores, piece.cells)

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            for keys in self.keys.values():
                keys.sort()


def terms_key(metric: Metric) -> object:
    """Metrics with the same row terms and settings have the same sums."""
    assert metric.row_terms is not None
    settings = metric.formula_settings(metric.row_terms)
    return metric.row_terms, metric.needs, tuple(sorted(settings.items()))
