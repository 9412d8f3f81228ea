"""Rows that have several labels at once: a column of 0 and 1 for each label, and one of each model."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from referee.errors import InputError, UsageError, listed
from referee.predictions.account import Account, columns_with_roles
from referee.predictions.cell_labels import labels
from referee.predictions.cells import is_numeric, numbers
from referee.predictions.model import Model
from referee.predictions.model_columns import (
    PLACE,
    SEPARATORS,
    ModelColumns,
    by_pattern,
    class_patterns,
    unused_columns,
)
from referee.predictions.predictions import Predictions
from referee.predictions.truth import match_label
from referee.predictions.units import Lists

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.errors import Notice
    from referee.predictions.alignment import AlignedTable
    from referee.predictions.roles import Roles
    from referee.predictions.table import Table

SomePredictions = TypeVar("SomePredictions", bound=Predictions)


def rows_of_labels(
    kind: type[SomePredictions],
    sources: Sequence[AlignedTable],
    roles: Roles,
    notices: Sequence[Notice],
    row_columns: Mapping[str, Any],
) -> SomePredictions:
    """Understand sources whose truth is a pattern with {label}; the other columns of the rows have been read."""
    if roles.positive or roles.drop_label or roles.labels or roles.classes:
        raise UsageError("E_ROLE", "labels are columns of 0 and 1: there are no classes that could be named or dropped")
    truth = by_pattern("truth", _as_pattern(roles.truth), sources)
    if truth is None:
        names = sources[0].table.columns.column_names
        raise UsageError("E_NOCOL", f"no column fits the pattern {roles.truth!r} of --truth; there are {listed(names)}")
    models = _models(sources, roles, truth)
    return kind(
        task="multilabel",
        truth=_lists([_zeros_and_ones(truth.source, column) for column in truth.columns]),
        models=tuple(_model(model, truth) for model in models),
        label_names=tuple(truth.by_class),
        notices=tuple(notices),
        notes=_unused(sources, [truth, *models], roles),
        account=_account(roles, truth, models),
        **row_columns,
    )


def _as_pattern(text: str) -> str:
    return PLACE.sub("{class}", text)


def _models(sources: Sequence[AlignedTable], roles: Roles, truth: ModelColumns) -> list[ModelColumns]:
    """Those that were named, or every other set of columns whose names end in all labels."""
    patterns = {name: _as_pattern(pattern) for name, pattern in roles.columns.items()}
    patterns |= {name: _beside(roles.truth, name) for name in roles.models or () if name not in patterns}
    if not patterns:
        columns = [name for source in sources for name in source.table.columns.column_names]
        patterns = _patterns([name for name in columns if name not in truth.columns], list(truth.by_class))
    if not patterns:
        raise InputError(
            "E_NOMODELS",
            f"no model has a column for each of the labels {listed(truth.by_class)}",
            hint="name its columns like those of the truth, such as --model 'nn=nn_{label}'",
        )
    return [_of_pattern(name, pattern, sources, truth) for name, pattern in patterns.items()]


def _patterns(columns: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Of sets of columns for all labels, and of those that lack some, so that none is left out in silence.

    >>> _patterns(["nn_a", "nn_b", "nn_c", "rf_a", "rf_b", "old_a"], ["a", "b", "c"])
    {'nn': 'nn_{class}', 'rf': 'rf_{class}'}
    """
    stems = Counter(name.removesuffix(label) for label in known for name in columns if name.endswith(label))
    begun = [stem for stem, times in stems.items() if times > 1 and stem.rstrip(SEPARATORS)]
    return class_patterns(columns, known) | {stem.rstrip(SEPARATORS): f"{stem}{{class}}" for stem in begun}


def _beside(truth: str, name: str) -> str:
    """The pattern of a model's columns, with the same sign between name and label as the truth has."""
    before = truth.partition("{label}")[0]
    return f"{name}{before[-1] if before and before[-1] in SEPARATORS else ':'}{{class}}"


def _of_pattern(name: str, pattern: str, sources: Sequence[AlignedTable], truth: ModelColumns) -> ModelColumns:
    model = by_pattern(name, pattern, sources)
    columns = {} if model is None else model.by_class
    missing = [label for label in truth.by_class if label not in columns]
    if model is None or missing:
        raise InputError(
            "E_LABELCOL",
            f"model {name!r} has no column for the label {listed(missing)} ({pattern.replace('{class}', '{label}')!r})",
            hint=f"the labels are named by the truth: {listed(truth.by_class)}; --models names those to compare",
        )
    return ModelColumns(name, model.source, by_class={label: columns[label] for label in truth.by_class})


def _model(model: ModelColumns, truth: ModelColumns) -> Model:
    if model.columns == truth.columns:
        raise InputError("E_LABELCOL", f"model {model.name!r} has the columns of the truth")
    table = model.source.table
    scores = [_scores(model.source, column) for column in model.columns]
    return Model(model.name, scores=_lists(scores), columns=model.columns, source=table.name, order=model.source.order)


def _scores(source: AlignedTable, column: str) -> Array:
    """Numbers, of which those from the threshold on speak for the label; true and false are 1 and 0."""
    if is_numeric(source.table, column):
        return source.align(numbers(source.table, column)).astype(float)
    return _zeros_and_ones(source, column)


def _zeros_and_ones(source: AlignedTable, column: str) -> Array:
    codes, names, _ = labels(source.table, column)
    meant = [match_label(name, ("0", "1")) for name in names]
    if None in meant:
        raise _neither(source.table, column, names[meant.index(None)], int(np.argmax(codes == meant.index(None))))
    return source.align(np.array([float(bit or 0) for bit in meant])[codes])


def _neither(table: Table, column: str, cell: str, row: int) -> InputError:
    return InputError(
        "E_LABELCOL",
        f"{table.name}: column {column!r}, {table.place(row + 1)}: {cell!r} is neither 0 nor 1",
        hint="a label is true of a row or not; for one of several classes use --truth COL",
    )


def _lists(columns: Sequence[Array]) -> Array:
    """A list for each row with what is said of each label."""
    matrix = np.stack(columns, axis=1)
    return cast("Array", Lists(matrix.reshape(-1), np.arange(len(matrix) + 1) * matrix.shape[1]))


def _account(roles: Roles, truth: ModelColumns, models: Sequence[ModelColumns]) -> Account:
    of_truth = {column: {"as": f"truth of label {label!r}"} for label, column in truth.by_class.items()}
    of_models = {
        column: {"as": f"scores of label {label!r}", "model": model.name}
        for model in models
        for label, column in model.by_class.items()
    }
    others = {column: role for column, role in columns_with_roles(roles).items() if column != roles.truth}
    return Account(columns=others | of_truth | of_models)


def _unused(sources: Sequence[AlignedTable], labelled: Sequence[ModelColumns], roles: Roles) -> tuple[str, ...]:
    names = unused_columns(sources, labelled, roles)
    return (f"columns not used: {listed(dict.fromkeys(names))}",) if names else ()
