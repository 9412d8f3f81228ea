"""What rows of a database add to values: a column for each, of which sums are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.database.rankings import number_of_unit
from referee.engines.database.step_slopes import StepSlopes, slope_table
from referee.engines.memory.cells import Cells
from referee.predictions import fetch, fetch_row, lookup, number, table_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array, Column
    from referee.engines.database.rankings import DatabaseRanking
    from referee.engines.database.step_slopes import SlopeColumns
    from referee.engines.database.summary import Summary
    from referee.predictions import Predictions


class ColumnCells(Cells):
    """Rows that are alike for a value, told by a column: their true class, with or without the decision."""

    def __init__(
        self, code: Column, rows: Array, truth: Array, unit: Array | int, *, are_classes: bool = False
    ) -> None:
        """`rows` are those of each cell, `truth` their class."""
        super().__init__((rows.astype(float),), (truth,), unit, self._in_no_order)
        self.code = code
        self.are_classes = are_classes

    def _in_no_order(self) -> Array:
        raise TypeError("rows of a database have no order")

    def column(self, table: Array) -> Column:
        """What rows of each cell add."""
        return lookup(self.code, dict(enumerate(table.tolist())))


class StepColumns:
    """The rows of a class, and of all others, at each step of its ranking; or only those `within` a pair of classes."""

    truth = None

    def __init__(
        self, ranking: DatabaseRanking, code: int, score: Column, is_positive: Column, within: Column | None = None
    ) -> None:
        self.ranking, self.code = ranking, code
        self.score = score
        self.is_positive = is_positive
        self.within = within


class Changes:
    """The columns of what each row adds, one for each influence; `beside` are columns that are kept with them."""

    def __init__(
        self,
        predictions: Predictions,
        influences: Sequence[Any],
        beside: Mapping[str, Column] | None = None,
        *,
        on_one_scale: bool = True,
    ) -> None:
        self.predictions = predictions
        self.influences = influences
        self.beside = beside or {}
        self.on_one_scale = on_one_scale
        by = influences[0].summary.by
        self.unit = None if by is None else by.codes
        self.places = range(len(influences))

    def centred(self) -> Any:
        """Rows with what each adds, without the mean, which is not 0 only where something was smoothed."""
        rows = self._joined(self.places)
        smoothed = [place for place in self.places if not is_centred(self.influences[place])]
        if not smoothed:
            return rows
        means = self._means(self._joined(smoothed), [f"phi{place}" for place in smoothed])
        return rows.mutate(
            **{name: rows[name] - number_of_unit(self._unit_of(rows), mean) for name, mean in means.items()}
        )

    def _unit_of(self, rows: Any) -> Any:
        return None if self.unit is None else rows.unit

    def _means(self, rows: Any, names: list[str]) -> dict[str, Array]:
        """Of each unit."""
        weighed = self.predictions.weight is not None
        total = rows.weight.sum() if weighed else rows.count()
        sums = {name: (rows[name] * rows.weight if weighed else rows[name]).sum() / total for name in names}
        if self.unit is None:
            return {name: np.array([mean], float) for name, mean in fetch_row(rows.aggregate(**sums)).items()}
        answer = fetch(rows.group_by("unit").aggregate(**sums))
        means = {name: np.zeros(self.influences[0].summary.units) for name in names}
        for name, of_units in means.items():
            of_units[answer["unit"].astype(np.int64)] = answer[name]
        return means

    def _joined(self, places: Sequence[int]) -> Any:
        """Rows with what each influence adds; what hangs on a step is looked up by the score."""
        predictions = self.predictions
        columns: dict[str, Any] = {"truth": predictions.truth, **self.beside}
        if predictions.weight is not None:
            columns["weight"] = predictions.weight
        if self.unit is not None:
            columns["unit"] = self.unit
        lookups: dict[Any, _Lookup] = {}
        for place in places:
            influence = self.influences[place]
            columns[f"phi{place}"] = self._direct(influence) * number(self._factor(influence.summary))
            for cells, slopes in steps_of(influence):
                for factor, of_steps in slopes.steps:
                    known = lookups.setdefault(
                        (cells, of_steps.ranking), _Lookup(len(lookups), cells, of_steps.ranking)
                    )
                    known.add(place, factor * self._factor(influence.summary), of_steps)
        for each in lookups.values():
            columns |= each.columns
        rows = table_of(predictions.truth).select(**columns)
        if predictions.weight is not None:
            rows = rows.filter(rows.weight > 0)
        for each in lookups.values():
            rows = each.joined(rows)
        return rows

    def _factor(self, summary: Summary) -> float:
        """From the scale of one model's numbers to that of the first one's."""
        first = self.influences[0]
        return (float(first.summary.scale) / summary.scale) ** int(first.units_power) if self.on_one_scale else 1.0

    def _direct(self, influence: Any) -> Column:
        """What a row's own columns say."""
        total: Any = number(0.0)
        for cells, table in influence.tables.items():
            if isinstance(table, StepSlopes):
                own = table.of_rows(cells.score, cells.is_positive, self.unit)
                total = total + (own if cells.within is None else cells.within.ifelse(own, number(0.0)))
            else:
                total = total + cells.column(table)
        for metric, by_terms in influence.terms:
            summary = influence.summary
            terms = summary.rows.row_terms(metric, summary.baseline)
            total = total + by_terms.of_rows(terms, lambda numbers: number_of_unit(self.unit, numbers))
        for column in influence.added:
            total = total + column
        return total


class _Lookup:
    """The steps of one ranking, found by the scores of rows, for all influences that hang on them."""

    def __init__(self, place: int, cells: StepColumns, ranking: DatabaseRanking) -> None:
        self.place, self.cells, self.ranking = place, cells, ranking
        self.every: list[SlopeColumns] = []
        self.uses: dict[int, list[tuple[float, int]]] = {}
        """Of each influence, the slopes that it takes and their factors."""

    def add(self, influence: int, factor: float, slopes: SlopeColumns) -> None:
        if slopes not in self.every:
            self.every.append(slopes)
        self.uses.setdefault(influence, []).append((factor, self.every.index(slopes)))

    @property
    def columns(self) -> dict[str, Column]:
        """What rows keep until they are joined."""
        cells, place = self.cells, self.place
        within = {} if cells.within is None else {f"within{place}": cells.within}
        return {f"score{place}": cells.score, f"is_score{place}": cells.is_positive, **within}

    def joined(self, rows: Any) -> Any:
        place = self.place
        steps = slope_table(self.ranking, self.every)
        steps = steps.rename({f"step{place}_{name}": name for name in steps.columns})
        match = [rows[f"score{place}"] == steps[f"step{place}_score"]]
        if self.ranking.units > 1:
            match.append(rows.unit == steps[f"step{place}_unit"])
        is_any = self.cells.within is None
        joined = rows.join(steps, match) if is_any else rows.left_join(steps, match)
        kept = {name: joined[name] for name in rows.columns if name not in self.columns}
        for influence, parts in self.uses.items():
            for factor, slopes in parts:
                sides = (joined[f"step{place}_{side}{slopes}"] for side in ("positive", "negative"))
                slope = joined[f"is_score{place}"].ifelse(*sides) * number(factor)
                slope = slope if is_any else joined[f"within{place}"].ifelse(slope, number(0.0))
                kept[f"phi{influence}"] = kept[f"phi{influence}"] + slope
        return joined.select(**kept)


class Powers:
    """Sums of powers of what rows add, with the weights of these."""

    def __init__(self, predictions: Predictions, rows: Any) -> None:
        self.predictions, self.rows = predictions, rows

    @property
    def _is_frequency(self) -> bool:
        return self.predictions.weight_kind == "frequency"

    def square(self, square: Any) -> Any:
        """As often as rows were seen, or with what they weigh."""
        if self.predictions.weight is None:
            return square.sum()
        of_one = number(self.predictions.row_weight) if self._is_frequency else self.rows.weight
        return (square * self.rows.weight * of_one).sum()

    def fourth(self, column: Any) -> Any:
        square, weight = column * column, None if self.predictions.weight is None else self.rows.weight
        if weight is None:
            return (square * square).sum()
        if self._is_frequency:
            return (square * square * weight / number(self.predictions.row_weight)).sum()
        return (square * square * weight * weight * weight * weight).sum()

    def seen(self) -> Any:
        """How many rows there are; one with a frequency is so many."""
        if self.predictions.weight is None or not self._is_frequency:
            return self.rows.count()
        return (self.rows.weight / number(self.predictions.weight_scale)).sum()


def steps_of(influence: Any) -> list[tuple[StepColumns, StepSlopes]]:
    """What hangs on the scores of rows."""
    return [(cells, table) for cells, table in influence.tables.items() if isinstance(table, StepSlopes)]


def is_centred(influence: Any) -> bool:
    return all(slopes.centred for _, slopes in steps_of(influence))
