"""The yardstick of relative errors, for rows in a database."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.database_columns import FLOAT, lookup, number, table_of
from referee.engines.baseline import Baseline
from referee.engines.database_sums import centred

if TYPE_CHECKING:
    from referee.arrays import Array, Column


class DatabaseBaseline(Baseline):
    """The same means; each row finds its own by its group."""

    def shifted(self, place: int, amount: float) -> DatabaseBaseline:
        return DatabaseBaseline(self.rows, self.by, (place, amount))

    def columns(self, part: slice) -> Any:  # noqa: ARG002 (a database has no parts)
        predictions = self.predictions
        if predictions.task != "regression":
            return [self._of_rows(means) for means in self._means]
        if predictions.baseline is not None:
            return predictions.baseline.cast(FLOAT) * number(self.rows.scale)  # type: ignore[attr-defined]
        return self._of_rows(self._means[0])

    def _of_rows(self, means: Array) -> Column:
        if len(means) == 1 and np.isfinite(means[0]):
            return number(means[0])
        return lookup(self._groups, dict(enumerate(means.tolist())))

    @cached_property
    def _groups(self) -> Column:
        import ibis

        predictions = self.predictions
        if predictions.fold is None:
            return ibis.literal(0) if self.by is None else self.by.codes
        if predictions.repeat is None:
            return predictions.fold.codes
        return predictions.repeat.codes.cast("int64") * len(predictions.fold) + predictions.fold.codes  # type: ignore[attr-defined]

    @cached_property
    def _means(self) -> list[Array]:
        predictions, place = self.predictions, self.shift[0]
        truth: Any = self.rows.truth_columns()
        columns = [truth] if predictions.task == "regression" else truth
        weight: Any = self.rows.unit_weight  # type: ignore[attr-defined]
        found = centred(table_of(predictions.truth), self._groups, self._group_count, weight, columns)
        means = [self._mean_of_group(found.weight, found.means[:, at]) for at in range(len(columns))]
        return [mean + self.shift[1] * (place == at) for at, mean in enumerate(means)]

    @property
    def _group_count(self) -> int:
        predictions = self.predictions
        if predictions.fold is None:
            return 1 if self.by is None else len(self.by)
        return len(predictions.fold) * (len(predictions.repeat) if predictions.repeat else 1)

    def _mean_of_group(self, rows: Array, means: Array) -> Array:
        means = np.where(rows > 0, means, 0.0)
        return means if self.predictions.fold is None else self._mean_of_others(rows, rows * means)
