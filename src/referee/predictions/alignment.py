"""Several sources brought to the same rows: by id, or row by row where they have the same truth."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from referee.document import counted
from referee.errors import InputError, Notice, UsageError, listed
from referee.predictions.cell_labels import NO_LABEL, texts
from referee.predictions.cells import absent_cells, coded_column
from referee.predictions.truth import match_label
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from referee.arrays import Array
    from referee.predictions.roles import Roles
    from referee.predictions.table import Table


@dataclass(frozen=True, eq=False)
class AlignedTable:
    """A table and, for each row of the result, the row of the table that it comes from."""

    table: Table
    order: Array | None = None

    def align(self, column: Array) -> Array:
        return column if self.order is None else column[self.order]

    @property
    def places(self) -> Array | None:
        """For each row its place in the source, where these differ; those of a batch are counted by the stream."""
        numbers = self.table.row_numbers
        return self.order if numbers is None or self.table.is_part else self.align(np.asarray(numbers) - 1)

    @property
    def rows_left_out(self) -> int:
        """Rows that other sources do not have."""
        return 0 if self.order is None else self.table.rows - len(self.order)


BETWEEN = "\x1f"
"""Between the parts of a key: a sign that no id holds, so that different parts do not read the same together."""


def align(tables: Sequence[Table], roles: Roles) -> tuple[list[AlignedTable], list[Notice]]:
    """Bring all tables to the rows of the first."""
    if roles.id is None:
        _refuse_unless_same_rows(tables, roles)
        return [AlignedTable(table) for table in tables], []
    keys = [_keys(table, roles) for table in tables]
    for table, key in zip(tables, keys, strict=True):
        _refuse_duplicates(table, key)
    if len(tables) == 1:
        return [AlignedTable(tables[0])], []
    return _by_id(tables, keys, roles)


def drop_labelled(tables: Sequence[Table], roles: Roles) -> tuple[list[Table], dict[str, int]]:
    """The rows without the labels that the user drops, and how many rows each of these had in the first table."""
    if not roles.drop_label:
        return list(tables), {}
    first = tables[0]
    dropped, rows_of = labelled_rows(first, roles)
    refuse_unless_dropped(first.name, roles, rows_of)
    lost = set() if roles.id is None else set(_keys(first, roles)[dropped].tolist())
    kept = [~dropped, *(_kept(table, roles, lost) for table in tables[1:])]
    return [rows_kept(table, rows) for table, rows in zip(tables, kept, strict=True)], rows_of


def labelled_rows(table: Table, roles: Roles) -> tuple[Array, dict[str, int]]:
    """Which rows have a label that the user drops, and how many have each."""
    dropped = _without_label(table, roles)
    counts = {NO_LABEL: int(dropped.sum())} if dropped.any() else {}
    if dropped.all():
        return dropped, counts
    labels = coded_column(rows_kept(table, ~dropped), roles.truth, dates=False)
    drops = [match_label(name, roles.drop_label) is not None for name in labels.names]
    rows = np.bincount(labels.codes, minlength=len(drops)).tolist()
    counts |= {name: count for name, count, drop in zip(labels.names, rows, drops, strict=True) if drop}
    dropped[~dropped] = np.array(drops, bool)[labels.codes]
    return dropped, counts


def _without_label(table: Table, roles: Roles) -> Array:
    """The rows with no label at all, where the user drops these."""
    if NO_LABEL not in roles.drop_label:
        return np.zeros(table.rows, bool)
    cells = table.column(roles.truth)
    is_nan = cells.is_null(nan_is_null=True).to_numpy()
    return np.array(absent_cells(cells).to_numpy() | is_nan, bool)


def refuse_unless_dropped(name: str, roles: Roles, rows_of: Mapping[str, int]) -> None:
    """Refuse a label to drop that no row has: it is misspelt, or drops less than was meant."""
    unknown = [label for label in roles.drop_label if match_label(label, list(rows_of)) is None]
    if unknown:
        raise UsageError("E_LABELS", f"--drop-label {listed(unknown)} is not a label in {name}: column {roles.truth!r}")


def rows_kept(table: Table, kept: Array) -> Table:
    """Some rows, which keep their numbers."""
    if not kept.any():
        raise InputError("E_NOROWS", f"{table.name} has no rows left: --drop-label drops all of them")
    numbers = [table.row_number(place) for place in (np.flatnonzero(kept) + 1).tolist()]
    return replace(table, columns=table.columns.filter(kept), row_numbers=numbers)


def dropped_notices(rows_of: Mapping[str, int], column: str) -> list[Notice]:
    rows = sum(rows_of.values())
    verb = "was" if rows == 1 else "were"
    said = f"{counted(rows, 'row')} whose {column!r} is {listed(rows_of)} {verb} left out, as requested"
    return [Notice("W_DROPPED", said)] if rows_of else []


def _kept(table: Table, roles: Roles, lost: set[str]) -> Array:
    """By its own truth, or by the ids of the rows that the first table has lost."""
    if roles.truth in table.columns.column_names:
        return ~labelled_rows(table, roles)[0]
    if roles.id is None:
        return np.ones(table.rows, bool)
    return np.array([key not in lost for key in _keys(table, roles).tolist()], bool)


def _by_id(tables: Sequence[Table], keys: list[Array], roles: Roles) -> tuple[list[AlignedTable], list[Notice]]:
    rows = [dict(zip(key.tolist(), range(len(key)), strict=True)) for key in keys]
    common = [key for key in keys[0].tolist() if all(key in other for other in rows)]
    notices = _missing(tables, keys, rows, common, roles)
    sources = [
        AlignedTable(t, np.array([at[key] for key in common], np.intp)) for t, at in zip(tables, rows, strict=True)
    ]
    for source in sources[1:]:
        _refuse_other_truth(sources[0], source, common, roles)
    return sources, notices


def _keys(table: Table, roles: Roles) -> Array:
    """What makes a row unique: its id, in its query, and in the repeat and fold it was predicted in."""
    assert roles.id is not None
    split = [n for n in (roles.query, roles.repeat, roles.fold) if n and n in table.columns.column_names]
    parts = [texts(table, name) for name in (roles.id, *split)]
    if len(parts) == 1:
        return parts[0]
    return np.array([BETWEEN.join(part) for part in zip(*(part.tolist() for part in parts), strict=True)], object)


def _refuse_duplicates(table: Table, keys: Array) -> None:
    if len(set(keys.tolist())) != len(keys):
        refuse_duplicate_keys(table.name, enumerate(keys.tolist(), start=1))


def refuse_duplicate_keys(name: str, numbered: Iterable[tuple[int, str]]) -> None:
    """Raise E_DUPID at the first row whose key has occurred before."""
    seen: dict[str, int] = {}
    for row, key in numbered:
        if key in seen:
            raise InputError(
                "E_DUPID",
                f"{name}: duplicate id {key.replace(BETWEEN, ', ')} (rows {seen[key]} and {row})",
                hint="each id may occur once in a source; name --fold or --repeat if rows were predicted several times",
            )
        seen[key] = row


def _missing(
    tables: Sequence[Table], keys: list[Array], rows: list[dict[str, int]], common: list[str], roles: Roles
) -> list[Notice]:
    """Ids that are not in every source: an error, or dropped and counted if the user said so."""
    kept = set(common)
    for table, key in zip(tables, keys, strict=True):
        lost = [each for each in key.tolist() if each not in kept]
        if not lost:
            continue
        lacking = next(t.name for t, at in zip(tables, rows, strict=True) if lost[0] not in at)
        if roles.on_missing == "error" or not common:
            raise InputError(
                "E_ALIGN",
                f"{lacking}: id {lost[0].replace(BETWEEN, ', ')} of {table.name} is missing ({len(lost):,} such rows)",
                hint="--on-missing drop compares on the rows that all sources have",
            )
    lost_rows = sum(len(key) - len(common) for key in keys)
    if not lost_rows:
        return []
    return [Notice("W_DROPPED", f"{lost_rows:,} rows whose id is not in every source were dropped, as requested")]


def _refuse_other_truth(first: AlignedTable, other: AlignedTable, ids: list[str], roles: Roles) -> None:
    if roles.truth not in other.table.columns.column_names:
        return
    a, b = (source.align(texts(source.table, roles.truth)) for source in (first, other))
    differs = _differs(a, b)
    if differs.any():
        at = int(np.argmax(differs))
        raise InputError(
            "E_ALIGN",
            f"{other.table.name}: column {roles.truth!r}: id {ids[at]} is {b[at]!r}, "
            f"but {a[at]!r} in {first.table.name} ({int(differs.sum()):,} such rows)",
            hint="the sources do not have the same rows",
        )


def _differs(a: Array, b: Array) -> Array:
    """Which labels differ, whatever type they were stored in."""
    differs = a != b
    meant = {pair: match_label(pair[0], [pair[1]]) is None for pair in set(zip(a[differs], b[differs], strict=True))}
    differs[differs] = [meant[pair] for pair in zip(a[differs], b[differs], strict=True)]
    return differs


def _refuse_unless_same_rows(tables: Sequence[Table], roles: Roles) -> None:
    """Row by row is only right where the sources have the same length and the same truth."""
    first = tables[0]
    for other in tables[1:]:
        if other.rows != first.rows:
            raise UsageError(
                "E_ALIGN",
                f"{first.name} has {first.rows:,} rows, {other.name} has {other.rows:,}",
                hint="name the column that identifies a row with --id",
            )
        if roles.truth not in other.columns.column_names and other.by_position:
            continue
        if roles.truth not in other.columns.column_names:
            raise UsageError(
                "E_ALIGN",
                f"{other.name} has no column {roles.truth!r} that shows that its rows are the same as in {first.name}",
                hint="name the column that identifies a row with --id",
            )
        differs = _differs(texts(first, roles.truth), texts(other, roles.truth))
        if differs.any():
            raise InputError(
                "E_ALIGN",
                f"{other.name}: column {roles.truth!r}, row {int(np.argmax(differs)) + 1} differs from {first.name}: "
                "the rows are not in the same order",
                hint="name the column that identifies a row with --id",
            )
