"""Labels of a database table: how many rows each has, and the table without the rows of some of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from referee.columns.alignment import refuse_unless_dropped
from referee.columns.database_columns import fetch_table
from referee.columns.database_sketch import MOST_CELLS
from referee.columns.truth import match_label
from referee.readers.cell_codes import label_texts

if TYPE_CHECKING:
    from typing import Any

    from referee.columns.database_sources import DatabaseSource
    from referee.columns.roles import Roles


def rows_of_labels(source: DatabaseSource, column: str) -> dict[str, int] | None:
    """How many rows each label has; None where there are too many different cells for labels."""
    cells = _cells(source, column)
    if cells is None:
        return None
    rows_of: Counter[str] = Counter()
    for label, _, rows in cells:
        rows_of[label] += rows
    return dict(rows_of)


def without_labels(source: DatabaseSource, roles: Roles) -> tuple[DatabaseSource, dict[str, int]]:
    """The table without the rows whose label the user drops, and how many each of these had."""
    if not roles.drop_label or roles.truth not in source.table.columns:
        return source, {}
    cells = [one for one in _cells(source, roles.truth) or () if match_label(one[0], roles.drop_label) is not None]
    left_out = {label: rows for label, _, rows in cells}
    refuse_unless_dropped(source.name, roles, left_out)
    truth = source.table[roles.truth]
    kept = source.table.filter(truth.isnull() | ~truth.isin([cell for _, cell, _ in cells]))
    return replace(source, table=kept), left_out


def _cells(source: DatabaseSource, column: str) -> list[tuple[str, Any, int]] | None:
    """Each different cell of a column as a label, as it is, and with the number of its rows."""
    table = source.table
    if column not in table.columns:  # reading will say so
        return None
    kind = table[column].type()
    if not (kind.is_string() or kind.is_numeric() or kind.is_boolean()):
        return None
    named = table.select(referee_cell=table[column])
    counts = named.group_by("referee_cell").aggregate(referee_rows=named.count()).limit(MOST_CELLS + 1)
    found = fetch_table(counts.filter(counts.referee_cell.notnull()))
    if found.num_rows > MOST_CELLS:
        return None
    cells = found.column("referee_cell").combine_chunks()
    return list(zip(label_texts(cells), cells.to_pylist(), found.column("referee_rows").to_pylist(), strict=True))
