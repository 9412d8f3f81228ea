"""Account: what was read, what each column was taken for, and what is to be said of the columns."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import Notice, UsageError, listed
from referee.predictions.cell_labels import lookalikes
from referee.predictions.cells import mostly_numeric, numbers
from referee.predictions.id_like import FOLD, TIME, looks_like_folds
from referee.predictions.model_cells import stray_label
from referee.predictions.model_columns import (
    ModelColumns,
    class_patterns,
    offered,
    unused_columns,
)
from referee.predictions.roles import Roles, option_row
from referee.predictions.special_files import is_file
from referee.predictions.storage import in_words, marks_among, stored
from referee.predictions.table import Table
from referee.predictions.truth import codes_of_labels
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.arrays import Array
    from referee.predictions.alignment import AlignedTable
    from referee.predictions.model import Model
    from referee.predictions.model_columns import ModelColumns
    from referee.predictions.model_kinds import ModelKind
    from referee.predictions.roles import Roles
    from referee.predictions.truth import Truth


ROLES = ("truth", "id", "weight", "group", "query", "time", "fold", "repeat", "baseline")
NOT_ASKED_FOR = "it has no role and was not named"
NO_NUMBERS = "it has no role and holds no numbers"


@dataclass(frozen=True)
class Account:
    """What was read: what each column was taken for, the rows of each label, and what was left out.

    >>> Account({"y": {"as": "truth"}}, positive={"yes": 2}, rest={"no": 5, "maybe": 1}).to_dict()["rest"]
    {'no': 5, 'maybe': 1}
    """

    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Column -> what it is, of which model, how it is stored if narrowly, and its marks of missing values."""
    positive: Mapping[str, int] = field(default_factory=dict)
    """Label -> rows, as the other ones: of the positive class, of all others, and of classes that are equals."""
    rest: Mapping[str, int] = field(default_factory=dict)
    classes: Mapping[str, int] = field(default_factory=dict)
    columns_left_out: Mapping[str, str] = field(default_factory=dict)
    """Column -> why."""
    rows_left_out: Mapping[str, int] = field(default_factory=dict)
    """Label -> rows."""
    rows_unmatched: Mapping[str, int] = field(default_factory=dict)
    """Source -> rows whose id is not in every source."""
    rows_are: str | None = None
    """Items, folds or data sets, where the columns hold scores."""
    sampling: Mapping[str, float] = field(default_factory=dict)
    """Model -> the share of its items' variance that comes from sampling, where an item has several scores."""
    head: Table | None = field(default=None, repr=False, compare=False)
    """The first rows, where the others are not in memory."""

    def to_dict(self, kinds: Mapping[str, ModelKind] = MappingProxyType({})) -> dict[str, Any]:
        """As JSON holds it; `kinds` are what the models were taken to give."""
        labels = {side: dict(rows) for side in ("positive", "rest", "classes") if (rows := getattr(self, side))}
        left_out = {"columns": dict(self.columns_left_out), "rows": dict(self.rows_left_out)}
        left_out |= {"unmatched": dict(self.rows_unmatched)} if self.rows_unmatched else {}
        scored = {"rows": self.rows_are, "share_of_sampling": dict(self.sampling)} if self.rows_are else {}
        models = {"models": {name: kind.to_dict() for name, kind in kinds.items()}} if kinds else {}
        columns = {name: _as_taken(entry, kinds) for name, entry in self.columns.items()}
        return {"columns": columns, **models, **labels, **scored, "left_out": left_out}

    def notes(self) -> list[str]:
        """What the head of a result says of missing values and of narrow types."""
        return in_words(self.columns)


def _as_taken(entry: Mapping[str, Any], kinds: Mapping[str, ModelKind]) -> dict[str, Any]:
    """Probabilities by this name, where a model's scores are such."""
    kind = kinds.get(entry.get("model", ""))
    if kind is None or kind.name != "probabilities":
        return dict(entry)
    return {**entry, "as": entry["as"].replace("scores", kind.name, 1)}


def account_of(
    sources: Sequence[AlignedTable],
    candidates: Sequence[ModelColumns],
    models: Sequence[Model],
    truth: Truth,
    roles: Roles,
    dropped: Mapping[str, int],
    head: Table | None = None,
) -> Account:
    """Say what was made of the columns and of the labels."""
    of_models: dict[str, dict[str, Any]] = {}
    for candidate, model in zip(candidates, models, strict=True):
        for column, kind, values in _columns_of(candidate, model):
            narrow = {} if kind == "labels" else stored(candidate.source.table, column, values)
            of_models[_place(candidate.source, column, sources)] = {"as": kind, "model": candidate.name, **narrow}
    unused = {name: _why_unused(name, sources) for name in unused_columns(sources, candidates, roles)}
    return Account(
        columns=with_storage(columns_with_roles(roles), sources, truth, dropped, roles) | of_models,
        columns_left_out=unused | {name: f"it {why}" for name, why in (roles.id_like or {}).items()},
        rows_left_out=dict(dropped),
        rows_unmatched={source.table.name: lost for source in sources if (lost := source.rows_left_out)},
        head=head,
        **rows_by_side(truth),
    )


def with_storage(
    columns: dict[str, dict[str, Any]],
    sources: Sequence[AlignedTable],
    truth: Truth,
    dropped: Mapping[str, int],
    roles: Roles,
) -> dict[str, dict[str, Any]]:
    """The columns that are no models, with how their numbers are stored and what was taken for missing labels."""
    numeric = [name for name in (roles.weight, roles.baseline) if name]
    narrow = {name: stored(source.table, name) for source in reversed(sources) for name in numeric}
    if truth.task == "regression":
        narrow[roles.truth] = stored(sources[0].table, roles.truth, truth.values)
    marked = {roles.truth: marks_of_labels(truth, dropped, roles)}
    return {name: entry | narrow.get(name, {}) | marked.get(name, {}) for name, entry in columns.items()}


def marks_of_labels(truth: Truth, dropped: Mapping[str, int], roles: Roles) -> dict[str, dict[str, int]]:
    """Labels that mark missing ones: those whose rows were left out, and those that were not named and are classes."""
    named = {*(roles.positive or ()), *(roles.classes or ())}
    kept = {label: rows for label, rows in marks_among(truth.rows_of).items() if label not in named}
    plain = len(truth.rows_of) - len(kept)
    marks = {"missing": marks_among(dropped), "kept_marks": kept if plain > 1 else {}}
    return {name: rows for name, rows in marks.items() if rows}


def columns_with_roles(roles: Roles) -> dict[str, dict[str, Any]]:
    """The columns that are no models."""
    single: dict[str, dict[str, Any]] = {column: {"as": role} for role in ROLES if (column := getattr(roles, role))}
    return single | {column: {"as": "slice"} for column in roles.by if column not in single}


def _why_unused(column: str, sources: Sequence[AlignedTable]) -> str:
    table = next(source.table for source in sources if column in source.table.columns.column_names)
    return NOT_ASKED_FOR if mostly_numeric(table, column) else NO_NUMBERS


def rows_by_side(truth: Truth) -> dict[str, Any]:
    """The rows of each label: of the positive class and the rest, or of classes that are equals."""
    if truth.positive is None:
        return {"classes": dict(truth.rows_of)}
    positive = {label: truth.rows_of.get(label, 0) for label in truth.positive_labels}
    return {"positive": positive, "rest": {name: n for name, n in truth.rows_of.items() if name not in positive}}


def _place(source: AlignedTable, column: str, sources: Sequence[AlignedTable]) -> str:
    """A column by its name, with its source where several have it."""
    holders = sum(column in other.table.columns.column_names for other in sources)
    return column if holders < 2 else f"{source.table.name}: {column}"


def _columns_of(candidate: ModelColumns, model: Model) -> Iterator[tuple[str, str, Array | None]]:
    """The columns of a model, what each holds, and the numbers that were read from it where it is the only one."""
    for label, column in candidate.by_class.items():
        yield column, f"quantile {label}" if model.quantiles is not None else f"scores of class {label!r}", None
    if candidate.column is not None:
        kind = "values" if model.values is not None else "labels" if candidate.decides else "scores"
        yield candidate.column, kind, model.scores if model.values is None else model.values
    if candidate.label is not None and candidate.label[1] != candidate.column:
        yield candidate.label[1], "labels", None


def refuse_repeated(candidates: Sequence[ModelColumns]) -> None:
    repeated = [name for name, times in Counter(candidate.name for candidate in candidates).items() if times > 1]
    if repeated:
        raise UsageError("E_DUPMODEL", f"the model {repeated[0]!r} was named more than once")


def unused_notes(sources: Sequence[AlignedTable], candidates: Sequence[ModelColumns], roles: Roles) -> list[str]:
    names = unused_columns(sources, candidates, roles)
    return [f"columns not used: {listed(dict.fromkeys(names))}"] if names else []


def same_file(given: Sequence[Any]) -> list[Notice]:
    named = [source.name if isinstance(source, Table) else source for source in given]
    paths = [str(Path(name).resolve()) for name in named if isinstance(name, str | Path) and is_file(name)]
    repeated = [path for path, times in Counter(paths).items() if times > 1]
    return [
        Notice("W_SAMEFILE", f"the same file was given more than once, so its predictions are identical: {path}")
        for path in repeated
    ]


def id_like_notices(first: AlignedTable, roles: Roles) -> list[Notice]:
    """What is said of columns that may be ids, times or folds, and so are no models."""
    return [
        Notice(
            "W_FOLDS" if why == FOLD else "W_IDLIKE",
            f"{first.table.name}: column {name!r} {why} and is not treated as a model; {_how_to_name(name, why)}",
        )
        for name, why in (roles.id_like or {}).items()
    ]


def fold_notices(sources: Sequence[AlignedTable], candidates: Sequence[ModelColumns], roles: Roles) -> list[Notice]:
    """What is said of other columns without a role that look like folds, where no folds were named."""
    if roles.fold is not None or roles.repeat is not None:
        return []
    tables = {name: source.table for source in sources for name in source.table.columns.column_names}
    unused = dict.fromkeys(unused_columns(sources, candidates, roles))
    return [
        Notice("W_FOLDS", f"{tables[name].name}: column {name!r} {FOLD} and is not used; {_how_to_name(name, FOLD)}")
        for name in unused
        if name not in (roles.id_like or {}) and looks_like_folds(tables[name], name)
    ]


def _how_to_name(column: str, why: str) -> str:
    if not column:
        return "name it to use it"
    if why == FOLD:
        return f"use --fold {option_row([column])} if the rows were predicted in these folds"
    as_id = "" if why == TIME else f"use --id {option_row([column])} if it is an id, or "
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
    return [Notice("W_CLASSCOLUMNS", f"{said}classes, but each is treated as a model; {offer}")]


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
            f"{candidate.source.table.name}: column {candidate.column!r} is read as scores: "
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
