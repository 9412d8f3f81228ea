"""What is to be said of the columns that were read, besides what they hold."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import Notice, UsageError, listed
from referee.predictions.cells import numbers
from referee.predictions.id_like import TIME
from referee.predictions.model_cells import stray_label
from referee.predictions.model_columns import (
    ModelColumns,
    class_patterns,
    offered,
    unused_columns,
)
from referee.predictions.roles import Roles, option_row
from referee.predictions.spellings import lookalikes
from referee.predictions.table import Table
from referee.predictions.truth import codes_of_labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.predictions.alignment import AlignedTable
    from referee.predictions.truth import Truth


def refuse_repeated(candidates: Sequence[ModelColumns]) -> None:
    repeated = [name for name, times in Counter(candidate.name for candidate in candidates).items() if times > 1]
    if repeated:
        raise UsageError("E_DUPMODEL", f"the model {repeated[0]!r} was named more than once")


def unused_notes(sources: Sequence[AlignedTable], candidates: Sequence[ModelColumns], roles: Roles) -> list[str]:
    names = unused_columns(sources, candidates, roles)
    return [f"columns not used: {listed(dict.fromkeys(names))}"] if names else []


def same_file(given: Sequence[Any]) -> list[Notice]:
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


def lookalike_names(candidates: Sequence[ModelColumns]) -> list[Notice]:
    groups = lookalikes(candidate.name for candidate in candidates)
    return [
        Notice("W_LOOKALIKE", f"the model names {listed(group)} look alike but differ: {codepoints(group)}")
        for group in groups
    ]


def class_columns(first: AlignedTable, candidates: Sequence[ModelColumns], truth: Truth, roles: Roles) -> list[Notice]:
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


def stray_labels(truth: Truth, candidates: Sequence[ModelColumns], roles: Roles) -> Iterator[Notice]:
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
            f"{label!r} is not a class in the truth, while all its other values are",
        )


def codepoints(names: Sequence[str]) -> str:
    return " / ".join(" ".join(f"U+{ord(letter):04X}" for letter in name) for name in names)


def label_types(
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
