"""From tables and roles to Predictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from referee.arrays import largest, scale_to_one
from referee.errors import InputError, Notice, UndefinedError, UsageError, listed
from referee.predictions.account import account_of
from referee.predictions.alignment import AlignedTable, align, drop_labelled, dropped_notices
from referee.predictions.batches import open_batches
from referee.predictions.cell_labels import coded
from referee.predictions.cells import numbers
from referee.predictions.id_like import TIME, with_id_like
from referee.predictions.label_rows import rows_of_labels
from referee.predictions.locations import expanded, read_table
from referee.predictions.memory import memory_limit
from referee.predictions.model import Units
from referee.predictions.model_cells import make_model, stray_label, with_decisions
from referee.predictions.model_columns import (
    ModelColumns,
    class_names,
    class_patterns,
    find_models,
    offered,
    unused_columns,
)
from referee.predictions.predictions import Predictions
from referee.predictions.query_rows import queries_as_rows, refuse_negative
from referee.predictions.roles import Roles, option_row
from referee.predictions.spellings import lookalikes
from referee.predictions.table import ReadOptions, Table
from referee.predictions.truth import codes_of_labels, refuse_without_positive, understand_truth
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.predictions.truth import Truth

SomePredictions = TypeVar("SomePredictions", bound=Predictions)


def read_predictions(
    kind: type[SomePredictions], given: Sequence[Any], roles: Roles, options: ReadOptions | None
) -> SomePredictions:
    """Read the sources, bring them to the same rows and understand their columns."""
    if not given:
        raise UsageError("E_NOSOURCE", "no source was given", hint="give a file, a folder, a database table or a frame")
    given = [source for each in given for source in expanded(each)]
    options = options or ReadOptions()
    in_memory = len(given) > 1 or roles.task in ("ranking", "multilabel")
    elsewhere = None if in_memory else _left_where_they_are(kind, given[0], roles, options)
    if elsewhere is not None:
        return elsewhere
    tables = [read_table(source, options) for source in given]
    return tables_to_predictions(kind, tables, roles, _same_file(given))


def _left_where_they_are(
    kind: type[SomePredictions], source: Any, roles: Roles, options: ReadOptions
) -> SomePredictions | None:
    """Predictions of a database table, or of a file that memory does not hold; None for others."""
    if options.push_down and options.decimal == ".":  # a database reads no other decimal mark
        from referee.predictions.database_source import predictions_or_none

        if (predictions := predictions_or_none(kind, source, roles, options)) is not None:
            return predictions
    batches = open_batches(source, options)
    if batches is None:
        return None
    from referee.predictions.stream_source import stream_predictions

    return stream_predictions(kind, batches, roles, memory_limit(options))


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
    _refuse_repeated(named)
    truth = understand_truth(first.table, roles, class_names(named), labels.rows_of, first.order)
    refuse_without_positive(first.table, roles, truth)
    candidates, doubts = with_decisions(named, truth)
    models, label_notices = zip(*(make_model(candidate, truth, roles.truth) for candidate in candidates), strict=True)
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
            *id_like_notices(first, roles),
            *_lookalike(candidates),
            *_class_columns(first, candidates, truth, roles),
            *doubts,
            *_label_types(truth, first, candidates, label_notices, roles),
            *_stray_labels(truth, candidates, roles),
        ),
        notes=(*(f"{t.name}: {note}" for t in tables for note in t.notes), *_unused(sources, candidates, roles)),
        account=account_of(sources, candidates, models, truth, roles, labels.left_out),
    )
    if (queries := _units(sources, roles.query)) is None or roles.query is None:
        return made
    refuse_negative(first.table, roles.truth)
    return queries_as_rows(made, roles.query, queries, roles.by)


def _row_columns(sources: Sequence[AlignedTable], roles: Roles) -> dict[str, Any]:
    """What is said of rows, whatever is true of them."""
    return {
        **_weight(sources, roles.weight),
        "weight_kind": roles.weight_kind,
        "fold": _units(sources, roles.fold),
        "repeat": _units(sources, roles.repeat),
        "group": _units(sources, roles.group),
        "example": _examples(sources, roles),
        "slices": Slices(sources, roles.by),
        "threshold": roles.threshold,
        "truth_column": roles.truth,
        "source": sources[0].table.name,
    }


@dataclass(frozen=True)
class LabelRows:
    """How many rows the labels of the truth have."""

    rows_of: Mapping[str, int] | None = None
    """None: to be counted."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Of labels whose rows were dropped."""


def _holder(sources: Sequence[AlignedTable], column: str) -> AlignedTable:
    """The first source that has a column."""
    return next((source for source in sources if column in source.table.columns.column_names), sources[0])


def _numbers(source: AlignedTable, column: str) -> Array:
    return source.align(numbers(source.table, column))


def _weight(sources: Sequence[AlignedTable], column: str | None) -> dict[str, Any]:
    """The weights, brought near 1 if they are extreme, and by how much."""
    if column is None:
        return {}
    source = _holder(sources, column)
    weight = weights(source.table, column)
    scale = scale_to_one(largest(weight))
    weight = source.align(weight * scale)
    if not weight.any():
        raise no_weight(source.table, column)
    return {"weight": weight, "weight_scale": scale}


def weights(table: Table, column: str) -> Array:
    """The rows' weights as they are written; none may be negative."""
    try:
        weight = numbers(table, column).astype(float)
    except InputError as error:
        raise InputError("E_WEIGHT", error.message, hint="every row needs a weight of 0 or more") from error
    if (weight < 0).any():
        row = int(np.argmax(weight < 0))
        place = f"{table.name}: column {column!r}, row {table.row_number(row + 1)}"
        raise InputError("E_WEIGHT", f"{place}: the weight {weight[row]:g} is negative")
    return weight


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


def _refuse_repeated(candidates: Sequence[ModelColumns]) -> None:
    repeated = [name for name, times in Counter(candidate.name for candidate in candidates).items() if times > 1]
    if repeated:
        raise UsageError("E_DUPMODEL", f"the model {repeated[0]!r} was named more than once")


def _unused(sources: Sequence[AlignedTable], candidates: Sequence[ModelColumns], roles: Roles) -> list[str]:
    names = unused_columns(sources, candidates, roles)
    return [f"columns not used: {listed(dict.fromkeys(names))}"] if names else []


def _same_file(given: Sequence[Any]) -> list[Notice]:
    named = [source.name if isinstance(source, Table) else source for source in given]
    paths = [str(Path(name).resolve()) for name in named if isinstance(name, str | Path) and Path(name).is_file()]
    repeated = [path for path, times in Counter(paths).items() if times > 1]
    return [
        Notice("W_SAMEFILE", f"the same file was given more than once, so its predictions are identical: {path}")
        for path in repeated
    ]


def id_like_notices(first: AlignedTable, roles: Roles) -> list[Notice]:
    """What is said of columns that may be ids or times, and so are no models."""
    return [
        Notice(
            "W_IDLIKE",
            f"{first.table.name}: column {name!r} {why} and is not taken as a model; {_how_to_name(name, why)}",
        )
        for name, why in (roles.id_like or {}).items()
    ]


def _how_to_name(column: str, why: str) -> str:
    if not column:
        return "name it to use it"
    as_id = "" if why == TIME else f"say --id {option_row([column])} if it is an id, or "
    return f"{as_id}name it in --models{'' if as_id else ' to use it'}"


def _lookalike(candidates: Sequence[ModelColumns]) -> list[Notice]:
    groups = lookalikes(candidate.name for candidate in candidates)
    return [
        Notice("W_LOOKALIKE", f"the model names {listed(group)} look alike but differ: {codepoints(group)}")
        for group in groups
    ]


def _class_columns(first: AlignedTable, candidates: Sequence[ModelColumns], truth: Truth, roles: Roles) -> list[Notice]:
    """Columns of one model's class probabilities that are taken as models: their names end so, and they add up to 1."""
    taken = [model.column for model in candidates if model.column and model.source is first and not model.decides]
    if truth.task != "binary" or roles.models is not None or roles.columns:
        return []
    by_class = {
        pattern: columns_of(pattern, truth.classes) for pattern in class_patterns(taken, truth.classes).values()
    }
    whole = {pattern: columns for pattern, columns in by_class.items() if _add_up(first.table, columns)}
    if not whole:
        return []
    said = f"{first.table.name}: the columns {listed(chain.from_iterable(whole.values()))} add up to 1 and end in the "
    offer = offered([*chain.from_iterable(whole.values())], truth.classes)
    return [Notice("W_CLASSCOLUMNS", f"{said}classes, yet each is taken as a model; {offer}")]


def columns_of(pattern: str, classes: Sequence[str]) -> list[str]:
    return [pattern.replace("{class}", label) for label in classes]


def _add_up(table: Table, columns: Sequence[str]) -> bool:
    total = np.sum([numbers(table, column).astype(float) for column in columns], axis=0)
    return bool(np.allclose(total, 1, atol=0.005 * len(columns)))


def _stray_labels(truth: Truth, candidates: Sequence[ModelColumns], roles: Roles) -> Iterator[Notice]:
    """Whole numbers of which one is no label: scores, unless only decisions are asked for."""
    for candidate in candidates if truth.task == "binary" else ():
        label = stray_label(candidate, truth)
        if label is None or candidate.column is None:
            continue
        if roles.metrics and all(metric.needs == "labels" for metric in roles.metrics):
            codes_of_labels(candidate.source.table, candidate.column, truth)  # its error names the row
        yield Notice(
            "W_SCORES",
            f"{candidate.source.table.name}: column {candidate.column!r} is taken as scores: "
            f"{label!r} is no class of the truth, all its other values are",
        )


def codepoints(names: Sequence[str]) -> str:
    return " / ".join(" ".join(f"U+{ord(letter):04X}" for letter in name) for name in names)


def _label_types(
    truth: Truth, first: AlignedTable, candidates: Sequence[ModelColumns], kinds: Sequence[str | None], roles: Roles
) -> list[Notice]:
    """Say so where decisions are stored in another type than the truth."""
    others = {
        candidate.name: kind for candidate, kind in zip(candidates, kinds, strict=True) if kind and kind != truth.kind
    }
    if truth.task == "regression" or first.table.text or not others:
        return []
    stored = ", ".join(f"model {name!r} is {kind}" for name, kind in others.items())
    return [
        Notice("W_LABELTYPE", f"column {roles.truth!r} is {truth.kind}, {stored}: compared as labels by their text")
    ]
