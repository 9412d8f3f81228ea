"""Columns as features: what is a number, a category or missing, and what may carry the answer into training."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import Notice, listed
from referee.fitting.dataset import Feature
from referee.predictions import Table, coded, is_numeric, is_text, mostly_numeric, numbers
from referee.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.fitting.dataset import DataSet

MISSING_WORDS = ("?", "na", "n/a", "nan", "null", "none", "-", ".")
"""What a cell among numbers may hold where there is no number."""
MISSING_CATEGORY = ("?",)
"""In a column of names the other words may be names."""
FEW_CODES = 20
"""Numbers with words among them are codes if they are so few, and damaged numbers otherwise."""


@dataclass
class FoundFeatures:
    """Features in the order of their columns, and what is to be said about the others."""

    features: tuple[Feature, ...] = ()
    matrix: Array = field(default_factory=lambda: np.empty((0, 0)))
    notices: tuple[Notice, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Values:
    """A column as numbers or codes, NaN where it has none."""

    feature: Feature
    column: Array
    note: str | None = None


def read_features(table: Table, columns: Sequence[str]) -> FoundFeatures:
    """Read the columns that have no role; those that cannot be learned from are left out and named."""
    matrix = np.empty((table.rows, len(columns)))
    features: list[Feature] = []
    notices: list[Notice] = []
    notes: list[str] = []
    for name in columns:
        values = _values(table, name)
        if values.feature.missing == table.rows:
            notes.append(f"column {name!r} is left out: it has no values")
        elif _differs_in_every_row(values.feature, table.rows):
            notices.append(_id_like(table, name, left_out=True))
        else:
            matrix[:, len(features)] = values.column
            features.append(values.feature)
            notes += [values.note] if values.note else []
            notices += [_id_like(table, name, left_out=False)] if _counts_rows(values) else []
    return FoundFeatures(
        tuple(features), np.ascontiguousarray(matrix[:, : len(features)]), tuple(notices), tuple(notes)
    )


def _values(table: Table, name: str) -> Values:
    import pyarrow as pa

    kind = table.column(name).type
    if pa.types.is_temporal(kind):
        seconds = _seconds(table.column(name))
        note = f"column {name!r} holds times and is taken as a number; --time '{name}' makes it the order of the rows"
        return Values(Feature(name, missing=int(np.isnan(seconds).sum())), seconds, note)
    if not (table.text or pa.types.is_dictionary(kind) or is_text(kind) or pa.types.is_boolean(kind)):
        return _numeric(table, name, ())
    if not table.text:
        return _categorical(table, name)
    if is_numeric(table, name):
        return _numeric(table, name, ("nan",))
    if _damaged_numbers(table, name):
        return _numeric(table, name, MISSING_WORDS)
    return _categorical(table, name)


def _seconds(cells: Any) -> Array:
    import pyarrow as pa

    kind = pa.duration("us") if pa.types.is_duration(cells.type) else pa.timestamp("us")
    try:
        whole = cells.cast(kind, safe=False)
    except pa.ArrowException:  # a time of day
        whole = cells.cast(pa.time64("us"), safe=False)
    return np.asarray(whole.cast(pa.int64()).cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)) / 1e6


def _damaged_numbers(table: Table, name: str) -> bool:
    """Whether the words in a column of text stand among numbers, instead of being names."""
    import pyarrow.compute as pc

    if not mostly_numeric(table, name):
        return False
    present = table.column(name).filter(_present(table.column(name), MISSING_WORDS))
    rest = Table(table.name, _one_column(name, present), text=True, decimal=table.decimal)
    return bool(is_numeric(rest, name) or pc.count_distinct(present.cast("large_string")).as_py() > FEW_CODES)


def _numeric(table: Table, name: str, missing_words: Sequence[str]) -> Values:
    """Read numbers; a word that does not stand for a missing value is an error with its row."""
    present, part = _part_with_values(table, name, missing_words)
    column = np.full(table.rows, np.nan)
    if part is not None:
        column[present] = numbers(part, name)
    return Values(Feature(name, missing=int((~present).sum())), column, _words_note(table, name, missing_words))


def _categorical(table: Table, name: str) -> Values:
    present, part = _part_with_values(table, name, MISSING_CATEGORY)
    column = np.full(table.rows, np.nan)
    names: tuple[str, ...] = ()
    if part is not None:
        codes, names = coded(part, name)
        column[present] = codes
    names += tuple(level for level in table.levels.get(name, ()) if level not in names)
    feature = Feature(name, "categorical", names, int((~present).sum()))
    return Values(feature, column, _words_note(table, name, MISSING_CATEGORY))


def _part_with_values(table: Table, name: str, missing_words: Sequence[str]) -> tuple[Array, Table | None]:
    """Which rows have a value, and a table of these alone that knows their row numbers."""
    cells = table.column(name)
    flags = _present(cells, missing_words)
    present = np.asarray(flags.to_numpy(zero_copy_only=False), bool)
    if not present.any():
        return present, None
    rows = None if present.all() else [table.row_number(int(place) + 1) for place in np.flatnonzero(present)]
    part = cells if rows is None else cells.filter(flags)
    return present, Table(table.name, _one_column(name, part), table.text, table.decimal, row_numbers=rows)


def _one_column(name: str, cells: Any) -> Any:
    import pyarrow as pa

    return pa.table({name: cells})


def _present(cells: Any, missing_words: Sequence[str]) -> Any:
    """Tell for each cell whether it holds a value: neither null, nor NaN, blank or one of the words."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(cells.type):
        return pc.invert(pc.is_null(cells, nan_is_null=True)).combine_chunks()
    if not is_text(cells.type):
        return pc.is_valid(cells).combine_chunks()
    words = pc.utf8_lower(pc.ascii_trim(cells.cast(pa.large_string()), characters=" "))
    absent = pc.is_in(words, value_set=pa.array(["", *missing_words], pa.large_string()))
    return pc.and_(pc.is_valid(cells), pc.invert(absent)).combine_chunks()


def _words_note(table: Table, name: str, missing_words: Sequence[str]) -> str | None:
    """Say so where words were taken for missing values."""
    import pyarrow.compute as pc

    cells = table.column(name)
    if not missing_words or not is_text(cells.type):
        return None
    worded = pc.and_(_present(cells, ()), pc.invert(_present(cells, missing_words)))
    if not pc.any(worded).as_py():
        return None
    word = cells[pc.index(worded, True).as_py()].as_py()
    return f"column {name!r}: {word!r} stands for a missing value"


def _differs_in_every_row(feature: Feature, rows: int) -> bool:
    return feature.is_categorical and 2 < len(feature.categories) == rows - feature.missing


def _counts_rows(values: Values) -> bool:
    """Whether numbers go up by one from row to row, as those of an index."""
    return len(values.column) > 2 and not values.feature.is_categorical and bool((np.diff(values.column) == 1).all())


def _id_like(table: Table, name: str, *, left_out: bool) -> Notice:
    place = f"{table.name}: column {name!r}"
    if left_out:
        return Notice(
            "W_IDLIKE", f"{place} has a different text in every row, so it is left out; --id '{name}' if it is the id"
        )
    return Notice("W_IDLIKE", f"{place} counts the rows and is taken as a feature; --id '{name}' if it is the id")


GROUP_WORD = re.compile(
    r"(^|_)(grp|group|cluster|patient|subject|person|user|customer|client|account|member|household|family|session|"
    r"visit|site|hospital|clinic|school|batch|plate|device|sensor|machine|speaker|writer|author|animal|donor)"
    r"s?(_?(id|no|nr|num|number|code|key|name))?$|[a-z0-9]_?id$"
)
FEWEST_GROUPS = 5


def leakage_notices(data: DataSet) -> tuple[Notice, ...]:
    """Everything that is suspicious about the data themselves, whatever the scheme."""
    return (*copies_of_target(data), *duplicate_rows(data), *group_like_columns(data))


def copies_of_target(data: DataSet) -> Iterator[Notice]:
    """Features that say the same as the target, value by value."""
    copies = [
        feature.name for feature, column in zip(data.features, data.X.T, strict=True) if _says_the_same(data, column)
    ]
    if copies:
        what, verb = ("column", "equals") if len(copies) == 1 else ("columns", "equal")
        yield Notice(
            "W_LEAK",
            f"{data.source}: {what} {listed(copies)} {verb} the target {data.target_column!r}: a model that may read "
            "the answer is always right; leave it out of the file, unless it is known before the target is",
        )


def _says_the_same(data: DataSet, column: Array) -> bool:
    if np.isnan(column).any():
        return False
    if data.task == "regression":
        return np.array_equal(column, data.target)
    values, codes = np.unique(column, return_inverse=True)
    if len(values) != len(np.unique(data.target)):
        return False
    pairs = np.unique(codes.reshape(-1) * len(data.classes) + data.target)
    return len(pairs) == len(values)


def duplicate_rows(data: DataSet) -> Iterator[Notice]:
    """Rows that repeat an earlier one in every feature and the target."""
    again, first = _repeated(np.column_stack([data.X, data.target]))
    if len(again):
        verb = "repeats" if len(again) == 1 else "repeat"
        yield Notice(
            "W_DUPROWS",
            f"{data.source}: {len(again):,} of {counted(data.rows, 'row')} {verb} an earlier one exactly "
            f"(row {again[0] + 1} is row {first + 1} again): if one is in training and the other in the test part, the "
            "model has seen the answer; remove them, or give equal rows one --group",
        )


def _repeated(rows: Array) -> tuple[Array, int]:
    """The places of rows that have occurred before, and where the first of them occurred first."""
    plain = np.where(np.isnan(rows), np.nan, rows + 0.0)
    keys = np.zeros(len(plain), np.uint64)
    for column in plain.T:
        keys = (keys ^ np.ascontiguousarray(column).view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(29)
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    earlier = first[which]
    suspects = np.flatnonzero(earlier < np.arange(len(plain)))
    same = plain[suspects].view(np.uint64) == plain[earlier[suspects]].view(np.uint64)
    again = suspects[same.all(axis=1)]
    return again, int(earlier[again[0]]) if len(again) else 0


def group_like_columns(data: DataSet) -> Iterator[Notice]:
    """Columns whose values stand for several rows that belong together, where no group was named."""
    if data.group is not None:
        return
    for feature, column in zip(data.features, data.X.T, strict=True):
        groups = _groups(feature, column)
        if groups:
            yield Notice(
                "W_GROUPLEAK",
                f"{data.source}: column {feature.name!r} repeats over rows ({groups:,} values in "
                f"{counted(data.rows, 'row')}) and looks like a group: rows of the same group would be in train and "
                f"test, and the scores too good; say --group '{feature.name}', or leave the column out",
            )


def _groups(feature: Feature, column: Array) -> int:
    """How many groups a column has, 0 if it is none: by its name, or as names in blocks of a few rows."""
    if not feature.is_categorical and not bool((column == np.floor(column)).all()):
        return 0
    groups = len(np.unique(column))
    if not FEWEST_GROUPS <= groups <= len(column) // 2:
        return 0
    in_blocks = int(np.count_nonzero(np.diff(column))) + 1 == groups
    named = GROUP_WORD.search(feature.name.lower()) is not None
    return groups if named or (feature.is_categorical and in_blocks and groups**2 >= len(column)) else 0
