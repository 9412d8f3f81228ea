"""From tables and roles to Predictions."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from referee.alignment import Source, align
from referee.arrays import largest, scale_to_one
from referee.errors import InputError, Notice, UndefinedError, UsageError, listed
from referee.lookalikes import lookalikes
from referee.model_columns import ModelColumns, class_names, find_models, unused_columns
from referee.models_of_columns import make_model
from referee.predictions import Predictions, Units
from referee.readers import ReadOptions, read_table
from referee.readers.cells import coded, numbers
from referee.truth import refuse_without_positive, understand_truth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.readers.table import Table
    from referee.roles import Roles
    from referee.truth import Truth

SomePredictions = TypeVar("SomePredictions", bound=Predictions)


def read_predictions(
    kind: type[SomePredictions], given: Sequence[Any], roles: Roles, options: ReadOptions | None
) -> SomePredictions:
    """Read the sources, bring them to the same rows and understand their columns."""
    if not given:
        raise UsageError("E_NOSOURCE", "no source was given", hint="give a file, a folder, a database table or a frame")
    for elsewhere in ("referee.database_reading", "referee.stream_reading"):
        predictions = import_module(elsewhere).predictions_or_none(kind, given, roles, options or ReadOptions())
        if predictions is not None:
            return predictions
    tables = [read_table(source, options or ReadOptions()) for source in given]
    return tables_to_predictions(kind, tables, roles, _same_file(given))


def tables_to_predictions(
    kind: type[SomePredictions], tables: Sequence[Table], roles: Roles, notices: Sequence[Notice] = ()
) -> SomePredictions:
    """Understand the columns of tables that have been read."""
    sources, dropped = align(tables, roles)
    first = sources[0]
    found = find_models(sources, roles)
    _refuse_repeated(found)
    truth = understand_truth(first.table, roles, class_names(found))
    refuse_without_positive(first.table, roles, truth)
    models, label_notices = zip(*(make_model(one, truth, roles.truth) for one in found), strict=True)
    return kind(
        task=truth.task,
        truth=first.align(truth.values),
        models=tuple(models),
        classes=truth.classes,
        positive=truth.positive,
        weight=_weight(first, roles.weight),
        fold=_units(first, roles.fold),
        repeat=_units(first, roles.repeat),
        group=_units(first, roles.group),
        baseline=first.align(numbers(first.table, roles.baseline)) if roles.baseline else None,
        slices={name: _named_units(sources, name) for name in roles.by},
        threshold=roles.threshold,
        truth_column=roles.truth,
        source=first.table.name,
        notices=(*notices, *dropped, *_lookalike(found), *_label_types(truth, first, found, label_notices, roles)),
        notes=(*(f"{t.name}: {note}" for t in tables for note in t.notes), *_unused(sources, found, roles)),
    )


def _weight(source: Source, column: str | None) -> Array | None:
    if column is None:
        return None
    try:
        weight = numbers(source.table, column).astype(float)
    except InputError as error:
        raise InputError("E_WEIGHT", error.message, hint="every row needs a weight of 0 or more") from error
    place = f"{source.table.name}: column {column!r}"
    if (weight < 0).any():
        row = int(np.argmax(weight < 0))
        raise InputError("E_WEIGHT", f"{place}, row {row + 1}: the weight {weight[row]:g} is negative")
    weight = source.align(weight * scale_to_one(largest(weight)))
    if not weight.any():
        raise UndefinedError("E_WEIGHT", f"{place}: all weights are zero, so nothing is defined")
    return weight


def _units(source: Source, column: str | None) -> Units | None:
    if column is None:
        return None
    codes, names = coded(source.table, column)
    return Units(source.align(codes), names)


def _named_units(sources: Sequence[Source], column: str) -> Units:
    holder = next((source for source in sources if column in source.table.columns.column_names), sources[0])
    units = _units(holder, column)
    assert units is not None
    return units


def _refuse_repeated(found: Sequence[ModelColumns]) -> None:
    repeated = [name for name, times in Counter(one.name for one in found).items() if times > 1]
    if repeated:
        raise UsageError("E_DUPMODEL", f"the model {repeated[0]!r} was named more than once")


def _unused(sources: Sequence[Source], found: Sequence[ModelColumns], roles: Roles) -> list[str]:
    names = unused_columns(sources, found, roles)
    return [f"columns not used: {listed(dict.fromkeys(names))}"] if names else []


def _same_file(given: Sequence[Any]) -> list[Notice]:
    paths = [
        str(Path(source).resolve()) for source in given if isinstance(source, str | Path) and Path(source).is_file()
    ]
    repeated = [path for path, times in Counter(paths).items() if times > 1]
    return [
        Notice("W_SAMEFILE", f"the same file was given more than once, so its predictions are identical: {path}")
        for path in repeated
    ]


def _lookalike(found: Sequence[ModelColumns]) -> list[Notice]:
    groups = lookalikes(one.name for one in found)
    return [
        Notice("W_LOOKALIKE", f"the model names {listed(group)} look alike but differ: {codepoints(group)}")
        for group in groups
    ]


def codepoints(names: Sequence[str]) -> str:
    return " / ".join(" ".join(f"U+{ord(letter):04X}" for letter in name) for name in names)


def _label_types(
    truth: Truth, first: Source, found: Sequence[ModelColumns], kinds: Sequence[str | None], roles: Roles
) -> list[Notice]:
    """Say so where decisions are stored in another type than the truth."""
    others = {one.name: kind for one, kind in zip(found, kinds, strict=True) if kind and kind != truth.kind}
    if truth.task == "regression" or first.table.text or not others:
        return []
    stored = ", ".join(f"model {name!r} is {kind}" for name, kind in others.items())
    return [
        Notice("W_LABELTYPE", f"column {roles.truth!r} is {truth.kind}, {stored}: compared as labels by their text")
    ]
