"""Moments: sums over rows of what each adds to a value, from which its variance and degrees of freedom follow."""

from __future__ import annotations

from math import isfinite, isnan
from typing import TYPE_CHECKING

import numpy as np

from referee.records import dataclass
from referee.scoring.intervals import Spread, df_from_moments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from referee.arrays import Array
    from referee.engines import Summary
    from referee.predictions import Predictions
    from referee.scoring.influences import Influence
    from referee.scoring.metric import Metric

    Block = tuple[Array, Array | None, Array | int, Array | int]
    """What some rows or cells add, the weight of each, its unit, and its unit and class as one number."""

BLOCK = 1 << 15
"""Rows that are looked at together."""
FEW_CELLS = 1 << 12


def compares_classes(predictions: Predictions, metric: Metric) -> bool:
    """Rankings compare classes, each of which loses a degree of freedom: with AUC this is DeLong's variance."""
    return bool(predictions.classes and {"ranking", "pairs"} & set(metric.summaries))


@dataclass(frozen=True)
class Moments:
    """Sums over rows that all count the same: of the squares of their changes, in each class, and of fourth powers."""

    squares: Array
    """(unit, class), or (unit, 1) where classes are not compared."""
    fourths: Array
    too_small: Array
    """Whether changes are something, but their squares are not."""

    @classmethod
    def of_cells(cls, influence: Influence, metric: Metric) -> Moments | None:
        """From tables; None where these do not say everything about a row."""
        cells, predictions = influence.cells, influence.summary.predictions
        by_class = compares_classes(predictions, metric)
        if cells is None or (by_class and not cells.has_truth):
            return None
        classes = len(predictions.classes) if by_class else 1
        parts = cells.parts(classes)
        blocks = ((influence.of_cells(part), cells.weight_in(part), unit, key) for part, unit, key in parts)
        return cls.of_blocks(blocks, influence.summary.units, classes)

    @classmethod
    def of_joint_cells(cls, a: Influence, b: Influence, metric: Metric) -> Moments | None:
        """From the cells that rows fall into by both models; None where these are more than rows."""
        of_a, of_b = a.cells, b.cells
        if of_a is None or of_b is None or compares_classes(a.summary.predictions, metric):
            return None
        size = len(of_a) * len(of_b)
        if size > max(a.summary.predictions.rows, FEW_CELLS):
            return None
        key = ("joint", b.summary.rows.model)
        if key not in a.summary.kept:
            a.summary.kept[key] = np.bincount(of_a.place * len(of_b) + of_b.place, minlength=size)
        differences = (a.of_cells()[:, None] - b.of_cells()).reshape(-1)
        return cls.of_blocks([(differences, a.summary.kept[key], 0, 0)], 1, 1)

    @classmethod
    def of_rows(cls, summary: Summary, metric: Metric, changes: Callable[[slice], Array]) -> Moments:
        """Row by row."""
        predictions, units = summary.predictions, summary.units
        classes = len(predictions.classes) if compares_classes(predictions, metric) else 1

        def blocks() -> Iterator[Block]:
            for start in range(0, predictions.rows, BLOCK):
                part = slice(start, start + BLOCK)
                unit = 0 if summary.by is None else summary.by.codes[part]
                yield changes(part), None, unit, unit if classes == 1 else unit * classes + predictions.truth[part]

        return cls.of_blocks(blocks(), units, classes)

    @classmethod
    @np.errstate(over="ignore", invalid="ignore")  # squares beyond all numbers leave the error unknown
    def of_blocks(cls, blocks: Iterable[Block], units: int, classes: int) -> Moments:
        """Block by block, so that what is made of changes stays in the processor's cache."""
        squares, fourths, sizes = np.zeros(units * classes), np.zeros(units), np.zeros(units)
        for changes, weight, unit, key in blocks:
            squared = changes * changes
            weighed = squared if weight is None else squared * weight
            total = float(weighed.sum())
            if weight is not None and isnan(total):  # what no row has may be no number
                squared, weighed = (np.where(weight > 0, numbers, 0.0) for numbers in (squared, weighed))
                total = float(weighed.sum())
            _add_up(weighed, key, squares, total)
            _add_up(np.multiply(squared, weighed, out=squared), unit, fourths)
            if not total:
                _add_up(np.abs(changes) * (1.0 if weight is None else weight > 0), unit, sizes)
        by_class = squares.reshape(units, classes)
        return cls(by_class, fourths, (sizes > 0) & ~by_class.any(axis=1))

    @np.errstate(invalid="ignore")  # a class of one row has no variance, whatever it adds
    def spreads(self, summary: Summary) -> list[Spread | None]:
        """None where a change is not a number, or all are too small for their squares."""
        variances = (self.squares * _enlarged(summary, by_class=self.squares.shape[1] > 1)).sum(axis=1).tolist()
        totals, seen = self.squares.sum(axis=1).tolist(), summary.total_weight.tolist()
        each = zip(variances, totals, seen, self.fourths.tolist(), self.too_small.tolist(), strict=True)
        return [
            None if too_small or not isfinite(total) else Spread(variance, df_from_moments(number, total, fourth))
            for variance, total, number, fourth, too_small in each
        ]


def _enlarged(summary: Summary, *, by_class: bool) -> Array:
    """What sums of squares about the mean of a unit, or of its classes, are multiplied by; made once."""
    key = "enlarged", by_class
    if key not in summary.kept:
        rows = summary.class_weights if by_class else summary.total_weight[:, None]
        # One row has no variance, and none adds nothing.
        bessel = np.divide(rows, rows - 1, out=np.full(rows.shape, np.inf), where=rows > 1)
        summary.kept[key] = np.where(rows > 0, bessel, 0.0)
    enlarged: Array = summary.kept[key]
    return enlarged


def _add_up(values: Array, key: Array | int, totals: Array, known: float | None = None) -> None:
    """To the total of each key; `known` is the sum of the values, where it is."""
    if isinstance(key, int):
        totals[key] += values.sum() if known is None else known
    else:
        totals += np.bincount(key, values, len(totals))
