"""From tables and roles to Predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from referee.arrays import largest, scale_to_one
from referee.errors import InputError, Notice, SafetyError, UndefinedError, UsageError
from referee.predictions.account import (
    account_of,
    class_columns,
    fold_notices,
    id_like_notices,
    label_types,
    lookalike_names,
    refuse_repeated,
    same_file,
    stray_labels,
    unused_notes,
)
from referee.predictions.alignment import AlignedTable, align, drop_labelled, dropped_notices
from referee.predictions.cell_labels import coded
from referee.predictions.cells import numbers
from referee.predictions.engine_choice import left_where_they_are, other_engine
from referee.predictions.id_like import with_id_like
from referee.predictions.label_rows import rows_of_labels
from referee.predictions.locations import expanded, read_table
from referee.predictions.model_cells import make_model, rounded_notices, with_decisions
from referee.predictions.model_columns import class_names, find_models
from referee.predictions.predictions import Predictions
from referee.predictions.query_rows import queries_as_rows, refuse_negative
from referee.predictions.table import ReadOptions, Table
from referee.predictions.times import times
from referee.predictions.truth import refuse_without_positive, understand_truth
from referee.predictions.units import Instants, Units
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.predictions.model_columns import ModelColumns
    from referee.predictions.roles import Roles
    from referee.predictions.truth import Truth

SomePredictions = TypeVar("SomePredictions", bound=Predictions)
ROWS_OF_IDS = "the rows of each id are combined"
"""Why rows that were predicted in several splits are read."""
MOST_SEEN = 2**53
"""Times that a row may have been seen: up to there every whole number is a float."""


def read_predictions(
    kind: type[SomePredictions], given: Sequence[Any], roles: Roles, options: ReadOptions | None
) -> SomePredictions:
    """Read the sources, bring them to the same rows and understand their columns."""
    if not given:
        raise UsageError("E_NOSOURCE", "no source was given", hint="give a file, a folder, a database table or a frame")
    given = [source for each in given for source in expanded(each)]
    options = options or ReadOptions()
    if options.push_down and roles.id is not None and (roles.fold or roles.repeat):
        options = replace(options, push_down=False, why_rows=options.why_rows or ROWS_OF_IDS)
    in_memory = len(given) > 1 or roles.task in ("ranking", "multilabel")
    elsewhere = None if in_memory else left_where_they_are(kind, given[0], roles, options)
    if elsewhere is not None:
        return elsewhere
    if options.engine not in ("auto", "memory"):
        raise other_engine(given, roles, options)
    tables = [_read(source, roles, options) for source in given]
    return tables_to_predictions(kind, tables, roles, same_file(given))


def _read(source: Any, roles: Roles, options: ReadOptions) -> Table:
    """A table whose rows are in no order if it is a database's, so that only ids tell them apart."""
    from referee.predictions.database_source import is_in_database

    try:
        table = read_table(source, options)
    except SafetyError as error:
        if options.why_rows is None or not is_in_database(source):
            raise
        message = f"{error.message}; rows of a database are read where sums are not enough: {options.why_rows}"
        raise SafetyError(error.code, message, hint=error.hint) from error
    has_ids = roles.id in table.columns.column_names and is_in_database(source)
    return replace(table, ids=roles.id) if has_ids else table


def tables_to_predictions(
    kind: type[SomePredictions],
    tables: Sequence[Table],
    roles: Roles,
    notices: Sequence[Notice] = (),
    *,
    labels: LabelRows | None = None,
) -> SomePredictions:
    """Understand the columns of tables that have been read.

    `labels` are those of a larger table, where these are sketches of it.
    """
    if labels is None:
        kept, left_out = drop_labelled(tables, roles) if roles.task != "multilabel" else (list(tables), {})
        labels = LabelRows(left_out=left_out)
    else:
        kept = list(tables)
    sources, dropped = align(kept, roles)
    first = sources[0]
    if roles.task == "multilabel":
        return rows_of_labels(kind, sources, roles, (*notices, *dropped), _row_columns(sources, roles))
    roles = with_id_like(sources, roles)
    named = find_models(sources, roles)
    refuse_repeated(named)
    truth = understand_truth(first.table, roles, class_names(named), labels.rows_of, first.order)
    refuse_without_positive(first.table, roles, truth)
    candidates, doubts = with_decisions(named, truth)
    models, kinds_of_labels = zip(*(make_model(candidate, truth, roles.truth) for candidate in candidates), strict=True)
    account = account_of(sources, candidates, models, truth, roles, labels.left_out, labels.head)
    made = kind(
        task=truth.task,
        truth=first.align(truth.values),
        models=tuple(models),
        classes=truth.classes,
        order_said=truth.order_said,
        positive=truth.positive,
        **_row_columns(sources, roles),
        baseline=None if roles.baseline is None else _numbers(_holder(sources, roles.baseline), roles.baseline),
        notices=(
            *notices,
            *dropped_notices(labels.left_out, roles.truth),
            *dropped,
            *_column_notices(first, candidates, truth, roles, doubts, kinds_of_labels),
            *fold_notices(sources, candidates, roles),
            *rounded_notices(models),
        ),
        notes=(*_notes_of(tables), *unused_notes(sources, candidates, roles), *account.notes()),
        account=account,
    )
    if (queries := _units(sources, roles.query)) is None or roles.query is None:
        return made
    refuse_negative(first.table, roles.truth)
    return queries_as_rows(made, roles.query, queries, roles.by)


def _notes_of(tables: Sequence[Table]) -> Iterator[str]:
    yield from (f"{table.name}: {note}" for table in tables for note in table.notes)


def _column_notices(
    first: AlignedTable,
    candidates: Sequence[ModelColumns],
    truth: Truth,
    roles: Roles,
    doubts: Sequence[Notice],
    kinds_of_labels: Sequence[str | None],
) -> Iterator[Notice]:
    """What is odd about the columns of the truth and of the models."""
    yield from id_like_notices(first, roles)
    yield from lookalike_names(candidates)
    yield from class_columns(first, candidates, truth, roles)
    yield from doubts
    yield from label_types(truth, first, candidates, kinds_of_labels, roles)
    yield from stray_labels(truth, candidates, roles)


def _row_columns(sources: Sequence[AlignedTable], roles: Roles) -> dict[str, Any]:
    """What is said of rows, whatever is true of them."""
    return {
        **_weight(sources, roles),
        "weight_kind": roles.weight_kind,
        "fold": _units(sources, roles.fold),
        "repeat": _units(sources, roles.repeat),
        "group": _units(sources, roles.group),
        "time": None if roles.time is None else _instants(_holder(sources, roles.time), roles.time),
        "example": _examples(sources, roles),
        "slices": Slices(sources, roles.by),
        "threshold": roles.threshold,
        "truth_column": roles.truth,
        "source": sources[0].table.name,
    }


@dataclass(frozen=True)
class LabelRows:
    """How many rows the labels of the truth have, and the first rows, of a larger table."""

    rows_of: Mapping[str, int] | None = None
    """None: to be counted."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Of labels whose rows were dropped."""
    head: Table | None = None


def _holder(sources: Sequence[AlignedTable], column: str) -> AlignedTable:
    """The first source that has a column."""
    return next((source for source in sources if column in source.table.columns.column_names), sources[0])


def _numbers(source: AlignedTable, column: str) -> Array:
    return source.align(numbers(source.table, column))


def _instants(source: AlignedTable, column: str) -> Instants:
    return Instants.of(source.align(times(source.table, column)))


def _weight(sources: Sequence[AlignedTable], roles: Roles) -> dict[str, Any]:
    """The weights, brought near 1 if they are extreme, and by how much."""
    if roles.weight is None:
        return {}
    source = _holder(sources, roles.weight)
    weight = weights(source.table, roles.weight, roles.weight_kind)
    scale = scale_to_one(largest(weight))
    weight = source.align(weight * scale)
    if not weight.any():
        raise no_weight(source.table, roles.weight)
    return {"weight": weight, "weight_scale": scale}


def weights(table: Table, column: str, kind: str = "probability") -> Array:
    """The rows' weights as they are written; none may be negative, nor stand for more rows than can be counted."""
    try:
        weight = numbers(table, column).astype(float)
    except InputError as error:
        raise InputError("E_WEIGHT", error.message, hint="every row needs a weight of 0 or more") from error
    _refuse_weights(table, column, weight, weight < 0, "is negative", None)
    if kind == "frequency":
        hint = "if it does not count rows, it is a probability weight (--weight-kind probability)"
        beyond = "is beyond 2^53, so rows cannot be counted by it"
        _refuse_weights(table, column, weight, weight > MOST_SEEN, beyond, hint)
    return weight


def _refuse_weights(table: Table, column: str, weight: Array, wrong: Array, why: str, hint: str | None) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        place = f"{table.name}: column {column!r}, {table.place(row + 1)}"
        raise InputError("E_WEIGHT", f"{place}: the weight {weight[row]:g} {why}", hint=hint)


def no_weight(table: Table, column: str) -> UndefinedError:
    place = f"{table.name}: column {column!r}"
    return UndefinedError("E_WEIGHT", f"{place}: all weights are zero, so nothing is defined")


def _units(sources: Sequence[AlignedTable], column: str | None) -> Units | None:
    if column is None:
        return None
    source = _holder(sources, column)
    codes, names = coded(source.table, column)
    return Units(source.align(codes), names)


def _examples(sources: Sequence[AlignedTable], roles: Roles) -> Units | None:
    """The rows of each id, where folds or repeats have predicted an id several times."""
    if roles.id is None or not (roles.fold or roles.repeat):
        return None
    units = _units(sources, roles.id)
    return units if units is not None and len(units) < len(units.codes) else None


class Slices(Mapping[str, Units]):
    """Every column as units, each made when it is asked for."""

    def __init__(self, sources: Sequence[AlignedTable], wanted: Sequence[str]) -> None:
        self.sources = sources
        self._made: dict[str, Units] = {}
        for name in wanted:
            self[name]  # so that a column that is not there is named now

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for source in self.sources for name in source.table.columns.column_names))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __getitem__(self, column: str) -> Units:
        if column not in self._made:
            units = _units(self.sources, column)
            assert units is not None
            self._made[column] = units
        return self._made[column]
