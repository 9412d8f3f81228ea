"""Predictions of a database table, which stays where it is: columns become expressions.

The rules of reading are those of tables in memory: they read a sketch of the table, and what they make of its cells
tells what to make of the columns.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import InputError, UsageError, refuse_without
from referee.predictions.alignment import AlignedTable
from referee.predictions.cells import numbers
from referee.predictions.database_columns import (
    MOST_CELLS,
    Sketch,
    head_of_table,
    rows_of_labels,
    sketch,
    without_labels,
)
from referee.predictions.database_queries import (
    EXTREMES,
    FLOAT,
    fetch_row,
    fetch_table,
    number,
    table_of_relation,
)
from referee.predictions.database_units import Slices, of_cells
from referee.predictions.engine_choice import say_scan
from referee.predictions.formats import format_of
from referee.predictions.id_like import with_id_like
from referee.predictions.locations import ADDRESS, head_of, matching_files
from referee.predictions.model_columns import class_names, find_models
from referee.predictions.roles import label_text
from referee.predictions.source import InPlace, refuse_query, sources
from referee.predictions.sources_read import LabelRows, tables_to_predictions
from referee.predictions.special_files import is_file
from referee.predictions.truth import class_code, understand_truth

if TYPE_CHECKING:
    from referee.arrays import Array, Column
    from referee.predictions.model import Model
    from referee.predictions.model_columns import ModelColumns
    from referee.predictions.predictions import Predictions
    from referee.predictions.roles import Roles
    from referee.predictions.source import Source
    from referee.predictions.table import ReadOptions, Table
    from referee.predictions.truth import Truth


def in_place(source: Any, options: ReadOptions) -> InPlace | None:
    """The table of a source in a database; None for any other source, and where another engine is asked for."""
    known = _kind(source)
    own = "spark" if known is not None and known.name == "spark" else "database"
    if options.engine not in ("auto", own):
        return _left_to_spark(source, options)
    if not isinstance(source, str | os.PathLike):
        refuse_query(f"a {type(source).__name__}", options)
    if known is not None:
        assert known.in_place is not None
        return known.in_place(source, options)
    if _is_relation(source):
        refuse_without("sql", "ibis", to="a relation of DuckDB")
        name = "duckdb DuckDBPyRelation"
        return InPlace(name, table_of_relation(source, name), by="DuckDB")
    return None


def _left_to_spark(source: Any, options: ReadOptions) -> InPlace | None:
    """Parquet files as a frame, where Spark was asked for."""
    is_path = isinstance(source, str | os.PathLike) and not ADDRESS.match(os.fspath(source))
    if options.engine != "spark" or not is_path:
        return None
    files = matching_files(os.fspath(source))
    if any(format_of(head_of(file), file.name) != "parquet" for file in files):
        return None
    refuse_query(os.fspath(source), options)
    opener = sources["spark"].over_parquet
    assert opener is not None
    return opener(os.fspath(source), files, options)


def is_in_database(source: Any) -> bool:
    """Whether a source is a table of a database that can summarise it; nothing is opened to find out."""
    return _is_relation(source) or _kind(source) is not None


def _is_relation(source: Any) -> bool:
    """Whether it is a relation of DuckDB, which is not imported to find out."""
    loaded = sys.modules.get("duckdb")
    return loaded is not None and isinstance(source, loaded.DuckDBPyRelation)


def _kind(source: Any) -> Source | None:
    """The kind of database that a path, an address or an object means."""
    if isinstance(source, str | os.PathLike):
        known = _kind_of_location(os.fspath(source))
    else:
        known = next((kind for kind in sources.values() if kind.takes and kind.takes(source)), None)
    return known if known is not None and known.in_place is not None else None


def _kind_of_location(source: str) -> Source | None:
    if address := ADDRESS.match(source):
        return sources.known(address[1].lower())
    try:
        return sources.known(format_of(head_of(Path(source)), source)) if is_file(source) else None
    except (OSError, ValueError):  # what is wrong with it, the reader of files will say
        return None


def predictions_or_none(kind: type[Any], given: Any, roles: Roles, options: ReadOptions) -> Any:
    """Understand a database table; None for other sources."""
    source = in_place(given, options)
    if source is None or _is_better_read(given, source, options):
        return None
    say_scan(options, source.name, source.rows, source.size, f"processed by {source.by}")
    return read_in_place(kind, source, roles)


def _is_better_read(given: Any, source: InPlace, options: ReadOptions) -> bool:
    """Whether a table is so small that its rows are read; a cluster's never are."""
    if options.engine != "auto" or not options.read_up_to or source.by == "Spark":
        return False
    return is_in_database(given) and _row_count(source) <= options.read_up_to


def _row_count(source: InPlace) -> int:
    return int(fetch_row(source.table.aggregate(rows=source.table.count()))["rows"])


def read_in_place(kind: type[Any], source: InPlace, roles: Roles) -> Any:
    """Understand the columns of a table, which stay where they are."""
    source, left_out = without_labels(source, roles)
    rows = _row_count(source)
    if not rows:
        why = "--drop-label drops all rows" if left_out else "it holds column names and nothing else"
        raise InputError("E_NOROWS", f"{source.name} has no data rows", hint=why)
    head = head_of_table(source)
    roles = _with_models(head, with_id_like([AlignedTable(head)], roles))
    _refuse_many_groups(source, roles, rows)
    seen = sketch(source, head, _used(head, roles), _all_cells(roles), roles, rows)
    _refuse_repeated_ids(source, roles)
    try:
        small = tables_to_predictions(kind, [seen.table], roles, labels=_labels(seen, head, roles, left_out))
    except InputError as error:
        raise seen.in_words(error) from None
    return _Expressions(seen, small, roles).predictions(rows)


def _labels(seen: Sketch, head: Table, roles: Roles, left_out: dict[str, int]) -> LabelRows:
    """How many rows each label has; a truth with too many different cells holds none, and is not counted."""
    many = roles.truth in seen.table.columns.column_names and len(set(seen.cells(roles.truth))) > MOST_CELLS
    uncounted = many or roles.task == "regression"
    return LabelRows(None if uncounted else rows_of_labels(seen, roles.truth), left_out, head)


def _with_models(head: Table, roles: Roles) -> Roles:
    """The models by name, as the sketch alone would not tell which columns of text are mostly numbers."""
    if roles.models is not None or roles.columns or roles.labels:
        return roles
    candidates = find_models([AlignedTable(head)], roles)
    named = replace(roles, models=tuple(candidate.name for candidate in candidates))
    try:
        same = [candidate.columns for candidate in find_models([AlignedTable(head)], named)] == [
            candidate.columns for candidate in candidates
        ]
    except UsageError:  # two models of one name are told apart by a number
        return roles
    return named if same else roles


def _used(head: Table, roles: Roles) -> list[str]:
    names = roles.taken - {roles.id} | {
        c for candidate in find_models([AlignedTable(head)], roles) for c in candidate.columns
    }
    return [name for name in head.columns.column_names if name in names]


def _all_cells(roles: Roles) -> set[str]:
    """Columns of names: each must be known."""
    names = {roles.fold, roles.repeat, roles.group, *roles.by, *roles.labels.values()}
    if roles.task == "multiclass":
        names.add(roles.truth)
    return {name for name in names if name}


MOST_GROUPS = 100_000
"""Beyond, what leaves the database would no longer be few sums."""


def _refuse_many_groups(source: InPlace, roles: Roles, rows: int) -> None:
    if roles.group is None or roles.group not in source.table.columns or rows <= MOST_GROUPS:
        return
    groups = fetch_row(source.table.aggregate(groups=source.table[roles.group].nunique()))["groups"]
    if groups > MOST_GROUPS:
        raise UsageError(
            "E_ROWS",
            f"{source.name}: column {roles.group!r} names {groups:,} groups; inside a database up to {MOST_GROUPS:,} "
            "are compared",
            hint="read the rows with --engine memory, or name larger groups",
        )


def _refuse_repeated_ids(source: InPlace, roles: Roles) -> None:
    table = source.table
    if roles.id is None or roles.id not in table.columns:
        return
    keys = [name for name in (roles.id, roles.repeat, roles.fold) if name in table.columns]
    rows = table.group_by(keys).aggregate(referee_rows=table.count())
    repeated = rows.filter((rows.referee_rows > 1) | rows[roles.id].isnull())
    for row in fetch_table(repeated.limit(1)).to_pylist():
        if row[roles.id] is None:
            raise InputError("E_MISSING", f"{source.name}: column {roles.id!r}: missing ({row['referee_rows']:,} rows)")
        key = " in ".join(label_text(row[name]) for name in keys)
        raise InputError(
            "E_DUPID",
            f"{source.name}: duplicate id {key} ({row['referee_rows']:,} rows)",
            hint="each id may occur once in a source; name --fold or --repeat if rows were predicted several times",
        )


class _Expressions:
    """What was made of the sketch's cells, made of the table's columns."""

    def __init__(self, seen: Sketch, small: Predictions, roles: Roles) -> None:
        self.sketch = seen
        self.small = small
        self.roles = roles
        self.candidates = find_models([AlignedTable(seen.table)], roles)

    def predictions(self, rows: int) -> Predictions:
        roles, small, slices = self.roles, self.small, Slices(self.sketch.source)
        made = replace(
            small,
            truth=self._truth(),
            models=tuple(map(self._model, self.candidates, small.models)),
            weight=self._weight(roles.weight) if roles.weight else None,
            baseline=self.sketch.numbers(roles.baseline) if roles.baseline else None,
            fold=slices[roles.fold] if roles.fold else None,
            repeat=slices[roles.repeat] if roles.repeat else None,
            group=slices[roles.group] if roles.group else None,
            slices=slices,
            engine="database",
            row_count=rows,
        )
        vars(made)[EXTREMES] = {
            model: (float(seen.scores.min()), float(seen.scores.max()))
            for model, seen in zip(made.models, small.models, strict=True)
            if seen.scores is not None
        }
        return made

    def _truth(self) -> Column:
        if self.small.task == "regression":
            return self.sketch.numbers(self.roles.truth).cast(FLOAT)
        return self._of_cells(self.roles.truth, self.small.truth)

    def _of_cells(self, column: str, made: Array) -> Column:
        return of_cells(self.sketch, column, made)

    def _weight(self, column: str) -> Column:
        weight, scale = self.sketch.numbers(column).cast(FLOAT), self.small.weight_scale
        return weight if scale == 1 else weight * number(scale)

    def _model(self, candidate: ModelColumns, small: Model) -> Model:
        labels_from = candidate.label[1] if candidate.label else candidate.column
        return replace(
            small,
            scores=None if small.scores is None else self._scores(candidate.column, small.scores),
            class_scores=None if small.class_scores is None else self._class_scores(candidate, small),
            labels=None if small.labels is None or not labels_from else self._of_cells(labels_from, small.labels),
            values=None if small.values is None else self.sketch.numbers(str(candidate.column)),
            quantiles=None if small.quantiles is None else self._quantiles(candidate),
        )

    def _scores(self, column: str | None, made: Array) -> Column:
        """Numbers as they are, unless they are labels that stand for 0 and 1."""
        assert column is not None
        known = numbers(self.sketch.table, column)
        if np.array_equal(made, known):
            return self.sketch.numbers(column)
        if np.array_equal(made, np.clip(known, 0, 1)):
            return self.sketch.numbers(column).clip(lower=0, upper=1)
        return self._of_cells(column, made)

    def _class_scores(self, candidate: ModelColumns, small: Model) -> tuple[Column, ...]:
        truth: Truth = understand_truth(self.sketch.table, self.roles, class_names(self.candidates))
        columns: dict[int, Column] = {}
        for label, column in candidate.by_class.items():
            code, values = class_code(label, truth), self.sketch.numbers(column).cast(FLOAT)
            assert code is not None
            columns[code] = columns[code] + values if code in columns else values
        ranged = [column if small.rounded is None else column.clip(lower=0, upper=1) for column in columns.values()]
        columns = dict(zip(columns, ranged, strict=True))
        return tuple(columns[code] for code in sorted(columns))

    def _quantiles(self, candidate: ModelColumns) -> dict[float, Column]:
        return {
            level: self.sketch.numbers(c) for level, c in sorted((float(q), c) for q, c in candidate.by_class.items())
        }
