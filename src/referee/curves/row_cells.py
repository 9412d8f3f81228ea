"""The rows between the thresholds of a band: all that its spread depends on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from referee.engines.memory import summarise
from referee.errors import UsageError

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.curves.curve import Curve
    from referee.predictions import Predictions


@dataclass(frozen=True)
class Cells:
    """Rows by class and by the thresholds that they lie between: first the positives from the top, then the others."""

    squares: Array
    """The squared weights in each cell: without weights, its rows."""
    fourths: Array
    rows: float
    groups: Array | None = None
    """The weight of each group in each cell, where rows belong together."""
    df: float | None = None
    """Degrees of freedom, where the groups give them."""

    def covariance(self, changes: Array) -> Array:
        """Of sums over the rows of what a row of each cell changes: (place, cell) to (place, place)."""
        if self.groups is None:
            return (changes * self.squares) @ changes.T
        each = self.groups @ changes.T
        return np.asarray(each.T @ each) * len(each) / max(len(each) - 1, 1)


def cells_of(curve: Curve, predictions: Predictions, places: Array) -> Cells:
    order = places[np.argsort(curve.rank[places], kind="stable")]
    counted = predictions.weight is None or predictions.weight_kind == "frequency"
    if counted and predictions.clusters is None:
        rows = [
            np.diff(np.asarray(column[order], float), prepend=0, append=total)
            for column, total in ((curve.tp, curve.positives), (curve.fp, curve.negatives))
        ]
        size = predictions.row_weight
        # Each class loses a degree of freedom, as in DeLong's variance.
        squares = np.concatenate([one * size * _bessel(one.sum() / size) for one in rows])
        return Cells(squares, np.concatenate(rows) * size**3, (curve.positives + curve.negatives) / size)
    return _weighted_cells(curve, predictions, order)


def _weighted_cells(curve: Curve, predictions: Predictions, order: Array) -> Cells:
    if predictions.engine != "memory":
        raise UsageError(
            "E_BAND", "a band with weights or groups needs the rows in memory", hint="give more --max-memory"
        )
    assert curve.class_ is not None
    code = predictions.classes.index(curve.class_)
    model = predictions.model(curve.model)
    scores = np.asarray(summarise(predictions, model).rows.score(code), float)
    between = np.searchsorted(-np.asarray(curve.threshold[order], float), -scores)
    cell = np.where(predictions.truth == code, between, between + len(order) + 1)
    weight = np.ones(len(scores)) if predictions.weight is None else predictions.weight
    size = 2 * (len(order) + 1)
    squares, fourths = (np.bincount(cell, weight**power, size) for power in (2, 4))
    rows = float(np.count_nonzero(weight))
    if predictions.clusters is None:
        positives = int(np.count_nonzero(weight[predictions.truth == code]))
        of_class = np.repeat([_bessel(positives), _bessel(rows - positives)], size // 2)
        return Cells(squares * of_class, fourths, rows)
    found, group = np.unique(predictions.clusters.codes[weight > 0], return_inverse=True)
    groups = np.bincount(group * size + cell[weight > 0], weight[weight > 0], len(found) * size).reshape(-1, size)
    return Cells(squares, fourths, rows, groups, max(1.0, len(found) - 1.0))


def _bessel(rows: float) -> float:
    """For a variance about an estimated mean; a class of one row has none, and the band rests on the other class."""
    return rows / (rows - 1) if rows > 1 else 1.0
