"""Pair sums in a database: what each model's rows add is a column, and one query sums products and powers of them."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import unscaled
from referee.engines.database.rankings import StepSlopes
from referee.engines.protocol import PairSums
from referee.predictions import fetch, fetch_row, lookup, number, table_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array, Column
    from referee.engines.database.summary import Summary
    from referee.predictions import Predictions


class ColumnCells:
    """Rows that are alike for a value, told by a column: their true class, with or without the decision."""

    def __init__(self, code: Column, truth: Array) -> None:
        self.code = code
        self.truth = truth
        """The class of the rows in each cell."""

    def column(self, table: Array) -> Column:
        """What rows of each cell add."""
        return lookup(self.code, dict(enumerate(table.tolist())))


class StepColumns:
    """The rows of a class, and of all others, at each step of its ranking."""

    truth = None

    def __init__(self, score: Column, is_positive: Column) -> None:
        self.score = score
        self.is_positive = is_positive


def pair_sums(predictions: Predictions, influences: Sequence[Any], *, by_class: bool) -> PairSums:
    """Of what the rows of several models add to their values, in one query, or two where that is smoothed at a cut."""
    sums = fetch(Changes(predictions, influences).summed())
    classes, models = max(len(predictions.classes), 1), range(len(influences))
    places = sums["truth"].astype(np.intp)

    def each(name: str) -> Array:
        """Of each class, and in the units of the truth, which was scaled."""
        power = {"cube": 3, "fourth": 4, "first": 1}.get(name.partition("_")[0], 2)
        column = np.zeros(classes)
        column[places] = sums[name]
        return unscaled(column, influences[0].summary.scale, power * influences[0].units_power)

    def pairs(name: str, own: str) -> Array:
        """Of every two: (class, model, model)."""
        sums = np.zeros((classes, len(models), len(models)))
        for i, j in combinations_with_replacement(models, 2):
            sums[:, i, j] = sums[:, j, i] = each(f"{own}_{i}_{i}" if i == j else f"{name}_{i}_{j}")
        return sums

    products, squares = pairs("product", "product"), pairs("square", "product")
    names = [[f"first_{i}", f"product_{i}_{i}", f"cube_{i}", f"fourth_{i}_{i}"] for i in models]
    powers = np.moveaxis(np.array([[each(name) for name in of_model] for of_model in names]), 2, 0)
    if not by_class:
        products, squares = (numbers.sum(axis=0, keepdims=True) for numbers in (products, squares))
    return PairSums(products, squares, pairs("fourth", "fourth").sum(axis=0), powers)


class Changes:
    """The columns of what each row adds, one for each model; `beside` are columns that are kept with them."""

    def __init__(
        self, predictions: Predictions, influences: Sequence[Any], beside: Mapping[str, Column] | None = None
    ) -> None:
        self.predictions = predictions
        self.influences = influences
        self.beside = beside or {}
        self.models = range(len(influences))

    def summed(self) -> Any:
        """The sums of each class, or of all rows where there are none."""
        import ibis

        rows = self.centred()
        phi = [rows[f"phi{place}"] for place in self.models]
        sums: dict[str, Any] = {}
        for i in self.models:
            sums[f"first_{i}"], sums[f"cube_{i}"] = phi[i].sum(), (phi[i] * phi[i] * phi[i]).sum()
            sums[f"fourth_{i}_{i}"] = self._fourth(rows, phi[i])
            for j in range(i, len(phi)):
                sums[f"product_{i}_{j}"] = self._square(rows, phi[i] * phi[j])
                if i < j:
                    apart = phi[i] - phi[j]
                    sums[f"square_{i}_{j}"] = self._square(rows, apart * apart)
                    sums[f"fourth_{i}_{j}"] = self._fourth(rows, apart)
        if self.predictions.classes:
            return rows.group_by("truth").aggregate(**sums)
        return rows.aggregate(truth=ibis.literal(0), **sums)

    @property
    def _is_frequency(self) -> bool:
        return self.predictions.weight_kind == "frequency"

    def _square(self, rows: Any, square: Any) -> Any:
        """As often as rows were seen, or with what they weigh."""
        if self.predictions.weight is None:
            return square.sum()
        of_one = number(self.predictions.row_weight) if self._is_frequency else rows.weight
        return (square * rows.weight * of_one).sum()

    def _fourth(self, rows: Any, column: Any) -> Any:
        square = column * column
        if self.predictions.weight is None:
            return (square * square).sum()
        weight = rows.weight
        if self._is_frequency:
            return (square * square * weight / number(self.predictions.row_weight)).sum()
        return (square * square * weight * weight * weight * weight).sum()

    def centred(self) -> Any:
        """Without the mean, which is not 0 only where something was smoothed."""
        rows = self._joined()
        smoothed = [place for place in self.models if not _is_centred(self.influences[place])]
        if not smoothed:
            return rows
        columns = {f"phi{place}": rows[f"phi{place}"] for place in smoothed}
        sums = {name: self._mean(rows, column) for name, column in columns.items()}
        means = fetch_row(rows.aggregate(**sums))
        return rows.mutate(**{name: rows[name] - number(mean) for name, mean in means.items()})

    def _mean(self, rows: Any, column: Any) -> Any:
        return column.mean() if self.predictions.weight is None else (column * rows.weight).sum() / rows.weight.sum()

    def _joined(self) -> Any:
        """Rows with what each model adds; what hangs on a step is looked up by the score."""
        predictions = self.predictions
        columns: dict[str, Any] = {"truth": predictions.truth, **self.beside}
        if predictions.weight is not None:
            columns["weight"] = predictions.weight
        lookups: list[tuple[int, str, Any]] = []
        for place, influence in enumerate(self.influences):
            columns[f"phi{place}"] = self._direct(influence) * number(self._factor(influence.summary))
            for number_, (cells, slopes) in enumerate(_steps(influence)):
                name = f"score{place}_{number_}"
                if slopes.table is not None:
                    columns |= {name: cells.score, f"is_{name}": cells.is_positive}
                    lookups.append((place, name, slopes.table))
        rows = table_of(predictions.truth).select(**columns)
        if predictions.weight is not None:
            rows = rows.filter(rows.weight > 0)
        for place, name, table in lookups:
            rows = self._looked_up(rows, place, name, table)
        return rows

    def _looked_up(self, rows: Any, place: int, name: str, table: Any) -> Any:
        steps = table.rename({f"step_{name}": "score", f"negative_{name}": "negative", f"positive_{name}": "positive"})
        joined = rows.join(steps, rows[name] == steps[f"step_{name}"])
        slope = joined[f"is_{name}"].ifelse(joined[f"positive_{name}"], joined[f"negative_{name}"])
        factor = number(self._factor(self.influences[place].summary))
        kept = {column: joined[column] for column in rows.columns if column not in (name, f"is_{name}")}
        return joined.select(**kept | {f"phi{place}": joined[f"phi{place}"] + slope * factor})

    def _factor(self, summary: Summary) -> float:
        """From the scale of one model's numbers to that of the first one's."""
        first = self.influences[0]
        return (float(first.summary.scale) / summary.scale) ** int(first.units_power)

    def _direct(self, influence: Any) -> Column:
        """What a row's own columns say."""
        total: Any = number(0.0)
        for cells, table in influence.tables.items():
            if isinstance(table, StepSlopes):
                total = total + table.of_rows(cells.score, cells.is_positive)
            else:
                total = total + cells.column(table)
        for metric, by_terms in influence.terms:
            summary = influence.summary
            total = total + by_terms.of_rows(summary.rows.row_terms(metric, summary.baseline))
        return total


def _steps(influence: Any) -> list[tuple[StepColumns, StepSlopes]]:
    return [(cells, table) for cells, table in influence.tables.items() if isinstance(table, StepSlopes)]


def _is_centred(influence: Any) -> bool:
    return all(slopes.centred for _, slopes in _steps(influence))
