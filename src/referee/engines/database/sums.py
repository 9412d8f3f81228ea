"""Sums and the yardstick of relative errors, each in one query."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.memory.baseline import Baseline
from referee.predictions import FLOAT, fetch, lookup, number, table_of
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from referee.arrays import Array, Column

Pair = tuple[int, int]


@dataclass(frozen=True)
class Centred:
    weight: Array
    """(unit)"""
    means: Array
    """(unit, term)"""
    moments: dict[Pair, Array]
    """(unit) for each pair of terms that was asked for"""


def centred(
    table: Any, unit: Column, units: int, weight: Column, terms: Sequence[Column], pairs: Iterable[Pair] = ()
) -> Centred:
    """Sum deviations from a first mean, which then corrects that mean: databases add floats up one after the other."""
    names = [f"term{place}" for place in range(len(terms))]
    rows = kept_rows(table, unit, weight, dict(zip(names, terms, strict=True)))
    pairs = list(pairs)
    sums = fetch(_sums_of_deviations(_with_means(rows, names), names, pairs))
    return _corrected(sums, units, names, pairs)


def kept_rows(table: Any, unit: Column, weight: Column, columns: dict[str, Column]) -> Any:
    """The columns of the rows that have weight."""
    rows = table.select(unit=unit, weight=weight, **columns)
    return rows.filter(rows.weight > 0)


def _with_means(rows: Any, names: list[str]) -> Any:
    sums = {f"mean_{name}": (rows.weight * rows[name]).sum() / rows.weight.sum() for name in names}
    means = rows.group_by("unit").aggregate(total=rows.weight.sum(), **sums)
    return rows.join(means, "unit")


def _sums_of_deviations(rows: Any, names: list[str], pairs: list[Pair]) -> Any:
    deviations = [rows[name] - rows[f"mean_{name}"] for name in names]
    return rows.group_by("unit").aggregate(
        total=rows.total.max(),
        **{f"mean_{name}": rows[f"mean_{name}"].max() for name in names},
        **{f"rest_{name}": (rows.weight * deviation).sum() for name, deviation in zip(names, deviations, strict=True)},
        **{f"moment_{i}_{j}": (rows.weight * deviations[i] * deviations[j]).sum() for i, j in pairs},
    )


def _corrected(sums: dict[str, Array], units: int, names: list[str], pairs: list[Pair]) -> Centred:
    unit = sums["unit"].astype(np.intp)

    def spread(name: str, empty: float) -> Array:
        values = np.full(units, empty)
        values[unit] = sums[name]
        return values

    weight = spread("total", 0.0)
    with np.errstate(all="ignore"):
        shifts = [spread(f"rest_{name}", 0.0) / weight for name in names]
        # The mean of infinite terms is infinite, and nothing deviates from it.
        finite = [np.where(np.isfinite(shift), shift, 0.0) for shift in shifts]
        means = [spread(f"mean_{name}", np.nan) + shift for name, shift in zip(names, finite, strict=True)]
        moments = {(i, j): spread(f"moment_{i}_{j}", 0.0) - weight * finite[i] * finite[j] for i, j in pairs}
    return Centred(weight, np.stack(means, axis=1) if means else np.empty((units, 0)), moments)


class DatabaseBaseline(Baseline):
    """The same means; each row finds its own by its group."""

    rows: Any

    def shifted(self, place: int, amount: float) -> DatabaseBaseline:
        return DatabaseBaseline(self.rows, self.by, (place, amount))

    def columns(self, part: slice) -> Any:  # noqa: ARG002 (a database has no parts)
        given: Any = self.predictions.baseline
        if self.predictions.classes:
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
        summary = centred(table_of(self.predictions.truth), group, self._group_count, self.rows.unit_weight, columns)
        rows = summary.weight[:, None]
        return rows, np.where(rows > 0, summary.means, 0.0) * rows

    @property
    def _group_count(self) -> int:
        fold, repeat = self.predictions.fold, self.predictions.repeat
        if not self.has_folds or fold is None:
            return 1 if self.by is None else len(self.by)
        return len(fold) * (len(repeat) if repeat else 1)
