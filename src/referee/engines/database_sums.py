"""Weighted means and centred second moments of row terms in each unit, stable and in one query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.columns.database_columns import fetch

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
    found = fetch(_sums_of_deviations(_with_means(rows, names), names, pairs))
    return _corrected(found, units, names, pairs)


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
        **{f"rest_{name}": (rows.weight * one).sum() for name, one in zip(names, deviations, strict=True)},
        **{f"moment_{i}_{j}": (rows.weight * deviations[i] * deviations[j]).sum() for i, j in pairs},
    )


def _corrected(found: dict[str, Array], units: int, names: list[str], pairs: list[Pair]) -> Centred:
    unit = found["unit"].astype(np.intp)

    def spread(name: str, empty: float) -> Array:
        values = np.full(units, empty)
        values[unit] = found[name]
        return values

    weight = spread("total", 0.0)
    with np.errstate(all="ignore"):
        shifts = [spread(f"rest_{name}", 0.0) / weight for name in names]
        # The mean of infinite terms is infinite, and nothing deviates from it.
        finite = [np.where(np.isfinite(shift), shift, 0.0) for shift in shifts]
        means = [spread(f"mean_{name}", np.nan) + shift for name, shift in zip(names, finite, strict=True)]
        moments = {(i, j): spread(f"moment_{i}_{j}", 0.0) - weight * finite[i] * finite[j] for i, j in pairs}
    return Centred(weight, np.stack(means, axis=1) if means else np.empty((units, 0)), moments)
