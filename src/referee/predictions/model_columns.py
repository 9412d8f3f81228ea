"""Which columns belong to which model."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from referee.errors import InputError, UsageError, did_you_mean, listed
from referee.predictions.cells import is_numeric, mostly_numeric
from referee.predictions.roles import option_row
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from referee.predictions.alignment import AlignedTable
    from referee.predictions.roles import Roles

PLACE = re.compile(r"\{(class|label|quantile|bound)\}")
"""What a pattern has in the place of a class or label, of a quantile's level, or of lower and upper."""
BOUNDS = ("lower", "upper")
DEFAULT_PATTERN = ":{class}"
SEPARATORS = "_-.: "
"""What may stand between a model's name and a class."""


@dataclass(frozen=True)
class ModelColumns:
    """One model's columns in one source: a single one, or one for each class or quantile level."""

    name: str
    source: AlignedTable
    column: str | None = None
    by_class: Mapping[str, str] = field(default_factory=dict)
    label: tuple[AlignedTable, str] | None = None
    are_bounds: bool = False
    """Whether its columns are the lower and the upper end of an interval."""
    decides: bool = False
    """Whether its single column holds labels, not scores."""

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,) if self.column else tuple(self.by_class.values())


def find_models(sources: Sequence[AlignedTable], roles: Roles) -> list[ModelColumns]:
    """The models that the user named, or every numeric column without another role."""
    named = [_assigned(name, column, sources) for name, column in roles.columns.items()]
    if roles.models is not None:
        named += [
            _by_name(n, sources) or _one_per_source(n, sources, roles) for n in roles.models if n not in roles.columns
        ]
    elif not roles.columns and not roles.labels:
        named = _all_models(sources, roles)
    named += [
        ModelColumns(name, sources[0]) for name in roles.labels if name not in {candidate.name for candidate in named}
    ]
    candidates = [
        replace(_with_levels(candidate, roles), label=_label_column(candidate.name, sources, roles))
        for candidate in named
    ]
    if not candidates:
        columns = [name for source in sources for name in source.table.columns.column_names]
        ids = "".join(f" ({name!r} {why})" for name, why in (roles.id_like or {}).items())
        raise InputError(
            "E_NOMODELS",
            f"{sources[0].table.name} has no numeric column without another role{ids}; its columns are "
            f"{listed(columns)}",
            hint="name the predictions with --models, or --label NAME=COLUMN for decisions; "
            "if numbers have a decimal comma, use --decimal ','",
        )
    return candidates


def _with_levels(candidate: ModelColumns, roles: Roles) -> ModelColumns:
    """The ends of an interval as the quantiles that they are, once it is said how much lies between them."""
    if roles.interval is None or sorted(candidate.by_class) != sorted(BOUNDS):
        return candidate
    levels = [f"{(1 + side * roles.interval) / 2:.12g}" for side in (-1, 1)]
    by_level = {level: candidate.by_class[bound] for level, bound in zip(levels, BOUNDS, strict=True)}
    return replace(candidate, by_class=by_level, are_bounds=True)


def class_names(candidates: Iterable[ModelColumns]) -> list[str]:
    """All classes that the models' columns name, each once."""
    return list(dict.fromkeys(name for candidate in candidates for name in candidate.by_class))


def _assigned(name: str, column: str, sources: Sequence[AlignedTable]) -> ModelColumns:
    """A model by --model NAME=COLUMN or NAME=pattern with {class}, {quantile} or {bound}."""
    if place := PLACE.search(column):
        model = by_pattern(name, column.replace(place[0], "{class}"), sources)
        if model is not None and place[1] == "bound":
            model = replace(model, by_class={b: c for b, c in model.by_class.items() if b in BOUNDS})
        if model is None:
            raise UsageError("E_NOCOL", f"no column of {_names(sources)} fits the pattern {column!r} of model {name!r}")
        return model
    if (source := _only_source(column, sources)) is not None:
        return ModelColumns(name, source, column)
    raise _no_column(column, sources)


def _only_source(column: str, sources: Sequence[AlignedTable]) -> AlignedTable | None:
    """The source that has a column; an error if several have, for then one would be left out."""
    holders = [source for source in sources if column in source.table.columns.column_names]
    if len(holders) > 1:
        raise UsageError(
            "E_AMBIGUOUS",
            f"{_names(holders)} all have a column {column!r}: which one is meant?",
            hint="without --models all are used, each named after its source",
        )
    return holders[0] if holders else None


def _by_name(name: str, sources: Sequence[AlignedTable]) -> ModelColumns | None:
    """A model by the name of its column, or by the default pattern of its class columns."""
    if (source := _only_source(name, sources)) is not None:
        return ModelColumns(name, source, name)
    return by_pattern(name, name + DEFAULT_PATTERN, sources)


def by_pattern(name: str, pattern: str, sources: Sequence[AlignedTable]) -> ModelColumns | None:
    """A model whose columns are named by a pattern with {class}, from the first source that has such columns."""
    before, _, after = pattern.partition("{class}")
    for source in sources:
        by_class = {
            column[len(before) : len(column) - len(after)]: column
            for column in source.table.columns.column_names
            if column.startswith(before) and column.endswith(after) and len(column) > len(before) + len(after)
        }
        if by_class:
            return ModelColumns(name, source, by_class=by_class)
    return None


def _one_per_source(name: str, sources: Sequence[AlignedTable], roles: Roles) -> ModelColumns:
    """The name of a whole source: the only prediction in each of as many sources as names were given."""
    assert roles.models is not None
    names = [model for model in roles.models if model not in roles.columns]
    single = [_candidates(source, roles) for source in sources]
    if len(sources) == len(names) > 1 and all(len(columns) == 1 for columns in single):
        place = names.index(name)
        return ModelColumns(name, sources[place], single[place][0])
    raise _no_column(name, sources)


def _all_models(sources: Sequence[AlignedTable], roles: Roles) -> list[ModelColumns]:
    candidates: list[ModelColumns] = []
    for source in sources:
        patterned = _patterned(source, roles)
        used = {column for candidate in patterned for column in candidate.columns}
        candidates += patterned
        candidates += [ModelColumns(c, source, c) for c in _candidates(source, roles) if c not in used]
    clashing = {name for name, times in Counter(candidate.name for candidate in candidates).items() if times > 1}
    renamed = [
        replace(candidate, name=_source_name(candidate, candidates)) if candidate.name in clashing else candidate
        for candidate in candidates
    ]
    return _numbered(renamed)


def _patterned(source: AlignedTable, roles: Roles) -> list[ModelColumns]:
    """Models whose columns are NAME:class, at least two of each."""
    columns = [column for column in source.table.columns.column_names if column not in roles.taken]
    stems = Counter(column.rpartition(":")[0] for column in columns if column.rpartition(":")[0])
    models = [by_pattern(stem, stem + DEFAULT_PATTERN, [source]) for stem, times in stems.items() if times > 1]
    return [model for model in models if model and all(is_numeric(source.table, c) for c in model.columns)]


def class_patterns(columns: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    """Columns whose names end in the classes, one for each: what the model may be called, and their pattern.

    >>> class_patterns(["y", "nn_0", "nn_1", "nn_2", "rf_0"], ["0", "1", "2"])
    {'nn': 'nn_{class}'}
    """
    stems = (
        dict.fromkeys(name.removesuffix(classes[0]) for name in columns if name.endswith(classes[0])) if classes else ()
    )
    every = set(columns)
    whole = [stem for stem in stems if stem.rstrip(SEPARATORS) and all(f"{stem}{label}" in every for label in classes)]
    return {stem.rstrip(SEPARATORS): f"{stem}{{class}}" for stem in whole}


def offered(columns: Sequence[str], classes: Sequence[str]) -> str | None:
    """The question whether columns that end in the classes belong to one model each; None if there are none."""
    patterns = class_patterns(columns, classes) if len(classes) > 1 else {}
    options = " ".join(f"--model {option_row([f'{name}={pattern}'])}" for name, pattern in patterns.items())
    return f"did you mean {options}?" if options else None


def _candidates(source: AlignedTable, roles: Roles) -> list[str]:
    taken = roles.taken | set(roles.id_like or ())
    columns = source.table.columns.column_names
    return [column for column in columns if column not in taken and mostly_numeric(source.table, column)]


def unused_columns(sources: Sequence[AlignedTable], candidates: Sequence[ModelColumns], roles: Roles) -> list[str]:
    """Columns without any role, so that nothing is left out in silence."""
    used = roles.taken | {column for candidate in candidates for column in candidate.columns} | set(roles.id_like or ())
    return [name for source in sources for name in source.table.columns.column_names if name not in used]


def _source_name(candidate: ModelColumns, candidates: Sequence[ModelColumns]) -> str:
    """A model's name where several sources have a column of that name: the source's, and the column if it has more."""
    stem = PurePath(candidate.source.table.name).name.split(".")[0]
    alone = sum(other.source is candidate.source for other in candidates) == 1
    return stem if alone else f"{stem}/{candidate.name}"


def _numbered(candidates: Sequence[ModelColumns]) -> list[ModelColumns]:
    seen: Counter[str] = Counter()
    result = []
    for candidate in candidates:
        seen[candidate.name] += 1
        result.append(
            candidate
            if seen[candidate.name] == 1
            else replace(candidate, name=f"{candidate.name} ({seen[candidate.name]})")
        )
    return result


def _label_column(name: str, sources: Sequence[AlignedTable], roles: Roles) -> tuple[AlignedTable, str] | None:
    if name not in roles.labels:
        return None
    column = roles.labels[name]
    for source in sources:
        if column in source.table.columns.column_names:
            return source, column
    raise _no_column(column, sources)


def _no_column(name: str, sources: Sequence[AlignedTable]) -> UsageError:
    columns = [column for source in sources for column in source.table.columns.column_names]
    hint = did_you_mean(name, columns)
    return UsageError("E_NOCOL", f"{_names(sources)} has no column {name!r}; {hint}", hint=hint)


def _names(sources: Sequence[AlignedTable]) -> str:
    return ", ".join(source.table.name for source in sources)
