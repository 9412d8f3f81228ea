"""The yardstick of relative errors, for rows in a database."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.columns.database_columns import FLOAT, lookup, number, table_of
from referee.engines.baseline import Baseline
from referee.engines.database_sums import centred

if TYPE_CHECKING:
    from referee.arrays import Array, Column


class DatabaseBaseline(Baseline):
    """The same means; each row finds its own by its group."""

    rows: Any

    def shifted(self, place: int, amount: float) -> DatabaseBaseline:
        return DatabaseBaseline(self.rows, self.by, (place, amount))

    def columns(self, part: slice) -> Any:  # noqa: ARG002 (a database has no parts)
        given: Any = self.predictions.baseline
        if self.predictions.task != "regression":
            return [self._of_rows(means) for means in self._means.T]
        return self._of_rows(self._means[:, 0]) if given is None else given.cast(FLOAT) * number(self.rows.scale)

    def _of_rows(self, means: Array) -> Column:
        if self._groups is None:
            return number(means[0])
        return lookup(self._groups, dict(enumerate(means.tolist())))

    @cached_property
    def _groups(self) -> Any:
        fold: Any = self.predictions.fold
        repeat: Any = self.predictions.repeat
        if not self.has_folds:
            return None if self.by is None else self.by.codes
        return fold.codes if repeat is None else repeat.codes.cast("int64") * len(fold) + fold.codes

    def _classes(self) -> tuple[Array, Array]:
        return self._rows_and_totals(self.rows.truth_columns())

    def _numbers(self) -> tuple[Array, Array]:
        return self._rows_and_totals([self.rows.truth_columns()])

    def _rows_and_totals(self, columns: list[Column]) -> tuple[Array, Array]:
        import ibis

        group = ibis.literal(0) if self._groups is None else self._groups
        found = centred(table_of(self.predictions.truth), group, self._group_count, self.rows.unit_weight, columns)
        rows = found.weight[:, None]
        return rows, np.where(rows > 0, found.means, 0.0) * rows

    @property
    def _group_count(self) -> int:
        fold, repeat = self.predictions.fold, self.predictions.repeat
        if not self.has_folds or fold is None:
            return 1 if self.by is None else len(self.by)
        return len(fold) * (len(repeat) if repeat else 1)
