"""Pair sums in a database: what each model's rows add is a column, and one query sums products and powers of them."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import unscaled
from referee.engines.database.rankings import StepSlopes, steps_with_slopes
from referee.engines.protocol import PairSums
from referee.predictions import fetch, lookup, number, table_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array, Column
    from referee.engines.database.answers import Answers
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

    def __init__(self, score: Column, is_positive: Column, takes_part: Column | None = None) -> None:
        self.score = score
        self.is_positive = is_positive
        self.takes_part = takes_part
        """Whether a row is ranked, if not all are."""

    def added(self, column: Column) -> Column:
        """What a row adds, if it takes part."""
        return column if self.takes_part is None else self.takes_part.ifelse(column, number(0.0))


def pair_sums(predictions: Predictions, influences: Sequence[Any], *, by_class: bool) -> PairSums:
    """Of what the rows of several models add to their values, in one query."""
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
        rows = self.joined()
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
        return self._by_class(rows, sums)

    @property
    def _is_frequency(self) -> bool:
        return self.predictions.weight_kind == "frequency"

    def _square(self, rows: Any, square: Any) -> Any:
        """As often as rows were seen, or with what they weigh."""
        if self.predictions.weight is None:
            return square.sum()
        return (square * rows.weight * (1 if self._is_frequency else rows.weight)).sum()

    def _fourth(self, rows: Any, column: Any) -> Any:
        square = column * column
        if self.predictions.weight is None:
            return (square * square).sum()
        weight = rows.weight
        if self._is_frequency:
            return (square * square * weight).sum()
        return (square * square * weight * weight * weight * weight).sum()

    def own(self) -> Any:
        """The sums of squares and fourth powers of each by itself, of each class."""
        rows = self.joined()
        sums: dict[str, Any] = {}
        for place in self.models:
            phi = rows[f"phi{place}"]
            sums |= {f"square{place}": self._square(rows, phi * phi), f"fourth{place}": self._fourth(rows, phi)}
        return self._by_class(rows, sums)

    def _by_class(self, rows: Any, sums: dict[str, Any]) -> Any:
        import ibis

        if self.predictions.classes:
            return rows.group_by("truth").aggregate(**sums)
        return rows.aggregate(truth=ibis.literal(0), **sums)

    def joined(self) -> Any:
        """Rows with what each model adds; what hangs on a step is looked up by the score, once for all who ask."""
        predictions = self.predictions
        columns: dict[str, Any] = {"truth": predictions.truth, **self.beside}
        if predictions.weight is not None:
            columns["weight"] = predictions.weight
        lookups: dict[tuple[StepColumns, Answers], dict[int, StepSlopes]] = {}
        for place, influence in enumerate(self.influences):
            columns[f"phi{place}"] = self._direct(influence) * number(self._factor(influence.summary))
            for cells, slopes in influence.tables.items():
                if isinstance(slopes, StepSlopes) and slopes.columns:
                    lookups.setdefault((cells, slopes.ranking.answers), {})[place] = slopes
        for group, (cells, _) in enumerate(lookups):
            score = cells.score if cells.takes_part is None else cells.takes_part.ifelse(cells.score, None)
            columns |= {f"score{group}": score, f"is_positive{group}": cells.is_positive}
        rows = table_of(predictions.truth).select(**columns)
        if predictions.weight is not None:
            rows = rows.filter(rows.weight > 0)
        for group, ((cells, answers), of_places) in enumerate(lookups.items()):
            rows = self._looked_up(rows, group, answers, of_places, some=cells.takes_part is not None)
        return rows

    def _looked_up(
        self, rows: Any, group: int, answers: Answers, of_places: dict[int, StepSlopes], *, some: bool
    ) -> Any:
        """A turned ranking has the same steps, and its positives are negatives there."""
        named = {f"of{group}_{place}": slopes for place, slopes in of_places.items()}
        steps = steps_with_slopes(answers, named).rename({f"step{group}": "score"})
        (is_turned,) = {slopes.ranking.is_turned for slopes in of_places.values()}
        score = number(0.0) - rows[f"score{group}"] if is_turned else rows[f"score{group}"]
        joined = rows.join(steps, score == steps[f"step{group}"], how="left" if some else "inner")
        kept = {name: joined[name] for name in rows.columns if name not in (f"score{group}", f"is_positive{group}")}
        for place in of_places:
            sides = (joined[f"{side}_of{group}_{place}"] for side in ("positives", "negatives"))
            slope = joined[f"is_positive{group}"].ifelse(*sides)
            factor = number(self._factor(self.influences[place].summary))
            kept[f"phi{place}"] = kept[f"phi{place}"] + (slope.fill_null(number(0.0)) if some else slope) * factor
        return joined.select(**kept)

    def _factor(self, summary: Summary) -> float:
        """From the scale of one model's numbers to that of the first one's."""
        first = self.influences[0]
        return (float(first.summary.scale) / summary.scale) ** int(first.units_power)

    def _direct(self, influence: Any) -> Column:
        """What a row's own columns say."""
        total: Any = number(0.0)
        for cells, table in influence.tables.items():
            if isinstance(table, StepSlopes):
                total = total + cells.added(table.of_rows(cells.score, cells.is_positive))
            else:
                total = total + cells.column(table)
        for metric, by_terms in influence.terms:
            summary = influence.summary
            total = total + by_terms.of_rows(summary.rows.row_terms(metric, summary.baseline))
        return total
