"""Judgements: which of two models was preferred in each row, or that they tied."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from referee.document import counted
from referee.errors import UsageError, listed
from referee.predictions.cell_labels import coded, texts
from referee.predictions.cells import is_numeric
from referee.predictions.score_cells import ScoreColumn
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.predictions.score_roles import ScoreRoles
    from referee.predictions.table import Table

TIES = ("tie", "tied", "draw", "both", "neither", "tie (bothbad)", "both_bad", "equal")
"""What judgements without a winner are called, in small letters."""


def judged_pair(table: Table, roles: ScoreRoles) -> Table:
    """The rows about the two models that are asked for, where columns say who met whom."""
    judged = _Judged(table, roles)
    if judged.sides is None:
        return table
    named = judged.with_names()
    wanted = frozenset(roles.models or ())
    return named if len(wanted) != 2 else judged.part(named, [pair == wanted for pair in judged.pairs])


def judged_columns(tables: Sequence[Table], roles: ScoreRoles) -> Iterator[ScoreColumn]:
    """A row for each judgement, and a column with the model that was preferred: 1 for it, 0 for the other."""
    assert roles.winner is not None
    judged = [(table, *coded(table, roles.winner)) for table in tables]
    winners = [name for _, _, names in judged for name in names if name.casefold() not in TIES]
    met = [name for table in tables for pair in _Judged(table, roles).pairs for name in sorted(pair)]
    both = tuple(dict.fromkeys((*(roles.models or ()), *winners, *met)))
    if len(both) != 2:
        raise _not_two(tables, roles, winners, both)
    for table, codes, names in judged:
        for model in both:
            worth = [0.5 if name.casefold() in TIES else float(name == model) for name in names]
            yield ScoreColumn(model, table, roles.winner, np.arange(table.rows), np.array(worth)[codes])


def _not_two(tables: Sequence[Table], roles: ScoreRoles, winners: Sequence[str], both: Sequence[str]) -> UsageError:
    every = dict.fromkeys(winners)
    asked = f", and you asked for {listed(roles.models)}" if roles.models else ""
    names = listed(every) if every else "no model"
    what = f"column {roles.winner!r} names {names}{asked}: a judgement is between two models"
    message = f"{tables[0].name}: {what}"
    pairs = Counter(pair for table in tables for pair in _Judged(table, roles).pairs)
    if pairs:
        said = "; ".join(f"{' and '.join(sorted(pair))}, {counted(rows, 'row')}" for pair, rows in pairs.most_common(6))
        first = ",".join(sorted(pairs.most_common(1)[0][0]))
        return UsageError("E_WINNER", message, hint=f"name two, such as --models {first!r}; there are {said}")
    more = (
        ("with more models, two columns that name the models of each comparison let --models choose a pair")
        if len(both) > 2
        else ""
    )
    named = "--models A,B names both where one of them never won; draws are called tie"
    return UsageError("E_WINNER", message, hint=f"{named}; {more}" if more else named)


@dataclass(frozen=True, eq=False)
class _Judged:
    """A table of judgements, and the two columns with the models that were judged, if it has them."""

    table: Table
    roles: ScoreRoles

    @property
    def winners(self) -> Array:
        assert self.roles.winner is not None
        return texts(self.table, self.roles.winner)

    @property
    def sides(self) -> tuple[str, str] | None:
        """Two columns of which each row's winner is one, by its model or by the column's name."""
        used = {self.roles.winner, self.roles.id, self.roles.group, *self.roles.by}
        columns = [name for name in self.table.columns.column_names if name not in used]
        words = [name for name in columns if not is_numeric(self.table, name) and not self._has_gaps(name)]
        winners = self.winners
        decided = np.array([name.casefold() not in TIES for name in winners], bool)
        for first, second in combinations(words, 2):
            left, right = texts(self.table, first), texts(self.table, second)
            by_model = (winners == left) | (winners == right)
            by_side = (winners == first) | (winners == second)
            if decided.any() and (by_model | by_side)[decided].all() and (left != right).all():
                return first, second
        return None

    def _has_gaps(self, column: str) -> bool:
        return bool(self.table.column(column).null_count)

    @property
    def pairs(self) -> list[frozenset[str]]:
        """The two models of each row; nothing where the table does not say."""
        if self.sides is None:
            return []
        left, right = (texts(self.table, side).tolist() for side in self.sides)
        return [frozenset(pair) for pair in zip(left, right, strict=True)]

    def with_names(self) -> Table:
        """The winner by its model, where the table has the name of its column."""
        assert self.sides is not None and self.roles.winner is not None
        names = self.winners.copy()
        for side in self.sides:
            names = np.where(names == side, texts(self.table, side), names)
        place = self.table.columns.column_names.index(self.roles.winner)
        return replace(self.table, columns=self.table.columns.set_column(place, self.roles.winner, [names.tolist()]))

    def part(self, table: Table, kept: Sequence[bool]) -> Table:
        rows = np.flatnonzero(kept)
        if len(rows) in (0, table.rows):
            return table
        numbered = [table.row_number(row) for row in (rows + 1).tolist()]
        left_out = counted(table.rows - len(rows), "row")
        notes = (*table.notes, f"{left_out} about other pairs of models are left out")
        return replace(table, columns=table.columns.take(rows), row_numbers=numbered, notes=notes)
